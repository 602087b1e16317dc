package repl

// This file implements what an operation of emitted code says that fails in the interpreter. It is
// reflect that panics then, with a text of its own and without numbers:
//
//	a[i]  // "reflect: slice index out of range"
//
// The interpreter reports each panic, while the function that failed still stands on the stack, to
// its standard error. So nothing has to be noted beforehand: the traceback names the function's
// frame, the frame holds the operands, and what is about to be thrown is replaced by what Go says.
// A panic of reflect in a call that a program makes itself stays as it is.

import (
	"go/constant"
	"math"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"halfnote/repl/emit"
	"halfnote/repl/rt"
)

// faults is the standard error of the interpreter.
type faults struct {
	*nodes
	types *rt.Types
}

func (w *faults) Write(text []byte) (int, error) {
	if maker, ok := operation(); ok {
		w.replace(maker)
	}
	w.types.Unwound(string(text))
	return len(text), nil
}

// depth is how many callers are looked at between a panic and the operation that failed.
const depth = 24

const inside = "github.com/traefik/yaegi/interp."

// operation returns the function of the interpreter whose closure has just called reflect, which
// panicked.
func operation() (maker string, ok bool) {
	var callers [depth]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers[:])])
	panics, reflects := false, false
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		name := f.Function
		switch {
		case !panics:
			panics = name == "runtime.gopanic"
		case strings.HasPrefix(name, "runtime."):
		case strings.HasPrefix(name, "reflect."):
			if reflects && strings.HasPrefix(name, "reflect.Value.call") {
				return "", false // in what was called through reflect
			}
			reflects = true
		default:
			maker, ok = strings.CutPrefix(name, inside)
			maker, _, _ = strings.Cut(maker, ".")
			return maker, ok && reflects
		}
	}
	return "", false
}

// running finds the innermost interpreted function in a traceback: its first node and its frame.
var running = regexp.MustCompile(`interp\.runCfg\(0x([0-9a-f]+), 0x([0-9a-f]+), `)

// replace lets the function that failed throw Go's error.
func (w *faults) replace(maker string) {
	traceback := make([]byte, 8<<10)
	traceback = traceback[:runtime.Stack(traceback, false)]
	m := running.FindSubmatch(traceback)
	if m == nil {
		return
	}
	start, frame := pointer(m[1]), pointer(m[2])
	thrown := (*any)(unsafe.Add(frame, w.recovered))
	*thrown = rt.Fault(*thrown, func() error {
		o := &operands{faults: w, maker: inside + maker, frame: frame, place: *w.types.Place()}
		o.find(w.function(start))
		return o.err()
	})
}

// pointer is one that a traceback names, of a caller of the calling function.
func pointer(hex []byte) unsafe.Pointer {
	n, _ := strconv.ParseUint(string(hex), 16, 64)
	address := uintptr(n)
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}

// function is the node of the function that a node is part of.
func (w *faults) function(n unsafe.Pointer) unsafe.Pointer {
	for {
		up := at[unsafe.Pointer](n, w.anc)
		if kind := at[uint](n, w.kind); up == nil || kind == w.funcDecl || kind == w.funcLit {
			return n
		}
		n = up
	}
}

// operands look for the index or slice expression that failed, in the syntax tree of a function.
type operands struct {
	*faults
	maker string         // of the code of such expressions
	frame unsafe.Pointer // of the function
	place int            // that emitted code has noted
	here  bool           // the node that is looked at comes after the note

	errs  []error // of all operations whose operands are out of bounds now
	first error   // of the first of them that comes after the note
}

// err is that of the operation that failed: the only one that can have, or the one that follows the
// note of the place, which may be another goroutine's.
func (o *operands) err() error {
	if len(o.errs) == 1 {
		return o.errs[0]
	}
	return o.first
}

// find walks the tree below n in the order in which it runs.
func (o *operands) find(n unsafe.Pointer) {
	pos := at[int](n, o.pos)
	if at, ok := emit.NotedPlace(at[reflect.Value](n, o.rval)); ok && at == pos {
		o.here = pos == o.place // a note is a value that says where it stands
	}
	children := at[[]unsafe.Pointer](n, o.child)
	for _, c := range children {
		o.find(c)
	}
	gen := at[*uintptr](n, o.gen)
	if gen == nil || runtime.FuncForPC(*gen).Name() != o.maker {
		return
	}
	if err := o.outOfBounds(children); err != nil {
		o.errs = append(o.errs, err)
		if o.here && o.first == nil {
			o.first = err
		}
	}
}

// outOfBounds is the error of an operation with these operands, or nil.
func (o *operands) outOfBounds(children []unsafe.Pointer) error {
	x := o.value(children[0], o.frame)
	if x.Kind() == reflect.Pointer {
		x = x.Elem()
	}
	if k := x.Kind(); k != reflect.Slice && k != reflect.Array && k != reflect.String {
		return nil
	}
	var bounds []any
	for _, c := range children[1:] {
		n, ok := integer(o.value(c, o.frame))
		if !ok {
			return nil
		}
		bounds = append(bounds, n)
	}
	switch o.maker {
	case inside + "getIndexArray":
		return rt.IndexError(x, bounds[0])
	case inside + "slice0":
		bounds = append([]any{int64(0)}, bounds...)
	}
	return rt.SliceError(x, bounds)
}

// integer is v as an int64, or as a uint64 if it is too large.
func integer(v reflect.Value) (n any, ok bool) {
	switch {
	case !v.IsValid():
		return nil, false
	case v.CanInt():
		return v.Int(), true
	case v.CanUint():
		if u := v.Uint(); u > math.MaxInt64 {
			return u, true
		}
		return int64(v.Uint()), true
	case v.CanInterface():
		if c, isConst := v.Interface().(constant.Value); isConst {
			return constant.Int64Val(constant.ToInt(c))
		}
	}
	return nil, false
}
