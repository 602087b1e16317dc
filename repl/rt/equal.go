package rt

import (
	"go/types"
	"reflect"
)

// Eq compares two interface values as == does.
func Eq(a, b any) bool {
	x, ok := unbox(a)
	if !ok {
		if _, ok := unbox(b); ok {
			return false
		}
		return a == b
	}
	y, ok := unbox(b)
	if !ok || x.D != y.D {
		return false
	}
	if !types.Comparable(x.D.T) {
		panic(Error("comparing uncomparable type " + x.D.name))
	}
	return equalValues(reflect.ValueOf(x.V), reflect.ValueOf(y.V), x.D.T)
}

// equalValues compares values of the comparable type t, which needs care where blank fields do not
// count and where interface values hide in wrappers.
func equalValues(v, w reflect.Value, t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return Eq(v.Interface(), w.Interface())
	case *types.Struct:
		if v.NumField() != u.NumFields() {
			break // a compiled struct
		}
		for i := range u.NumFields() {
			f := u.Field(i)
			if f.Name() != "_" && !v.Field(i).CanInterface() {
				return v.Equal(w)
			}
			if f.Name() != "_" && !equalValues(v.Field(i), w.Field(i), f.Type()) {
				return false
			}
		}
		return true
	case *types.Array:
		for i := range v.Len() {
			if !equalValues(v.Index(i), w.Index(i), u.Elem()) {
				return false
			}
		}
		return true
	}
	return v.Equal(w)
}

// Key returns the interface value a as a map key, and panics if its type cannot be one.
func Key(a any) any {
	b, ok := unbox(a)
	if !ok {
		if r := reflect.TypeOf(a); r != nil && !r.Comparable() {
			panic(Error("hash of unhashable type " + r.String()))
		}
		return a
	}
	if !types.Comparable(b.D.T) {
		panic(Error("hash of unhashable type " + b.D.name))
	}
	return B(b.D, b.V)
}
