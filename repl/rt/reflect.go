package rt

import (
	"go/types"
	"reflect"
	"sync"
)

// This file answers for package reflect about interface types of the program. They are stored as
// interface{}, so that package reflect takes them for interfaces without methods, which every value
// fits. Emitted code calls these functions in place of the methods they are named after.

// interfaces holds the interface types of the program by their real types.
var interfaces sync.Map // descriptor of a real type, unsafe.Pointer → *Desc

// interfaceOf returns the interface type of the program that t is, or nil.
func interfaceOf(t reflect.Type) *Desc {
	if t == nil || t.Kind() != reflect.Interface {
		return nil
	}
	d, _ := interfaces.Load(typePointer(t))
	found, _ := d.(*Desc)
	return found
}

// typeMethods are in place of the methods of reflect.Type.
var typeMethods = map[string]any{
	"Implements":    typeImplements,
	"AssignableTo":  typeAssignableTo,
	"ConvertibleTo": typeConvertibleTo,
	"NumMethod":     typeNumMethod,
	"Method":        typeMethod,
	"MethodByName":  typeMethodByName,
}

// TypeMethod is the name under which Symbols has the function in place of a method of reflect.Type,
// or "" if there is none.
func TypeMethod(name string) string {
	if _, ok := typeMethods[name]; ok {
		return "Type" + name
	}
	return ""
}

func typeImplements(t, u reflect.Type) bool {
	if d := interfaceOf(u); d != nil {
		own, _ := d.ts.descriptors.Load(typePointer(t))
		known, _ := own.(*Desc)
		return d.findMissing(known, t) == ""
	}
	d := interfaceOf(t)
	if d == nil || u == nil || u.Kind() != reflect.Interface {
		return t.Implements(u)
	}
	for i := range u.NumMethod() {
		if _, ok := typeMethodByName(t, u.Method(i).Name); !ok {
			return false
		}
	}
	return true
}

func typeAssignableTo(t, u reflect.Type) bool {
	if interfaceOf(u) != nil || interfaceOf(t) != nil && u.Kind() == reflect.Interface {
		return typeImplements(t, u)
	}
	return t.AssignableTo(u)
}

func typeConvertibleTo(t, u reflect.Type) bool {
	if interfaceOf(u) != nil || interfaceOf(t) != nil && u.Kind() == reflect.Interface {
		return typeImplements(t, u)
	}
	return t.ConvertibleTo(u)
}

func typeNumMethod(t reflect.Type) int {
	if d := interfaceOf(t); d != nil {
		return d.T.Underlying().(*types.Interface).NumMethods()
	}
	return t.NumMethod()
}

func typeMethod(t reflect.Type, i int) reflect.Method {
	d := interfaceOf(t)
	if d == nil {
		return t.Method(i)
	}
	m := d.T.Underlying().(*types.Interface).Method(i)
	method := reflect.Method{Name: m.Name(), Index: i}
	if !m.Exported() && m.Pkg() != nil {
		method.PkgPath = m.Pkg().Path()
	}
	sig := m.Signature()
	method.Type = d.ts.Real(types.NewSignatureType(
		nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())).real
	return method
}

func typeMethodByName(t reflect.Type, name string) (reflect.Method, bool) {
	if interfaceOf(t) == nil {
		return t.MethodByName(name)
	}
	for i := range typeNumMethod(t) {
		if m := typeMethod(t, i); m.Name == name {
			return m, true
		}
	}
	return reflect.Method{}, false
}
