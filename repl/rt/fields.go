package rt

import (
	"fmt"
	"reflect"
	"strconv"
)

// Fields calls yield with the name and value of each field of the struct that b is or points to,
// with the names that the user wrote, or with each element of a slice, array or map. Values of the
// program's own types come boxed; fields that are structs come as pointers to them, if they can.
func (b Box) Fields(yield func(name string, v any) bool) {
	x := pair{v: reflect.ValueOf(b.V), d: b.D}
	for x.v.Kind() == reflect.Pointer {
		if x.v.IsNil() || x.d == nil {
			return
		}
		x = x.of(x.v.Elem(), x.elem())
	}
	if x.d == nil {
		return
	}
	switch x.v.Kind() {
	case reflect.Struct:
		for name, field := range x.fields {
			if !yield(name, field.whole()) {
				return
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range x.v.Len() {
			if !yield(strconv.Itoa(i), x.of(x.v.Index(i), x.elem()).whole()) {
				return
			}
		}
	case reflect.Map:
		keys, values := x.entries()
		for i, k := range keys {
			if !yield(fmt.Sprint(k.boxed()), values[i].whole()) {
				return
			}
		}
	}
}

// boxed returns x as an interface value.
func (x pair) boxed() any {
	if x.v.Kind() == reflect.Interface {
		if x.v.IsNil() {
			return nil
		}
		return N(x.v.Interface())
	}
	if x.d != nil {
		return B(x.d, x.v.Interface())
	}
	return x.v.Interface()
}

// whole returns x as an interface value, or for an addressable struct or array the pointer to it.
func (x pair) whole() any {
	if k := x.v.Kind(); k != reflect.Struct && k != reflect.Array || !x.v.CanAddr() {
		return x.boxed()
	}
	if x.d == nil {
		return x.v.Addr().Interface()
	}
	return B(x.d.pointerTo(), x.v.Addr().Interface())
}
