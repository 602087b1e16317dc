package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"golang.org/x/term"

	"halfnote/repl"
	"halfnote/repl/display"
)

// Evaluator runs one cell after another. A *repl.Session is one.
type Evaluator interface {
	Eval(ctx context.Context, src string, out display.Output) (repl.Result, error)
}

// Config says what a front end runs, and where it reads and writes.
type Config struct {
	In       *os.File // for Interactive and Run
	Out, Err io.Writer
	Color    bool
	Banner   string // one line, for Interactive
}

// IsTerminal reports whether a person sits at f.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// canEdit reports whether f is a terminal that moves its cursor and has colours.
func canEdit(f *os.File) bool {
	return IsTerminal(f) && os.Getenv("TERM") != "dumb" && understandsANSI(f)
}

// UseColor decides whether output to f has colour: not for NO_COLOR, TERM=dumb, or a file that is
// no terminal, unless mode is "always"; never if it is "never".
func UseColor(mode string, f *os.File) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && canEdit(f)
}

// output returns an Output that prints by way of these writers to what cfg.Out and cfg.Err are.
func (cfg Config) output(out, err io.Writer) *Output {
	o := NewOutput(out, err)
	f, ok := cfg.Out.(*os.File)
	o.redraws = ok && canEdit(f)
	return o
}

// Eval runs src as one cell. An error of the cell is already printed.
func Eval(ctx context.Context, ev Evaluator, src string, cfg Config) error {
	_, err := eval(ctx, ev, src, cfg)
	return err
}

// eval is Eval; it tells whether the cell ends the session.
func eval(ctx context.Context, ev Evaluator, src string, cfg Config) (quit bool, err error) {
	out := cfg.output(cfg.Out, cfg.Err)
	result, err := ev.Eval(ctx, spelled(src), out)
	out.End()
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		if !exits(err) {
			out.line("stderr", repl.Render(err, cfg.Color))
		}
		return false, err
	}
	show(result, out)
	return result.Quit, nil
}

// exits reports whether a cell called os.Exit, which is an end and no mistake.
func exits(err error) bool { return isKind(err, repl.KindExit) }

// isKind reports whether err is an error of a cell of that kind.
func isKind(err error, kind string) bool {
	var e *repl.Error
	return errors.As(err, &e) && e.Kind == kind
}

// loop is the state of an interactive session.
type loop struct {
	ev         Evaluator
	cfg        Config
	screen     *screen
	reader     lineReader
	interrupts chan os.Signal
	n          int // of the next cell
	quit       bool
}

// Interactive reads cells at a prompt and runs them until the person leaves. Errors of cells are
// printed, and os.Exit ends a cell only; the error returned is that of reading.
func Interactive(ctx context.Context, ev Evaluator, cfg Config) error {
	l := &loop{ev: ev, cfg: cfg, n: 1, interrupts: make(chan os.Signal, 1)}
	signal.Notify(l.interrupts, os.Interrupt)
	defer signal.Stop(l.interrupts)
	l.screen = &screen{out: cfg.Out, err: cfg.Err}
	helper, _ := ev.(Helper)
	l.reader = newLineReader(cfg.In, l.screen, helper, l.interrupts)
	if cfg.Banner != "" {
		fmt.Fprintln(cfg.Out, display.StyleFaint.Paint(cfg.Banner, cfg.Color))
	}
	for !l.quit && ctx.Err() == nil {
		entry, err := l.read()
		switch {
		case err == errInterrupt:
			continue
		case err == io.EOF:
			fmt.Fprintln(cfg.Out)
			return nil
		case err != nil:
			return err
		}
		l.eval(ctx, entry)
	}
	return nil
}

// read returns the next entry: lines until they are complete, an empty line, or all of a paste and
// the Enter after it.
func (l *loop) read() (string, error) {
	prompt := fmt.Sprintf("In [%d]: ", l.n)
	more := strings.Repeat(" ", len(prompt)-len("...: ")) + "...: "
	prompt = display.StyleInput.Paint(prompt, l.cfg.Color)
	more = display.StyleInput.Paint(more, l.cfg.Color)
	entry := ""
	for {
		line, pasted, err := l.reader.ReadLine(prompt, entry)
		if err == io.EOF && entry != "" {
			return entry, nil
		}
		if err != nil {
			return "", err
		}
		blank := strings.TrimSpace(line) == ""
		if blank && entry == "" {
			continue
		}
		entry += line + "\n"
		prompt = more
		if pasted {
			continue
		}
		if incomplete, _ := repl.Incomplete(entry); blank || !incomplete {
			return entry, nil
		}
	}
}

// eval runs one entry; Ctrl-C stops it.
func (l *loop) eval(ctx context.Context, entry string) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	watched := make(chan struct{})
	out := l.cfg.output(l.screen.writer("stdout"), l.screen.writer("stderr"))
	go func() {
		defer close(watched)
		select {
		case <-l.interrupts:
			out.Stream("stdout", "\n") // the terminal has printed ^C
			cancel()
		case <-done:
		}
	}()
	result, err := l.ev.Eval(ctx, spelled(entry), out)
	close(done)
	<-watched
	cancel()
	out.End()

	color := l.cfg.Color
	for _, notice := range result.Notices {
		out.line("stderr", display.StyleFaint.Paint(notice, color))
	}
	switch {
	case exits(err):
		text := repl.Render(err, false) + "; Ctrl-D leaves the session"
		out.line("stderr", display.StyleFaint.Paint(text, color))
	case err != nil:
		out.line("stderr", repl.Render(err, color))
	case result.Shown:
		mark := display.StyleOutput.Paint(fmt.Sprintf("Out[%d]: ", result.Count), color)
		text := result.Bundle.Text()
		if strings.Contains(text, "\n") {
			text = "\n" + text
		}
		out.line("stdout", mark+text)
	}
	l.answer(entry, result, out)
	out.line("stdout", "")
	l.n = max(l.n, result.Count+1)
}
