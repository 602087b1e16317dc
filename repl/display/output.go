package display

import (
	"io"
	"os"
	"sync"

	"github.com/petermattis/goid"
)

// Output is where one cell's output goes. Front ends implement it with a pointer type; its methods
// are called by several goroutines at once.
type Output interface {
	// Stream takes text written to "stdout" or "stderr".
	Stream(name, text string)
	// Display adds a bundle under the cell. A later Update with the same id, if it is not "",
	// replaces it.
	Display(b Bundle, id string)
	// Update replaces what was displayed with this id.
	Update(b Bundle, id string)
	// Clear removes what the cell has shown, if wait is set only when the next output comes.
	Clear(wait bool)
}

// binding ties goroutines to one output. Live values need to know whether its cell has ended.
type binding struct {
	out      Output
	finished bool
}

var bindings = struct {
	sync.RWMutex
	byGoroutine map[int64]*binding
}{byGoroutine: map[int64]*binding{}}

// Bind makes out the output of the calling goroutine until release is called, which restores the
// one before. Release may be called from another goroutine, and more than once.
func Bind(out Output) (release func()) {
	return bind(goid.Get(), &binding{out: out})
}

func bind(id int64, b *binding) (release func()) {
	bindings.Lock()
	defer bindings.Unlock()
	before := bindings.byGoroutine[id]
	bindings.byGoroutine[id] = b
	return func() {
		bindings.Lock()
		defer bindings.Unlock()
		if bindings.byGoroutine[id] != b {
			return
		}
		if before == nil {
			delete(bindings.byGoroutine, id)
			return
		}
		bindings.byGoroutine[id] = before
	}
}

// Inherit returns f bound to the caller's output. A go statement of a cell runs the function that
// Inherit returns, so that what it prints appears under the cell that started it.
func Inherit(f func()) func() {
	b := currentBinding()
	if b == nil {
		return f
	}
	return func() {
		defer bind(goid.Get(), b)()
		f()
	}
}

// Current returns the output of the calling goroutine's cell, or one that writes text to the
// process's standard output and error.
func Current() Output {
	if b := currentBinding(); b != nil {
		return b.out
	}
	return process{}
}

func currentBinding() *binding {
	bindings.RLock()
	defer bindings.RUnlock()
	return bindings.byGoroutine[goid.Get()]
}

// Show shows v under the cell at once.
func Show(v any) {
	Current().Display(Of(v), "")
}

// Clear removes what the cell has shown so far, if wait is set only when the next output comes,
// so that nothing flickers.
func Clear(wait bool) {
	Current().Clear(wait)
}

// Stdout returns a writer to the standard output of whichever cell writes to it.
func Stdout() io.Writer {
	return stream("stdout")
}

// Stderr returns a writer to the standard error of whichever cell writes to it.
func Stderr() io.Writer {
	return stream("stderr")
}

type stream string

func (s stream) Write(p []byte) (int, error) {
	Current().Stream(string(s), string(p))
	return len(p), nil
}

// process is the output of goroutines that belong to no cell. It cannot take back what is printed,
// so live values print once.
type process struct{}

func (process) Stream(name, text string) {
	if name == "stderr" {
		io.WriteString(os.Stderr, text)
		return
	}
	io.WriteString(os.Stdout, text)
}

func (p process) Display(b Bundle, id string) {
	p.Stream("stdout", b.Text()+"\n")
}

func (process) Update(Bundle, string) {}

func (process) Clear(bool) {}
