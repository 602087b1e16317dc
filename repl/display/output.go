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

// A Wrapper is an Output that passes on what it gets to another one, which has the rest of its
// abilities, such as those of an [Asker].
type Wrapper interface {
	// Unwrap returns the other one, once everything before has been passed on.
	Unwrap() Output
}

// As returns out, or what it wraps, as a T.
func As[T any](out Output) (t T, ok bool) {
	for {
		if t, ok = out.(T); ok {
			return t, true
		}
		w, wraps := out.(Wrapper)
		if !wraps {
			return t, false
		}
		out = w.Unwrap()
	}
}

// binding ties goroutines to one output. Live values need to know whether its cell has ended.
type binding struct {
	out      Output
	finished bool // Finish was called
	released bool // what Bind returned was called
}

// running is that of the cell that began last, while it runs: goroutines that compiled code has started, as
// sync.WaitGroup's Go does, have none of their own.
var bindings = struct {
	sync.RWMutex
	byGoroutine map[int64]*binding
	running     *binding
}{byGoroutine: map[int64]*binding{}}

// Bind makes out the output of the calling goroutine until release is called, which restores the
// one before. Release may be called from another goroutine, and more than once.
func Bind(out Output) (release func()) {
	b := &binding{out: out}
	unbind := bind(goid.Get(), b)
	bindings.Lock()
	defer bindings.Unlock()
	before := bindings.running
	bindings.running = b
	return func() {
		unbind()
		bindings.Lock()
		defer bindings.Unlock()
		b.released = true
		if bindings.running == b {
			bindings.running = nil
			if before != nil && !before.released {
				bindings.running = before // a comm was answered meanwhile
			}
		}
	}
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

// Current returns the output of the calling goroutine's cell; for a goroutine that belongs to none,
// that of a cell that runs. Without one it is one that writes text to the process's
// standard output and error.
func Current() Output {
	if b := currentBinding(); b != nil {
		return b.out
	}
	return process{}
}

func currentBinding() *binding {
	bindings.RLock()
	defer bindings.RUnlock()
	if b := bindings.byGoroutine[goid.Get()]; b != nil {
		return b
	}
	return bindings.running
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
