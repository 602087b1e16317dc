package lower

// This file implements conversions. Whatever is assigned, passed, returned, sent, compared or put
// into a composite goes through convert, which says what core must do to make one type another.
//
//	var s fmt.Stringer = v      →    s := rt.B(desc of V, v)        V is a type of the program
//	var a any = 3               →    a := interface{}(3)
//	io.Copy(w, v)               →    io.Copy(w, rt.To(rt.B(desc of V, v), desc of io.Reader))

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"

	"halfnote/repl/ir"
)

var (
	anyType   = types.Universe.Lookup("any").Type()
	errorType = types.Universe.Lookup("error").Type()
	anyStore  = reflect.TypeFor[any]()
	boolStore = reflect.TypeFor[bool]()
	intStore  = reflect.TypeFor[int]()
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
		return f.convertInterface(e, from, to)
	case f.types.NeedsBox(from):
		f.reveal(from)
		desc, stored := f.desc(pos, from), f.iface(e, anyStore)
		switch {
		case f.types.Erased(to):
			return f.call(pos, "B", desc, stored)
		case isError(to):
			return f.call(pos, "E", desc, stored)
		}
		return f.compiled(f.call(pos, "B", desc, stored), to)
	}
	return f.iface(e, f.storage(pos, to))
}

// convertInterface converts between interface types; to surely has from's methods.
func (f *fn) convertInterface(e ir.Expr, from, to types.Type) ir.Expr {
	pos := e.Pos()
	fromErased, toErased := f.types.Erased(from), f.types.Erased(to)
	switch {
	case types.Identical(from, to), fromErased && toErased:
		return e
	case toErased:
		return f.call(pos, "N", f.iface(e, anyStore))
	case !fromErased:
		e = f.call(pos, "N", f.iface(e, anyStore))
	}
	return f.compiled(e, to)
}

// compiled makes a value of the compiled interface type to from an erased interface value.
func (f *fn) compiled(e ir.Expr, to types.Type) ir.Expr {
	pos := e.Pos()
	if isError(to) {
		return f.call(pos, "ToErr", e)
	}
	return f.iface(f.call(pos, "To", e, f.desc(pos, to)), f.storage(pos, to))
}

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

func isError(t types.Type) bool { return types.Identical(t, errorType) }

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
