package rt

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"halfnote/repl/display"
)

// This file holds the built-in functions print and println.

// BuiltinPrint is the built-in function print: to the standard error of the calling goroutine's
// cell, in the runtime's own format.
func BuiltinPrint(args ...any) { printTo("", "", args) }

// BuiltinPrintln is the built-in function println.
func BuiltinPrintln(args ...any) { printTo(" ", "\n", args) }

func printTo(between, end string, args []any) {
	texts := make([]string, len(args))
	for i, arg := range args {
		texts[i] = runtimeText(arg)
	}
	fmt.Fprint(display.Stderr(), strings.Join(texts, between)+end)
}

// runtimeText is v as print shows it: numbers in full, everything else by its address.
func runtimeText(v any) string {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Invalid:
		return "(0x0,0x0)"
	case reflect.Float32, reflect.Float64:
		return runtimeFloat(r.Float(), r.Type().Bits())
	case reflect.Complex64, reflect.Complex128:
		c, bits := r.Complex(), r.Type().Bits()/2
		imaginary := runtimeFloat(imag(c), bits)
		if !strings.HasPrefix(imaginary, "-") && !strings.HasPrefix(imaginary, "+") {
			imaginary = "+" + imaginary
		}
		return "(" + runtimeFloat(real(c), bits) + imaginary + "i)"
	case reflect.Slice:
		return fmt.Sprintf("[%d/%d]0x%x", r.Len(), r.Cap(), r.Pointer())
	case reflect.Map, reflect.Pointer, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return fmt.Sprintf("0x%x", r.Pointer())
	case reflect.Struct, reflect.Array:
		return fmt.Sprintf("(%s) {…}", r.Type())
	case reflect.String:
		return r.String()
	}
	return fmt.Sprint(r)
}

func runtimeFloat(f float64, bits int) string {
	return strconv.FormatFloat(f, 'g', -1, bits)
}
