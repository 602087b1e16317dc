package rt

import (
	"reflect"
	"runtime"

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
	call := v.Call
	if v.Type().IsVariadic() {
		call = v.CallSlice
	}
	return reflect.MakeFunc(v.Type(), func(in []reflect.Value) (out []reflect.Value) {
		run(func() { out = call(in) })
		return out
	}).Interface()
}

// Awaited is what ends a goroutine of compiled code that others wait for: the panic in a function
// with results.
type Awaited struct{ Value any }

// visitor returns what runs functions for Callback. It does not return when the function panics on a
// goroutine that is not a cell's; awaited says whether the panic ends a cell that runs.
func (ts *Types) visitor(awaited bool) func(f func()) {
	out, stopped := display.Current(), ts.stopped()
	return func(f func()) {
		if ts.isOwn() {
			f()
			return
		}
		ended := false
		func() {
			defer display.Bind(out)()
			ts.running.Add(1)
			defer ts.running.Add(-1)
			ts.guarded.Add(1)
			defer ts.guarded.Add(-1)
			if over(stopped) {
				return
			}
			defer ts.BindStop(stopped)()
			ts.guard(func() {
				if awaited {
					defer abandon(&ended)
				}
				f()
				ended = true
			})
		}()
		if !ended {
			runtime.Goexit()
		}
	}
}

// abandon, deferred, marks a panic as one of a function that others wait for.
func abandon(ended *bool) {
	if *ended {
		return
	}
	switch r := recover().(type) {
	case nil: // runtime.Goexit
	case Exit:
		panic(r)
	default:
		panic(Awaited{Rec(r)})
	}
}

// own marks the calling goroutine as one whose panics are told. release undoes it.
func (ts *Types) own() (release func()) {
	id := goid.Get()
	if _, before := ts.owned.LoadOrStore(id, true); before {
		return func() {}
	}
	return func() { ts.owned.Delete(id) }
}

// isOwn reports whether panics of the calling goroutine are told.
func (ts *Types) isOwn() bool {
	_, ok := ts.owned.Load(goid.Get())
	return ok
}
