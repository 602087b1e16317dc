package lower

// This file implements calls. Methods of the program are functions whose first parameter is the
// receiver; a method value is a closure over the receiver.
//
//	p.Move(1)          →   Point_Move_3(p, 1)
//	f := p.Move        →   f := Move_4(p)       func Move_4(r *Point) func(int) {
//	                                                return func[r](n int) { Point_Move_3(r, n) } }
//	(*Point).Move      →   func(r *Point, n int) { Point_Move_3(r, n) }

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"halfnote/repl/ir"
	"halfnote/repl/rt"
)

// reflectType has methods that package rt answers: see rt.TypeMethod.
var reflectType = reflect.TypeFor[reflect.Type]()

func (f *fn) callExpr(x *ast.CallExpr) ir.Expr {
	if tv := f.info.Types[x.Fun]; tv.IsType() {
		return f.conversion(x, f.subst(f.env, tv.Type))
	}
	if name := builtin(f.info, x); name != "" {
		return f.builtinCall(x, name)
	}
	sig := coreOf(f.typ(x.Fun)).(*types.Signature)
	args := f.args(x, sig)
	if sel, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr); ok {
		if s := f.info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			recv := f.subst(f.env, s.Recv())
			m, idx := f.resolve(s, recv)
			e, t := f.methodOperand(sel.X, recv, idx)
			return f.callMethod(x.Pos(), e, t, idx, m, args, x.Ellipsis.IsValid())
		}
	}
	spread := x.Ellipsis.IsValid()
	return &ir.Call{At: ir.At(x.Pos()), Fun: f.expr(x.Fun), Args: args, Spread: spread}
}

// args lowers a call's arguments, converted to the parameter types.
func (f *fn) args(x *ast.CallExpr, sig *types.Signature) []ir.Expr {
	sig = f.subst(f.env, sig).(*types.Signature)
	if len(x.Args) == 1 {
		if tuple, ok := f.typ(x.Args[0]).(*types.Tuple); ok {
			return []ir.Expr{f.tupleArg(x, tuple, sig)}
		}
	}
	compiled := f.callee(x)
	out := make([]ir.Expr, len(x.Args))
	for i, arg := range x.Args {
		to := paramType(sig, i, x.Ellipsis.IsValid())
		out[i] = f.conv(arg, to)
		if compiled != nil {
			out[i] = f.outward(out[i], to, compiled.Pkg())
		}
	}
	return out
}

// paramType is the type to which the i-th argument is converted.
func paramType(sig *types.Signature, i int, spread bool) types.Type {
	last := sig.Params().Len() - 1
	if !sig.Variadic() || i < last {
		return sig.Params().At(i).Type()
	}
	t := sig.Params().At(last).Type()
	if spread {
		return t
	}
	return t.(*types.Slice).Elem()
}

// tupleArg lowers the argument of f(g()), where g has several results.
func (f *fn) tupleArg(x *ast.CallExpr, tuple *types.Tuple, sig *types.Signature) ir.Expr {
	call := f.expr(x.Args[0])
	same := true
	var from, to []types.Type
	for i := range tuple.Len() {
		from = append(from, tuple.At(i).Type())
		to = append(to, paramType(sig, i, false))
		same = same && types.Identical(from[i], to[i])
	}
	if same {
		return call
	}
	// func adapt(p0 F0, p1 F1) (T0, T1) { return T0(p0), T1(p1) }
	pos := x.Pos()
	target := &ir.Func{Name: f.name("adapt"), Pos: pos}
	var in, out []reflect.Type
	ret := &ir.Return{At: ir.At(pos)}
	target.Body = f.in(func() {
		for i := range from {
			v := &ir.Var{Name: "p", Typ: f.storage(pos, from[i])}
			target.Params = append(target.Params, v)
			e := f.convert(&ir.Local{At: ir.At(pos), Var: v}, from[i], to[i])
			ret.Results = append(ret.Results, e)
			in, out = append(in, v.Typ), append(out, e.Type())
		}
		f.emit(ret)
	})
	target.Typ = reflect.FuncOf(in, out, false)
	f.unit.out = append(f.unit.out, target)
	return &ir.Call{At: ir.At(pos), Args: []ir.Expr{call},
		Fun: &ir.FuncRef{At: ir.At(pos), Func: target}}
}

// resolve finds the selected method on the receiver type of this instance.
func (f *fn) resolve(s *types.Selection, recv types.Type) (*types.Func, []int) {
	m := s.Obj().(*types.Func)
	if len(f.env) == 0 {
		return m, s.Index()
	}
	obj, idx, _ := types.LookupFieldOrMethod(recv, true, m.Pkg(), m.Name())
	if found, ok := obj.(*types.Func); ok {
		return found, idx
	}
	return m, s.Index()
}

// methodOperand lowers x, of type t, as that of which the method at idx is selected. A *p fails if p
// is nil, also where the method takes p.
func (f *fn) methodOperand(x ast.Expr, t types.Type, idx []int) (ir.Expr, types.Type) {
	_, ok := ast.Unparen(x).(*ast.StarExpr)
	_, pointer := t.Underlying().(*types.Pointer)
	if !ok || pointer || types.IsInterface(t) || len(idx) > 1 { // embedded fields are selected before
		return f.expr(x), t
	}
	return f.addressOf(x), types.NewPointer(t)
}

// callMethod calls the method m found by the path idx from recv, a value of type t. The arguments
// are converted already.
func (f *fn) callMethod(pos token.Pos, recv ir.Expr, t types.Type, idx []int, m *types.Func,
	args []ir.Expr, spread bool) ir.Expr {
	recv, t = f.toMethod(recv, t, idx)
	m = f.own(m, recv.Type())
	switch {
	case types.IsInterface(t) && f.types.Erased(t):
		return f.invoke(pos, recv, m, m.Signature(), args, spread)
	case recv.Type() == reflectType && rt.TypeMethod(m.Name()) != "":
		return f.call(pos, rt.TypeMethod(m.Name()), append([]ir.Expr{recv}, args...)...)
	case types.IsInterface(t), f.decls[m.Origin()] == nil:
		if m.FullName() == "(sync.Locker).Unlock" {
			return f.call(pos, "LockerUnlock", recv)
		}
		return &ir.Call{At: ir.At(pos), Args: args, Spread: spread,
			Fun: f.compiledMethod(pos, recv, t, m)}
	}
	recv, _, targs := f.receiver(recv, t, m)
	return &ir.Call{At: ir.At(pos), Spread: spread,
		Fun: f.ref(pos, m, targs), Args: append([]ir.Expr{recv}, args...)}
}

// own returns the method of halfnote's own source that takes the place of m for a receiver that is
// stored as t; without one that is m.
func (f *fn) own(m *types.Func, t reflect.Type) *types.Func {
	if f.decls[m.Origin()] == nil && !compiledType(t) {
		if own := f.libraryFunc(m); own != nil {
			return own
		}
	}
	return m
}

// receiver makes recv, a T or *T, what m's receiver parameter wants, and returns its type and T's
// type arguments.
func (f *fn) receiver(recv ir.Expr, t types.Type, m *types.Func) (
	ir.Expr, types.Type, []types.Type) {
	var args []types.Type
	if n := namedOf(t); n != nil {
		for i := range n.TypeArgs().Len() {
			args = append(args, f.subst(f.env, n.TypeArgs().At(i)))
		}
	}
	p, have := t.Underlying().(*types.Pointer)
	_, want := types.Unalias(m.Origin().Signature().Recv().Type()).(*types.Pointer)
	switch {
	case want && !have:
		return f.address(recv), types.NewPointer(t), args
	case have && !want:
		return &ir.Deref{At: ir.At(recv.Pos()), X: recv}, p.Elem(), args
	}
	return recv, t, args
}

// toMethod follows the embedded fields idx towards a method, as far as types of the program go: a
// compiled type has the methods of what it embeds itself.
func (f *fn) toMethod(e ir.Expr, t types.Type, idx []int) (ir.Expr, types.Type) {
	for i := range len(idx) - 1 {
		if compiledType(e.Type()) {
			break
		}
		e, t = f.path(e, t, idx[i:i+1])
	}
	return e, t
}

// compiledType reports whether t is a named compiled type or a pointer to one.
func compiledType(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() != ""
}

// compiledMethod is the method m of a compiled type, bound to recv.
func (f *fn) compiledMethod(pos token.Pos, recv ir.Expr, t types.Type, m *types.Func) ir.Expr {
	rm, ok := recv.Type().MethodByName(m.Name())
	if !ok && recv.Type().Kind() != reflect.Interface {
		recv = f.address(recv)
		rm, ok = recv.Type().MethodByName(m.Name())
	}
	if !ok {
		fail(pos, "the method %s of %s", m.Name(), t)
	}
	typ := rm.Type
	if recv.Type().Kind() != reflect.Interface {
		typ = rt.WithoutReceiver(typ)
	}
	return &ir.Method{At: ir.At(pos), X: recv, Name: m.Name(), Typ: typ}
}

// methodValue lowers x.M that is not called: the receiver is evaluated now.
func (f *fn) methodValue(x *ast.SelectorExpr, s *types.Selection, recv types.Type) ir.Expr {
	pos := x.Pos()
	m, idx := f.resolve(s, recv)
	e, t := f.methodOperand(x.X, recv, idx)
	e, t = f.toMethod(e, t, idx)
	m = f.own(m, e.Type())
	idx = idx[len(idx)-1:]
	erased := types.IsInterface(t) && f.types.Erased(t)
	if !erased && (types.IsInterface(t) || f.decls[m.Origin()] == nil) {
		return f.compiledMethod(pos, e, t, m)
	}
	if !types.IsInterface(t) {
		e, t, _ = f.receiver(e, t, m)
	}
	sig := f.typ(x).Underlying().(*types.Signature)
	fun := f.helper(pos, m.Name(), []types.Type{t}, returning(sig), func(p []ir.Expr) ir.Expr {
		if types.IsInterface(t) {
			f.emit(&ir.If{At: ir.At(pos), Then: []ir.Stmt{&ir.ExprStmt{X: f.call(pos, "NilPanic")}},
				Cond: &ir.Binary{Op: token.EQL, X: p[0], Y: &ir.Zero{Typ: p[0].Type()}}})
		}
		return f.forward(pos, sig, func(g *fn, args []ir.Expr) ir.Expr {
			g.forwards(pos, m)
			return g.callMethod(pos, p[0], t, idx, m, args, sig.Variadic())
		})
	})
	return &ir.Call{At: ir.At(pos), Fun: &ir.FuncRef{At: ir.At(pos), Func: fun}, Args: []ir.Expr{e}}
}

// methodExpr lowers T.M: a function whose first parameter is the receiver.
func (f *fn) methodExpr(x *ast.SelectorExpr, s *types.Selection, recv types.Type) ir.Expr {
	pos := x.Pos()
	m, idx := f.resolve(s, recv)
	sig := f.typ(x).Underlying().(*types.Signature)
	return f.forward(pos, sig, func(g *fn, args []ir.Expr) ir.Expr {
		g.forwards(pos, m)
		g.needReceiver(pos, args[0], recv, idx, m)
		return g.callMethod(pos, args[0], recv, idx, m, args[1:], sig.Variadic())
	})
}

// forwards notes in a function that only calls m that it does.
func (f *fn) forwards(pos token.Pos, m *types.Func) {
	if f.mayRecover(m) {
		known := boolean(pos, !types.IsInterface(recvType(m)))
		f.emit(&ir.ExprStmt{At: ir.At(pos), X: f.call(pos, "Forwards", known)})
	}
}

// forward makes a closure of type sig that returns what call makes of its parameters.
func (f *fn) forward(pos token.Pos, sig *types.Signature,
	call func(*fn, []ir.Expr) ir.Expr) ir.Expr {
	t := f.storage(pos, sig)
	return f.closure(pos, t, func(g *fn, target *ir.Func) {
		args := make([]ir.Expr, t.NumIn())
		for i := range args {
			v := &ir.Var{Name: "p", Typ: t.In(i)}
			target.Params = append(target.Params, v)
			args[i] = &ir.Local{At: ir.At(pos), Var: v}
		}
		target.Body = g.in(func() {
			e := call(g, args)
			if t.NumOut() == 0 {
				g.emit(&ir.ExprStmt{At: ir.At(pos), X: e})
			} else {
				g.emit(&ir.Return{At: ir.At(pos), Results: []ir.Expr{e}})
			}
		})
	})
}

// conversion lowers T(x).
func (f *fn) conversion(x *ast.CallExpr, to types.Type) ir.Expr {
	arg := x.Args[0]
	from := f.typ(arg)
	if isNil(from) || f.info.Types[arg].IsNil() {
		return &ir.Zero{At: ir.At(x.Pos()), Typ: f.storage(x.Pos(), to)}
	}
	if v := f.info.Types[arg].Value; v != nil && !types.IsInterface(to) {
		if b, ok := to.Underlying().(*types.Basic); ok && b.Info()&types.IsString == 0 {
			return f.constant(x.Pos(), v, to) // a constant converted to a type parameter's argument
		}
	}
	e := f.convert(f.expr(arg), from, to)
	if n := namedOf(to); n != nil {
		return f.outward(e, to, n.Obj().Pkg())
	}
	return e
}
