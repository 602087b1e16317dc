package rt

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"unsafe"
)

// A BadAddress is the runtime.Error of a pointer to where no memory is, which unsafe code has made.
type BadAddress uintptr

// RuntimeError marks a as a runtime.Error.
func (BadAddress) RuntimeError() {}

func (a BadAddress) Error() string {
	return fmt.Sprintf("runtime error: unexpected fault address %#x", uintptr(a))
}

// Addr returns the address, as that of errors after debug.SetPanicOnFault does.
func (a BadAddress) Addr() uintptr { return uintptr(a) }

// Panic panics with v, which may be nil.
func (ts *Types) Panic(v any) {
	if v == nil {
		panic(new(runtime.PanicNilError))
	}
	if err, ok := v.(error); ok && !isRuntime(err) && reflect.TypeOf(err) != plainText {
		panic(&raised{err, ts.place})
	}
	panic(v)
}

// raised is a panic with an error whose Error method may be the user's. The interpreter asks a
// panic for its text while it leaves functions, Go but once, when nothing has recovered it.
type raised struct {
	error
	place int
}

func (r *raised) Error() string {
	var caller [1]uintptr
	if runtime.Callers(2, caller[:]); name(caller[0]) == unwinder {
		return ""
	}
	return r.error.Error()
}

func (r *raised) Unwrap() error { return r.error }

// plainText is the type of errors that have a text and no more, some of which are known to compiled
// code, as http.ErrAbortHandler is.
var plainText = reflect.TypeOf(errors.New(""))

// same reports whether two interface values are the same two words.
func same(a, b any) bool {
	return *(*words)(unsafe.Pointer(&a)) == *(*words)(unsafe.Pointer(&b))
}

// NilPanic panics as the use of a nil pointer does.
func NilPanic() { panic(errNil) }

// WrapPanic panics as the method of a type of package pkg does that is called, by way of an interface
// value or as a method of *T, with a nil *T. name is T.Method.
func WrapPanic(pkg, name string) {
	typ := name[:strings.LastIndexByte(name, '.')]
	panic(PlainError("value method " + pkg + "." + name + " called using nil *" + typ + " pointer"))
}

// The states of a range over a function.
const (
	RangeReady     = iota
	RangeDone      // the body has ended the loop
	RangeInBody    // the body runs, or has panicked
	RangeOver      // the function has returned
	RangeSwallowed // the function has returned although the body has panicked
)

// RangePanic panics as a range over a function does in a state where its body must not be called, or
// its function must not return.
func RangePanic(state int) {
	text := map[int]string{
		RangeDone:      "continued iteration after function for loop body returned false",
		RangeInBody:    "continued iteration after loop body panic",
		RangeOver:      "continued iteration after whole loop exit",
		RangeSwallowed: "recovered a loop body panic and did not resume panicking",
	}[state]
	panic(Error("range function " + text))
}

// ShiftPanic panics as a shift by a negative count does.
func ShiftPanic() { panic(Error("negative shift amount")) }

// reflectTexts maps what reflect says when emitted code fails to what Go says.
var reflectTexts = []struct{ part, text string }{
	{"slice bounds out of range", "slice bounds out of range"},
	{"slice index out of bounds", "slice bounds out of range"},
	{"string slice index", "slice bounds out of range"},
	{"Slice3", "slice bounds out of range"},
	{"slice index out of range", "index out of range"},
	{"string index out of range", "index out of range"},
	{"array index out of range", "index out of range"},
	{"negative len", "makeslice: len out of range"},
	{"negative cap", "makeslice: cap out of range"},
	{"len > cap", "makeslice: cap out of range"},
	{"slice overflow", "growslice: len out of range"},
	{"zero Value", errNilText},
	{"nil pointer", errNilText},
	{"Method on nil interface", errNilText},
	{"nil function", errNilText},
	{"call of nil", errNilText},
}

var sliceToArray = regexp.MustCompile(
	`cannot convert slice with length (\d+) to (?:pointer to )?array with length (\d+)`)

// Rec returns the panic value v as Go would have panicked: the interpreter panics with values of
// reflect, with texts, and with errors of its own, and so does this package.
func Rec(v any) any {
	if rv, ok := v.(reflect.Value); ok {
		if !rv.IsValid() || !rv.CanInterface() {
			return nil
		}
		v = rv.Interface()
	}
	switch e := v.(type) {
	case nil, Fatal:
		return v
	case *raised:
		return e.error
	case Awaited:
		return e.Value
	case Served:
		return e.Value
	case error:
		if fault, ok := e.(interface{ Addr() uintptr }); ok && isRuntime(e) {
			return BadAddress(fault.Addr())
		}
		if isRuntime(e) {
			// The interpreter looks a key up before it assigns to the element.
			if t, ok := strings.CutPrefix(e.Error(), "hash of unhashable type: "); ok {
				return Error("hash of unhashable type " + t)
			}
			return e
		}
		if text, ok := interpreterText(e); ok {
			if err, ok := assertionError(text); ok {
				return err
			}
		}
		var inner runtime.Error
		if _, ok := interpreterText(e); ok && errors.As(e, &inner) {
			return inner
		}
	}
	return v
}

func isRuntime(e error) bool {
	_, ok := e.(runtime.Error)
	return ok
}

// interpreterText returns the text of an error of the interpreter's own.
func interpreterText(e error) (string, bool) {
	if strings.HasPrefix(reflect.TypeOf(e).String(), "*interp.") {
		return e.Error(), true
	}
	return "", false
}

// Fault returns what Go throws where emitted code makes reflect throw v. bounds gives the error for
// an index or a slice out of bounds, or nil.
func Fault(v any, bounds func() error) any {
	var text string
	switch v := v.(type) {
	case *reflect.ValueError:
		return errNil
	case string:
		text = v
	default:
		return v
	}
	if strings.Contains(text, "negative buffer") {
		return PlainError("makechan: size out of range")
	}
	if m := sliceToArray.FindStringSubmatch(text); m != nil {
		length, _ := strconv.Atoi(m[1])
		array, _ := strconv.ParseInt(m[2], 10, 64)
		return newBoundsError(boundsConvert, array, length)
	}
	for _, t := range reflectTexts {
		if !strings.Contains(text, t.part) {
			continue
		}
		if err := bounds(); err != nil && strings.Contains(err.Error(), t.text) {
			return err
		}
		return Error(t.text)
	}
	return v
}
