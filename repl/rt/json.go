package rt

import (
	"encoding/json"
	"fmt"
	"go/types"
)

// This file implements JSON of the program's values. encoding/json reads and fills their storage: it
// has the names and tags of exported fields, and fields that are not exported carry the tag
// json:"-". What the storage cannot say, methods of the types inside and embedded structs, is
// refused.

// The methods by which a type writes and reads JSON of its own.
var (
	marshalMethods   = []string{"MarshalJSON", "MarshalText"}
	unmarshalMethods = []string{"UnmarshalJSON", "UnmarshalText"}
)

// MarshalJSON implements json.Marshaler, by the type's own method if it has one.
func (b Box) MarshalJSON() ([]byte, error) {
	if f, ok := b.Method("MarshalJSON").(func(any) ([]byte, error)); ok {
		return f(b.V)
	}
	if f, ok := b.Method("MarshalText").(func(any) ([]byte, error)); ok {
		text, err := f(b.V)
		if err != nil {
			return nil, err
		}
		return json.Marshal(string(text))
	}
	if err := storedJSON(b.D.T, marshalMethods); err != nil {
		return nil, err
	}
	return json.Marshal(b.V)
}

// JSONTarget returns what encoding/json fills for v, a pointer. It panics for a value of which it
// cannot fill the storage.
func JSONTarget(v any) any {
	b, ok := unbox(v)
	if !ok {
		return v
	}
	if f, ok := b.Method("UnmarshalJSON").(func(any, []byte) error); ok {
		return &unmarshaler{func(data []byte) error { return f(b.V, data) }}
	}
	if err := storedJSON(b.D.T, unmarshalMethods); err != nil {
		panic(err)
	}
	return b.V
}

// unmarshaler implements json.Unmarshaler by a method of the program.
type unmarshaler struct{ unmarshal func([]byte) error }

// UnmarshalJSON implements json.Unmarshaler.
func (u *unmarshaler) UnmarshalJSON(data []byte) error { return u.unmarshal(data) }

// storedJSON returns an error unless the JSON of a t's storage is that of the t. No type in it may
// have one of the methods.
func storedJSON(t types.Type, methods []string) error {
	return checkJSON(t, methods, map[types.Type]bool{})
}

func checkJSON(t types.Type, methods []string, seen map[types.Type]bool) error {
	if seen[t] {
		return nil
	}
	seen[t] = true
	if named, ok := types.Unalias(t).(*types.Named); ok {
		pkg := named.Obj().Pkg()
		if pkg == nil || pkg.Path() != "main" {
			return nil // compiled
		}
		for _, name := range methods {
			if obj, _, _ := types.LookupFieldOrMethod(named, true, pkg, name); obj != nil {
				return fmt.Errorf("halfnote cannot run the method %s of type %s inside other "+
					"values yet", name, named.Obj().Name())
			}
		}
	}
	switch t := t.Underlying().(type) {
	case *types.Pointer:
		return checkJSON(t.Elem(), methods, seen)
	case *types.Slice:
		return checkJSON(t.Elem(), methods, seen)
	case *types.Array:
		return checkJSON(t.Elem(), methods, seen)
	case *types.Map:
		if err := checkJSON(t.Key(), methods, seen); err != nil {
			return err
		}
		return checkJSON(t.Elem(), methods, seen)
	case *types.Struct:
		for i := range t.NumFields() {
			f := t.Field(i)
			if f.Embedded() {
				return fmt.Errorf("halfnote cannot run encoding/json with the embedded field %s yet; "+
					"give it a name", f.Name())
			}
			if !f.Exported() {
				continue
			}
			if err := checkJSON(f.Type(), methods, seen); err != nil {
				return err
			}
		}
	}
	return nil
}
