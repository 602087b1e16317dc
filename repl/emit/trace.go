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

// Function returns the function of which yaegi speaks under this name. It may be called while units
// are emitted.
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

// Recursion returns where functions call each other without end, if place was noted last. Functions
// that call each other directly may note none: then that is the place of a function that called
// them, and theirs is found if they are the only ones in the program that was emitted last.
func (e *Emitter) Recursion(place token.Pos) token.Pos {
	found := map[token.Pos]bool{}
	for name, f := range e.reached("main." + entryName) {
		round, silent := e.round(name)
		calls := slices.ContainsFunc(f.Calls, func(c Call) bool { return c.Pos == place })
		if f.Noted(place) && (calls || len(round) > 0) {
			return place
		}
		if !silent {
			continue
		}
		for _, c := range f.Calls {
			if round[0] == name && slices.Contains(round, c.To) {
				found[c.Pos] = true
				break
			}
		}
	}
	for pos := range found {
		if len(found) == 1 {
			return pos
		}
	}
	return place
}

// round returns the names of the functions by which the function of that name comes to call itself,
// in their order, and whether there are some and none of them notes places.
func (e *Emitter) round(name string) (names []string, silent bool) {
	silent = true
	for other, f := range e.reached(name) {
		if _, ok := e.reached(other)[name]; ok {
			names = append(names, other)
			silent = silent && len(f.Notes) == 0
		}
	}
	slices.Sort(names)
	return names, silent && len(names) > 0
}

// reached returns the functions that the function of that name calls directly, and those that they
// call.
func (e *Emitter) reached(name string) map[string]*Function {
	all := map[string]*Function{}
	var follow func(name string)
	follow = func(name string) {
		f, _ := e.Function(name)
		if f == nil {
			return
		}
		for _, c := range f.Calls {
			if to, ok := e.Function(c.To); ok && all[c.To] == nil {
				all[c.To] = to
				follow(c.To)
			}
		}
	}
	follow(name)
	return all
}
