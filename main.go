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
	"strings"
	"syscall"

	"halfnote/install"
	"halfnote/internal/memory"
	"halfnote/kernel"
	"halfnote/kernel/zmq"
	"halfnote/notebooks"
	"halfnote/repl"
	"halfnote/repl/terminal"
	"halfnote/tensor"
)

const about = "halfnote: Go with mixed precision training"

var commands = []terminal.Command{
	{
		Name: "repl", Args: "[-e EXPR]", Setup: replCommand,
		Short:   "start the terminal REPL, or run what a pipe brings (the default)",
		Example: `halfnote -e 'strings.ToUpper("go")'`,
	}, {
		Name: "run", Args: "FILE.ipynb | FILE.go … | DIR [-- ARGS]", Setup: runCommand,
		Short:   "run a notebook or a Go program",
		Example: "halfnote run notebooks/01-first-loop.ipynb --html first-loop.html",
	}, {
		Name: "install", Args: "[--user | --sys-prefix | --prefix DIR]", Setup: install.Command,
		Short:   "make the kernel known to Jupyter",
		Example: "halfnote install --sys-prefix",
	}, {
		Name: "uninstall", Args: "[--user | --sys-prefix | --prefix DIR]",
		Setup:   install.UninstallCommand,
		Short:   "take away what install has written",
		Example: "halfnote uninstall",
	}, {
		Name: "lab", Args: "[DIR] [-- ARGS]", Setup: labCommand,
		Short:   "open JupyterLab with the kernel, getting what is missing",
		Example: "halfnote lab notebooks -- --no-browser --port 8890",
	}, {
		Name: "doctor", Setup: doctorCommand,
		Short:   "say what is there, what is missing, and how to mend it",
		Example: "halfnote doctor",
	}, {
		Name: "kernel", Args: "CONNECTION_FILE", Setup: kernelCommand,
		Short:   "answer a Jupyter front end, which starts this by itself",
		Example: "jupyter console --kernel halfnote",
	}, {
		Name: "version", Setup: versionCommand,
		Short:   "print the version",
		Example: "halfnote version",
	},
}

func main() {
	if _, err := tensor.CPUPath(); err != nil {
		fmt.Fprintln(os.Stderr, "halfnote:", err)
	}
	err := terminal.NewTable(about, commands...).Execute(os.Args[1:])
	var cell *repl.Error
	var exit interface {
		error
		ExitStatus() int
	}
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
		if errors.As(err, &exit) {
			os.Exit(exit.ExitStatus())
		}
		os.Exit(1)
	}
}

func replCommand(fs *flag.FlagSet) func(args, rest []string) error {
	var o terminal.Options
	o.Flags(fs)
	memoryFlag(fs)
	return func(_, _ []string) error {
		session := repl.New(repl.Config{OwnStdout: true, Stdin: terminal.Stdin(),
			PanicsEnd: !o.Interactive()})
		return terminal.Run(session, o, about+". %help for help, Ctrl-D leaves.")
	}
}

func runCommand(fs *flag.FlagSet) func(args, rest []string) error {
	var o terminal.Options
	var cfg notebooks.FileConfig
	o.ColorFlag(fs)
	memoryFlag(fs)
	cfg.Flags(fs)
	return func(args, rest []string) error {
		isNotebook := len(args) > 0 && filepath.Ext(args[0]) == ".ipynb"
		switch {
		case len(args) == 0:
			return terminal.UsageError("run wants a notebook, Go files or a folder")
		case isNotebook && len(args)+len(rest) > 1:
			return terminal.UsageError("run takes one notebook and no arguments for it")
		case !isNotebook && (cfg.Writes() || cfg.AllowErrors):
			return terminal.UsageError(
				"-o, --inplace, --html and --allow-errors are for notebooks")
		}
		session := repl.New(repl.Config{OwnStdout: !isNotebook, PanicsEnd: isNotebook})
		if !isNotebook {
			return terminal.RunProgram(session, args, rest, o)
		}
		ends := []os.Signal{os.Interrupt, syscall.SIGTERM} // the latter is a batch system's
		if !signal.Ignored(syscall.SIGHUP) {               // as nohup has it, for a run that outlives its terminal
			ends = append(ends, syscall.SIGHUP)
		}
		ctx, stop := signal.NotifyContext(context.Background(), ends...)
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

// memoryFlag declares --max-memory for the process itself.
func memoryFlag(fs *flag.FlagSet) {
	memory.Flag(fs, func(_ string, bytes uint64) { memory.SetLimit(bytes) })
}

func labCommand(fs *flag.FlagSet) func(args, rest []string) error {
	var kernel []string
	install.KernelFlags(fs, &kernel)
	return func(args, rest []string) error {
		return install.Lab(args, rest, install.LabConfig{
			Notebooks: notebooks.Teaching(),
			Out:       os.Stderr,
			Live:      terminal.IsTerminal(os.Stderr),
			Kernel:    kernel,
		})
	}
}

func doctorCommand(fs *flag.FlagSet) func(args, rest []string) error {
	var o terminal.Options
	o.ColorFlag(fs)
	return func(_, _ []string) error {
		history, err := repl.HistoryPath()
		if err != nil {
			return err
		}
		return install.Doctor(os.Stdout, terminal.UseColor(o.Color, os.Stdout),
			install.Writable("history", history))
	}
}

func kernelCommand(fs *flag.FlagSet) func(args, rest []string) error {
	memoryFlag(fs)
	return func(args, rest []string) error {
		if len(args)+len(rest) != 1 {
			return terminal.UsageError("kernel wants one connection file")
		}
		start, log := kernel.Process(args[0], version())
		return zmq.Serve(context.Background(), args[0], log, start)
	}
}

func version() string {
	info, _ := debug.ReadBuildInfo() // nil only in a binary built without modules
	return info.Main.Version
}

func versionCommand(*flag.FlagSet) func(args, rest []string) error {
	return func(_, _ []string) error {
		_, err := fmt.Println("halfnote", version(), runtime.Version(),
			runtime.GOOS+"/"+runtime.GOARCH)
		return err
	}
}
