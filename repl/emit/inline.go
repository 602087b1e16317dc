package emit

import (
	"go/ast"
	"reflect"
	"slices"

	"halfnote/repl/ir"
)

// This file writes short functions out where they are called. A call costs some 250 ns, as much as
// a dozen of the statements that most methods consist of.
//
//	s += c.area(2)   →   p = 2; { r = c.w * p }; s += r
//
// A function is short if it has few statements, among them no loop, and returns only at the end of
// its branches. A function that a cell defines anew is no problem: what calls it is lowered again.

const (
	inlineSize  = 8   // statements of a function that is written out
	inlineTerms = 60  // its expressions
	inlineDepth = 3   // functions written out in each other
	inlineTotal = 400 // statements that come into one function in this way
)

// inline writes out the call x, if it can. Then ok is true, and result the function's result, if it
// has one.
func (f *fn) inline(x *ir.Call) (result ast.Expr, ok bool) {
	ref, isRef := x.Fun.(*ir.FuncRef)
	if !isRef || !f.worthwhile(ref.Func) || slices.ContainsFunc(x.Args, func(a ir.Expr) bool {
		several, _ := severalResults(a)
		return several != nil
	}) {
		return nil, false
	}
	fun := ref.Func
	f.inlined += size(fun.Body)
	names := make([]string, len(fun.Params))
	for i, p := range fun.Params {
		names[i] = f.passed(fun, p, x.Args[i])
	}
	for i, p := range fun.Params { // not before: the arguments may call the same function
		if p != nil {
			f.names[p] = names[i]
		}
	}
	if !fun.Pos.IsValid() {
		f.mark(x.Pos())
	}
	f.unit.findBoxes(fun.Body)
	within, chain := f.within, f.chain
	f.within, f.depth = append(slices.Clone(within), fun), f.depth+1
	f.chain = append(slices.Clone(chain), Written{fun.Label, x.Pos()})
	defer func() { f.within, f.depth, f.chain = within, f.depth-1, chain }()
	if fun.Typ.NumOut() == 0 {
		f.add(f.block(tails(fun.Body, nil)))
		return nil, true
	}
	r := &ir.Var{Name: "r", Typ: fun.Typ.Out(0)}
	f.slot(f.declare(r), r.Typ, x.Pos())
	f.add(f.block(tails(fun.Body, r)))
	return f.local(r, x.Pos()), true
}

// worthwhile reports whether fun is to be written out at the present place.
func (f *fn) worthwhile(fun *ir.Func) bool {
	if f.once && !slices.ContainsFunc(f.loops, func(l loop) bool { return !l.isSwitch }) {
		return false
	}
	return f.depth < inlineDepth && f.inlined < inlineTotal &&
		!slices.Contains(f.within, fun) && f.short(fun)
}

// passed gives p the value arg and returns p's name. A variable that p only stands for is not
// copied.
func (f *fn) passed(fun *ir.Func, p *ir.Var, arg ir.Expr) string {
	if l, ok := arg.(*ir.Local); ok && (p == nil || l.Var.Typ == p.Typ && !assigns(fun.Body, p)) {
		return f.names[l.Var]
	}
	name, t := f.name("_"), arg.Type()
	if p != nil {
		name, t = f.name(p.Name), p.Typ
	}
	init := f.value(arg)
	f.add(f.variable(name, t, init, arg.Pos()))
	return name
}

// assigns reports whether list assigns to v.
func assigns(list []ir.Stmt, v *ir.Var) (yes bool) {
	for _, s := range list {
		if a, ok := s.(*ir.Assign); ok {
			root := a.Lhs
			for {
				if x, ok := root.(*ir.Field); ok && x.X.Type().Kind() == reflect.Struct {
					root = x.X
				} else if x, ok := root.(*ir.Index); ok && x.X.Type().Kind() == reflect.Array {
					root = x.X
				} else {
					break
				}
			}
			if l, ok := root.(*ir.Local); ok && l.Var == v {
				return true
			}
		}
	}
	ir.Blocks(list, func(body []ir.Stmt) { yes = yes || assigns(body, v) })
	return yes
}

// short reports whether fun can be written out.
func (e *Emitter) short(fun *ir.Func) bool {
	known, ok := e.shorts[fun]
	if !ok {
		terms := 0
		known = !fun.Variadic && resultAssignable(fun) && size(fun.Body) <= inlineSize &&
			plain(fun.Body, fun, &terms) && terms <= inlineTerms &&
			(returns(fun.Body) || fun.Typ.NumOut() == 0) && tailed(fun.Body)
		e.shorts[fun] = known
	}
	return known
}

// resultAssignable reports whether fun has at most one result and yaegi can assign it.
func resultAssignable(fun *ir.Func) bool {
	if fun.Typ.NumOut() != 1 {
		return fun.Typ.NumOut() == 0
	}
	k := fun.Typ.Out(0).Kind()
	return k != reflect.Func && k != reflect.Chan
}

// plain reports whether list holds only statements and expressions that mean the same elsewhere,
// and no call of fun. It counts the expressions.
func plain(list []ir.Stmt, fun *ir.Func, terms *int) bool {
	ok := func(xs ...ir.Expr) bool { return plainExprs(fun, terms, xs...) }
	for _, s := range list {
		good := false
		switch s := s.(type) {
		case *ir.Define:
			good = ok(s.Init)
		case *ir.DefineMany:
			good = ok(s.X)
		case *ir.Assign:
			good = ok(s.Lhs, s.Rhs)
		case *ir.ExprStmt:
			good = ok(s.X)
		case *ir.Send:
			good = ok(s.Chan, s.X)
		case *ir.If:
			good = ok(s.Cond) && plain(s.Then, fun, terms) && plain(s.Else, fun, terms)
		case *ir.Block:
			good = !returnsAnywhere(s.Body) && plain(s.Body, fun, terms)
		case *ir.Return:
			good = ok(s.Results...)
		}
		if !good {
			return false
		}
	}
	return true
}

func plainExprs(fun *ir.Func, terms *int, xs ...ir.Expr) bool {
	for _, x := range xs {
		*terms++
		switch x := x.(type) {
		case nil:
			continue
		case *ir.Closure:
			return false
		case *ir.FuncRef:
			if x.Func == fun {
				return false
			}
		case *ir.Extern:
			if x.Pkg == ir.RuntimePkg && x.Name == "Me" {
				return false // it asks who has called the function
			}
		}
		if !plainExprs(fun, terms, ir.Operands(x)...) {
			return false
		}
	}
	return true
}

// returns reports whether list ends with a return in each of its branches.
func returns(list []ir.Stmt) bool {
	for i, s := range list {
		switch s := s.(type) {
		case *ir.Return:
			return true
		case *ir.If:
			rest := list[i+1:]
			if returnsAnywhere(s.Then) || returnsAnywhere(s.Else) {
				return (returns(s.Then) || returns(rest)) && (returns(s.Else) || returns(rest))
			}
		}
	}
	return false
}

// tailed reports whether what follows an if of list in which there is a return can be made part of
// one of its branches.
func tailed(list []ir.Stmt) bool {
	for i, s := range list {
		s, ok := s.(*ir.If)
		if !ok {
			continue
		}
		if !tailed(s.Then) || !tailed(s.Else) {
			return false
		}
		if i < len(list)-1 && (returnsAnywhere(s.Then) || returnsAnywhere(s.Else)) &&
			!returns(s.Then) && !returns(s.Else) {
			return false
		}
	}
	return true
}

func returnsAnywhere(list []ir.Stmt) (yes bool) {
	for _, s := range list {
		if _, ok := s.(*ir.Return); ok {
			return true
		}
	}
	ir.Blocks(list, func(body []ir.Stmt) { yes = yes || returnsAnywhere(body) })
	return yes
}

// tails returns list with assignments to r, if that is not nil, in place of its returns.
func tails(list []ir.Stmt, r *ir.Var) []ir.Stmt {
	var out []ir.Stmt
	for i, s := range list {
		switch s := s.(type) {
		case *ir.Return:
			if r != nil {
				out = append(out, &ir.Assign{
					At: s.At, Lhs: &ir.Local{At: s.At, Var: r}, Rhs: s.Results[0],
				})
			}
			return out
		case *ir.If:
			if !returnsAnywhere(s.Then) && !returnsAnywhere(s.Else) {
				break
			}
			then, other, rest := s.Then, s.Else, list[i+1:]
			if returns(then) {
				other = slices.Concat(other, rest)
			} else {
				then = slices.Concat(then, rest)
			}
			return append(out, &ir.If{
				At: s.At, Cond: s.Cond, Then: tails(then, r), Else: tails(other, r),
			})
		}
		out = append(out, s)
	}
	return out
}
