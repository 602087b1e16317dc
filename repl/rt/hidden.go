package rt

import (
	"fmt"
	"go/types"
	"reflect"
	"unsafe"
)

// This file implements methods that a type of the program has from a compiled type that it embeds
// and that only the package of that type can name. With them it implements interfaces of that
// package:
//
//	type wrapped struct{ ast.Expr }   has the method exprNode of package ast

// A hiddenMethod is a method that is not exported, of a type of a compiled package.
type hiddenMethod struct {
	name  string
	pkg   string       // the package's path
	owner reflect.Type // the interface type that has it, nil if its type is none
	typ   reflect.Type // without a receiver
	index []int        // of the embedded field, for FieldByIndex
}

// hiddenMethod returns the method that sel selects if it is one, or nil.
func (ts *Types) hiddenMethod(sel *types.Selection) *hiddenMethod {
	m := sel.Obj().(*types.Func)
	if !ts.Hides(m) {
		return nil
	}
	h := &hiddenMethod{name: m.Name(), pkg: m.Pkg().Path(), index: sel.Index()}
	h.index = h.index[:len(h.index)-1]
	if named, ok := types.Unalias(m.Signature().Recv().Type()).(*types.Named); ok {
		if r, _ := ts.compiled(named); r.Kind() == reflect.Interface {
			method, _ := r.MethodByName(m.Name())
			h.owner, h.typ = r, method.Type
			return h
		}
	}
	d := ts.complete(types.NewSignatureType(nil, nil, nil,
		m.Signature().Params(), m.Signature().Results(), m.Signature().Variadic()))
	if d.err != nil {
		return nil
	}
	h.typ = d.R
	return h
}

// Hides reports whether m is a method that is not exported, of a type of a compiled package.
func (ts *Types) Hides(m *types.Func) bool {
	if m.Exported() || m.Pkg() == nil {
		return false
	}
	t := m.Signature().Recv().Type()
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && ts.isCompiled(named)
}

// function returns the method as a function of the receiver, a T or *T that d describes, as
// interface values hold it.
func (h *hiddenMethod) function(d *Desc) reflect.Value {
	t := withReceiver(h.typ, pointerType)
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		if h.owner == nil {
			panic(Error(fmt.Sprintf("halfnote cannot run the method %s of package %s in %s yet",
				h.name, h.pkg, d)))
		}
		recv := args[0].UnsafePointer()
		at := reflect.NewAt(d.R, unsafe.Pointer(&recv)).Elem()
		if !isDirect(d.R) {
			at = reflect.NewAt(d.R, recv).Elem()
		}
		if at.Kind() == reflect.Pointer {
			at = at.Elem()
		}
		held := (*itabWords)(at.FieldByIndex(h.index).Addr().UnsafePointer())
		if held.itab == nil {
			panic(errNil)
		}
		method, _ := h.owner.MethodByName(h.name)
		code := unsafe.Add(unsafe.Pointer(&held.itab.methods),
			uintptr(method.Index)*unsafe.Sizeof(uintptr(0)))
		args[0] = reflect.ValueOf(held.data)
		return call(functionAt(code, t), args)
	})
}

// itabWords is a value of an interface type with methods, taken apart; see internal/abi.ITab.
type itabWords struct {
	itab *struct {
		_, _    unsafe.Pointer
		_       uint32
		methods [1]uintptr // code
	}
	data unsafe.Pointer
}
