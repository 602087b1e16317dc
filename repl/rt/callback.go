package rt

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/petermattis/goid"

	"halfnote/repl/display"
)

// Callback returns f, a function, as one that compiled code may call on a goroutine of its own, as
// net/http calls handlers. On such a goroutine its output belongs to the caller's cell, and its
// panics are told as those of Go are and end the goroutine, not the process. On a goroutine of a
// cell it is f.
func (ts *Types) Callback(f any) any {
	v := reflect.ValueOf(f)
	if v.IsNil() {
		return f
	}
	run := ts.visitor(v.Type().NumOut() > 0)
	if f, ok := f.(func()); ok {
		return func() { run(f) }
	}
	return reflect.MakeFunc(v.Type(), func(in []reflect.Value) (out []reflect.Value) {
		run(func() { out = call(v, in) })
		return out
	}).Interface()
}

// Awaited is what ends a goroutine of compiled code that others wait for: the panic in a function
// with results.
type Awaited struct{ Value any }

// Served is what ends a goroutine of net/http that serves a request, and that alone: the panic of a
// handler.
type Served struct{ Value any }

// visitor returns what runs functions for Callback. It does not return when the function panics on a
// goroutine that is not a cell's; awaited says whether the panic ends a cell that runs.
func (ts *Types) visitor(awaited bool) func(f func()) {
	out, stopped := display.Current(), ts.stopped()
	return func(f func()) {
		if ts.isOwn() {
			f()
			return
		}
		defer display.Bind(out)()
		ts.visit(stopped, awaited, f)
	}
}

// visit runs f on a goroutine of compiled code.
func (ts *Types) visit(stopped <-chan struct{}, awaited bool, f func()) {
	ended := false
	func() {
		defer ts.enter(stopped)()
		ts.guarded.Add(1)
		defer ts.guarded.Add(-1)
		if over(stopped) {
			return
		}
		defer ts.BindStop(stopped)()
		ts.guard(func() {
			defer abandon(&ended, awaited)
			f()
			ended = true
		})
	}()
	if !ended {
		runtime.Goexit()
	}
}

// visiting returns the method f as one that compiled code may call on a goroutine of its own, as
// os/exec reads from an io.Reader. On a goroutine of a cell it is f; but while everything is stopped
// the goroutine ends: the interpreter would abandon f, and a loop of compiled code would call it again
// and again.
func (ts *Types) visiting(f any) any {
	t, call := reflect.TypeOf(f), madeOf(f)
	if call == nil {
		return f
	}
	awaited := t.NumOut() > 0
	return reflect.MakeFunc(t, func(in []reflect.Value) (out []reflect.Value) {
		own := ts.isOwn()
		if own && ts.paused.Load() && !ts.Hold() {
			runtime.Goexit()
		}
		if own || isRecovered() {
			return call(in)
		}
		ts.visit(nil, awaited, func() { out = call(in) })
		return out
	}).Interface()
}

// whole returns f, whose last argument is a func(), as a function that gives compiled code one which it
// does not take for done when it was abandoned: what that has kept of it would be half of it.
func (ts *Types) whole(f reflect.Value) reflect.Value {
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
		last := len(args) - 1
		if work := args[last].Interface().(func()); work != nil {
			args[last] = reflect.ValueOf(func() {
				work()
				ts.endAbandoned()
			})
		}
		return call(f, args)
	})
}

// endAbandoned ends the calling goroutine if its code is being abandoned, as that which has just returned
// may have been.
func (ts *Types) endAbandoned() {
	stopped, s := ts.stopped(), ts.stop.Load()
	if over(stopped) || s != nil && stopped != s.over && !s.spares(stopped) {
		runtime.Goexit()
	}
}

// abandon, deferred, marks a panic as one of a function that others wait for, or of a handler.
func abandon(ended *bool, awaited bool) {
	if *ended {
		return
	}
	r := recover()
	if r == nil { // runtime.Goexit
		return
	}
	if _, exits := r.(Exit); !exits && awaited {
		panic(Awaited{Rec(r)})
	} else if !exits && isServed() {
		panic(Served{Rec(r)})
	}
	panic(r)
}

// isServed reports whether the calling goroutine is one that net/http serves requests on: it
// recovers what handlers panic with.
func isServed() bool {
	return isCalledBy(func(function string) bool {
		return function == "net/http.(*conn).serve" ||
			function == "net/http.(*http2serverConn).runHandler"
	})
}

// isRecovered reports whether fmt, or halfnote on a goroutine that is no cell's, recovers what the
// method panics with that is about to be called.
func isRecovered() bool {
	return isCalledBy(func(function string) bool {
		return strings.HasPrefix(function, "fmt.(*pp).") ||
			strings.HasPrefix(function, "halfnote/") &&
				!strings.HasPrefix(function, "halfnote/repl/rt.")
	})
}

// isCalledBy reports whether such a function is on the stack.
func isCalledBy(such func(function string) bool) bool {
	pcs := make([]uintptr, 1<<10)
	n := runtime.Callers(2, pcs)
	for n == len(pcs) { // what was called last comes first
		pcs = make([]uintptr, 4*n)
		n = runtime.Callers(2, pcs)
	}
	frames := runtime.CallersFrames(pcs[:n])
	for more := n > 0; more; {
		var f runtime.Frame
		if f, more = frames.Next(); such(f.Function) {
			return true
		}
	}
	return false
}

// own marks the calling goroutine as one whose panics are told, those of pointers that unsafe code
// has made included. release undoes it.
func (ts *Types) own() (release func()) {
	id := goid.Get()
	if _, before := ts.owned.LoadOrStore(id, true); before {
		return func() {}
	}
	faults := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(faults)
		ts.owned.Delete(id)
	}
}

// isOwn reports whether panics of the calling goroutine are told.
func (ts *Types) isOwn() bool {
	_, ok := ts.owned.Load(goid.Get())
	return ok
}
