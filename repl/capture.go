package repl

// This file implements os.Stdout and os.Stderr of cells, and on demand those of the whole process:
// what is written there goes through a pipe and arrives in the cell's output, in order with
// everything else that the cell prints and shows.

import (
	"log"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"halfnote/repl/display"
	"halfnote/repl/symbols"
)

// A capture forwards what is written to the standard output or error.
type capture struct {
	name     string   // "stdout" or "stderr"
	file     *os.File // the variable os.Stdout of cells, which may put another file there
	original *os.File // where the text would have gone, if the process is captured
	named    bool     // a cell has named the variable, so that prints must wait for what is on its way

	mu   sync.Mutex
	from source
	buf  []byte
	rest []byte         // a character whose end has not come yet
	out  display.Output // of the running cell, or of the last one
}

// A source is where captured text is read.
type source interface {
	// read returns 0 when there is no more text for now.
	read(buf []byte) int
	// watch calls forward, which reads all there is, when there may be text, for ever.
	watch(forward func())
}

// maxPipe is what a pipe can hold: once so much has been taken out, all that was in it before has
// come. A goroutine may write all the time.
const maxPipe = 1 << 20

// newCapture returns a capture of what comes from a source. A goroutine forwards it for as long as
// the process lives.
func newCapture(name string, from source, file, original *os.File) *capture {
	c := &capture{name: name, from: from, file: file, original: original, buf: make([]byte, 32<<10)}
	go from.watch(c.forward)
	return c
}

// openPipe returns a pipe: where it is read and the file to write to.
func openPipe() (source, *os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	p, err := newPipe(r)
	return p, w, err
}

// A logSource is a file that is read as it grows. Its writers never wait, so that it can be
// descriptor 2 of a process whose runtime dies, and it keeps what that says.
type logSource struct {
	file *os.File
	at   int64
}

func (l *logSource) read(buf []byte) int {
	n, _ := l.file.ReadAt(buf, l.at)
	l.at += int64(n)
	if n == 0 && l.at > maxLog && l.file.Truncate(0) == nil {
		l.at = 0
	}
	return n
}

const (
	maxLog  = 1 << 20               // bytes after which a log that was read begins anew
	logLook = 50 * time.Millisecond // between two looks at a log
)

func (l *logSource) watch(forward func()) {
	for range time.Tick(logLook) {
		forward()
	}
}

// attach sends what is written from now on to out.
func (c *capture) attach(out display.Output) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pull(maxPipe)
	c.flush()
	c.out = out
}

// drain returns when everything written so far has been forwarded.
func (c *capture) drain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pull(maxPipe)
}

// end is drain for a cell that has ended.
func (c *capture) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pull(maxPipe)
	c.flush()
}

// forward sends on all there is.
func (c *capture) forward() {
	for more := true; more; {
		c.mu.Lock()
		more = c.pull(len(c.buf))
		c.mu.Unlock()
	}
}

// pull sends on what is there, until there is no more or the limit is reached; more tells which.
// Reading and sending are one step under the lock: who holds it finds everything that was written
// either there or sent.
func (c *capture) pull(limit int) (more bool) {
	for pulled := 0; pulled < limit; {
		n := c.from.read(c.buf)
		if n == 0 {
			return false
		}
		pulled += n
		text := append(c.rest, c.buf[:n]...)
		whole := WholeCharacters(text)
		c.send(text[:whole])
		c.rest = append([]byte(nil), text[whole:]...)
	}
	return true
}

// flush sends what waits for the rest of a character.
func (c *capture) flush() {
	c.send(c.rest)
	c.rest = nil
}

func (c *capture) send(text []byte) {
	switch {
	case len(text) == 0:
	case c.out != nil:
		c.out.Stream(c.name, string(text))
	case c.original != nil: // before the first cell
		c.original.Write(text)
	}
}

// WholeCharacters is the length of text without a character at its end whose last bytes are still to
// come.
func WholeCharacters(text []byte) int {
	for i := len(text) - 1; i >= 0 && i > len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				return i
			}
			break
		}
	}
	return len(text)
}

// ordered is an Output that first lets captured text arrive.
type ordered struct {
	display.Output
	captures []*capture
}

// inOrder returns out with the captures put in order whose variables cells have named; others are
// rare enough to arrive as they come.
func inOrder(out display.Output, captures []*capture) display.Output {
	o := &ordered{Output: out}
	for _, c := range captures {
		if c.named {
			o.captures = append(o.captures, c)
		}
	}
	if len(o.captures) == 0 {
		return out
	}
	return o
}

// Unwrap implements [display.Wrapper].
func (o *ordered) Unwrap() display.Output {
	o.drain()
	return o.Output
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

// captureProcess captures the standard output and error of the process; where that cannot be, they
// stay. Descriptor 2 is the log.
func (s *Session) captureProcess(stderr *os.File) {
	original := os.Stderr
	if from, w, err := openPipe(); err == nil {
		if file, was, err := redirect("stdout", w); err == nil {
			s.captures = append(s.captures, newCapture("stdout", from, file, was))
		}
	}
	if stderr == nil {
		stderr = unnamedLog()
	}
	if stderr != nil {
		if file, was, err := redirect("stderr", stderr); err == nil {
			original = was
			from := &logSource{file: stderr}
			s.captures = append(s.captures, newCapture("stderr", from, file, was))
		}
	}
	// What Go code writes has a pipe, which says at once when there is something.
	if from, w, err := openPipe(); err == nil {
		if log.Writer() == os.Stderr {
			log.SetOutput(w)
		}
		os.Stderr = w
		c := newCapture("stderr", from, w, original)
		s.captures = slices.Insert(s.captures, 0, c) // it is what cells name
	}
}

// unnamedLog returns a file to append to that is gone with the process, or nil.
func unnamedLog() *os.File {
	f, err := os.CreateTemp("", "halfnote-stderr-")
	if err != nil {
		return nil
	}
	defer f.Close()
	defer os.Remove(f.Name())
	log, err := os.OpenFile(f.Name(), os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil
	}
	return log
}

// drain lets everything captured so far arrive.
func (s *Session) drain() {
	for _, c := range s.captures {
		c.drain()
	}
}

// OriginalStderr is the standard error that the process was started with, for a front end that
// captures the process and has something to say to who started it.
func (s *Session) OriginalStderr() *os.File {
	for _, c := range s.captures {
		if c.name == "stderr" && c.original != nil {
			return c.original
		}
	}
	return os.Stderr
}

// captured returns a pointer to the file that stands for os.Stdout or os.Stderr in cells.
func (s *Session) captured(variable string) (reflect.Value, bool) {
	name := strings.ToLower(variable)
	for _, c := range s.captures {
		if c.name == name {
			c.named = true
			return reflect.ValueOf(&c.file), true
		}
	}
	from, w, err := openPipe()
	if err != nil { // there are no pipes: it stays the process's
		return symbols.Lookup("os", variable)
	}
	c := newCapture(name, from, w, nil)
	c.named = true
	s.captures = append(s.captures, c)
	return reflect.ValueOf(&c.file), true
}
