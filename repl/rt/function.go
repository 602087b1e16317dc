package rt

import (
	"reflect"
	"unsafe"
)

// This file derives types of functions from others, and calls functions of types known by reflect.

var pointerType = reflect.TypeFor[unsafe.Pointer]()

// withReceiver returns the type of functions that take a recv and then what those of type t do.
func withReceiver(t, recv reflect.Type) reflect.Type {
	in, out := signature(t)
	return reflect.FuncOf(append([]reflect.Type{recv}, in...), out, t.IsVariadic())
}

// WithoutReceiver returns the type of functions that take what those of type t do but for the first.
func WithoutReceiver(t reflect.Type) reflect.Type {
	in, out := signature(t)
	return reflect.FuncOf(in[1:], out, t.IsVariadic())
}

func signature(t reflect.Type) (in, out []reflect.Type) {
	for i := range t.NumIn() {
		in = append(in, t.In(i))
	}
	for i := range t.NumOut() {
		out = append(out, t.Out(i))
	}
	return in, out
}

// call is f.Call, with the last argument as the variadic parameter itself.
func call(f reflect.Value, args []reflect.Value) []reflect.Value {
	if f.Type().IsVariadic() {
		return f.CallSlice(args)
	}
	return f.Call(args)
}
