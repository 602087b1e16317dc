package rt

import (
	"fmt"
	"go/types"
	"reflect"
	"strconv"
)

// Fields calls yield with the name and value of each field of the struct that b is or points to,
// with the names that the user wrote, or with each element of a slice, array or map. Values of the
// program's own types come boxed; fields that are structs come as pointers to them, if they can.
func (b Box) Fields(yield func(name string, v any) bool) {
	for name, part := range b.parts {
		if !yield(name, part.whole()) {
			return
		}
	}
}

// Parts is [Box.Fields] with all values as they are, none as a pointer to it.
func (b Box) Parts(yield func(name string, v any) bool) {
	for name, part := range b.parts {
		if !yield(name, part.boxed()) {
			return
		}
	}
}

// Embeds reports whether the struct that b is or points to embeds a struct, or a pointer to one, in
// the field of that name.
func (b Box) Embeds(field string) bool {
	st, ok := dereferenced(b.D.T).Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if f.Name() == field && f.Embedded() {
			_, isStruct := dereferenced(f.Type()).Underlying().(*types.Struct)
			return isStruct
		}
	}
	return false
}

// dereferenced returns what t points to, or t.
func dereferenced(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

func (b Box) parts(yield func(name string, part pair) bool) {
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
		x.fields(yield)
	case reflect.Slice, reflect.Array:
		for i := range x.v.Len() {
			if !yield(strconv.Itoa(i), x.of(x.v.Index(i), x.elem())) {
				return
			}
		}
	case reflect.Map:
		keys, values := x.entries()
		for i, k := range keys {
			if !yield(fmt.Sprint(k.boxed()), values[i]) {
				return
			}
		}
	}
}

// Storage returns what reflect knows of b's value: its storage.
func (b Box) Storage() reflect.Value { return reflect.ValueOf(b.V) }

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
