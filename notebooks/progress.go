package notebooks

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"halfnote/repl"
)

// redrawEvery is how often the line of the running cell shows its time.
const redrawEvery = 100 * time.Millisecond

// Progress prints a line for each cell of a run: its number, time and title, and the error of a
// cell that fails. On a terminal the line of the running cell is redrawn. A nil *Progress prints
// nothing.
type Progress struct {
	w     io.Writer
	live  bool
	color bool

	mu     sync.Mutex
	cells  []string // titles
	i      int
	began  time.Time
	drawn  bool // the live line stands on the screen
	column int  // where other output has left the cursor
	stop   chan struct{}
	ended  chan struct{}
}

// NewProgress returns a Progress that prints to w, errors with colour if color is set. Live says
// that w is a terminal.
func NewProgress(w io.Writer, live, color bool) *Progress {
	return &Progress{w: w, live: live, color: color}
}

// Writer returns a writer to w, a terminal perhaps the same as the progress line's, that moves the
// line out of the way.
func (p *Progress) Writer(w io.Writer) io.Writer {
	if p == nil || !p.live {
		return w
	}
	return progressWriter{p, w}
}

type progressWriter struct {
	p *Progress
	w io.Writer
}

func (w progressWriter) Write(text []byte) (int, error) {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	w.p.erase()
	n, err := w.w.Write(text)
	if n > 0 {
		w.p.column = n
		if text[n-1] == '\n' {
			w.p.column = 0
		}
	}
	return n, err
}

func (p *Progress) begin(nb *Notebook, cells []*Cell) {
	if p == nil {
		return
	}
	p.cells = nil
	heading := ""
	next := 0
	for _, c := range nb.Cells {
		if c.Type == Markdown {
			if h := lastHeading(c.Source); h != "" {
				heading = h
			}
		}
		if next < len(cells) && c == cells[next] {
			title := heading
			if title == "" {
				title = firstLine(c.Source)
			}
			p.cells = append(p.cells, title)
			next++
		}
	}
	p.stop, p.ended = make(chan struct{}), make(chan struct{})
	if !p.live {
		close(p.ended)
		return
	}
	go p.tick()
}

func (p *Progress) tick() {
	defer close(p.ended)
	ticker := time.NewTicker(redrawEvery)
	defer ticker.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
			p.mu.Lock()
			p.draw()
			p.mu.Unlock()
		}
	}
}

func (p *Progress) start(i int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.i, p.began = i, time.Now()
	p.draw()
}

func (p *Progress) done(err error) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	line := p.line()
	if err != nil {
		line += "\n" + repl.Render(err, p.color)
	}
	p.erase()
	if p.column > 0 {
		line = "\n" + line
		p.column = 0
	}
	fmt.Fprintln(p.w, line)
	p.began = time.Time{}
}

// end stops the redraws, also when a cell was interrupted.
func (p *Progress) end() {
	if p == nil {
		return
	}
	close(p.stop)
	<-p.ended
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

// draw puts the live line on the screen, unless other output has left the cursor inside a line.
func (p *Progress) draw() {
	if !p.live || p.began.IsZero() || p.column > 0 {
		return
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", p.line())
	p.drawn = true
}

func (p *Progress) erase() {
	if p.drawn {
		io.WriteString(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

func (p *Progress) line() string {
	seconds := time.Since(p.began).Seconds()
	return fmt.Sprintf("[%*d/%d] %7.1f s  %s",
		len(fmt.Sprint(len(p.cells))), p.i+1, len(p.cells), seconds, p.cells[p.i])
}

const titleWidth = 50

func firstLine(src string) string {
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "import") && line != ")" {
			return shorten(line)
		}
	}
	return ""
}

// lastHeading returns the last heading of a Markdown text, without its number signs.
func lastHeading(src string) string {
	heading := ""
	fenced := false
	for line := range strings.Lines(src) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		text := strings.TrimLeft(line, "#")
		if n := len(line) - len(text); !fenced && n > 0 && n <= 6 && strings.HasPrefix(text, " ") {
			heading = shorten(strings.TrimSpace(text))
		}
	}
	return heading
}

func shorten(s string) string {
	if utf8.RuneCountInString(s) <= titleWidth {
		return s
	}
	return string([]rune(s)[:titleWidth-1]) + "…"
}
