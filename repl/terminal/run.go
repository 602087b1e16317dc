package terminal

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/signal"
	"slices"
)

// Options are what a command line says to this front end.
type Options struct {
	Expr  string // evaluate this and leave
	Color string // auto (or empty), always or never
}

// Flags declares the command line's flags for o.
func (o *Options) Flags(fs *flag.FlagSet) {
	fs.StringVar(&o.Expr, "e", "", "evaluate `EXPR`, print it, and leave")
	o.ColorFlag(fs)
}

// ColorFlag declares only the flag for colour.
func (o *Options) ColorFlag(fs *flag.FlagSet) {
	fs.Func("color", "colour `WHEN`: auto, always or never", func(mode string) error {
		if !slices.Contains([]string{"auto", "always", "never"}, mode) {
			return errors.New("it is auto, always or never")
		}
		o.Color = mode
		return nil
	})
}

// Run starts what suits the process's standard input: a prompt for a person, Batch for a pipe, or
// Eval if there is an expression.
func Run(ev Evaluator, o Options, banner string) error {
	if o.Interactive() {
		return Interactive(context.Background(), ev, Config{
			In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
			Color: UseColor(o.Color, os.Stdout), Banner: banner,
		})
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cfg := o.plain()
	if o.Expr != "" {
		return Eval(ctx, ev, o.Expr, cfg)
	}
	return Batch(ctx, ev, os.Stdin, cfg)
}

// Interactive reports whether Run asks somebody for input.
func (o *Options) Interactive() bool { return o.Expr == "" && IsTerminal(os.Stdin) }

// RunProgram runs a Go program as the process itself: see Program.
func RunProgram(r ProgramRunner, paths, args []string, o Options) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return Program(ctx, r, paths, args, o.plain())
}

// plain is the Config without a prompt, where only errors have colour.
func (o *Options) plain() Config {
	return Config{Out: os.Stdout, Err: os.Stderr, Color: UseColor(o.Color, os.Stderr)}
}
