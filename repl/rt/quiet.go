package rt

import (
	"sync"
	"sync/atomic"

	"github.com/petermattis/goid"
)

// quiet says on which goroutine methods of the program are not called, if on any.
type quiet struct {
	mu sync.Mutex
	id atomic.Int64 // 0 is no goroutine's
}

// Quietly calls f, in which values of the program's own types have no methods: they print as what
// they are made of, whatever their String says. It lasts on the calling goroutine only. While
// another goroutine is in there, f is not called and the result is false.
func (ts *Types) Quietly(f func()) bool {
	if !ts.quiet.mu.TryLock() {
		return false
	}
	defer ts.quiet.mu.Unlock()
	ts.quiet.id.Store(goid.Get())
	defer ts.quiet.id.Store(0)
	f()
	return true
}

// here reports whether the calling goroutine is within Quietly.
func (q *quiet) here() bool {
	id := q.id.Load()
	return id != 0 && id == goid.Get()
}
