package install

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// steps prints a line for each step of something that takes a while. Live, the line of the running
// step is rewritten with the seconds and with what its program says.
type steps struct {
	out  io.Writer
	live bool
}

// step is a step that runs.
type step struct {
	*steps
	name  string
	start time.Time

	mu    sync.Mutex
	doing string // the last line of its program
	lines lineWriter
}

// run runs a step; what is written to its writer is for the live line.
func (s *steps) run(name string, f func(io.Writer) error) error {
	st := &step{steps: s, name: name, start: time.Now()}
	stop := st.tick()
	err := f(st)
	stop()
	result := ""
	if err != nil {
		result = ": stopped"
	}
	if s.live {
		fmt.Fprint(s.out, "\r\x1b[K")
	}
	fmt.Fprintf(s.out, "  %s%s (%.1f s)\n", name, result, time.Since(st.start).Seconds())
	return err
}

// tick redraws the live line every half second until stop is called.
func (st *step) tick() (stop func()) {
	if !st.live {
		return func() {}
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(time.Second / 2)
		defer ticker.Stop()
		for {
			st.draw()
			select {
			case <-ticker.C:
			case <-end:
				return
			}
		}
	}()
	return func() { close(end); <-ended }
}

// lineWidth keeps the live line on one row of a narrow terminal.
const lineWidth = 76

func (st *step) draw() {
	st.mu.Lock()
	defer st.mu.Unlock()
	line := fmt.Sprintf("  %s (%.0f s)", st.name, time.Since(st.start).Seconds())
	if st.doing != "" {
		line += ": " + st.doing
	}
	if r := []rune(line); len(r) > lineWidth {
		line = string(r[:lineWidth-1]) + "…"
	}
	fmt.Fprint(st.out, "\r\x1b[K"+line)
}

// Write takes what the step's program prints.
func (st *step) Write(p []byte) (int, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.lines.each(p, func(line string) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '+' {
			st.doing = line
		}
	})
	return len(p), nil
}
