package lower

// This file implements defer, recover, panic and go by calls of package rt.
//
//	func f() (n int) {               func f() int {
//		defer g(x)                       n := new(int)
//		return 1                  →      rt.Do(func(d *rt.Defers) bool {
//	}                                        t := x; rt.Push(d, func() { g(t) }, 0)
//	                                         *n = 1; return true })
//	                                     return *n }

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"halfnote/repl/ir"
	"halfnote/repl/rt"
)

var (
	defersType = reflect.TypeFor[*rt.Defers]()
	doBodyType = reflect.TypeFor[func(*rt.Defers) bool]()
	thunkType  = reflect.TypeFor[func()]()
)

// own walks the statements of a function, those of its range-over-func bodies included, but not
// those of function literals, and reports whether found is true for a node.
func own(body ast.Node, found func(ast.Node) bool) (yes bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok || yes || n == nil {
			return false
		}
		yes = found(n)
		return !yes
	})
	return yes
}

func hasDefer(body ast.Node) bool {
	return own(body, func(n ast.Node) bool { _, ok := n.(*ast.DeferStmt); return ok })
}

// callsRecover reports whether a function calls recover itself. The body of a range over a function
// is another function to recover.
func callsRecover(info *types.Info, body ast.Node) (yes bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.RangeStmt:
			if overFunc(info, n) {
				yes = yes || callsRecover(info, n.X)
				return false
			}
		case *ast.CallExpr:
			yes = yes || builtin(info, n) == "recover"
		}
		return !yes
	})
	return yes
}

// deferring lowers the body of a function that defers.
func (f *fn) deferring(results []*types.Var, pos token.Pos, body func(*fn)) {
	f.declareResults(pos, results, true)
	boxes := make([]ir.Expr, len(f.results))
	for i, t := range f.results {
		if f.named != nil && f.vars[f.named[i]] != nil {
			boxes[i] = f.use(f.named[i], pos)
			continue
		}
		ptr := reflect.PointerTo(f.storage(pos, t))
		boxes[i] = &ir.Deref{At: ir.At(pos),
			X: f.temp(pos, "result", &ir.Builtin{At: ir.At(pos), Op: "new", Typ: ptr})}
	}
	do := f.closure(pos, doBodyType, func(g *fn, target *ir.Func) {
		f.share(g)
		target.Label, target.IsPart = f.part, true
		g.defers = &ir.Var{Name: "defers", Typ: defersType}
		target.Params = []*ir.Var{g.defers}
		g.give = func(pos token.Pos, values []ir.Expr) {
			for i, v := range g.settled(pos, values) {
				g.emit(&ir.Assign{At: ir.At(pos), Lhs: boxes[i], Rhs: v})
			}
			g.emit(whole(pos))
		}
		target.Body = g.in(func() {
			body(g)
			g.emit(whole(pos))
		})
	})
	f.emit(&ir.ExprStmt{At: ir.At(pos), X: f.call(pos, "Do", do)})
	if len(boxes) > 0 {
		f.emit(&ir.Return{At: ir.At(pos), Results: boxes})
	}
}

// whole returns from the body of a function that defers.
func whole(pos token.Pos) ir.Stmt {
	return &ir.Return{At: ir.At(pos), Results: []ir.Expr{boolean(pos, true)}}
}

// share makes g part of f's function: a closure whose return, defer and recover are f's.
func (f *fn) share(g *fn) {
	g.results, g.named, g.give = f.results, f.named, f.give
	g.defers, g.me, g.labels, g.gotos = f.defers, f.me, f.labels, f.gotos
}

func (f *fn) deferStmt(s *ast.DeferStmt) {
	at := ir.At(s.Pos())
	d := &ir.Local{At: at, Var: f.defers}
	var call ir.Expr
	if builtin(f.info, s.Call) == "recover" {
		var me ir.Expr = &ir.Zero{At: at, Typ: defersType}
		if f.me != nil {
			me = &ir.Local{At: at, Var: f.me}
		}
		call = f.closure(s.Pos(), thunkType, func(_ *fn, target *ir.Func) {
			x := f.call(s.Pos(), "RecoverDeferred", me, d)
			target.Body = []ir.Stmt{&ir.ExprStmt{At: at, X: x}}
		})
	} else {
		call = f.thunk(s.Call)
	}
	calls := number(s.Pos(), f.recovers(s.Call))
	f.emit(&ir.ExprStmt{At: at, X: f.call(s.Pos(), "Push", d, call, calls)})
}

func (f *fn) goStmt(s *ast.GoStmt) {
	f.emit(&ir.ExprStmt{At: ir.At(s.Pos()), X: f.call(s.Pos(), "Go", f.thunk(s.Call))})
}

// recovers tells whether the called function itself calls recover.
func (f *fn) recovers(call *ast.CallExpr) rt.Recovers {
	known := func(yes bool) rt.Recovers {
		if yes {
			return rt.Perhaps
		}
		return rt.Never
	}
	fun := ast.Unparen(call.Fun)
	if lit, ok := fun.(*ast.FuncLit); ok {
		return known(callsRecover(f.info, lit.Body))
	}
	switch x := fun.(type) { // an instance, or an element of a list of functions
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	obj, ok := f.info.Uses[lastIdent(fun)].(*types.Func)
	switch {
	case ok:
		return known(f.mayRecover(obj))
	case builtin(f.info, call) == "recover":
		return rt.Perhaps
	}
	return rt.Value
}

// mayRecover reports whether a function of the program calls recover itself; for a method of an
// interface, whether one of that name does.
func (f *fn) mayRecover(obj *types.Func) bool {
	if types.IsInterface(recvType(obj)) {
		return f.namesakeRecovers(obj)
	}
	d := f.decls[obj.Origin()]
	return d != nil && d.recovers()
}

// namesakeRecovers reports whether a method of that name calls recover itself.
func (f *fn) namesakeRecovers(obj *types.Func) bool {
	for m, d := range f.decls {
		if m.Name() == obj.Name() && m.Signature().Recv() != nil && d.recovers() {
			return true
		}
	}
	return false
}

// declines notes in a function that calls the method m for an interface that m does not call recover
// itself, where who defers a call through the interface must think that it may.
func (f *fn) declines(pos token.Pos, m *types.Func) {
	if !f.mayRecover(m) && f.namesakeRecovers(m) {
		f.emit(&ir.ExprStmt{At: ir.At(pos), X: f.call(pos, "Declines")})
	}
}

func (d *decl) recovers() bool {
	return d.syntax.Body != nil && callsRecover(d.info, d.syntax.Body)
}

func recvType(obj *types.Func) types.Type {
	if r := obj.Signature().Recv(); r != nil {
		return r.Type()
	}
	return types.Typ[types.Invalid]
}

// lastIdent is the identifier that names x's object.
func lastIdent(x ast.Expr) *ast.Ident {
	switch x := x.(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return x.Sel
	}
	return nil
}

// thunk evaluates the function and the arguments of a call now and returns a func() that makes
// the call later.
func (f *fn) thunk(call *ast.CallExpr) ir.Expr {
	pos := call.Pos()
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok && len(call.Args) == 0 &&
		lit.Type.Results == nil {
		return f.literal(lit)
	}
	later := f.callExpr(call)
	switch e := later.(type) {
	case *ir.Call:
		f.hold(e)
		f.notNil(call, e)
	case *ir.Builtin:
		for i, arg := range e.Args {
			e.Args[i] = f.keep(arg)
		}
	}
	return f.closure(pos, thunkType, func(g *fn, target *ir.Func) {
		target.Body = []ir.Stmt{&ir.ExprStmt{At: ir.At(pos), X: later}}
	})
}

// hold evaluates a call's operands into variables.
func (f *fn) hold(c *ir.Call) {
	switch fun := c.Fun.(type) {
	case *ir.FuncRef, *ir.Extern:
	case *ir.Method:
		if t := fun.X.Type(); t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface {
			fun.X = f.keep(fun.X)
		} else {
			c.Fun = f.keep(fun)
		}
	default:
		c.Fun = f.keep(fun)
	}
	if len(c.Args) == 1 {
		if inner, ok := c.Args[0].(*ir.Call); ok && inner.Type() == nil {
			var vars []*ir.Var
			c.Args = nil
			for _, t := range inner.Results() {
				v := &ir.Var{Name: "arg", Typ: t}
				vars = append(vars, v)
				c.Args = append(c.Args, &ir.Local{At: c.At, Var: v})
			}
			f.emit(&ir.DefineMany{At: c.At, Vars: vars, X: inner})
			return
		}
	}
	for i, arg := range c.Args {
		c.Args[i] = f.keep(arg)
	}
}

// notNil lowers the check that call, lowered as held, is not of a method of a nil interface value:
// such a call panics now.
func (f *fn) notNil(call *ast.CallExpr, held *ir.Call) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	s := f.info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal || !types.IsInterface(f.subst(f.env, s.Recv())) {
		return
	}
	var recv ir.Expr
	if m, ok := held.Fun.(*ir.Method); ok {
		recv = m.X
	} else {
		recv = held.Args[0]
	}
	at := ir.At(call.Pos())
	f.emit(&ir.If{At: at, Then: []ir.Stmt{&ir.ExprStmt{At: at, X: f.call(call.Pos(), "NilPanic")}},
		Cond: &ir.Binary{At: at, Op: token.EQL, X: recv, Y: &ir.Zero{At: at, Typ: recv.Type()}}})
}

// keep returns x evaluated now.
func (f *fn) keep(x ir.Expr) ir.Expr {
	switch x := x.(type) {
	case *ir.Const, *ir.Zero, *ir.FuncRef, *ir.Extern:
		return x
	}
	return f.temp(x.Pos(), "arg", x)
}

// builtin returns the name of the built-in function that a call calls, or "".
func builtin(info *types.Info, call *ast.CallExpr) string {
	fun := ast.Unparen(call.Fun)
	id := lastIdent(fun)
	if id == nil {
		return ""
	}
	if b, ok := info.Uses[id].(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}
