package rt

import (
	"halfnote/repl/display"
)

// OnPanic sets what is told of a panic that ends a goroutine of emitted code; without it the text
// goes to the standard error of the cell that started the goroutine.
func (ts *Types) OnPanic(f func(v any)) { ts.panics = f }

// Go runs f on a new goroutine. What it prints belongs to the cell of the caller. A panic ends the
// goroutine but not the process.
func (ts *Types) Go(f func()) {
	if f == nil {
		panic(Error("go of nil func value"))
	}
	go display.Inherit(func() {
		ts.guard(f)
	})()
}

// Guard returns f as a function that compiled code may run on a goroutine of its own: its output
// belongs to the caller's cell and its panics are told as those of Go are.
func (ts *Types) Guard(f func()) func() {
	if f == nil {
		return nil
	}
	return display.Inherit(func() { ts.guard(f) })
}

func (ts *Types) guard(f func()) {
	defer func() {
		r := recover()
		switch {
		case r == nil:
		case ts.panics != nil:
			ts.panics(Rec(r))
		default:
			display.Current().Stream("stderr", "goroutine: panic: "+PanicText(r)+"\n")
		}
	}()
	f()
}
