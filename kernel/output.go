package kernel

import (
	"context"
	"sync"
	"time"

	"halfnote/repl"
	"halfnote/repl/display"
)

// Printed text is sent when it is joinFor old or joinBytes long, for a message costs many times
// what a line does; one print of more than streamMax goes in pieces, so that no copy of all of it
// is made.
const (
	joinFor   = 50 * time.Millisecond
	joinBytes = 64 << 10
	streamMax = 1 << 20
)

// output is the display.Output of one cell. It stays usable after the cell's end, for goroutines.
type output struct {
	ctx        context.Context // of the cell
	k          *Kernel
	request    *request
	allowStdin bool
	silent     bool

	mu    sync.Mutex
	name  string // of the stream that text is joined of
	text  []byte
	timer *time.Timer // flushes text; nil before the first
	armed bool        // the timer runs
}

func newOutput(ctx context.Context, k *Kernel, r *request, allowStdin bool) *output {
	return &output{ctx: ctx, k: k, request: r, allowStdin: allowStdin}
}

// publish sends a message with the cell's request as its parent. It does not flush.
func (o *output) publish(msgType string, content any) {
	if !o.silent {
		o.k.publish(msgType, o.request.msg.Header, content)
	}
}

type streamContent struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Stream joins text with what was printed before.
func (o *output) Stream(name, text string) {
	if text == "" || o.silent {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if name != o.name {
		o.send(true)
		o.name = name
	}
	for len(text) > streamMax {
		o.text = append(o.text, text[:streamMax]...)
		text = text[streamMax:]
		o.send(false)
	}
	o.text = append(o.text, text...)
	if len(o.text) >= joinBytes {
		o.send(false)
	}
	if len(o.text) > 0 && !o.armed {
		o.armed = true
		if o.timer == nil {
			o.timer = time.AfterFunc(joinFor, o.tick)
		} else {
			o.timer.Reset(joinFor)
		}
	}
}

// tick sends what has been joined.
func (o *output) tick() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.armed = false
	o.send(false)
}

// flush sends all that was printed.
func (o *output) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.send(true)
}

// send publishes the joined text, up to a character that has only begun unless all is set. The
// caller holds the lock.
func (o *output) send(all bool) {
	n := len(o.text)
	if !all {
		n = repl.WholeCharacters(o.text)
	}
	if n == 0 {
		return
	}
	o.publish("stream", streamContent{o.name, string(o.text[:n])})
	rest := o.text[n:]
	if cap(o.text) > 2*joinBytes { // let the memory of a large print go
		o.text = nil
	}
	o.text = append(o.text[:0], rest...)
}

// displayData is a bundle as the protocol tells it.
type displayData struct {
	Data      map[string]any `json:"data"`
	Metadata  map[string]any `json:"metadata"`
	Transient transient      `json:"transient"`
}

type transient struct {
	DisplayID string `json:"display_id,omitempty"`
}

func dataOf(b display.Bundle, id string) displayData {
	data, metadata := b.Wire()
	return displayData{data, metadata, transient{id}}
}

// Display shows a bundle under the cell.
func (o *output) Display(b display.Bundle, id string) {
	o.flush()
	o.publish("display_data", dataOf(b, id))
}

// Update replaces what was shown with this id.
func (o *output) Update(b display.Bundle, id string) {
	o.flush()
	o.publish("update_display_data", dataOf(b, id))
}

// Clear removes what the cell has shown.
func (o *output) Clear(wait bool) {
	o.flush()
	o.publish("clear_output", map[string]bool{"wait": wait})
}
