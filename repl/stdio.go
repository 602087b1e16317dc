package repl

// This file implements the standard files of cells. Where output does not go to the process's own,
// what is written to os.Stdout and os.Stderr arrives in the cell's output, in order with everything
// else. A read of os.Stdin ends with the cell that is stopped.

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"reflect"
	"sync"
	"time"

	"halfnote/repl/display"
)

// A capture is a pipe that stands for os.Stdout or os.Stderr in cells.
type capture struct {
	name   string // "stdout" or "stderr"
	file   *os.File
	marker []byte // ends a drain; it is random, so that no text holds it

	mu      sync.Mutex
	out     display.Output // of the running cell
	drained chan struct{}
}

// newCapture opens the pipe; the text is forwarded by a goroutine that ends with the pipe.
func newCapture(name string) (*capture, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c := &capture{name: name, file: w, marker: make([]byte, 16), drained: make(chan struct{})}
	rand.Read(c.marker) // never fails
	go c.forward(r)
	return c, nil
}

// attach sends the text to out from now on.
func (c *capture) attach(out display.Output) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = out
}

// drain returns when everything written so far has been forwarded.
func (c *capture) drain() {
	if _, err := c.file.Write(c.marker); err == nil {
		<-c.drained
	}
}

// forward sends what comes through the pipe to the attached output, and tells of each marker.
func (c *capture) forward(r io.Reader) {
	var held []byte // text that may be the beginning of a marker
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		held = append(held, buf[:n]...)
		for {
			i := bytes.Index(held, c.marker)
			if i < 0 {
				break
			}
			c.send(held[:i])
			held = append([]byte{}, held[i+len(c.marker):]...)
			c.drained <- struct{}{}
		}
		keep := partial(held, c.marker)
		c.send(held[:len(held)-keep])
		held = append([]byte{}, held[len(held)-keep:]...)
		if err != nil {
			c.send(held)
			return
		}
	}
}

// partial is the length of the longest end of text that the marker begins with.
func partial(text, marker []byte) int {
	for n := min(len(text), len(marker)-1); n > 0; n-- {
		if bytes.HasPrefix(marker, text[len(text)-n:]) {
			return n
		}
	}
	return 0
}

func (c *capture) send(text []byte) {
	if len(text) == 0 {
		return
	}
	c.mu.Lock()
	out := c.out
	c.mu.Unlock()
	if out != nil {
		out.Stream(c.name, string(text))
	}
}

// ordered is an Output that first lets captured text arrive.
type ordered struct {
	display.Output
	captures []*capture
}

func (o *ordered) drain() {
	for _, c := range o.captures {
		c.drain()
	}
}

func (o *ordered) Stream(name, text string) {
	o.drain()
	o.Output.Stream(name, text)
}

func (o *ordered) Display(b display.Bundle, id string) {
	o.drain()
	o.Output.Display(b, id)
}

func (o *ordered) Update(b display.Bundle, id string) {
	o.drain()
	o.Output.Update(b, id)
}

func (o *ordered) Clear(wait bool) {
	o.drain()
	o.Output.Clear(wait)
}

// scans returns the functions of package fmt that read standard input, for one that is in.
func scans(in *os.File) map[string]reflect.Value {
	scan := func(args ...any) (int, error) { return fmt.Fscan(in, args...) }
	scanln := func(args ...any) (int, error) { return fmt.Fscanln(in, args...) }
	scanf := func(format string, args ...any) (int, error) {
		return fmt.Fscanf(in, format, args...)
	}
	return map[string]reflect.Value{
		"Scan":   reflect.ValueOf(scan),
		"Scanln": reflect.ValueOf(scanln),
		"Scanf":  reflect.ValueOf(scanf),
	}
}

// awaitInput lets reads of in wait until ctx is done. Files without deadlines, the process's own
// standard input among them, wait on.
func awaitInput(ctx context.Context, in *os.File) (release func()) {
	if in.SetReadDeadline(time.Time{}) != nil {
		return func() {}
	}
	stop := context.AfterFunc(ctx, func() { in.SetReadDeadline(time.Now()) })
	return func() { stop() }
}
