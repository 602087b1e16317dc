package repl

// This file changes what the interpreter runs. That is a graph of nodes; each makes its step from
// those of its successors. The graphs of compiled functions are made anew here, so that some of the
// steps take the care that goroutines need:
//
//   - The interpreter abandons all functions or none when a cell is stopped, each between two of its
//     steps. So where a loop begins again and after a call, goroutines of earlier cells are held
//     while a cell is stopped, and an operation on a channel that the stop has ended begins again.
//   - Go ends the process when it sees two goroutines in one map. Steps with maps are taken one at a
//     time while there are goroutines.

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

// steps makes the graphs.
type steps struct {
	*nodes
	types  *rt.Types
	last   unsafe.Pointer           // a node at which functions end
	makers map[uintptr]string       // the names of what makes steps, by their code
	states map[unsafe.Pointer]state // of the nodes of one function
	sites  map[unsafe.Pointer]*site // its calls of methods of interface values, by the method's node
}

// A state says how far the step of a node is.
type state int

const (
	unvisited state = iota
	begun           // its successors' come first
	done
)

func newSteps(n *nodes, ts *rt.Types) *steps {
	s := &steps{
		nodes: n, types: ts, last: reflect.New(n.node).UnsafePointer(), makers: map[uintptr]string{},
	}
	*s.of(s.last) = func(unsafe.Pointer) step { return nil }
	return s
}

// of is where the step of a node is.
func (s *steps) of(n unsafe.Pointer) *step { return (*step)(unsafe.Add(n, s.exec)) }

// remake makes the graphs of all functions of an *interp.Program anew.
func (s *steps) remake(program unsafe.Pointer) {
	s.functions(at[unsafe.Pointer](program, s.root))
}

// functions makes the graphs of the functions below n, whose body is their fourth part.
func (s *steps) functions(n unsafe.Pointer) {
	parts := at[[]unsafe.Pointer](n, s.child)
	for _, part := range parts {
		if len(parts) == 4 && at[uint](part, s.kind) == s.funcType {
			s.function(at[unsafe.Pointer](parts[3], s.start))
		}
		s.functions(part)
	}
}

// function makes the graph of the function that starts at a node.
func (s *steps) function(start unsafe.Pointer) {
	s.states, s.sites = map[unsafe.Pointer]state{}, map[unsafe.Pointer]*site{}
	s.clear(start)
	if start != nil {
		s.make(start)
	}
}

// clear removes the steps from a node on.
func (s *steps) clear(n unsafe.Pointer) {
	if _, seen := s.states[n]; seen || n == nil {
		return
	}
	s.states[n] = unvisited
	*s.of(n) = nil
	s.clear(at[unsafe.Pointer](n, s.tnext))
	s.clear(at[unsafe.Pointer](n, s.fnext))
}

// make makes the steps from a node on.
func (s *steps) make(n unsafe.Pointer) {
	s.states[n] = begun
	for _, next := range []uintptr{s.tnext, s.fnext} {
		m := at[unsafe.Pointer](n, next)
		switch {
		case m == nil || *s.of(m) != nil:
		case s.states[m] == unvisited:
			s.make(m)
		case s.states[m] == begun: // a loop, which comes to m again
			types, again := s.types, s.of(m)
			*again = func(unsafe.Pointer) step {
				types.HoldIfStopping()
				return *again
			}
		}
	}
	s.states[n] = done
	care := s.careOf(n)
	if care == untilReady && at[unsafe.Pointer](n, s.tnext) == nil {
		*(*unsafe.Pointer)(unsafe.Add(n, s.tnext)) = s.last // nil has one meaning then
	}
	s.generator(n)(n)
	switch s.maker(n) {
	case "callBin":
		s.direct(n)
	case "getIndexBinMethod":
		s.bound(n)
	case "assign":
		s.note(n)
	case "recv", "recv2", "rangeChan":
		s.receives(n)
	}
	s.protect(n, care)
}

// A care is what a step needs that others do not.
type care int

const (
	none care = iota
	afterReturn
	untilReady
	reading // a map
	ranging // over a map
	writing // to a map
)

// cares are those of the steps that functions of the interpreter make.
var cares = map[string]care{
	"call": afterReturn, "callBin": afterReturn,
	"recv": untilReady, "recv2": untilReady, "send": untilReady, "rangeChan": untilReady,
	"getIndexMap": reading, "getIndexMap2": reading, "rangeMap": ranging, "_delete": writing,
}

// careOf is the care that the step of a node needs.
func (s *steps) careOf(n unsafe.Pointer) care {
	maker := s.maker(n)
	if maker == "assign" || strings.HasSuffix(maker, "Assign") || maker == "inc" || maker == "dec" {
		// The step of an index expression with a map, which is assigned to, does nothing or reads.
		to := at[[]unsafe.Pointer](n, s.child)[0]
		if index := s.maker(to); len(at[[]unsafe.Pointer](to, s.child)) == 2 &&
			(index == "nop" || index == "getIndexMap") {
			return writing
		}
	}
	return cares[maker]
}

// maker is the name of the interpreter's function that makes the step of a node.
func (s *steps) maker(n unsafe.Pointer) string {
	code := reflect.ValueOf(s.generator(n)).Pointer()
	name, known := s.makers[code]
	if !known {
		name = strings.TrimPrefix(runtime.FuncForPC(code).Name(), inside)
		s.makers[code] = name
	}
	return name
}

func (s *steps) generator(n unsafe.Pointer) func(unsafe.Pointer) {
	return at[func(unsafe.Pointer)](n, s.gen)
}

// protect gives the step of a node the care that it needs.
func (s *steps) protect(n unsafe.Pointer, care care) {
	types, own, does := s.types, s.of(n), *s.of(n)
	switch care {
	case afterReturn:
		*own = func(frame unsafe.Pointer) step {
			next := does(frame)
			types.HoldIfStopping()
			return next
		}
	case untilReady:
		*own = func(frame unsafe.Pointer) step {
			next := does(frame)
			for next == nil && types.Hold() {
				next = does(frame)
			}
			return next
		}
	case reading, ranging, writing:
		begin := types.ReadMap
		if care == writing {
			begin = types.WriteMap
		}
		*own = func(frame unsafe.Pointer) step {
			if types.Idle() {
				return does(frame)
			}
			defer begin()()
			return does(frame)
		}
		if care == ranging { // the step before the first one leads to it
			first := s.of(at[[]unsafe.Pointer](n, s.child)[0])
			initial := *first
			*first = func(frame unsafe.Pointer) step {
				initial(frame)
				return *own
			}
		}
	}
}
