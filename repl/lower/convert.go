package lower

// This file implements conversions. Whatever is assigned, passed, returned, sent, compared or put
// into a composite goes through convert, which says what core must do to make one type another.
//
//	var a any = 3               →    a := interface{}(3)
//	var a any = v               →    a := rt.B(desc of V, interface{}(v))    V is of the program
//	io.Copy(w, v)               →    io.Copy(w, io.Reader(rt.B(desc of V, interface{}(v))))

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"unsafe"

	"halfnote/repl/ir"
)

var (
	anyType      = types.Universe.Lookup("any").Type()
	anyStore     = reflect.TypeFor[any]()
	boolStore    = reflect.TypeFor[bool]()
	intStore     = reflect.TypeFor[int]()
	pointerStore = reflect.TypeFor[unsafe.Pointer]()
)

// conv lowers x, converted to type to.
func (f *fn) conv(x ast.Expr, to types.Type) ir.Expr {
	to = f.subst(f.env, to)
	from := f.typ(x)
	if isNil(from) || f.info.Types[x].IsNil() {
		return &ir.Zero{At: ir.At(x.Pos()), Typ: f.storage(x.Pos(), to)}
	}
	if tv := f.info.Types[x]; tv.Value != nil && !types.IsInterface(to) {
		return f.constant(x.Pos(), tv.Value, to)
	}
	return f.convert(f.expr(x), from, to)
}

// convert makes a value of type to from e, a value of type from.
func (f *fn) convert(e ir.Expr, from, to types.Type) ir.Expr {
	pos := e.Pos()
	from, to = defaultType(f.subst(f.env, from)), f.subst(f.env, to)
	if !types.IsInterface(to) {
		if st := f.storage(pos, to); e.Type() != st {
			return &ir.Convert{At: ir.At(pos), Typ: st, X: e}
		}
		return e
	}
	switch {
	case types.IsInterface(from):
		return f.iface(e, f.storage(pos, to))
	case f.types.NeedsReal(from):
		f.reveal(from)
		e = f.call(pos, "B", f.desc(pos, from), f.iface(e, anyStore))
	}
	return f.iface(e, f.storage(pos, to))
}

// iface makes e a value of the interface type t, which it surely implements.
func (f *fn) iface(e ir.Expr, t reflect.Type) ir.Expr {
	if e.Type() == t {
		return e
	}
	return &ir.Iface{At: ir.At(e.Pos()), Typ: t, X: e}
}

// erase makes an erased interface value from a value of type from.
func (f *fn) erase(e ir.Expr, from types.Type) ir.Expr { return f.convert(e, from, anyType) }

func isNil(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.UntypedNil
}

func isUntyped(t types.Type) bool {
	b, ok := types.Unalias(t).(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0
}

// defaultType is t, or the type that an untyped value gets where nothing says another.
func defaultType(t types.Type) types.Type {
	if isUntyped(t) {
		return types.Default(t)
	}
	return t
}

// constant is v as a value of type t; an untyped or interface t stands for v's default type.
func (f *fn) constant(pos token.Pos, v constant.Value, t types.Type) ir.Expr {
	t = defaultType(f.subst(f.env, t))
	if types.IsInterface(t) {
		t = defaultConst(v)
	}
	b := t.Underlying().(*types.Basic)
	switch {
	case b.Info()&types.IsInteger != 0:
		v = constant.ToInt(v)
	case b.Info()&types.IsFloat != 0:
		v = constant.ToFloat(v)
	case b.Info()&types.IsComplex != 0:
		v = constant.ToComplex(v)
	}
	return &ir.Const{At: ir.At(pos), Typ: f.storage(pos, t), Val: v}
}

func defaultConst(v constant.Value) types.Type {
	switch v.Kind() {
	case constant.Bool:
		return types.Typ[types.Bool]
	case constant.String:
		return types.Typ[types.String]
	case constant.Int:
		return types.Typ[types.Int]
	case constant.Float:
		return types.Typ[types.Float64]
	}
	return types.Typ[types.Complex128]
}

// number is an int constant of the lowering's own.
func number(pos token.Pos, n int) *ir.Const {
	return &ir.Const{At: ir.At(pos), Typ: intStore, Val: constant.MakeInt64(int64(n))}
}

func boolean(pos token.Pos, b bool) *ir.Const {
	return &ir.Const{At: ir.At(pos), Typ: boolStore, Val: constant.MakeBool(b)}
}
