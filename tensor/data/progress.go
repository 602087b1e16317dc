package data

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// This file implements the line that says how far a loader has come.

const (
	lineDelay = time.Second            // what is done by then shows no line
	linePause = 200 * time.Millisecond // between two redraws
	lineCells = 24                     // of the bar
)

// ProgressLine returns a function for the Progress field of a configuration: it writes a line with
// a bar to w, redrawn in place at most five times a second, and ends it when all is done.
//
//	config := data.LoaderConfig{Progress: data.ProgressLine(os.Stderr, "epoch")}
//
// In a notebook a display.Bar does the same: Progress: func(done, _ int) { bar.Set(done) }.
func ProgressLine(w io.Writer, label string) func(done, total int) {
	l := &line{w: w, label: label, now: time.Now}
	return l.show
}

// A line is drawn over and over. Its methods may be called by several goroutines.
type line struct {
	mu    sync.Mutex
	w     io.Writer
	label string
	now   func() time.Time
	drawn time.Time
	width int // of what stands in the line
	limit int // columns of the terminal, in which a longer line would break; 0: not known
}

func (l *line) show(done, total int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := done >= total
	if now := l.now(); last || now.Sub(l.drawn) >= linePause {
		l.drawn = now
		l.draw(l.text(done, total))
	}
	if last {
		fmt.Fprintln(l.w)
		l.width = 0
	}
}

func (l *line) text(done, total int) string {
	full := lineCells
	if total > 0 {
		full = min(max(0, done*lineCells/total), lineCells)
	}
	return fmt.Sprintf("%s %s%s %d of %d", l.label,
		strings.Repeat("█", full), strings.Repeat("░", lineCells-full), done, total)
}

// draw writes text over what stands in the line.
func (l *line) draw(text string) {
	if l.limit > 1 {
		text = shortened(text, l.limit-1)
	}
	n := len([]rune(text))
	fmt.Fprintf(l.w, "\r%s%s", text, strings.Repeat(" ", max(0, l.width-n)))
	l.width = n
}

// A Bar shows how far a loader has come. A display.Bar is one.
type Bar interface {
	Set(done int)
	Done()
}

var newBar func(total int, label string) Bar

// ShowBars lets loaders that take longer than a second, and were given no function to tell of it,
// show a bar that f makes, called on the loader's goroutine, where stderr is no terminal. The
// session calls it once, at its start, so that a bar stands under the cell.
func ShowBars(f func(total int, label string) Bar) { newBar = f }

// A meter tells how far a loader has come: to the caller's function, or else, where it takes longer
// than a second, in a line on stderr that is gone at the end, or a bar under the cell.
type meter struct {
	label  string
	hook   func(done, total int)
	line   *line // where a person sits at a terminal
	newBar func(total int, label string) Bar
	bar    Bar
	start  time.Time
}

func newMeter(label string, hook func(done, total int)) *meter {
	m := &meter{label: label, hook: hook, start: time.Now()}
	switch {
	case hook != nil:
	case term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb":
		columns, _, _ := term.GetSize(int(os.Stderr.Fd()))
		m.line = &line{w: os.Stderr, label: label, now: time.Now, limit: columns}
	default:
		m.newBar = newBar
	}
	return m
}

// at notes that done of total steps are made.
func (m *meter) at(done, total int) {
	if m.hook != nil {
		m.hook(done, total)
	}
	if m.bar == nil && m.newBar != nil && time.Since(m.start) >= lineDelay {
		m.bar = m.newBar(total, m.label)
	}
	if m.bar != nil {
		m.bar.Set(done)
	}
	m.draw(func() string { return m.line.text(done, total) })
}

// during calls f, which takes long, with a text in the line.
func (m *meter) during(text string, f func() error) error {
	if m.line == nil {
		return f()
	}
	var watching sync.WaitGroup
	done := make(chan struct{})
	watching.Go(func() {
		redraw := time.NewTicker(linePause)
		defer redraw.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-redraw.C:
				m.draw(func() string {
					return fmt.Sprintf("%s: %s (%d s)", m.line.label, text,
						int(now.Sub(m.start)/time.Second))
				})
			}
		}
	})
	defer watching.Wait()
	defer close(done)
	return f()
}

func (m *meter) draw(text func() string) {
	if m.line == nil {
		return
	}
	m.line.mu.Lock()
	defer m.line.mu.Unlock()
	now := m.line.now()
	if now.Sub(m.start) >= lineDelay && now.Sub(m.line.drawn) >= linePause {
		m.line.drawn = now
		m.line.draw(text())
	}
}

// end takes the line away, and ends the bar.
func (m *meter) end() {
	if m.bar != nil {
		m.bar.Done()
	}
	if m.line != nil && m.line.width > 0 {
		m.line.draw("")
		fmt.Fprint(m.line.w, "\r")
	}
}

// reader returns a reader of file that tells how many of its bytes were read.
func (m *meter) reader(file fs.File) io.Reader {
	total := 0
	if s, err := file.Stat(); err == nil {
		total = int(s.Size())
	}
	return &metered{file, m, 0, total}
}

type metered struct {
	io.Reader
	meter       *meter
	done, total int
}

func (r *metered) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.done += n
		r.meter.at(r.done, max(r.done, r.total))
	}
	return n, err
}
