package repl

// This file makes steps that call compiled code directly. The interpreter's own go through reflect:
// for x.Add(y) that takes half a microsecond, more than the addition of small tensors. A step looks
// at the types of its operands when it runs for the first time, and calls directly where package rt
// can with these; where they are others later on, it is the interpreter's again.

import (
	"reflect"
	"sync/atomic"
	"unsafe"

	"halfnote/repl/emit"
	"halfnote/repl/rt"
)

// A reflected is a reflect.Value taken apart.
type reflected struct {
	typ, at unsafe.Pointer
	flag    uintptr
}

// A typed is an operand whose type is known.
type typed struct {
	operand
	fixed unsafe.Pointer // where the value is if it does not depend on the frame
	known reflected      // what it was first, less where
}

// open returns an operand with the type that it has in a frame, and false if it cannot be found by
// an address.
func (o operand) open(frame unsafe.Pointer, n *nodes) (s typed, t reflect.Type, ok bool) {
	if o.fixed.IsValid() {
		if !o.fixed.CanInterface() {
			return s, nil, false
		}
		v := o.fixed
		if !v.CanAddr() { // or it is a variable
			v = reflect.New(o.fixed.Type()).Elem()
			v.Set(o.fixed)
		}
		return typed{operand: o, fixed: v.Addr().UnsafePointer()}, v.Type(), true
	}
	v := o.in(frame, n)
	if v == nil || !v.CanAddr() || !v.CanInterface() {
		return s, nil, false
	}
	known := *(*reflected)(unsafe.Pointer(v))
	known.at = nil // or the value would live as long as the site
	return typed{operand: o, known: known}, v.Type(), true
}

// address returns where the value is, or nil if it has another type now, or no address.
func (s *typed) address(frame unsafe.Pointer, n *nodes) unsafe.Pointer {
	if s.fixed != nil {
		return s.fixed
	}
	v := (*reflected)(unsafe.Pointer(s.in(frame, n)))
	if v == nil || v.typ != s.known.typ || v.flag != s.known.flag {
		return nil
	}
	return v.at
}

// A site is a call of compiled code.
type site struct {
	*steps
	function reflect.Value // what is called, or
	method   int           // which method of the interface value that is the first argument
	bind     step          // then what makes a function of the method for reflect
	args     []operand
	result   operand
	slow     step // the interpreter's own

	tries  atomic.Int32
	linked atomic.Pointer[link]
}

// A link is a site that calls directly.
type link struct {
	caller *rt.Caller
	fn     unsafe.Pointer // nil for a method
	method rt.Method
	args   []typed
	result typed
}

// mostTries is how often a site looks at the types of its operands: some are not there at first.
const mostTries = 8

// direct changes the step of a node that calls compiled code, if it can be called directly.
func (s *steps) direct(n unsafe.Pointer) {
	parts := at[[]unsafe.Pointer](n, s.child)
	anc := at[unsafe.Pointer](n, s.anc)
	kind := at[uint](anc, s.kind)
	if kind == s.goStmt || kind == s.deferStmt || at[uint](n, s.action) == s.callSlice {
		return
	}
	c := &site{steps: s, slow: *s.of(n)}
	callee := at[reflect.Value](parts[0], s.rval)
	switch {
	case callee.IsValid() && callee.Kind() == reflect.Func && callee.CanInterface():
		c.function = callee
	case s.maker(parts[0]) == "getIndexBinMethod":
		c.method = at[any](parts[0], s.val).(int)
		c.args = append(c.args, s.operandOf(at[[]unsafe.Pointer](parts[0], s.child)[0]))
	default:
		return
	}
	for _, p := range parts[1:] {
		if reflect.TypeOf(at[any](p, s.val)) == reflect.PointerTo(s.node) {
			return // a function of the program, of which the interpreter makes a value
		}
		c.args = append(c.args, s.operandOf(p))
	}
	c.result = operand{level: at[int](n, s.level), index: at[int](n, s.findex)}
	if kind == s.returnStmt {
		c.result = operand{}
		if at[[]unsafe.Pointer](anc, s.child)[0] != n {
			return
		}
	}
	next, otherwise := s.next(at[unsafe.Pointer](n, s.tnext)), s.next(at[unsafe.Pointer](n, s.fnext))
	branches := at[unsafe.Pointer](n, s.fnext) != nil
	s.sites[parts[0]] = c
	*s.of(n) = func(frame unsafe.Pointer) step {
		l := c.linked.Load()
		if l == nil {
			if l = c.link(frame); l == nil {
				return c.reflect(frame)
			}
		}
		result, ok := l.call(frame, s.nodes)
		switch {
		case !ok:
			return c.reflect(frame)
		case branches && !*(*bool)(result):
			return otherwise
		}
		return next
	}
}

// next is the step of a node that follows one whose step is made.
func (s *steps) next(n unsafe.Pointer) step {
	if n == nil {
		return nil
	}
	return *s.of(n)
}

// link looks at the operands in a frame. It returns nil if the call needs reflect.
func (c *site) link(frame unsafe.Pointer) *link {
	if c.tries.Load() >= mostTries {
		return nil
	}
	c.tries.Add(1)
	l := &link{}
	var types []reflect.Type
	for _, arg := range c.args {
		s, t, ok := arg.open(frame, c.nodes)
		if !ok {
			return nil
		}
		l.args = append(l.args, s)
		types = append(types, t)
	}
	c.tries.Store(mostTries) // unless all goes well it never does
	var function reflect.Type
	if c.function.IsValid() {
		function, l.fn = c.function.Type(), rt.Closure(c.function)
	} else {
		if types[0].Kind() != reflect.Interface || c.bind == nil {
			return nil
		}
		l.method = rt.MethodOfInterface(types[0], c.method)
		function = l.method.Type
		types[0] = function.In(0)
	}
	if l.caller = rt.NewCaller(function, types); l.caller == nil {
		return nil
	}
	if function.NumOut() > 0 {
		s, t, ok := c.result.open(frame, c.nodes)
		if !ok || t != function.Out(0) || t.Kind() == reflect.Func {
			return nil
		}
		l.result = s
	}
	c.linked.Store(l)
	return l
}

// call makes the call, if the operands are as they were, and returns where the result is.
func (l *link) call(frame unsafe.Pointer, n *nodes) (result unsafe.Pointer, ok bool) {
	var args [rt.MostArgs]unsafe.Pointer
	for i := range l.args {
		if args[i] = l.args[i].address(frame, n); args[i] == nil {
			return nil, false
		}
	}
	if l.result.known.typ != nil {
		if result = l.result.address(frame, n); result == nil {
			return nil, false
		}
	}
	fn, recv := l.fn, unsafe.Pointer(nil)
	if fn == nil {
		if fn, recv = l.method.Of(args[0]); fn == nil {
			return nil, false // reflect says that the value is nil
		}
		args[0] = rt.Noescape(unsafe.Pointer(&recv))
	}
	l.caller.Call(fn, &args, result)
	return result, true
}

// reflect makes the call as the interpreter does.
func (c *site) reflect(frame unsafe.Pointer) step {
	if c.bind != nil {
		c.bind(frame)
	}
	return c.slow(frame)
}

// bound leaves it to a call to find the method of an interface value, if n does that for one.
func (s *steps) bound(n unsafe.Pointer) {
	c, ok := s.sites[n]
	if !ok {
		return
	}
	c.bind = *s.of(n)
	next := s.next(at[unsafe.Pointer](n, s.tnext))
	*s.of(n) = func(unsafe.Pointer) step { return next }
}

// note makes the step that notes a place a store, if it is one.
func (s *steps) note(n unsafe.Pointer) {
	parts := at[[]unsafe.Pointer](n, s.child)
	if len(parts) != 2 {
		return
	}
	pos, ok := emit.NotedPlace(at[reflect.Value](parts[1], s.rval))
	if to := at[reflect.Value](parts[0], s.rval); !ok || !to.IsValid() || !to.CanAddr() ||
		to.Addr().UnsafePointer() != unsafe.Pointer(s.types.Place()) {
		return
	}
	place, next := s.types.Place(), s.next(at[unsafe.Pointer](n, s.tnext))
	*s.of(n) = func(unsafe.Pointer) step {
		store(place, pos)
		return next
	}
}

// receives makes a step that receives from a channel note its place while it does. That cannot
// panic, so emitted code notes none: the next panic is at the place that was noted before.
func (s *steps) receives(n unsafe.Pointer) {
	place, pos, does := s.types.Place(), at[int](n, s.pos), *s.of(n)
	*s.of(n) = func(frame unsafe.Pointer) step {
		before := load(place)
		store(place, pos)
		next := does(frame)
		store(place, before)
		return next
	}
}

// store notes a place; which of several goroutines does it last does not matter.
//
//go:norace
func store(place *int, pos int) { *place = pos }

// load returns the place that was noted last.
//
//go:norace
func load(place *int) int { return *place }
