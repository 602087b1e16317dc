// Package reflect is halfnote's source of the generic functions of Go's package reflect.
package reflect

import "reflect"

// TypeFor returns the type T.
func TypeFor[T any]() reflect.Type { return reflect.TypeOf((*T)(nil)).Elem() }

// TypeAssert is v.Interface().(T), with the result ok.
func TypeAssert[T any](v reflect.Value) (T, bool) {
	if !v.IsValid() {
		panic(&reflect.ValueError{Method: "reflect.TypeAssert", Kind: reflect.Invalid})
	}
	if !v.CanInterface() {
		panic("reflect.TypeAssert: cannot return value obtained from unexported field or method")
	}
	x, ok := v.Interface().(T)
	return x, ok
}
