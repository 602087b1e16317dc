// Halfnote is a Jupyter kernel and REPL for Go, made for mixed precision training.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"halfnote/notebooks"
	"halfnote/repl"
	"halfnote/repl/terminal"
)

// A command is an entry of the table that gives parsing, help and usage. Setup declares its flags
// and returns what runs it, with the arguments before and after --.
type command struct {
	name, args, short, example string
	setup                      func(fs *flag.FlagSet) func(args, rest []string) error
}

var commands []command

func init() { // help prints the table it stands in
	commands = []command{
		{"repl", "[-e EXPR]", "start the terminal REPL, or run what a pipe brings (the default)",
			`halfnote -e 'strings.ToUpper("go")'`, replCommand},
		{"run", "FILE.ipynb | FILE.go … | DIR [-- ARGS]", "run a notebook or a Go program",
			"halfnote run notebooks/01-first-loop.ipynb --html first-loop.html", runCommand},
		{"version", "", "print the version", "halfnote version", versionCommand},
		{"help", "[COMMAND]", "explain the commands", "halfnote help run", helpCommand},
	}
}

const about = "halfnote: Go with mixed precision training"

// usageError is a mistake on the command line.
type usageError string

func (e usageError) Error() string { return string(e) }

func main() {
	err := execute(os.Args[1:])
	var usage usageError
	var cell *repl.Error
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled):
		text := strings.Replace(err.Error(), context.Canceled.Error(), "interrupted", 1)
		fmt.Fprintln(os.Stderr, "halfnote:", text)
		os.Exit(130)
	case errors.As(err, &cell): // printed where it happened
		if err == cell && cell.Kind == repl.KindExit {
			os.Exit(cell.Code)
		}
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "halfnote:", err)
		if errors.As(err, &usage) {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// execute runs the command named first, or repl. Flags may stand among the arguments.
func execute(args []string) error {
	name := "repl"
	if len(args) > 0 {
		if args[0] == "-h" {
			args[0] = "--help"
		}
		word := strings.TrimLeft(args[0], "-")
		if word == args[0] || word == "help" || word == "version" { // also as --help
			name, args = word, args[1:]
		}
	}
	c, err := find(name)
	if err != nil {
		return err
	}
	var before, rest []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, rest = args[:i], args[i+1:]
	}
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.Usage = func() {}
	run := c.setup(fs)
	for {
		switch err := fs.Parse(args); {
		case err == flag.ErrHelp:
			return c.help()
		case err != nil: // printed by fs
			return usageError("see halfnote help " + name)
		}
		if args = fs.Args(); len(args) == 0 {
			return run(before, rest)
		}
		before, args = append(before, args[0]), args[1:]
	}
}

func find(name string) (*command, error) {
	hint := "see halfnote help"
	for i, c := range commands {
		if c.name == name {
			return &commands[i], nil
		}
		if strings.HasPrefix(name, c.name[:2]) {
			hint = fmt.Sprintf("did you mean %q?", c.name)
		}
	}
	if _, err := os.Stat(name); err == nil {
		hint = fmt.Sprintf("did you mean \"run %s\"?", name)
	}
	return nil, usageError(fmt.Sprintf("no command %q; %s", name, hint))
}

func replCommand(fs *flag.FlagSet) func(args, rest []string) error {
	var o terminal.Options
	o.Flags(fs)
	return func(args, _ []string) error {
		if len(args) > 0 {
			return usageError("repl takes no arguments; did you mean \"run " + args[0] + "\"?")
		}
		session := repl.New(repl.Config{OwnStdout: true, Stdin: terminal.Stdin()})
		return terminal.Run(session, o, about+". %help for help, Ctrl-D leaves.")
	}
}

func runCommand(fs *flag.FlagSet) func(args, rest []string) error {
	var o terminal.Options
	var cfg notebooks.FileConfig
	o.ColorFlag(fs)
	cfg.Flags(fs)
	return func(args, rest []string) error {
		isNotebook := len(args) > 0 && filepath.Ext(args[0]) == ".ipynb"
		switch {
		case len(args) == 0:
			return usageError("run wants a notebook, Go files or a folder")
		case isNotebook && len(args)+len(rest) > 1:
			return usageError("run takes one notebook and no arguments for it")
		case !isNotebook && (cfg.Writes() || cfg.AllowErrors):
			return usageError("-o, --inplace, --html and --allow-errors are for notebooks")
		}
		session := repl.New(repl.Config{OwnStdout: !isNotebook})
		if !isNotebook {
			return terminal.RunProgram(session, args, rest, o)
		}
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		progress := notebooks.NewProgress(os.Stderr, terminal.IsTerminal(os.Stderr),
			terminal.UseColor(o.Color, os.Stderr))
		cfg.Progress = progress
		if !cfg.Writes() {
			cfg.Echo = terminal.NewOutput(progress.Writer(os.Stdout), progress.Writer(os.Stderr))
		}
		return notebooks.RunFile(ctx, session, args[0], cfg)
	}
}

func versionCommand(*flag.FlagSet) func(args, rest []string) error {
	return func(_, _ []string) error {
		info, _ := debug.ReadBuildInfo() // nil only in a binary built without modules
		_, err := fmt.Println("halfnote", info.Main.Version, runtime.Version(),
			runtime.GOOS+"/"+runtime.GOARCH)
		return err
	}
}

func helpCommand(*flag.FlagSet) func(args, rest []string) error {
	return func(args, _ []string) error {
		if len(args) > 0 {
			c, err := find(args[0])
			if err != nil {
				return err
			}
			return c.help()
		}
		fmt.Print(about, "\n\n")
		for _, c := range commands {
			fmt.Printf("  halfnote %-8s %s\n", c.name, c.short)
		}
		fmt.Print("\nSee halfnote help COMMAND. ",
			"Exit codes: 0 fine, 1 the code failed, 2 usage, 130 interrupted.\n")
		return nil
	}
}

// help prints a command's usage, flags and example.
func (c *command) help() error {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	c.setup(fs)
	fmt.Printf("usage: halfnote %s %s\n\n%s\n\n", c.name, c.args, c.short)
	fs.VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		name := "--"[:min(len(f.Name), 2)] + f.Name
		fmt.Printf("  %-20s %s\n", name+" "+value, usage)
	})
	fmt.Printf("\nexample: %s\n", c.example)
	return nil
}
