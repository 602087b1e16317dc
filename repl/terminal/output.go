package terminal

import (
	"io"
	"strings"
	"sync"

	"halfnote/repl/display"
)

// Output prints one cell's output as text. It implements display.Output. A value that redraws is
// printed once, when it has its last form, for what is printed cannot be taken back. A progress bar
// moves before that, in the last line of a terminal.
type Output struct {
	out, err io.Writer
	redraws  bool // out is a terminal that can take a line back

	mu      sync.Mutex
	inside  bool // the last text did not end its line
	drawn   bool // the last line is one of waiting
	waiting []redrawn
}

type redrawn struct{ id, text string }

// NewOutput returns an Output that prints results to out and errors to err.
func NewOutput(out, err io.Writer) *Output {
	return &Output{out: out, err: err}
}

// Stream prints text.
func (o *Output) Stream(name, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.write(name, text)
}

func (o *Output) write(name, text string) {
	if text == "" {
		return
	}
	w := o.out
	if name == "stderr" {
		w = o.err
	}
	o.erase()
	io.WriteString(w, text)
	o.inside = !strings.HasSuffix(text, "\n")
	o.draw()
}

// A line too long for the terminal is cut at its edge.
const (
	noWrap = "\x1b[?7l"
	wrap   = "\x1b[?7h"
)

// draw puts the newest value that redraws on the last line, if it is one line.
func (o *Output) draw() {
	if !o.redraws || o.inside || len(o.waiting) == 0 {
		return
	}
	text := o.waiting[len(o.waiting)-1].text
	if strings.Contains(text, "\n") {
		return
	}
	io.WriteString(o.out, noWrap+text+wrap)
	o.drawn = true
}

func (o *Output) erase() {
	if o.drawn {
		io.WriteString(o.out, "\r\x1b[K")
		o.drawn = false
	}
}

// line prints text on lines of its own. An empty text only ends the line that was begun.
func (o *Output) line(name, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writeLine(name, text)
}

func (o *Output) writeLine(name, text string) {
	if o.inside {
		o.write("stdout", "\n")
	}
	if text != "" {
		o.write(name, strings.TrimSuffix(text, "\n")+"\n")
	}
}

// Display prints the text form of b, at once or, if it has an id, when that is settled.
func (o *Output) Display(b display.Bundle, id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if id == "" {
		o.writeLine("stdout", b.Text())
		return
	}
	o.erase()
	o.waiting = append(o.waiting, redrawn{id, b.Text()})
	o.draw()
}

// Update notes what Settle prints.
func (o *Output) Update(b display.Bundle, id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.erase()
	for i := range o.waiting {
		if o.waiting[i].id == id {
			o.waiting[i].text = b.Text()
		}
	}
	o.draw()
}

// Settle prints the last state of a value that was redrawn. It implements display.Settler.
func (o *Output) Settle(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.settle(func(r redrawn) bool { return r.id == id })
}

func (o *Output) settle(match func(redrawn) bool) {
	o.erase()
	var settled, rest []redrawn
	for _, r := range o.waiting {
		if match(r) {
			settled = append(settled, r)
		} else {
			rest = append(rest, r)
		}
	}
	o.waiting = nil
	for _, r := range settled {
		o.writeLine("stdout", r.text)
	}
	o.waiting = rest
	o.draw()
}

// Clear does nothing: what is printed stays.
func (o *Output) Clear(wait bool) {}

// End prints the last state of the values that were redrawn and not settled.
func (o *Output) End() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.settle(func(redrawn) bool { return true })
}
