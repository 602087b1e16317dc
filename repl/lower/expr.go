package lower

// This file implements expressions other than calls.

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"

	"halfnote/repl/ir"
)

// expr lowers x to a value of its own static type.
func (f *fn) expr(x ast.Expr) ir.Expr {
	pos := x.Pos()
	tv := f.info.Types[x]
	if tv.Value != nil && tv.Value.Kind() != constant.Unknown {
		return f.constant(pos, tv.Value, tv.Type)
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return f.expr(x.X)
	case *ast.Ident:
		return f.ident(x)
	case *ast.SelectorExpr:
		return f.selector(x)
	case *ast.FuncLit:
		return f.literal(x)
	case *ast.CompositeLit:
		return f.composite(x, f.typ(x))
	case *ast.IndexExpr:
		if fun := f.instantiated(x.X); fun != nil {
			return fun
		}
		return f.index(x)
	case *ast.IndexListExpr:
		if fun := f.instantiated(x.X); fun != nil {
			return fun
		}
	case *ast.SliceExpr:
		return f.slice(x)
	case *ast.StarExpr:
		return &ir.Deref{At: ir.At(pos), X: f.expr(x.X)}
	case *ast.TypeAssertExpr:
		return f.assertion(x, false)
	case *ast.UnaryExpr:
		return f.unary(x)
	case *ast.BinaryExpr:
		return f.binary(x)
	case *ast.CallExpr:
		return f.callExpr(x)
	}
	fail(pos, "this expression (%T)", x)
	return nil
}

func (f *fn) ident(x *ast.Ident) ir.Expr {
	obj := f.info.ObjectOf(x)
	if f.dotImported(obj) {
		return f.member(x)
	}
	switch obj := obj.(type) {
	case *types.Var:
		return f.use(obj, x.Pos())
	case *types.Func:
		return f.ref(x.Pos(), obj, f.instanceArgs(x))
	case *types.Nil:
		return &ir.Zero{At: ir.At(x.Pos()), Typ: anyStore}
	}
	fail(x.Pos(), "%s here", x.Name)
	return nil
}

// instantiated lowers the function of an explicit instantiation F[int], or returns nil.
func (f *fn) instantiated(x ast.Expr) ir.Expr {
	if id := lastIdent(ast.Unparen(x)); id != nil {
		if obj, ok := f.info.Uses[id].(*types.Func); ok {
			return f.generic(x.Pos(), obj, f.instanceArgs(id))
		}
	}
	return nil
}

// selector lowers x.Sel: a package member, a field, a method value or a method expression.
func (f *fn) selector(x *ast.SelectorExpr) ir.Expr {
	s := f.info.Selections[x]
	if s == nil {
		return f.member(x.Sel)
	}
	recv := f.subst(f.env, s.Recv())
	switch s.Kind() {
	case types.FieldVal:
		e, _ := f.path(f.expr(x.X), recv, s.Index())
		return e
	case types.MethodVal:
		return f.methodValue(x, s, recv)
	}
	return f.methodExpr(x, s, recv)
}

// dotImported reports whether obj is a function or variable of a compiled package.
func (f *fn) dotImported(obj types.Object) bool {
	if obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
		return false
	}
	switch obj := obj.(type) {
	case *types.Func:
		return f.decls[obj] == nil
	case *types.Var:
		return f.slots[obj] == nil
	}
	return false
}

// member lowers the function or variable of a compiled package that id names, as in pkg.Name.
func (f *fn) member(id *ast.Ident) ir.Expr {
	obj := f.info.ObjectOf(id)
	pos := id.Pos()
	if fun, ok := obj.(*types.Func); ok && fun.Signature().TypeParams().Len() > 0 {
		return f.generic(pos, fun, f.instanceArgs(id))
	}
	v, ok := f.symbols(obj.Pkg().Path(), obj.Name())
	if !ok {
		fail(pos, "%s.%s", obj.Pkg().Name(), obj.Name())
	}
	if _, ok := obj.(*types.Var); ok {
		return &ir.Deref{At: ir.At(pos), X: f.extern(pos, obj.Name(), v)}
	}
	return &ir.Extern{At: ir.At(pos), Pkg: obj.Pkg().Path(), Name: obj.Name(), Typ: v.Type()}
}

// path follows the fields idx from e, a value of type t.
func (f *fn) path(e ir.Expr, t types.Type, idx []int) (ir.Expr, types.Type) {
	for _, i := range idx {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		st := t.Underlying().(*types.Struct)
		e = &ir.Field{At: ir.At(e.Pos()), X: e, I: i}
		t = f.subst(f.env, st.Field(i).Type())
	}
	return e, t
}

// address returns a pointer to the variable that e is.
func (f *fn) address(e ir.Expr) ir.Expr {
	if d, ok := e.(*ir.Deref); ok {
		return d.X
	}
	return &ir.Addr{At: ir.At(e.Pos()), X: e, Typ: reflect.PointerTo(e.Type())}
}

// addressOf lowers &x, which fails if x is *p and p is nil.
func (f *fn) addressOf(x ast.Expr) ir.Expr {
	e := f.expr(x)
	if _, ok := ast.Unparen(x).(*ast.StarExpr); !ok {
		return f.address(e)
	}
	return &ir.Addr{At: ir.At(x.Pos()), X: e, Typ: reflect.PointerTo(e.Type())}
}

func (f *fn) index(x *ast.IndexExpr) ir.Expr {
	at := ir.At(x.Pos())
	if m, ok := f.typ(x.X).Underlying().(*types.Map); ok {
		return &ir.Index{At: at, X: f.expr(x.X), I: f.mapKey(x.Index, m)}
	}
	return &ir.Index{At: at, X: f.expr(x.X), I: f.indexValue(x.Index)}
}

// indexValue lowers an index or a length; constants become int.
func (f *fn) indexValue(x ast.Expr) ir.Expr {
	if v := f.info.Types[x].Value; v != nil {
		return &ir.Const{At: ir.At(x.Pos()), Typ: intStore, Val: constant.ToInt(v)}
	}
	return f.expr(x)
}

// mapKey lowers a map's key.
func (f *fn) mapKey(x ast.Expr, m *types.Map) ir.Expr {
	return f.hashable(x, f.conv(x, m.Key()), m)
}

// hashable checks a key, lowered from x: an interface key may hold a value that cannot be one.
func (f *fn) hashable(x ast.Expr, key ir.Expr, m *types.Map) ir.Expr {
	_, basic := f.typ(x).Underlying().(*types.Basic)
	if basic || !f.types.Erased(f.subst(f.env, m.Key())) {
		return key
	}
	return f.call(x.Pos(), "Key", key)
}

func (f *fn) slice(x *ast.SliceExpr) ir.Expr {
	e := &ir.Slice{At: ir.At(x.Pos()), X: f.expr(x.X), Typ: f.st(x.Pos(), f.info.TypeOf(x))}
	if e.X.Type().Kind() == reflect.Array {
		e.X = f.address(e.X)
	}
	for _, b := range []struct {
		from ast.Expr
		to   *ir.Expr
	}{{x.Low, &e.Lo}, {x.High, &e.Hi}, {x.Max, &e.Max}} {
		if b.from != nil {
			*b.to = f.indexValue(b.from)
		}
	}
	return e
}

func (f *fn) unary(x *ast.UnaryExpr) ir.Expr {
	at := ir.At(x.Pos())
	switch x.Op {
	case token.AND:
		if lit, ok := ast.Unparen(x.X).(*ast.CompositeLit); ok {
			e := f.composite(lit, f.typ(lit))
			return &ir.Addr{At: at, X: e, Typ: reflect.PointerTo(e.Type())}
		}
		return f.addressOf(x.X)
	case token.ARROW:
		return &ir.Recv{At: at, X: f.expr(x.X)}
	}
	return &ir.Unary{At: at, Op: x.Op, X: f.conv(x.X, f.typ(x))}
}

func (f *fn) binary(x *ast.BinaryExpr) ir.Expr {
	at := ir.At(x.OpPos)
	t := defaultType(f.typ(x))
	switch x.Op {
	case token.SHL, token.SHR:
		return &ir.Binary{At: at, Op: x.Op, X: f.conv(x.X, t), Y: f.shiftCount(x.Y)}
	case token.EQL, token.NEQ:
		return f.comparison(x)
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		t = f.operandType(x.X, x.Y)
	}
	return &ir.Binary{At: at, Op: x.Op, X: f.conv(x.X, t), Y: f.conv(x.Y, t)}
}

// operandType is the type in which two operands are compared: that of the one that is not an
// untyped constant.
func (f *fn) operandType(x, y ast.Expr) types.Type {
	t := f.typ(x)
	if isUntyped(t) {
		t = f.typ(y)
	}
	return defaultType(t)
}

func (f *fn) shiftCount(x ast.Expr) ir.Expr {
	if v := f.info.Types[x].Value; v != nil {
		return &ir.Const{At: ir.At(x.Pos()), Typ: reflect.TypeFor[uint](), Val: constant.ToInt(v)}
	}
	return f.expr(x)
}

func (f *fn) comparison(x *ast.BinaryExpr) ir.Expr {
	pos := x.OpPos
	for _, side := range [][2]ast.Expr{{x.X, x.Y}, {x.Y, x.X}} {
		if f.info.Types[side[1]].IsNil() || isNil(f.typ(side[1])) {
			e := f.expr(side[0])
			return &ir.Binary{At: ir.At(pos), Op: x.Op, X: e,
				Y: &ir.Zero{At: ir.At(pos), Typ: e.Type()}}
		}
	}
	if tx, ty := f.typ(x.X), f.typ(x.Y); types.IsInterface(tx) || types.IsInterface(ty) {
		return f.equal(pos, x.Op, f.expr(x.X), f.expr(x.Y), tx, ty)
	}
	t := f.operandType(x.X, x.Y)
	return f.equal(pos, x.Op, f.conv(x.X, t), f.conv(x.Y, t), t, t)
}

// composite lowers T{…}; t may be a pointer type when &T is left out in an element.
func (f *fn) composite(x *ast.CompositeLit, t types.Type) ir.Expr {
	pos := x.Pos()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		e := f.composite(x, p.Elem())
		return &ir.Addr{At: ir.At(pos), X: e, Typ: reflect.PointerTo(e.Type())}
	}
	e := &ir.Composite{At: ir.At(pos), Typ: f.storage(pos, t)}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i, elt := range x.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
				i = fieldIndex(u, kv.Key.(*ast.Ident).Name)
				e.Keys = append(e.Keys, number(kv.Pos(), i))
			}
			value := f.element(elt, u.Field(i).Type())
			e.Elems = append(e.Elems, f.outward(value, u.Field(i).Type(), u.Field(i).Pkg()))
		}
	case *types.Map:
		for _, elt := range x.Elts {
			kv := elt.(*ast.KeyValueExpr)
			e.Keys = append(e.Keys, f.hashable(kv.Key, f.element(kv.Key, u.Key()), u))
			e.Elems = append(e.Elems, f.element(kv.Value, u.Elem()))
		}
	case *types.Slice:
		f.elements(e, x, u.Elem())
	case *types.Array:
		f.elements(e, x, u.Elem())
	default:
		fail(pos, "a composite literal of type %s", t)
	}
	return e
}

// elements lowers the elements of a slice or array literal, with keys if any has one.
func (f *fn) elements(e *ir.Composite, x *ast.CompositeLit, elem types.Type) {
	keyed, next := false, 0
	var keys []ir.Expr
	for _, elt := range x.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			keyed = true
			n, _ := constant.Int64Val(constant.ToInt(f.info.Types[kv.Key].Value))
			next, elt = int(n), kv.Value
		}
		keys = append(keys, number(elt.Pos(), next))
		e.Elems = append(e.Elems, f.element(elt, elem))
		next++
	}
	if keyed {
		e.Keys = keys
	}
}

// element lowers an element of a composite literal, whose own type may be left out.
func (f *fn) element(x ast.Expr, t types.Type) ir.Expr {
	t = f.subst(f.env, t)
	if lit, ok := x.(*ast.CompositeLit); ok && lit.Type == nil {
		return f.composite(lit, t)
	}
	return f.conv(x, t)
}

func fieldIndex(st *types.Struct, name string) int {
	for i := range st.NumFields() {
		if st.Field(i).Name() == name {
			return i
		}
	}
	panic("lower: no field " + name)
}

func stringConst(pos token.Pos, s string) *ir.Const {
	return &ir.Const{At: ir.At(pos), Typ: reflect.TypeFor[string](), Val: constant.MakeString(s)}
}
