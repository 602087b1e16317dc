package rt

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// This file implements what package encoding/json says of places of an interface type of the
// program: it cannot fill them. As they are stored as interface{} it does, so what stands there
// afterwards and does not fit is taken out again.

// unmarshalJSON is json.Unmarshal.
func unmarshalJSON(data []byte, v any) error {
	return decodeInto(v, func() error { return json.Unmarshal(data, v) })
}

// decodeJSON is the method Decode of *json.Decoder.
func decodeJSON(d *json.Decoder, v any) error {
	return decodeInto(v, func() error { return d.Decode(v) })
}

func decodeInto(v any, decode func() error) error {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Pointer || !holdsInterfaces(r.Type()) {
		return decode()
	}
	before := &jsonPlaces{old: map[unsafe.Pointer]any{}, seen: map[words]bool{}}
	before.visit(r, "", nil)
	err := decode()
	after := &jsonPlaces{old: before.old, seen: map[words]bool{}, filled: true}
	after.visit(r, "", nil)
	if err == nil && after.err != nil {
		return after.err
	}
	return err
}

// jsonPlaces walks a value twice: first it notes what stands in places of an interface type of the
// program, then, when they may be filled, it puts that back where something does not fit.
type jsonPlaces struct {
	old    map[unsafe.Pointer]any
	seen   map[words]bool // pointers, with their types
	filled bool
	err    *json.UnmarshalTypeError
}

// visit walks v, which stands in the field path of the struct type in.
func (p *jsonPlaces) visit(v reflect.Value, in string, path []string) {
	if !holdsInterfaces(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		p.place(v, in, path)
	case reflect.Pointer:
		if !v.IsNil() && p.first(v) {
			p.visit(v.Elem(), in, path)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			p.visit(v.Index(i), in, path)
		}
	case reflect.Map:
		if !p.filled {
			return // its elements are no places: what is decoded replaces them
		}
		for _, key := range v.MapKeys() {
			elem := reflect.New(v.Type().Elem()).Elem()
			elem.Set(v.MapIndex(key))
			p.visit(elem, in, path)
			v.SetMapIndex(key, elem)
		}
	case reflect.Struct:
		p.fields(v, v.Type().Name(), path)
	}
}

// first reports whether the pointer v is met for the first time.
func (p *jsonPlaces) first(v reflect.Value) bool {
	to := words{typePointer(v.Type()), v.UnsafePointer()}
	met := p.seen[to]
	p.seen[to] = true
	return !met
}

func (p *jsonPlaces) fields(v reflect.Value, in string, path []string) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		embedded := f.Anonymous && name == ""
		if !f.IsExported() && !embedded || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		field, inner := v.Field(i), append(slices.Clip(path), name)
		if embedded && field.Kind() == reflect.Pointer && !field.IsNil() && p.first(field) {
			field = field.Elem()
		}
		if embedded && field.Kind() == reflect.Struct {
			p.fields(field, in, inner)
			continue
		}
		if f.IsExported() {
			p.visit(field, in, inner)
		}
	}
}

// place looks at v, a place of an interface type of the program.
func (p *jsonPlaces) place(v reflect.Value, in string, path []string) {
	at := (*any)(v.Addr().UnsafePointer())
	switch {
	case *at == nil:
	case p.filled && !typeImplements(reflect.TypeOf(*at), v.Type()):
		if p.err == nil {
			p.err = &json.UnmarshalTypeError{Value: jsonKind(*at), Type: v.Type(), Struct: in,
				Field: strings.Join(path, ".")}
		}
		*at = p.old[unsafe.Pointer(at)]
	default:
		if !p.filled {
			p.old[unsafe.Pointer(at)] = *at
		}
		if held := v.Elem(); held.Kind() == reflect.Pointer {
			p.visit(held, in, path)
		}
	}
}

// jsonKind is what package encoding/json calls what it decodes as v.
func jsonKind(v any) string {
	switch v.(type) {
	case bool:
		return "bool"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

// holders notes for types whether holdsInterfaces.
var holders sync.Map // reflect.Type → bool

// holdsInterfaces reports whether a t has places of an interface type of the program that package
// encoding/json may fill.
func holdsInterfaces(t reflect.Type) bool {
	if known, ok := holders.Load(t); ok {
		return known.(bool)
	}
	seen := map[reflect.Type]bool{}
	var walk func(t reflect.Type) bool
	walk = func(t reflect.Type) bool {
		if seen[t] {
			return false
		}
		seen[t] = true
		switch t.Kind() {
		case reflect.Interface:
			return interfaceOf(t) != nil
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			return walk(t.Elem())
		case reflect.Struct:
			for i := range t.NumField() {
				if walk(t.Field(i).Type) {
					return true
				}
			}
		}
		return false
	}
	holds := walk(t)
	holders.Store(t, holds)
	return holds
}
