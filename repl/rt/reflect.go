package rt

import (
	"go/types"
	"reflect"
)

// This file answers for reflect.Type about interface types of the program. They are stored as
// interface{}, so that package reflect takes them for interfaces without methods. Emitted code calls
// these functions in place of the methods they are named after.

// typeMethods are those functions by the name of the method.
func (ts *Types) typeMethods() map[string]any {
	return map[string]any{
		"Implements":    ts.typeImplements,
		"AssignableTo":  ts.typeAssignableTo,
		"ConvertibleTo": ts.typeConvertibleTo,
		"NumMethod":     ts.typeNumMethod,
		"Method":        ts.typeMethod,
		"MethodByName":  ts.typeMethodByName,
	}
}

// TypeMethod is the name under which Symbols has the function in place of a method of reflect.Type,
// or "" if there is none.
func TypeMethod(name string) string {
	if _, ok := new(Types).typeMethods()[name]; ok {
		return "Type" + name
	}
	return ""
}

// interfaceOf returns the interface type of the program that t is, or nil.
func (ts *Types) interfaceOf(t reflect.Type) *Desc {
	if t == nil || t.Kind() != reflect.Interface {
		return nil
	}
	if d, ok := ts.descriptors.Load(typePointer(t)); ok {
		return d.(*Desc)
	}
	return nil
}

func (ts *Types) typeImplements(t, u reflect.Type) bool {
	if d := ts.interfaceOf(u); d != nil {
		own, _ := ts.descriptors.Load(typePointer(t))
		known, _ := own.(*Desc)
		return d.findMissing(known, t) == ""
	}
	d := ts.interfaceOf(t)
	if d == nil || u == nil || u.Kind() != reflect.Interface {
		return t.Implements(u)
	}
	for i := range u.NumMethod() {
		if _, ok := ts.typeMethodByName(t, u.Method(i).Name); !ok {
			return false
		}
	}
	return true
}

func (ts *Types) typeAssignableTo(t, u reflect.Type) bool {
	if ts.interfaceOf(u) != nil || ts.interfaceOf(t) != nil && u.Kind() == reflect.Interface {
		return ts.typeImplements(t, u)
	}
	return t.AssignableTo(u)
}

func (ts *Types) typeConvertibleTo(t, u reflect.Type) bool {
	if ts.interfaceOf(u) != nil || ts.interfaceOf(t) != nil && u.Kind() == reflect.Interface {
		return ts.typeImplements(t, u)
	}
	return t.ConvertibleTo(u)
}

func (ts *Types) typeNumMethod(t reflect.Type) int {
	if d := ts.interfaceOf(t); d != nil {
		return d.T.Underlying().(*types.Interface).NumMethods()
	}
	return t.NumMethod()
}

func (ts *Types) typeMethod(t reflect.Type, i int) reflect.Method {
	d := ts.interfaceOf(t)
	if d == nil {
		return t.Method(i)
	}
	m := d.T.Underlying().(*types.Interface).Method(i)
	method := reflect.Method{Name: m.Name(), Index: i}
	if !m.Exported() && m.Pkg() != nil {
		method.PkgPath = m.Pkg().Path()
	}
	sig := m.Signature()
	method.Type = ts.Real(types.NewSignatureType(
		nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())).real
	return method
}

func (ts *Types) typeMethodByName(t reflect.Type, name string) (reflect.Method, bool) {
	if ts.interfaceOf(t) == nil {
		return t.MethodByName(name)
	}
	for i := range ts.typeNumMethod(t) {
		if m := ts.typeMethod(t, i); m.Name == name {
			return m, true
		}
	}
	return reflect.Method{}, false
}
