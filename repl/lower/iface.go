package lower

// This file implements what asks an interface value for its type: assertions, comparisons and
// calls of methods through interfaces of the program. Each becomes a small function of core.
//
//	x.(T)     →   as_T(x)     func as_T(x any) T {
//	                              if rt.Is(x, T) { return rt.Unbox(x, T).(…) }; rt.Bad(…) }
//	s.Area()  →   Area(s)     func Area(s any) float64 {
//	                              m, r := rt.MethodOf(s, "Area", …); return m.(func(…) …)(r) }

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"halfnote/repl/ir"
	"halfnote/repl/rt"
)

// reveal makes the methods of t known to the run-time package, since a value of t becomes an
// interface value, and those of the types of its parts: whoever prints a slice prints its elements
// by their own methods, and whoever calls a function shows its result.
func (u *unit) reveal(t types.Type) {
	if !u.types.NeedsReal(t) {
		return
	}
	d := u.types.Real(t)
	if u.methods[d] {
		return
	}
	u.methods[d] = true
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if own := u.libraryType(named); own != nil {
			u.reveal(own)
			return
		}
	}
	if _, pointer := types.Unalias(t).(*types.Pointer); !pointer {
		u.queue = append(u.queue, func() { u.revealMethods(d) })
	}
	for _, part := range parts(t) {
		u.reveal(part)
	}
}

// parts lists the types of the elements, fields, keys, parameters or results of a t.
func parts(t types.Type) (list []types.Type) {
	switch t := t.Underlying().(type) {
	case *types.Chan:
		return []types.Type{t.Elem()}
	case *types.Signature:
		return append(tupleTypes(t.Params()), tupleTypes(t.Results())...)
	case *types.Pointer:
		return []types.Type{t.Elem()}
	case *types.Slice:
		return []types.Type{t.Elem()}
	case *types.Array:
		return []types.Type{t.Elem()}
	case *types.Map:
		return []types.Type{t.Key(), t.Elem()}
	case *types.Struct:
		for i := range t.NumFields() {
			list = append(list, t.Field(i).Type())
		}
	}
	return list
}

// revealMethods makes functions of the methods of d's type T and of *T. A receiver comes as interface
// values hold it: as a pointer, except for a T that is a pointer itself.
func (u *unit) revealMethods(d *rt.Desc) {
	pointer := types.NewPointer(d.T)
	all, own := types.NewMethodSet(pointer), types.NewMethodSet(d.T)
	for sel := range all.Methods() {
		owners := []types.Type{pointer}
		value := own.Lookup(sel.Obj().Pkg(), sel.Obj().Name())
		switch {
		case value == nil:
		case d.HoldsPointer():
			u.setMethod(d.T, value, []types.Type{d.T})
		default:
			owners = append(owners, d.T)
		}
		u.setMethod(pointer, sel, owners)
	}
}

// setMethod tells the run-time package the function of a method with receivers of type recv, as the
// method of all owners.
func (u *unit) setMethod(recv types.Type, sel *types.Selection, owners []types.Type) {
	m := sel.Obj().(*types.Func)
	if u.types.Hides(m) {
		return // the run-time package has it
	}
	sig := sel.Type().(*types.Signature)
	if m.Exported() {
		for _, part := range parts(sig) {
			u.reveal(part)
		}
	}
	pos := u.pos()
	f := &fn{unit: u, vars: map[*types.Var]*ir.Var{}}
	fun := f.helper(pos, m.Name(), append([]types.Type{recv}, paramTypes(sig)...), sig,
		func(params []ir.Expr) ir.Expr {
			f.declines(token.NoPos, m)
			f.needReceiver(token.NoPos, params[0], recv, sel.Index(), m)
			return f.callMethod(token.NoPos, params[0], recv, sel.Index(), m, params[1:], sig.Variadic())
		})
	for _, owner := range owners {
		u.setup = append(u.setup, &ir.ExprStmt{At: ir.At(pos), X: u.call(pos, "SetMethod",
			u.desc(pos, owner), stringConst(pos, m.Name()),
			&ir.Iface{At: ir.At(pos), Typ: anyStore, X: &ir.FuncRef{At: ir.At(pos), Func: fun}})})
	}
}

// needReceiver makes a function that only calls the method m, found by the path idx from its
// parameter p of type t, panic in Go's words if p is a nil *T and m a method of T.
func (f *fn) needReceiver(pos token.Pos, p ir.Expr, t types.Type, idx []int, m *types.Func) {
	pointer, ok := t.Underlying().(*types.Pointer)
	if !ok || len(idx) > 1 || types.IsInterface(pointer.Elem()) {
		return
	}
	if _, same := types.Unalias(m.Origin().Signature().Recv().Type()).(*types.Pointer); same {
		return
	}
	obj := namedOf(t).Obj()
	name := obj.Name()
	if namedOf(t).TypeArgs().Len() > 0 {
		name += "[...]"
	}
	bad := f.call(pos, "WrapPanic", stringConst(pos, obj.Pkg().Path()),
		stringConst(pos, name+"."+m.Name()))
	f.emit(&ir.If{At: ir.At(pos), Then: []ir.Stmt{&ir.ExprStmt{At: ir.At(pos), X: bad}},
		Cond: &ir.Binary{At: ir.At(pos), Op: token.EQL, X: p, Y: &ir.Zero{At: ir.At(pos), Typ: p.Type()}}})
}

func paramTypes(sig *types.Signature) []types.Type { return tupleTypes(sig.Params()) }

func tupleTypes(tuple *types.Tuple) (ts []types.Type) {
	for v := range tuple.Variables() {
		ts = append(ts, v.Type())
	}
	return ts
}

// helper makes a function of core with parameters of the given types and sig's results, which
// returns what body makes of the parameters. It has no place: several calls may share it, and what
// panics in it panics at the call. pos is for what cannot be lowered.
func (f *fn) helper(pos token.Pos, base string, params []types.Type, sig *types.Signature,
	body func([]ir.Expr) ir.Expr) *ir.Func {
	var in, out []reflect.Type
	for _, t := range params {
		in = append(in, f.storage(pos, f.subst(f.env, t)))
	}
	for i := range sig.Results().Len() {
		out = append(out, f.st(pos, sig.Results().At(i).Type()))
	}
	target := &ir.Func{Name: f.name(base), Variadic: sig.Variadic(),
		Typ: reflect.FuncOf(in, out, sig.Variadic())}
	args := make([]ir.Expr, len(in))
	for i, t := range in {
		v := &ir.Var{Name: "p", Typ: t}
		target.Params = append(target.Params, v)
		args[i] = &ir.Local{Var: v}
	}
	target.Body = f.in(func() {
		x := body(args)
		if len(out) == 0 {
			f.emit(&ir.ExprStmt{X: x})
		} else {
			f.emit(&ir.Return{Results: []ir.Expr{x}})
		}
	})
	f.unit.out = append(f.unit.out, target)
	return target
}

// returning is the signature of a helper whose one result is of type t.
func returning(t types.Type) *types.Signature {
	return types.NewSignatureType(nil, nil, nil, nil, tupleOf([]types.Type{t}), false)
}

// invoke calls method m of the erased interface value recv.
func (f *fn) invoke(pos token.Pos, recv ir.Expr, m *types.Func, sig *types.Signature,
	args []ir.Expr, spread bool) *ir.Call {
	sig = f.subst(f.env, sig).(*types.Signature)
	key := "invoke " + m.Id() + " " + f.descKey(sig)
	fun := f.helpers[key]
	if fun == nil {
		in := append([]types.Type{anyType}, paramTypes(sig)...)
		with := append([]types.Type{types.Typ[types.UnsafePointer]}, paramTypes(sig)...)
		full := types.NewSignatureType(nil, nil, nil, tupleOf(with), sig.Results(), sig.Variadic())
		plain := types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
		fun = f.helper(pos, m.Name(), in, sig, func(p []ir.Expr) ir.Expr {
			method := &ir.Var{Name: "m", Typ: anyStore}
			recv := &ir.Var{Name: "r", Typ: pointerStore}
			f.emit(&ir.DefineMany{Vars: []*ir.Var{method, recv}, X: f.call(
				token.NoPos, "MethodOf", p[0], stringConst(token.NoPos, m.Name()), f.desc(pos, plain))})
			p[0] = &ir.Local{Var: recv}
			return &ir.Call{Spread: sig.Variadic(), Args: p,
				Fun: &ir.Assert{X: &ir.Local{Var: method},
					Typ: f.storage(pos, full)}}
		})
		f.helpers[key] = fun
	}
	return &ir.Call{At: ir.At(pos), Fun: &ir.FuncRef{At: ir.At(pos), Func: fun},
		Args: append([]ir.Expr{recv}, args...), Spread: spread}
}

func (u *unit) descKey(t types.Type) string { return u.key(nil, []types.Type{t}) }

func tupleOf(ts []types.Type) *types.Tuple {
	vars := make([]*types.Var, len(ts))
	for i, t := range ts {
		vars[i] = types.NewVar(token.NoPos, nil, "", t)
	}
	return types.NewTuple(vars...)
}

// test reports, in core, whether the erased interface value x holds a t.
func (f *fn) test(x ir.Expr, t types.Type) ir.Expr {
	pos := x.Pos()
	switch {
	case types.IsInterface(t) && t.Underlying().(*types.Interface).NumMethods() == 0:
		return &ir.Binary{At: ir.At(pos), Op: token.NEQ, X: x,
			Y: &ir.Zero{At: ir.At(pos), Typ: anyStore}}
	case types.IsInterface(t):
		return f.call(pos, "Impl", x, f.desc(pos, t))
	}
	return f.call(pos, "Is", x, f.desc(pos, t))
}

// extract takes a t out of the erased interface value x, which is known to hold one.
func (f *fn) extract(x ir.Expr, t types.Type) ir.Expr {
	switch {
	case types.IsInterface(t):
		return f.iface(x, f.storage(x.Pos(), t))
	case f.types.NeedsReal(t):
		x = f.call(x.Pos(), "Unbox", x, f.desc(x.Pos(), t))
	}
	return &ir.Assert{At: ir.At(x.Pos()), X: x, Typ: f.storage(x.Pos(), t)}
}

// assertion lowers x.(T); with ok, the call has the second result.
func (f *fn) assertion(n *ast.TypeAssertExpr, ok bool) *ir.Call {
	pos := n.Pos()
	t, static := f.typ(n.Type), f.typ(n.X)
	x := f.erase(f.expr(n.X), static)
	key := "as " + f.descKey(t) + f.descKey(static)
	if ok {
		key = "ok " + f.descKey(t)
	}
	fun := f.helpers[key]
	if fun == nil {
		fun = f.assertFunc(pos, static, t, ok)
		f.helpers[key] = fun
	}
	return &ir.Call{At: ir.At(pos), Fun: &ir.FuncRef{At: ir.At(pos), Func: fun}, Args: []ir.Expr{x}}
}

// assertFunc makes the function of an assertion, which has no place of its own; see helper.
func (f *fn) assertFunc(pos token.Pos, static, t types.Type, ok bool) *ir.Func {
	st := f.storage(pos, t)
	x := &ir.Var{Name: "x", Typ: anyStore}
	local := &ir.Local{Var: x}
	zero := &ir.Zero{Typ: st}
	out := []reflect.Type{st}
	hit := &ir.Return{Results: []ir.Expr{f.extract(local, t)}}
	miss := &ir.Return{Results: []ir.Expr{zero}}
	if ok {
		out = append(out, boolStore)
		hit.Results = append(hit.Results, boolean(token.NoPos, true))
		miss.Results = append(miss.Results, boolean(token.NoPos, false))
	}
	body := []ir.Stmt{&ir.If{Cond: f.test(local, t), Then: []ir.Stmt{hit}}}
	if !ok {
		bad := f.call(token.NoPos, "Bad", local, f.desc(pos, static), f.desc(pos, t))
		body = append(body, &ir.ExprStmt{X: bad})
	}
	fun := &ir.Func{Name: f.name("as"), Params: []*ir.Var{x},
		Typ: reflect.FuncOf([]reflect.Type{anyStore}, out, false), Body: append(body, miss)}
	f.unit.out = append(f.unit.out, fun)
	return fun
}

// equal lowers x == y of types tx and ty, or x != y.
func (f *fn) equal(pos token.Pos, op token.Token, x, y ir.Expr, tx, ty types.Type) ir.Expr {
	tx, ty = defaultType(tx), defaultType(ty)
	if !types.IsInterface(tx) && !types.IsInterface(ty) {
		if !needsEq(tx) {
			if y.Type() != x.Type() {
				y = &ir.Convert{At: ir.At(pos), Typ: x.Type(), X: y}
			}
			return &ir.Binary{At: ir.At(pos), Op: op, X: x, Y: y}
		}
		ty = tx
	}
	var e ir.Expr = f.call(pos, "Eq", f.erase(x, tx), f.erase(y, ty))
	if op == token.NEQ {
		e = &ir.Unary{At: ir.At(pos), Op: token.NOT, X: e}
	}
	return e
}

// needsEq reports whether the run-time package must compare values of t, a comparable type: they
// are or hold interface values, or have blank fields.
func needsEq(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Interface:
		return true
	case *types.Array:
		return needsEq(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if f.Name() == "_" || needsEq(f.Type()) {
				return true
			}
		}
	}
	return false
}
