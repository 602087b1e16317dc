package rt

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"strings"
)

// Error is a runtime.Error; its text is what follows "runtime error: ".
type Error string

// RuntimeError marks e as a runtime.Error.
func (Error) RuntimeError() {}

func (e Error) Error() string { return "runtime error: " + string(e) }

const nilError = Error("invalid memory address or nil pointer dereference")

// Exit is the panic value that ends a program with os.Exit.
type Exit struct{ Code int }

func (e Exit) String() string { return fmt.Sprintf("os.Exit(%d)", e.Code) }

// Panic panics with v, which may be nil.
func Panic(v any) {
	if v == nil {
		panic(new(runtime.PanicNilError))
	}
	panic(v)
}

// NilPanic panics as the use of a nil pointer does.
func NilPanic() { panic(nilError) }

// RangePanic panics as the body of a range over a function does that is called after it has ended the
// loop.
func RangePanic() {
	panic(Error("range function continued iteration after function for loop body returned false"))
}

// ShiftPanic panics as a shift by a negative count does.
func ShiftPanic() { panic(Error("negative shift amount")) }

// reflectTexts maps what reflect says when emitted code fails to what Go says.
var reflectTexts = []struct{ part, text string }{
	{"slice bounds out of range", "slice bounds out of range"},
	{"slice index out of bounds", "slice bounds out of range"},
	{"string slice index", "slice bounds out of range"},
	{"Slice3", "slice bounds out of range"},
	{"negative len", "makeslice: len out of range"},
	{"allocation size out of range", "makeslice: len out of range"},
	{"negative cap", "makeslice: cap out of range"},
	{"len > cap", "makeslice: cap out of range"},
	{"negative buffer", "makechan: size out of range"},
	{"out of range", "index out of range"},
	{"out of bounds", "index out of range"},
	{"zero Value", string(nilError)},
	{"nil pointer", string(nilError)},
	{"Method on nil interface", string(nilError)},
	{"nil function", string(nilError)},
	{"call of nil", string(nilError)},
}

var sliceToArray = regexp.MustCompile(
	`cannot convert slice with length (\d+) to (?:pointer to )?array with length (\d+)`)

// Rec returns the panic value v as Go would have panicked: the interpreter panics with values of
// reflect, with texts, and with errors of its own.
func Rec(v any) any {
	if rv, ok := v.(reflect.Value); ok {
		if !rv.IsValid() || !rv.CanInterface() {
			return nil
		}
		v = rv.Interface()
	}
	switch e := v.(type) {
	case nil, Error, *TypeAssertionError:
		return v
	case *reflect.ValueError:
		return nilError
	case string:
		if strings.HasPrefix(e, "reflect") {
			return fromReflect(e)
		}
	case error:
		if _, ok := e.(runtime.Error); ok {
			return fromRuntime(e)
		}
		if strings.HasPrefix(e.Error(), "reflect") {
			return fromReflect(e.Error())
		}
		if text, ok := interpreterText(e); ok {
			if _, text, ok = strings.Cut(text, "interface conversion: "); ok {
				return &TypeAssertionError{text}
			}
		}
		var inner runtime.Error
		if _, ok := interpreterText(e); ok && errors.As(e, &inner) {
			return inner
		}
	}
	return v
}

// interpreterText returns the text of an error of the interpreter's own.
func interpreterText(e error) (string, bool) {
	if strings.HasPrefix(reflect.TypeOf(e).String(), "*interp.") {
		return e.Error(), true
	}
	return "", false
}

func fromReflect(text string) any {
	if m := sliceToArray.FindStringSubmatch(text); m != nil {
		return Error(fmt.Sprintf(
			"cannot convert slice with length %s to array or pointer to array with length %s",
			m[1], m[2]))
	}
	for _, t := range reflectTexts {
		if strings.Contains(text, t.part) {
			return Error(t.text)
		}
	}
	return Error(text)
}

func fromRuntime(e error) any {
	if strings.Contains(e.Error(), "allocation size out of range") {
		return Error("makeslice: len out of range")
	}
	return e
}

// PanicText returns what Go prints after "panic: " for the panic value v.
func PanicText(v any) string {
	v = Rec(v)
	switch e := v.(type) {
	case error:
		return e.Error()
	case fmt.Stringer:
		return e.String()
	}
	rv := reflect.ValueOf(v)
	if !rv.IsValid() || rv.Type().PkgPath() == "" &&
		(rv.Kind() < reflect.Array || rv.Kind() == reflect.String) {
		return fmt.Sprint(v)
	}
	switch rv.Kind() {
	case reflect.String:
		return fmt.Sprintf("%s(%q)", rv.Type(), rv.String())
	case reflect.Struct, reflect.Array, reflect.Slice, reflect.Map, reflect.Pointer,
		reflect.Chan, reflect.Func:
		return fmt.Sprintf("%s: %+v", rv.Type(), v)
	}
	return fmt.Sprintf("%s(%v)", rv.Type(), v)
}
