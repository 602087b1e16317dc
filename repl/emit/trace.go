package emit

import (
	"go/token"
	"slices"

	"halfnote/repl/ir"
)

// This file keeps what the trace of a panic needs to know of emitted functions. When a panic leaves
// a function yaegi says its name, but not where in it the call was that has panicked:
//
//	func g() {
//		x := 1
//		f(x) // "panic: main.g(...)" at the first line
//	}
//
// So the calls in each function are listed. Where it calls the next one from one line alone, that is
// the place.

// A Function is an emitted function, as far as traces need it.
type Function struct {
	Label  string    // see ir.Func
	IsPart bool      // see ir.Func
	Pos    token.Pos // where it is declared
	Notes  []token.Pos
	Calls  []Call

	chains map[token.Pos][]Written // of places in functions that are written out in this one
}

// Written is a function that is written out where it is called.
type Written struct {
	Label string    // the function's, see ir.Func
	Pos   token.Pos // of the call
}

// Chain returns the functions written out in each other in which the place pos of t is, the outermost
// first. It is empty for a place of t's own, and for one that is there by several ways.
func (t *Function) Chain(pos token.Pos) []Written { return t.chains[pos] }

// at notes that the current place is pos.
func (f *fn) at(pos token.Pos) {
	t := f.traced
	old, known := t.chains[pos]
	switch {
	case !known && len(f.chain) == 0:
	case known && !slices.Equal(old, f.chain):
		t.chains[pos] = nil
	default:
		if t.chains == nil {
			t.chains = map[token.Pos][]Written{}
		}
		t.chains[pos] = f.chain
	}
}

// A Call is a call in a Function.
type Call struct {
	To  string // the name of the function, or one of the two below
	Pos token.Pos
}

// What a Call calls that has no name.
const (
	aValue   = "value"    // a function value, or compiled code that is given one
	compiled = "compiled" // other compiled code, which may call methods
)

// Function returns the function of which yaegi speaks under this name.
// It may be called while units are emitted.
func (e *Emitter) Function(name string) (*Function, bool) {
	f, ok := e.traced.Load(name)
	if !ok {
		return nil, false
	}
	return f.(*Function), true
}

// trace begins to list the calls of f, which yaegi calls by this name.
func (e *Emitter) trace(name string, f *ir.Func) *Function {
	t := &Function{Label: f.Label, IsPart: f.IsPart, Pos: f.Pos}
	e.traced.Store("main."+name, t)
	return t
}

// called notes the call x, if it may run code of the user.
func (f *fn) called(x *ir.Call) {
	c := Call{compiled, x.Pos()}
	switch fun := x.Fun.(type) {
	case *ir.FuncRef:
		c.To = "main." + f.funcs[fun.Func]
	case *ir.Extern:
		if fun.Pkg == ir.RuntimePkg && quiet[fun.Name] && fun.Name != "Do" {
			return
		}
	}
	if c.To == compiled && runsCode(x) {
		c.To = aValue
	}
	f.traced.Calls = append(f.traced.Calls, c)
	f.at(x.Pos())
}

// Noted reports whether the function notes the place pos.
func (t *Function) Noted(pos token.Pos) bool { return slices.Contains(t.Notes, pos) }

// CallsOf returns the places from which t calls the function of that name: directly, or else by way
// of a value, or else of compiled code.
func (t *Function) CallsOf(name string) []token.Pos {
	for _, to := range []string{name, aValue, compiled} {
		var places []token.Pos
		for _, c := range t.Calls {
			if c.To == to {
				places = append(places, c.Pos)
			}
		}
		if len(places) > 0 {
			return places
		}
	}
	return nil
}
