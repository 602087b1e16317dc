package lower

// This file implements the bodies of functions and function literals: parameters, results and
// return.

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"halfnote/repl/ir"
)

// fn is the state of lowering one function body. Function literals have an fn of their own, which
// shares the variables of the one around it.
type fn struct {
	*unit
	info   *types.Info
	env    env
	vars   map[*types.Var]*ir.Var
	shared map[*types.Var]bool
	part   string // the label of the function

	out     []ir.Stmt                  // the statements of the block being lowered
	results []types.Type               // of the function that `return` returns from
	named   []*types.Var               // its named results, if any
	plain   bool                       // return may pass a call's several results on as they are
	give    func(token.Pos, []ir.Expr) // returns values; none for the named results as they are
	defers  *ir.Var                    // the activation that defer pushes to
	me      *ir.Var                    // the activation that recover asks
	labels  map[string]string          // the core labels of those that goto names
	gotos   map[string]bool            // the labels that goto names
	targets []*target                  // what break and continue may mean, innermost last
	escape  *escape                    // the innermost range-over-func body being lowered
}

// in lowers into a statement list of its own and returns it.
func (f *fn) in(lower func()) []ir.Stmt {
	outer := f.out
	f.out = nil
	lower()
	list := f.out
	f.out = outer
	return list
}

func (f *fn) typ(x ast.Expr) types.Type { return f.subst(f.env, f.info.TypeOf(x)) }

// st returns the storage type of t in this instance.
func (f *fn) st(pos token.Pos, t types.Type) reflect.Type {
	return f.storage(pos, f.subst(f.env, t))
}

// temp declares a variable of the lowering's own.
func (f *fn) temp(pos token.Pos, base string, init ir.Expr) *ir.Local {
	v := &ir.Var{Name: base, Typ: init.Type()}
	f.emit(&ir.Define{At: ir.At(pos), Var: v, Init: init})
	return &ir.Local{At: ir.At(pos), Var: v}
}

// function lowers the body of a declared function or method.
func (u *unit) function(inst *instance, d *decl, e env) {
	outer := u.now
	u.now = inst
	defer func() { u.now = outer }()
	f := &fn{unit: u, info: d.info, env: e, vars: map[*types.Var]*ir.Var{},
		shared: shared(d.info, d.syntax), part: inst.fn.Label}
	sig := inst.obj.Signature()
	params := fields(d.info, d.syntax.Type.Params)
	if d.syntax.Recv != nil {
		params = append(fields(d.info, d.syntax.Recv), params...)
	}
	f.body(inst.fn, sig, params, fields(d.info, d.syntax.Type.Results), d.syntax.Body)
	u.out = append(u.out, inst.fn)
}

// fields lists the variables of a parameter or result list, with nil for those without a name.
func fields(info *types.Info, list *ast.FieldList) (vs []*types.Var) {
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		if len(field.Names) == 0 {
			vs = append(vs, nil)
		}
		for _, id := range field.Names {
			v, _ := info.Defs[id].(*types.Var)
			vs = append(vs, v)
		}
	}
	return vs
}

// body lowers a function's body into target, whose Typ is set.
func (f *fn) body(target *ir.Func, sig *types.Signature, params, results []*types.Var,
	body *ast.BlockStmt) {
	f.labels, f.gotos = map[string]string{}, gotoLabels(body)
	f.results = nil
	for i := range sig.Results().Len() {
		f.results = append(f.results, f.subst(f.env, sig.Results().At(i).Type()))
	}
	if len(results) > 0 && results[0] != nil {
		f.named = results
	}
	target.Body = f.in(func() {
		if callsRecover(f.info, body) {
			f.me = f.temp(body.Pos(), "me", f.call(body.Pos(), "Me")).Var
		}
		for i, p := range params {
			target.Params = append(target.Params, f.param(p, target.Typ.In(i)))
		}
		if hasDefer(body) {
			f.deferring(results, body.Pos(), func(g *fn) { g.stmts(body.List) })
			return
		}
		f.declareResults(body.Pos(), results, false)
		f.give = f.giveResults
		f.plain = f.named == nil || !f.anyShared(f.named)
		f.stmts(body.List)
		if len(f.results) > 0 && f.named != nil {
			f.emit(f.returnNamed(body.End())...)
		}
	})
}

// param declares a parameter; a shared one is copied into a pointer.
func (f *fn) param(v *types.Var, t reflect.Type) *ir.Var {
	if v == nil || v.Name() == "_" {
		return nil
	}
	p := &ir.Var{Name: v.Name(), Typ: t}
	if f.shared[v] {
		f.define(v, &ir.Local{At: ir.At(v.Pos()), Var: p}, v.Pos())
	} else {
		f.vars[v] = p
	}
	return p
}

// declareResults declares named results with their zero values; all as pointers if boxed.
func (f *fn) declareResults(pos token.Pos, results []*types.Var, boxed bool) {
	for i, v := range results {
		if v == nil {
			continue
		}
		if boxed {
			f.shared[v] = true
		}
		if v.Name() == "_" {
			continue
		}
		f.define(v, &ir.Zero{At: ir.At(pos), Typ: f.storage(pos, f.results[i])}, pos)
	}
}

// values lowers the operands of a return statement, converted to the result types.
func (f *fn) values(s *ast.ReturnStmt) []ir.Expr {
	if len(s.Results) == 1 && len(f.results) > 1 {
		tuple := f.typ(s.Results[0]).(*types.Tuple)
		locals := f.spread(s.Results[0], tuple)
		out := make([]ir.Expr, len(locals))
		for i, l := range locals {
			out[i] = f.convert(l, tuple.At(i).Type(), f.results[i])
		}
		return out
	}
	var out []ir.Expr
	for i, x := range s.Results {
		out = append(out, f.conv(x, f.results[i]))
	}
	return out
}

func (f *fn) returnStmt(s *ast.ReturnStmt) {
	if len(s.Results) == 1 && len(f.results) > 1 && f.plain && f.sameTuple(s.Results[0]) {
		f.emit(&ir.Return{At: ir.At(s.Pos()), Results: []ir.Expr{f.expr(s.Results[0])}})
		return
	}
	f.give(s.Pos(), f.values(s))
}

// giveResults returns values from a function without defer. Results that have a variable which
// closures share take them first.
func (f *fn) giveResults(pos token.Pos, values []ir.Expr) {
	switch {
	case len(values) == 0 && len(f.results) > 0:
		f.emit(f.returnNamed(pos)...)
	case f.named != nil && len(values) > 0 && f.anyShared(f.named):
		f.assignResults(pos, values)
		f.emit(f.returnNamed(pos)...)
	default:
		f.emit(&ir.Return{At: ir.At(pos), Results: values})
	}
}

// sameTuple reports whether the results of call need no conversion to be returned.
func (f *fn) sameTuple(call ast.Expr) bool {
	tuple := f.typ(call).(*types.Tuple)
	for i, want := range f.results {
		if !types.Identical(tuple.At(i).Type(), want) {
			return false
		}
	}
	return true
}

func (f *fn) anyShared(vs []*types.Var) bool {
	for _, v := range vs {
		if f.shared[v] {
			return true
		}
	}
	return false
}

// assignResults sets the named results.
func (f *fn) assignResults(pos token.Pos, values []ir.Expr) {
	values = f.settled(pos, values)
	for i, v := range f.named {
		if v.Name() == "_" && f.vars[v] == nil {
			f.emit(&ir.ExprStmt{At: ir.At(pos), X: values[i]})
			continue
		}
		f.emit(&ir.Assign{At: ir.At(pos), Lhs: f.use(v, pos), Rhs: values[i]})
	}
}

// settled evaluates several values before any of them is assigned.
func (f *fn) settled(pos token.Pos, values []ir.Expr) []ir.Expr {
	if len(values) < 2 {
		return values
	}
	out := make([]ir.Expr, len(values))
	for i, v := range values {
		out[i] = f.temp(pos, "r", v)
	}
	return out
}

// returnNamed returns the current values of the named results.
func (f *fn) returnNamed(pos token.Pos) []ir.Stmt {
	ret := &ir.Return{At: ir.At(pos)}
	for i, v := range f.named {
		if f.vars[v] == nil {
			ret.Results = append(ret.Results,
				&ir.Zero{At: ir.At(pos), Typ: f.storage(pos, f.results[i])})
			continue
		}
		ret.Results = append(ret.Results, f.use(v, pos))
	}
	return []ir.Stmt{ret}
}

// literal lowers a function literal.
func (f *fn) literal(x *ast.FuncLit) ir.Expr {
	sig := f.typ(x).Underlying().(*types.Signature)
	return f.closure(x.Pos(), f.storage(x.Pos(), sig), func(g *fn, target *ir.Func) {
		target.Label = strings.TrimPrefix(f.part+".func", cellLabel+".")
		g.part = target.Label
		g.body(target, sig, fields(f.info, x.Type.Params), fields(f.info, x.Type.Results), x.Body)
	})
}

// closure makes a closure of type t whose body build lowers in an fn of its own.
func (f *fn) closure(pos token.Pos, t reflect.Type, build func(*fn, *ir.Func)) *ir.Closure {
	target := &ir.Func{Name: "func", Typ: t, Variadic: t.IsVariadic(), Pos: pos}
	g := &fn{unit: f.unit, info: f.info, env: f.env, vars: f.vars, shared: f.shared, part: f.part}
	build(g, target)
	return &ir.Closure{At: ir.At(pos), Fn: target, Captures: ir.Free(target)}
}

// define declares v with a value.
func (f *fn) define(v *types.Var, init ir.Expr, pos token.Pos) {
	if slot := f.slots[v]; slot != nil {
		f.emit(&ir.Assign{At: ir.At(pos), Lhs: &ir.Deref{At: ir.At(pos), X: slot}, Rhs: init})
		if done := f.lowered.defined[v]; done != nil {
			flag := &ir.Deref{At: ir.At(pos), X: f.extern(pos, "defined", reflect.ValueOf(done))}
			f.emit(&ir.Assign{At: ir.At(pos), Lhs: flag, Rhs: boolean(pos, true)})
		}
		return
	}
	if !f.shared[v] {
		local := &ir.Var{Name: v.Name(), Typ: init.Type()}
		f.vars[v] = local
		f.emit(&ir.Define{At: ir.At(pos), Var: local, Init: init})
		return
	}
	// The value may read an outer variable of the same Go variable (a loop's copy): it is
	// evaluated before the pointer takes its name.
	ptr := reflect.PointerTo(init.Type())
	local := &ir.Var{Name: v.Name(), Typ: ptr}
	f.emit(&ir.Define{At: ir.At(pos), Var: local,
		Init: &ir.Builtin{At: ir.At(pos), Op: "new", Typ: ptr}})
	f.vars[v] = local
	if _, zero := init.(*ir.Zero); !zero {
		f.emit(&ir.Assign{At: ir.At(pos),
			Lhs: &ir.Deref{At: ir.At(pos), X: &ir.Local{At: ir.At(pos), Var: local}}, Rhs: init})
	}
}

// use returns the variable v, to be read or assigned to.
func (f *fn) use(v *types.Var, pos token.Pos) ir.Expr {
	if slot := f.slots[v]; slot != nil {
		return &ir.Deref{At: ir.At(pos), X: slot}
	}
	local := f.vars[v]
	if local == nil {
		panic("lower: variable " + v.Name() + " is used before it is declared")
	}
	if f.shared[v] {
		return &ir.Deref{At: ir.At(pos), X: &ir.Local{At: ir.At(pos), Var: local}}
	}
	return &ir.Local{At: ir.At(pos), Var: local}
}

// desc is the descriptor of t as an expression.
func (u *unit) desc(pos token.Pos, t types.Type) ir.Expr {
	d := u.types.Real(t)
	if err := d.Err(); err != nil {
		fail(pos, "%v", err)
	}
	return u.extern(pos, "type", reflect.ValueOf(d))
}

// extern gives a value of the session to core.
func (u *unit) extern(pos token.Pos, base string, v reflect.Value) *ir.Extern {
	name := u.externs[v.Interface()]
	if name == "" {
		name = u.name(base)
		u.externs[v.Interface()] = name
	}
	return &ir.Extern{At: ir.At(pos), Pkg: ir.SessionPkg, Name: name, Typ: v.Type(), Value: v}
}
