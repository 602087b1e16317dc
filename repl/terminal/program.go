package terminal

import (
	"context"
	"errors"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"halfnote/repl"
	"halfnote/repl/display"
)

// ProgramRunner runs whole programs as well as cells. A *repl.Session is one.
type ProgramRunner interface {
	Evaluator
	Program(ctx context.Context, files []repl.File, out display.Output) error
}

// Program runs the Go program in the files named, or in the folder named, with these arguments. A
// single file without a package clause, such as a notebook exported as a script, runs as one cell.
// An error of the program is already printed.
func Program(ctx context.Context, r ProgramRunner, paths, args []string, cfg Config) error {
	files, err := readProgram(paths)
	if err != nil {
		return err
	}
	os.Args = append([]string{strings.TrimSuffix(filepath.Base(files[0].Name), ".go")}, args...)
	if len(files) == 1 && isScript(files[0].Src) {
		return Eval(ctx, r, files[0].Src, cfg)
	}
	out := cfg.output(cfg.Out, cfg.Err)
	err = r.Program(ctx, files, out)
	out.End()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var exit *repl.Error
	if errors.As(err, &exit) && exit.Kind == repl.KindExit {
		if exit.Code == 0 {
			return nil
		}
		out.line("stderr", repl.Render(err, cfg.Color))
		return &repl.Error{Kind: repl.KindExit, Code: 1} // as go run, whatever the program's code
	}
	if err != nil {
		out.line("stderr", repl.Render(err, cfg.Color))
	}
	return err
}

// isScript reports whether src begins without a package clause.
func isScript(src string) bool {
	if strings.HasPrefix(src, "#!") {
		return true
	}
	return tokens(src)() != token.PACKAGE
}

// maxSource is how large a Go file may be; the largest of the standard library has 4 MB.
const maxSource = 64 << 20

const argsFollow = "; arguments of the program follow after --"

func readProgram(paths []string) ([]repl.File, error) {
	if info, err := os.Stat(paths[0]); err == nil && info.IsDir() {
		if len(paths) > 1 {
			return nil, fmt.Errorf("%s: a folder must stand alone%s", paths[0], argsFollow)
		}
		if paths, err = packageFiles(paths[0]); err != nil {
			return nil, err
		}
	}
	var files []repl.File
	for i, path := range paths {
		if i > 0 && filepath.Ext(path) != ".go" {
			return nil, fmt.Errorf("%s: no Go file%s", path, argsFollow)
		}
		if _, err := os.Stat(path); filepath.Ext(path) != ".go" && err != nil {
			return nil, err
		}
		if filepath.Ext(path) != ".go" {
			return nil, fmt.Errorf("%s: neither a notebook nor a Go file", path)
		}
		if strings.HasSuffix(path, "_test.go") {
			return nil, fmt.Errorf("%s: a file of tests is no part of a program", path)
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if info.Size() > maxSource {
			return nil, fmt.Errorf("%s: %d MB, more than the %d MB a Go file may have",
				path, info.Size()>>20, maxSource>>20)
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		files = append(files, repl.File{Name: path, Src: string(src)})
	}
	return files, ownModule(files)
}

// ownModule returns an error if a file imports another package of the module that the program is in.
func ownModule(files []repl.File) error {
	dir, err := filepath.Abs(filepath.Dir(files[0].Name))
	if err != nil {
		return err
	}
	module := ""
	for ; module == "" && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		text, _ := os.ReadFile(filepath.Join(dir, "go.mod")) // most folders have none
		module = modfile.ModulePath(text)
	}
	if module == "" || module == "halfnote" {
		return nil
	}
	for _, f := range files {
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, f.Name, f.Src, parser.ImportsOnly)
		if err != nil {
			continue // it is told where the file is checked
		}
		for _, spec := range tree.Imports {
			path := strings.Trim(spec.Path.Value, "`\"")
			if path == module || strings.HasPrefix(path, module+"/") {
				return fmt.Errorf("%s: halfnote cannot import package %s of the program's own "+
					"module yet; it runs package main alone", fset.Position(spec.Path.Pos()), path)
			}
		}
	}
	return nil
}

// packageFiles returns the Go files in dir that make its package main here: no tests, and only
// what the build constraints allow.
func packageFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if ok, err := build.Default.MatchFile(dir, name); err != nil || !ok {
			continue
		}
		path := filepath.Join(dir, name)
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly)
		if err == nil && f.Name.Name != "main" {
			return nil, fmt.Errorf("%s: package %s is no program; run wants package main",
				path, f.Name.Name)
		}
		paths = append(paths, path)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: no Go files", dir)
	}
	return paths, nil
}
