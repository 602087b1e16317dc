package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A config is what the command line says.
type config struct {
	halfnote string
	table    string
	names    string
	all      bool
	compare  bool
	jobs     int
	update   bool
	strict   bool
	most     limit
}

func main() {
	c := config{most: limit{10 * time.Second, 2 << 30}}
	flag.StringVar(&c.halfnote, "halfnote", "", "run programs with `PATH`; it is built if not given")
	flag.StringVar(&c.table, "table", "repl/compare/failures.txt", "what is known to fail is in `FILE`")
	flag.StringVar(&c.names, "run", "", "run only programs whose folder/file matches `REGEXP`")
	flag.BoolVar(&c.all, "all", false, "take programs without a first line that says “// run” too")
	flag.BoolVar(&c.compare, "go", false, "run each program in Go as well")
	flag.IntVar(&c.jobs, "j", runtime.GOMAXPROCS(0), "run `N` programs at once")
	flag.BoolVar(&c.update, "update", false, "bring the table up to date")
	flag.BoolVar(&c.strict, "strict", false, "fail if the table says more than it should, or less")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ok, err := c.main(ctx, os.Stdout, flag.Args())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// main runs the programs of folders, prints the report, and says whether all went as the table says.
func (c *config) main(ctx context.Context, w io.Writer, dirs []string) (bool, error) {
	if len(dirs) == 0 {
		var err error
		if dirs, err = goTests(); err != nil {
			return false, err
		}
		if len(dirs) == 0 {
			fmt.Fprintln(w, "this Go came without its test programs (GOROOT/test): none were run")
			return true, nil
		}
	}
	all, err := c.programs(dirs)
	if err != nil {
		return false, err
	}
	rows, err := c.readTable()
	if err != nil {
		return false, err
	}
	folder, err := os.MkdirTemp("", "compare")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(folder)
	if err := c.build(ctx, folder); err != nil {
		return false, err
	}
	r := &runner{halfnote: c.halfnote, compare: c.compare, most: c.most, folder: folder}
	seen := newProgress(os.Stderr, len(all))
	results, err := r.tryAll(ctx, all, max(1, c.jobs), func(res result) bool {
		return known(rows, res)
	}, seen.note)
	seen.end()
	if err != nil {
		return false, err
	}
	return c.report(w, rows, results, r.judged)
}

// programs returns the programs of folders that are to be run.
func (c *config) programs(dirs []string) ([]program, error) {
	names, err := regexp.Compile(c.names)
	if err != nil {
		return nil, err
	}
	var all []program
	for _, dir := range dirs {
		found, err := programs(dir, c.all)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	all = slices.DeleteFunc(all, func(p program) bool { return !names.MatchString(p.name()) })
	if len(all) == 0 {
		return nil, fmt.Errorf("no programs in %s", strings.Join(dirs, " "))
	}
	return all, distinct(all)
}

func (c *config) readTable() ([]row, error) {
	data, err := os.ReadFile(c.table)
	if err != nil && !(c.update && errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	rows, err := readTable(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.table, err)
	}
	return rows, nil
}

// build finds the program that runs programs; it is built unless the command line names one.
func (c *config) build(ctx context.Context, folder string) (err error) {
	if c.halfnote != "" {
		c.halfnote, err = filepath.Abs(c.halfnote)
		return err
	}
	c.halfnote = filepath.Join(folder, "halfnote.exe")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", c.halfnote, "halfnote").CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

// report prints what came of the programs and says whether it is what the table says.
func (c *config) report(w io.Writer, rows []row, results []result, judged func(program) bool) (
	bool, error) {
	unknown := printFailures(w, results, rows)
	pass := passing(rows, results, judged)
	for _, r := range pass {
		fmt.Fprintf(w, "%s: passes now, in the table as %s\n", r.name, r.kind)
	}
	fmt.Fprintln(w)
	printTable(w, results)
	if c.update {
		rows = updated(rows, results, judged)
		var text bytes.Buffer
		if err := writeTable(&text, rows); err != nil {
			return false, err
		}
		return true, os.WriteFile(c.table, text.Bytes(), 0o644)
	}
	unexplained := 0
	for _, r := range rows {
		if r.reason == noReason {
			unexplained++
		}
	}
	printCount(w, unknown, "failure is not in the table", "failures are not in the table")
	printCount(w, len(pass), "row of the table passes now", "rows of the table pass now")
	printCount(w, unexplained, "row has no reason", "rows have no reason")
	return unknown == 0 && !(c.strict && len(pass)+unexplained > 0), nil
}
