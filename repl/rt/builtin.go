package rt

import (
	"reflect"
	"unicode/utf8"
	"unsafe"
)

// DecodeRune returns the rune at s[i:] and its length in bytes, as range over a string does.
func DecodeRune(s string, i int) (rune, int) {
	if c := s[i]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(s[i:])
}

// MinFloat is min of floating-point numbers; those of float32 are exact in it.
func MinFloat(x float64, rest ...float64) float64 {
	for _, y := range rest {
		x = min(x, y)
	}
	return x
}

// MaxFloat is max of floating-point numbers; those of float32 are exact in it.
func MaxFloat(x float64, rest ...float64) float64 {
	for _, y := range rest {
		x = max(x, y)
	}
	return x
}

// Float32FromInt is float32(n), rounded once.
func Float32FromInt(n int64) float32 { return float32(n) }

// Float32FromUint is float32(n), rounded once.
func Float32FromUint(n uint64) float32 { return float32(n) }

// Clear is clear of a map or slice.
func Clear(v any) { reflect.ValueOf(v).Clear() }

// Elements is p[:] of a pointer to an array.
func Elements(p any) any {
	array := reflect.ValueOf(p)
	if array.IsNil() {
		NilPanic()
	}
	return array.Elem().Slice(0, array.Elem().Len()).Interface()
}

// Unsafe converts v to t, where reflect does not: one of the two is unsafe.Pointer, or they are made
// of structs of which one is compiled and has unexported fields.
func Unsafe(v any, t reflect.Type) any {
	switch from := reflect.ValueOf(v); {
	case from.Kind() == reflect.Uintptr:
		n := uintptr(from.Uint())
		return relabel(*(*unsafe.Pointer)(unsafe.Pointer(&n)), typePointer(t))
	case t.Kind() == reflect.Uintptr:
		return reflect.ValueOf(uintptr(from.UnsafePointer())).Convert(t).Interface()
	}
	return relabel(v, typePointer(t))
}
