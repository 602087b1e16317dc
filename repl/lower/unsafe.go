package lower

// This file implements the functions of package unsafe.
//
//	unsafe.Slice(p, n)     →   rt.UnsafeSlice(interface{}(p), int64(n)).([]T)
//	unsafe.Offsetof(x.f)   →   8     where a type parameter is involved, else it is a constant

import (
	"go/ast"
	"go/constant"
	"go/types"
	"reflect"
	"runtime"

	"halfnote/repl/ir"
)

func (f *fn) unsafeCall(x *ast.CallExpr, name string) ir.Expr {
	pos := x.Pos()
	arg := func(i int) ir.Expr { return f.conv(x.Args[i], defaultType(f.typ(x.Args[i]))) }
	length := func() ir.Expr {
		n := f.indexValue(x.Args[1])
		if n.Type() != intStore {
			n = &ir.Convert{At: ir.At(pos), Typ: intStore, X: n}
		}
		return n
	}
	switch name {
	case "Sizeof", "Alignof", "Offsetof":
		n := constant.MakeInt64(f.layout(x.Args[0], name))
		return f.constant(pos, n, types.Typ[types.Uintptr])
	case "Add":
		p := f.conv(x.Args[0], types.Typ[types.UnsafePointer])
		return f.call(pos, "UnsafeAdd", p, length())
	case "String":
		p := f.conv(x.Args[0], types.NewPointer(types.Typ[types.Byte]))
		return f.call(pos, "UnsafeString", p, length())
	case "StringData":
		return f.call(pos, "StringData", arg(0))
	case "Slice":
		p := arg(0)
		slice := reflect.SliceOf(p.Type().Elem())
		e := f.call(pos, "UnsafeSlice", f.iface(p, anyStore), length())
		return &ir.Assert{At: ir.At(pos), X: e, Typ: slice}
	case "SliceData":
		s := arg(0)
		ptr := reflect.PointerTo(s.Type().Elem())
		e := f.call(pos, "SliceData", f.iface(s, anyStore))
		return &ir.Assert{At: ir.At(pos), X: e, Typ: ptr}
	}
	fail(pos, "the built-in function %s", name)
	return nil
}

// layout computes what go/types leaves open because a type parameter is involved.
func (f *fn) layout(x ast.Expr, name string) int64 {
	sizes := types.SizesFor("gc", runtime.GOARCH)
	switch name {
	case "Sizeof":
		return sizes.Sizeof(defaultType(f.typ(x)))
	case "Alignof":
		return sizes.Alignof(defaultType(f.typ(x)))
	}
	s := f.info.Selections[ast.Unparen(x).(*ast.SelectorExpr)]
	t := f.subst(f.env, s.Recv())
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	offset := int64(0)
	for _, i := range s.Index() {
		st := t.Underlying().(*types.Struct)
		fields := make([]*types.Var, st.NumFields())
		for j := range fields {
			fields[j] = st.Field(j)
		}
		offset += sizes.Offsetsof(fields)[i]
		t = st.Field(i).Type()
	}
	return offset
}
