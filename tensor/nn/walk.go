package nn

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"halfnote/tensor"
)

// This file implements the one walk through a module that Parameters, StateDict and the others use.

// A walker goes through values depth first, in order of declaration, and reaches each pointer,
// slice and map once, so that shared tensors come once and cycles end.
type walker struct {
	tensor func(name string, t *tensor.Tensor)
	value  func(name string, v any) // pointers to all else, each before its fields; may be nil
	seen   map[visit]bool
}

// A visit is a place in memory that was reached.
type visit struct {
	where unsafe.Pointer
	n     int
	typ   reflect.Type
}

func (w *walker) walk(m any) {
	w.seen = map[visit]bool{}
	w.visit("", reflect.ValueOf(m))
}

// first reports whether v is reached for the first time, and notes it.
func (w *walker) first(where unsafe.Pointer, n int, typ reflect.Type) bool {
	key := visit{where, n, typ}
	if w.seen[key] {
		return false
	}
	w.seen[key] = true
	return true
}

var tensorType = reflect.TypeFor[tensor.Tensor]()

func (w *walker) visit(name string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		w.visit(name, v.Elem())
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		// All pointers to values of size zero, such as two ReLU layers, may be equal.
		if v.Type().Elem().Size() == 0 || w.first(v.UnsafePointer(), 0, v.Type()) {
			w.visit(name, v.Elem())
		}
	case reflect.Struct, reflect.Slice, reflect.Array, reflect.Map:
		if v.CanAddr() {
			w.composite(name, v, v.Addr().Interface())
			return
		}
		// A copy, to reach methods on the pointer and unexported fields. A module that was put in a
		// Module by value stays one.
		addressable := reflect.New(v.Type()).Elem()
		addressable.Set(v)
		self := addressable.Addr().Interface()
		if v.CanInterface() && v.Type().Implements(reflect.TypeFor[Module]()) {
			self = v.Interface()
		}
		w.composite(name, addressable, self)
	}
}

// composite visits what an addressable struct, slice, array or map holds; self is noted as its value.
func (w *walker) composite(name string, v reflect.Value, self any) {
	if v.Type() == tensorType {
		w.tensor(name, v.Addr().Interface().(*tensor.Tensor))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		w.note(name, self)
		w.fields(name, v)
	case reflect.Map:
		if v.IsNil() || plain(v.Type().Elem()) || !w.first(v.UnsafePointer(), 0, v.Type()) {
			return
		}
		w.note(name, self)
		for _, key := range sortedKeys(v) {
			w.visit(join(name, fmt.Sprint(key)), v.MapIndex(key))
		}
	case reflect.Slice, reflect.Array:
		if plain(v.Type().Elem()) {
			return
		}
		if v.Kind() == reflect.Slice && !w.first(v.UnsafePointer(), v.Len(), v.Type()) {
			return
		}
		w.note(name, self)
		for i := range v.Len() {
			w.visit(join(name, fmt.Sprint(i)), v.Index(i))
		}
	}
}

// fields visits a struct's fields. The tag `nn:"name"` names a field otherwise than the source
// does, `nn:",inline"` adds nothing to the names below the field, and `nn:"-"` leaves it out.
func (w *walker) fields(name string, v reflect.Value) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		tag := field.Tag.Get("nn")
		if tag == "-" || field.Name == "_" {
			continue
		}
		value := v.Field(i)
		if !field.IsExported() { // lifts reflect's guard on unexported fields
			value = reflect.NewAt(field.Type, value.Addr().UnsafePointer()).Elem()
		}
		as, option, _ := strings.Cut(tag, ",")
		switch {
		case option == "inline":
			w.visit(name, value)
		case as != "":
			w.visit(join(name, as), value)
		default:
			w.visit(join(name, field.Name), value)
		}
	}
}

func (w *walker) note(name string, self any) {
	if w.value != nil {
		w.value(name, self)
	}
}

func join(name, field string) string {
	if name == "" {
		return field
	}
	return name + "." + field
}

// plain reports whether values of type t certainly hold no tensor, so that long slices of numbers
// cost nothing.
func plain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.Struct,
		reflect.Slice, reflect.Array, reflect.Map:
		return false
	}
	return true
}

// sortedKeys returns a map's keys: numbers by value, others by their text.
func sortedKeys(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		switch {
		case a.CanInt() && b.CanInt():
			return cmp.Compare(a.Int(), b.Int())
		case a.CanUint() && b.CanUint():
			return cmp.Compare(a.Uint(), b.Uint())
		case a.CanFloat() && b.CanFloat():
			return cmp.Compare(a.Float(), b.Float())
		}
		return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
	return keys
}
