package repl

// This file lets goroutines of earlier cells live through the stop of a cell. The interpreter
// abandons all functions or none, each between two of its steps. So where a goroutine comes by
// before long, a step of compiled code asks whether something is being stopped, and holds the
// goroutine for so long:
//
//	where a loop begins again
//	after a call
//	around an operation on a channel, which is begun again if the stop has ended it
//
// What the interpreter runs is a graph of nodes, each of which makes its step from those of its
// successors. The graphs of functions that it has compiled are made anew here, with these steps.

import (
	"reflect"
	"runtime"
	"strings"
	"unsafe"

	"halfnote/repl/rt"
)

// A step does what a node stands for, in a frame, and returns the step that follows: nil at the
// function's end, or where it is abandoned.
type step func(frame unsafe.Pointer) step

// A holder makes the graphs. It finds fields of the interpreter's nodes by their offsets.
type holder struct {
	types *rt.Types
	root  uintptr // of a program: its syntax tree

	child, start, tnext, fnext, kind, exec, gen uintptr

	funcType uint                     // the kind of a function's type
	last     unsafe.Pointer           // a node at which functions end
	takes    map[uintptr]duration     // by the code that makes a step
	states   map[unsafe.Pointer]state // of the nodes of one function
}

// A duration says how a step can take long.
type duration int

const (
	brief duration = iota
	untilReturn
	untilReady
)

// durations are those of the steps that functions of the interpreter make.
var durations = map[string]duration{
	"call": untilReturn, "callBin": untilReturn,
	"recv": untilReady, "recv2": untilReady, "send": untilReady, "rangeChan": untilReady,
}

// A state says how far the step of a node is.
type state int

const (
	unvisited state = iota
	begun           // its successors' come first
	made
)

// openHolder finds the fields; they are those of yaegi v0.16.1, as those of internals.
func openHolder(interpreter, program reflect.Type, ts *rt.Types) *holder {
	node := fieldType(interpreter, "roots")
	h := &holder{
		types: ts,
		root:  offset(program, "root", reflect.Pointer),
		child: offset(node, "child", reflect.Slice),
		start: offset(node, "start", reflect.Pointer),
		tnext: offset(node, "tnext", reflect.Pointer),
		fnext: offset(node, "fnext", reflect.Pointer),
		kind:  offset(node, "kind", reflect.Uint),
		exec:  offset(node, "exec", reflect.Func),
		gen:   offset(node, "gen", reflect.Func),
		last:  reflect.New(node).UnsafePointer(),
		takes: map[uintptr]duration{},
	}
	h.funcType = kindNamed(fieldType(node, "kind"), "funcType")
	*h.step(h.last) = func(unsafe.Pointer) step { return nil }
	return h
}

// step is where the step of a node is.
func (h *holder) step(n unsafe.Pointer) *step { return (*step)(unsafe.Add(n, h.exec)) }

// remake makes the graphs of all functions of an *interp.Program anew.
func (h *holder) remake(program unsafe.Pointer) {
	h.functions(at[unsafe.Pointer](program, h.root))
}

// functions makes the graphs of the functions below n, whose body is their fourth part.
func (h *holder) functions(n unsafe.Pointer) {
	parts := at[[]unsafe.Pointer](n, h.child)
	for _, c := range parts {
		if len(parts) == 4 && at[uint](c, h.kind) == h.funcType {
			h.function(at[unsafe.Pointer](parts[3], h.start))
		}
		h.functions(c)
	}
}

// function makes the graph of the function that starts at a node.
func (h *holder) function(start unsafe.Pointer) {
	if start == nil {
		return
	}
	h.states = map[unsafe.Pointer]state{}
	h.clear(start)
	h.make(start)
}

// clear removes the steps from a node on.
func (h *holder) clear(n unsafe.Pointer) {
	if _, seen := h.states[n]; seen || n == nil {
		return
	}
	h.states[n] = unvisited
	*h.step(n) = nil
	h.clear(at[unsafe.Pointer](n, h.tnext))
	h.clear(at[unsafe.Pointer](n, h.fnext))
}

// make makes the steps from a node on.
func (h *holder) make(n unsafe.Pointer) {
	types := h.types
	h.states[n] = begun
	for _, next := range []uintptr{h.tnext, h.fnext} {
		m := at[unsafe.Pointer](n, next)
		switch {
		case m == nil || *h.step(m) != nil:
		case h.states[m] == unvisited:
			h.make(m)
		case h.states[m] == begun: // a loop, which comes to m again
			again := h.step(m)
			*again = func(unsafe.Pointer) step {
				types.HoldIfStopping()
				return *again
			}
		}
	}
	h.states[n] = made
	gen := at[func(unsafe.Pointer)](n, h.gen)
	takes := h.duration(gen)
	if takes == untilReady && at[unsafe.Pointer](n, h.tnext) == nil {
		*(*unsafe.Pointer)(unsafe.Add(n, h.tnext)) = h.last
	}
	gen(n)
	does := *h.step(n)
	switch takes {
	case untilReturn:
		*h.step(n) = func(frame unsafe.Pointer) step {
			next := does(frame)
			types.HoldIfStopping()
			return next
		}
	case untilReady:
		*h.step(n) = func(frame unsafe.Pointer) step {
			next := does(frame)
			for next == nil && types.Hold() {
				next = does(frame)
			}
			return next
		}
	}
}

// duration is that of the steps that gen makes.
func (h *holder) duration(gen func(unsafe.Pointer)) duration {
	code := reflect.ValueOf(gen).Pointer()
	d, known := h.takes[code]
	if !known {
		d = durations[strings.TrimPrefix(runtime.FuncForPC(code).Name(), inside)]
		h.takes[code] = d
	}
	return d
}
