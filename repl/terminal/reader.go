package terminal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// errInterrupt is a Ctrl-C at the prompt.
var errInterrupt = errors.New("interrupt at the prompt")

// lineReader reads a line after a prompt; entry has the lines before it. Pasted says that the line
// and its end came from a paste. The error is errInterrupt, io.EOF, or that of the terminal.
type lineReader interface {
	ReadLine(prompt, entry string) (line string, pasted bool, err error)
	// Begin makes the person's next entry begin with text, if it can.
	Begin(text string) bool
}

// newLineReader returns a reader. The helper may be nil.
func newLineReader(in *os.File, s *screen, h Helper, interrupts <-chan os.Signal) lineReader {
	out, ok := s.out.(*os.File)
	if !ok || !IsTerminal(in) || !canEdit(out) {
		r := &plainReader{out: s.out, interrupts: interrupts, lines: make(chan readLine)}
		go r.read(in)
		return r
	}
	return &editor{in: in, out: out, screen: s, helper: h, keys: &keys{r: in}}
}

// screen is where a session prints. While the editor has the terminal, text of goroutines that
// still run goes above the line being edited.
type screen struct {
	out, err io.Writer

	mu     sync.Mutex
	editor io.Writer // nil while a cell runs
}

func (s *screen) edit(t io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.editor = t
}

func (s *screen) writer(name string) io.Writer { return screenWriter{s, name} }

type screenWriter struct {
	screen *screen
	name   string
}

func (w screenWriter) Write(p []byte) (int, error) {
	w.screen.mu.Lock()
	defer w.screen.mu.Unlock()
	switch {
	case w.screen.editor != nil:
		return w.screen.editor.Write(p)
	case w.name == "stderr":
		return w.screen.err.Write(p)
	}
	return w.screen.out.Write(p)
}

// editor edits a line with the keys of a terminal. The terminal is in raw mode only while it does,
// so that Ctrl-C is a signal while a cell runs.
type editor struct {
	in, out *os.File
	screen  *screen
	helper  Helper // or nil
	keys    *keys
	term    *term.Terminal
	width   int
	history history

	entry string // the lines before the one that is edited
	asked string // the line when help was asked for, if that was just now
}

func (e *editor) ReadLine(prompt, entry string) (line string, pasted bool, err error) {
	state, err := term.MakeRaw(int(e.in.Fd()))
	if err != nil {
		return "", false, err
	}
	defer term.Restore(int(e.in.Fd()), state)
	if e.term == nil {
		e.term = term.NewTerminal(struct {
			io.Reader
			io.Writer
		}{e.keys, e.out}, "")
		e.term.History = &e.history
		e.term.AutoCompleteCallback = e.pressed
		e.width = 80
	}
	e.entry = entry
	if width, height, err := term.GetSize(int(e.out.Fd())); err == nil && width > 0 {
		e.term.SetSize(width, height)
		e.width = width
	}
	e.term.SetPrompt(prompt)
	e.term.SetBracketedPasteMode(true)
	e.screen.edit(e.term)
	line, err = e.term.ReadLine()
	e.screen.edit(nil)
	e.term.SetBracketedPasteMode(false)
	switch err {
	case term.ErrPasteIndicator:
		return line, true, nil
	case errInterrupt:
		e.term = nil // forget the line
		fmt.Fprint(e.out, "^C\r\n")
	}
	return line, false, err
}

// Begin pastes text.
func (e *editor) Begin(text string) bool {
	e.keys.next = append([]byte(paste(text)), e.keys.next...)
	return true
}

// keys passes on what is typed. A Ctrl-C arrives as errInterrupt, at its place in the stream, and
// the sequence of Shift-Tab as shiftTab.
type keys struct {
	r    io.Reader
	next []byte // read, not yet passed on
}

const ctrlC = 0x03

func (k *keys) Read(p []byte) (int, error) {
	if len(k.next) == 0 {
		buf := make([]byte, len(p))
		n, err := k.r.Read(buf)
		if n == 0 {
			return 0, err
		}
		k.next = bytes.ReplaceAll(buf[:n], []byte(shiftTabSequence), []byte(string(shiftTab)))
	}
	if k.next[0] == ctrlC {
		k.next = k.next[1:]
		return 0, errInterrupt
	}
	end := len(k.next)
	if i := bytes.IndexByte(k.next, ctrlC); i >= 0 {
		end = i
	}
	n := copy(p, k.next[:end])
	k.next = k.next[n:]
	return n, nil
}

// history holds the lines of this session. It implements term.History.
type history []string

const maxHistory = 10_000

// Add notes a line that is not empty and not the same as the last one.
func (h *history) Add(line string) {
	if strings.TrimSpace(line) == "" || len(*h) > 0 && (*h)[len(*h)-1] == line {
		return
	}
	*h = append(*h, line)
	if len(*h) > maxHistory {
		*h = (*h)[1:]
	}
}

// Len returns the number of lines.
func (h *history) Len() int { return len(*h) }

// At returns a line; 0 is the newest.
func (h *history) At(i int) string { return (*h)[len(*h)-1-i] }

// plainReader reads lines from a terminal that cannot edit, or from a pipe that a program drives.
type plainReader struct {
	out        io.Writer
	interrupts <-chan os.Signal
	lines      chan readLine
}

type readLine struct {
	text string
	err  error
}

// read runs for the life of the process: a blocked read of a terminal cannot be called off.
func (r *plainReader) read(in io.Reader) {
	b := bufio.NewReader(in)
	for {
		text, err := b.ReadString('\n')
		if text != "" {
			r.lines <- readLine{text: strings.TrimRight(text, "\r\n")}
		}
		if err != nil {
			r.lines <- readLine{err: err}
			return
		}
	}
}

func (r *plainReader) ReadLine(prompt, _ string) (line string, pasted bool, err error) {
	fmt.Fprint(r.out, prompt)
	select {
	case l := <-r.lines:
		return l.text, false, l.err
	case <-r.interrupts:
		fmt.Fprintln(r.out)
		return "", false, errInterrupt
	}
}

// Begin cannot be done without an editor.
func (r *plainReader) Begin(string) bool { return false }
