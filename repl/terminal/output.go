package terminal

import (
	"io"
	"strings"
	"sync"

	"halfnote/repl/display"
)

// Output prints one cell's output as text. It implements display.Output. A value that redraws is
// printed once, by End, for a terminal without pictures cannot take back what it has shown.
type Output struct {
	out, err io.Writer

	mu      sync.Mutex
	inside  bool // the last text did not end its line
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
	io.WriteString(w, text)
	o.inside = !strings.HasSuffix(text, "\n")
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

// Display prints the text form of b, at once or, if it has an id, at the end.
func (o *Output) Display(b display.Bundle, id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if id != "" {
		o.waiting = append(o.waiting, redrawn{id, b.Text()})
		return
	}
	o.writeLine("stdout", b.Text())
}

// Update notes what End prints.
func (o *Output) Update(b display.Bundle, id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.waiting {
		if o.waiting[i].id == id {
			o.waiting[i].text = b.Text()
		}
	}
}

// Clear does nothing: what is printed stays.
func (o *Output) Clear(wait bool) {}

// End prints the last state of the values that were redrawn.
func (o *Output) End() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range o.waiting {
		o.writeLine("stdout", r.text)
	}
	o.waiting = nil
}
