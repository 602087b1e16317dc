package notebooks

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// FileConfig says what RunFile writes. Nothing is written that is not asked for.
type FileConfig struct {
	RunConfig
	Output  string // a notebook with all outputs
	InPlace bool   // the notebook itself, with all outputs
	HTML    string // a page
}

// standard stands for the standard output where a file is named.
const standard = "-"

// Flags declares the command line's flags for cfg.
func (cfg *FileConfig) Flags(fs *flag.FlagSet) {
	fs.StringVar(&cfg.Output, "o", "", "write the notebook with its outputs to `OUT.ipynb`, or - (standard output)")
	fs.BoolVar(&cfg.InPlace, "inplace", false, "write the outputs into the notebook itself")
	fs.StringVar(&cfg.HTML, "html", "",
		"write the notebook with its outputs as a page to `OUT.html`, or -")
	fs.BoolVar(&cfg.AllowErrors, "allow-errors", false, "go on after a cell that fails")
}

// Writes reports whether a run leaves any file.
func (cfg *FileConfig) Writes() bool { return cfg.Output != "" || cfg.InPlace || cfg.HTML != "" }

// RunFile reads a notebook, runs it, and writes what is asked for, also when a cell has failed or
// was interrupted: what was run so far may have taken long.
func RunFile(ctx context.Context, ev Evaluator, file string, cfg FileConfig) error {
	nb, err := ReadFile(file)
	if err != nil {
		return err
	}
	if cfg.Output != "" && cfg.Output == cfg.HTML {
		return fmt.Errorf("%s: cannot be a notebook and a page", cfg.Output)
	}
	writes := map[string]func(io.Writer) error{}
	if cfg.InPlace {
		writes[file] = nb.write
	}
	if cfg.Output != "" {
		writes[cfg.Output] = nb.write
	}
	if cfg.HTML != "" {
		writes[cfg.HTML] = nb.WriteHTML
	}
	for out := range writes {
		if out == standard {
			continue
		}
		// A run may take long: say now that its result has no place.
		if info, err := os.Stat(filepath.Dir(out)); err != nil || !info.IsDir() {
			return fmt.Errorf("%s: no folder %s", out, filepath.Dir(out))
		}
		if info, err := os.Stat(out); err == nil && info.IsDir() {
			return fmt.Errorf("%s: is a folder", out)
		}
	}
	err = nb.Run(ctx, ev, cfg.RunConfig)
	var failed *CellError
	if err != nil && !errors.As(err, &failed) {
		return fmt.Errorf("%s: nothing was written: %w", file, err)
	}
	var lost error
	for out, write := range writes {
		if out == standard {
			lost = errors.Join(lost, write(os.Stdout))
		} else {
			lost = errors.Join(lost, writeFile(out, write))
		}
	}
	return cmp.Or(lost, err)
}
