package rt

// This file makes runtime errors of the types that Go's own have, which package runtime keeps to
// itself.

import (
	"reflect"
	"regexp"
	"runtime"
	"sync"
)

// The types of Go's errors, learned from some that are thrown.
var (
	errorString = typeThrown(func() { _ = divide(1, 0) })
	plainError  = typeThrown(func() { close((chan int)(nil)) })
	boundsError = typeThrown(func() { _ = divide([]int(nil)[0], 1) })
)

//go:noinline
func divide(a, b int) int { return a / b }

// typeThrown returns the type of what f throws.
func typeThrown(f func()) (t reflect.Type) {
	defer func() { t = reflect.TypeOf(recover()) }()
	f()
	return nil
}

// Error returns the runtime.Error that says "runtime error: " and the text.
func Error(text string) runtime.Error { return newError(errorString, text) }

// PlainError returns the runtime.Error that says just the text.
func PlainError(text string) runtime.Error { return newError(plainError, text) }

func newError(t reflect.Type, text string) runtime.Error {
	v := reflect.New(t).Elem()
	v.SetString(text)
	return v.Interface().(runtime.Error)
}

// What was out of bounds, as Go numbers it. Each comes twice in a row where length and capacity
// differ.
const (
	boundsIndex   = iota // x[i]
	boundsLength         // x[?:i]
	_                    // and with a capacity
	boundsLow            // x[i:high]
	boundsLength3        // x[?:?:i]
	_                    // and with a capacity
	boundsHigh3          // x[?:i:most]
	boundsLow3           // x[i:high:?]
	boundsConvert        // [i]T(x)
)

// newBoundsError returns the error of Go for i, an int64 or uint64, which is out of bounds, where
// limit is what it is compared with.
func newBoundsError(code uint8, i any, limit int) error {
	v := reflect.New(boundsError).Elem()
	x, signed := i.(int64)
	if !signed {
		x = int64(i.(uint64))
	}
	setField(v, "x", x)
	setField(v, "y", limit)
	setField(v, "signed", signed)
	setField(v, "code", code)
	return v.Interface().(error)
}

// setField sets a field of v, exported or not, to a value of its kind.
func setField[T any](v reflect.Value, name string, x T) {
	f := v.FieldByName(name)
	if f.Kind() != reflect.TypeFor[T]().Kind() {
		panic(runtime.Version() + " lays out " + v.Type().String() + " in an unknown way")
	}
	*(*T)(f.Addr().UnsafePointer()) = x
}

// newAssertionError returns the error of a failed type assertion. Its texts are the names of types:
// that of the interface, "" if it is not known, that of the value in it, "" for nil, and that which
// was wanted; and the method that is missing for it, if it is an interface.
func newAssertionError(from, have, want, method string) error {
	e := new(runtime.TypeAssertionError)
	v := reflect.ValueOf(e).Elem()
	setField(v, "_interface", label(from))
	setField(v, "concrete", label(have))
	setField(v, "asserted", label(want))
	setField(v, "missingMethod", method)
	return e
}

// labels has the types that label has made, by name.
var labels sync.Map

// label returns the descriptor of a type, without values, which has only a name; nil for "".
func label(name string) *header {
	if name == "" {
		return nil
	}
	if h, ok := labels.Load(name); ok {
		return h.(*header)
	}
	h, _ := labels.LoadOrStore(name, &header{
		flags: flagNamed, kd: uint8(reflect.Bool), align: 1, fieldAlign: 1,
		str: offsetOf(encodeName(name, "", true, false)),
	})
	return h.(*header)
}

const errNilText = "invalid memory address or nil pointer dereference"

var errNil = Error(errNilText)

var failedAssertion = regexp.MustCompile(
	`interface conversion: (?:(.+) is (.+), not (.+)|(.+) is not (.+): missing method (.+))$`)

// assertionError returns the error of Go for a failed type assertion that text tells of.
func assertionError(text string) (err error, ok bool) {
	m := failedAssertion.FindStringSubmatch(text)
	switch {
	case m == nil:
		return nil, false
	case m[4] != "":
		return newAssertionError("", m[4], m[5], m[6]), true
	case m[2] == "nil":
		m[2] = ""
	}
	return newAssertionError(m[1], m[2], m[3], ""), true
}
