package rt

import (
	"go/types"
	"reflect"
	"strings"
	"sync"
)

// This file puts values of the program's types into interface values and takes them out, and asks
// interface values for their type. An interface value holds a value under its real type; the layout
// is that of the storage type, so that only the label changes.

// B returns v, which holds a value of d's storage type, as an interface value of d's real type.
func B(d *Desc, v any) any { return relabel(v, d.word) }

// Unbox returns v, which holds a value of d's type, as one that holds its storage type.
func Unbox(v any, d *Desc) any { return relabel(v, typePointer(d.R)) }

// descOf returns the descriptor of the dynamic type of v if it is one of the program's.
func (ts *Types) descOf(v any) *Desc {
	d, _ := ts.descriptors.Load(wordOf(v))
	found, _ := d.(*Desc)
	return found
}

// typeName returns the dynamic type of v as Go prints it.
func typeName(v any) string {
	if v == nil {
		return "nil"
	}
	return reflect.TypeOf(v).String()
}

// Is reports whether the dynamic type of v is d, which is no interface type.
func Is(v any, d *Desc) bool { return wordOf(v) == d.word }

// Has reports whether the dynamic type of v is exactly r.
func Has(v any, r reflect.Type) bool { return reflect.TypeOf(v) == r }

// Impl reports whether the dynamic type of v implements the interface type d; nil does not.
func Impl(v any, d *Desc) bool { return v != nil && d.missing(v) == "" }

// missing returns the name of a method of interface type d that the dynamic type of v lacks.
func (d *Desc) missing(v any) string {
	key := wordOf(v)
	if name, ok := d.impls.Load(key); ok {
		return name.(string)
	}
	name := d.findMissing(d.ts.descOf(v), reflect.TypeOf(v))
	d.impls.Store(key, name)
	return name
}

func (d *Desc) findMissing(vd *Desc, vr reflect.Type) string {
	iface := d.T.Underlying().(*types.Interface)
	if vd != nil {
		if m, _ := types.MissingMethod(vd.T, iface, true); m != nil {
			return m.Name()
		}
		return ""
	}
	if d.R != nil && d.R.Kind() == reflect.Interface && d.R.NumMethod() > 0 {
		if vr.Implements(d.R) { // by its unexported methods too, which MethodByName does not find
			return ""
		}
		for i := range d.R.NumMethod() {
			if _, ok := vr.MethodByName(d.R.Method(i).Name); !ok {
				return d.R.Method(i).Name
			}
		}
		return d.R.Method(0).Name
	}
	for m := range iface.Methods() {
		found, ok := vr.MethodByName(m.Name())
		if !ok || !d.ts.fits(found, m.Signature()) {
			return m.Name()
		}
	}
	return ""
}

// fits reports whether the compiled method m has the signature sig.
func (ts *Types) fits(m reflect.Method, sig *types.Signature) bool {
	want, err := ts.Storage(types.NewSignatureType(
		nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic()))
	if err != nil || m.Type.IsVariadic() != want.IsVariadic() ||
		m.Type.NumIn()-1 != want.NumIn() || m.Type.NumOut() != want.NumOut() {
		return false
	}
	for i := range want.NumIn() {
		if !sameStorage(m.Type.In(i+1), want.In(i)) {
			return false
		}
	}
	for i := range want.NumOut() {
		if !sameStorage(m.Type.Out(i), want.Out(i)) {
			return false
		}
	}
	return true
}

// sameStorage compares a type of compiled code with a storage type. Anonymous interfaces are
// stored as interface{}, and instances of generic types as what they are defined as.
func sameStorage(compiled, storage reflect.Type) bool {
	switch {
	case compiled == storage:
		return true
	case compiled.Kind() == reflect.Interface:
		return compiled.Name() == "" && storage == anyType
	}
	return strings.Contains(compiled.Name(), "[") && compiled.ConvertibleTo(storage)
}

// Cases is what a type switch tests for, in order. A nil element stands for case nil.
type Cases struct {
	descs []*Desc
	found sync.Map // descriptor of the dynamic type → index
}

// NewCases returns the table of a type switch.
func NewCases(descs ...*Desc) *Cases { return &Cases{descs: descs} }

// Case returns the index of the first case that v matches, or -1.
func Case(v any, c *Cases) int {
	if v == nil {
		for i, d := range c.descs {
			if d == nil {
				return i
			}
		}
		return -1
	}
	key := wordOf(v)
	if i, ok := c.found.Load(key); ok {
		return i.(int)
	}
	found := -1
	for i, d := range c.descs {
		if d == nil {
			continue
		}
		if types.IsInterface(d.T) && Impl(v, d) || !types.IsInterface(d.T) && Is(v, d) {
			found = i
			break
		}
	}
	c.found.Store(key, found)
	return found
}

// Bad panics as the assertion of v, of the static type static, to the type want does when it fails.
func Bad(v any, static, want *Desc) {
	from, have, method := "", "", ""
	if static != nil {
		from = static.name
	}
	if v != nil {
		have = typeName(v)
	}
	if types.IsInterface(want.T) {
		from = ""
		if v != nil {
			method = want.missing(v)
		}
	}
	panic(newAssertionError(from, have, want.name, method))
}

// Eq compares two interface values as == does.
func Eq(a, b any) bool { return a == b }

// Key returns the interface value a as a map key, and panics if its type cannot be one.
func Key(a any) any {
	if t := reflect.TypeOf(a); t != nil && !t.Comparable() {
		panic(Error("hash of unhashable type " + t.String()))
	}
	return a
}
