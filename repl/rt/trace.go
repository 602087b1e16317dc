package rt

// This file keeps, for each goroutine, which functions a panic leaves on its way. The interpreter
// writes a line for each of them, the innermost first, before it panics again.

import (
	"runtime"
	"strings"
	"sync"

	"github.com/petermattis/goid"
)

// A Trace is the way of a panic.
type Trace struct {
	Value any
	// Recovered tells that a deferred call has recovered the panic; it has not returned yet.
	Recovered bool
	// Before is the panic whose deferred calls this one has come from.
	Before *Trace
	exits  bool // it is no panic, but runtime.Goexit

	// Place is the place that was noted last when the panic began, a token.Pos.
	Place int
	// Calls are the interpreter's names of the functions that the panic has left, innermost first.
	Calls []string
	// More is how many functions beyond those of Calls it has left.
	More int
	// PCs are the program counters where it began.
	PCs []uintptr
}

// mostCalls is how many functions a Trace names; a deep recursion has more.
const mostCalls = 200

// traces holds the panics that are under way.
type traces struct {
	sync.Mutex
	byGoroutine map[int64]*Trace
}

// Unwound takes a line of the interpreter, which tells that a panic leaves a function on the calling
// goroutine: "cell 1:2:9: panic: main.f·3(...)".
func (ts *Types) Unwound(line string) {
	_, call, ok := strings.Cut(line, ": panic: ")
	if !ok {
		return
	}
	call = strings.TrimSuffix(strings.TrimRight(call, "\n"), "(...)")
	id := goid.Get()
	var pcs [64]uintptr
	stack := pcs[:runtime.Callers(2, pcs[:])]
	ts.traces.Lock()
	defer ts.traces.Unlock()
	t := ts.traces.byGoroutine[id]
	if t == nil || !goesOn(stack) {
		var before *Trace
		if t != nil && t.exits {
			before = t
		}
		t = &Trace{Before: before, Place: ts.place, PCs: append([]uintptr{}, stack...)}
		ts.traces.byGoroutine[id] = t
	}
	if len(t.Calls) == mostCalls {
		t.More++
		return
	}
	t.Calls = append(t.Calls, strings.Clone(call))
}

// goesOn reports whether the innermost panic on the stack is an earlier one that goes on: the
// interpreter, and Defers, panic again with what they have recovered.
func goesOn(stack []uintptr) bool {
	for i, pc := range stack {
		if name(pc) == "runtime.gopanic" && i+1 < len(stack) {
			by := name(stack[i+1])
			return by == unwinder || by == "halfnote/repl/rt.(*Defers).goOn"
		}
	}
	return false
}

// unwinder is the function of the interpreter that lets panics leave functions.
const unwinder = "github.com/traefik/yaegi/interp.runCfg.func1"

func name(pc uintptr) string {
	if f := runtime.FuncForPC(pc - 1); f != nil {
		return f.Name()
	}
	return ""
}

// first is the oldest of the panics that led to that of t.
func (t *Trace) first() *Trace {
	for t.Before != nil {
		t = t.Before
	}
	return t
}

// TakeTrace returns the way of the panic with the value v that the calling goroutine has recovered, and
// forgets it. Of one that has left no function it is where the program was.
func (ts *Types) TakeTrace(v any) *Trace {
	id := goid.Get()
	ts.traces.Lock()
	defer ts.traces.Unlock()
	t := ts.traces.byGoroutine[id]
	delete(ts.traces.byGoroutine, id)
	if t == nil {
		t = &Trace{Place: ts.place}
	}
	t.Value = v
	if r, ok := v.(*raised); ok {
		t.Place = r.place
	}
	return t
}

// Uncaught returns the value of the panic that left the calling goroutine's deferred calls while
// runtime.Goexit ran them, or nil. The interpreter recovers it and forgets it.
func (ts *Types) Uncaught() any {
	ts.traces.Lock()
	defer ts.traces.Unlock()
	if t := ts.traces.byGoroutine[goid.Get()]; t != nil {
		return t.Value
	}
	return nil
}

// Panicking reports whether a panic may be on its way that will end a goroutine: deferred calls
// run, or have run, that others may have waited for.
func (ts *Types) Panicking() bool {
	ts.traces.Lock()
	defer ts.traces.Unlock()
	return len(ts.traces.byGoroutine) > 0 || ts.unwinding.Load() > 0
}

// goexit is runtime.Goexit.
func (ts *Types) goexit() {
	ts.TakeTrace(nil) // of a panic that compiled code has recovered
	runtime.Goexit()
}

// putTrace makes t the way of the panic that the calling goroutine is to go on with.
func (ts *Types) putTrace(t *Trace) {
	ts.traces.Lock()
	defer ts.traces.Unlock()
	ts.traces.byGoroutine[goid.Get()] = t
}
