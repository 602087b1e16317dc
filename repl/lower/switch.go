package lower

// This file implements switch and select. A switch first finds the number of the clause, then
// switches on it; a clause that falls through has the next clause's body repeated in it.
//
//	switch x { case f(): a(); fallthrough     t := x; k := -1
//	           case 2: b()               →    if t == f() { k = 0 } else if t == 2 { k = 1 }
//	           default: c() }                 switch k { case 0: a(); b()  case 1: b()
//	                                                     default: c() }

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"

	"halfnote/repl/ir"
	"halfnote/repl/rt"
)

func (f *fn) switchStmt(s *ast.SwitchStmt, label string) {
	body := f.in(func() {
		f.stmt(s.Init, "")
		clauses := s.Body.List
		if tag := f.intSwitch(s); tag != nil {
			f.choose(s, label, tag, clauses, func(_ int, c *ast.CaseClause) (values []int) {
				for _, x := range c.List {
					n, _ := constant.Int64Val(constant.ToInt(f.info.Types[x].Value))
					values = append(values, int(n))
				}
				return values
			})
			return
		}
		k := f.temp(s.Pos(), "k", number(s.Pos(), -1))
		f.emit(f.chain(s, k, clauses)...)
		f.choose(s, label, k, clauses, func(i int, _ *ast.CaseClause) []int { return []int{i} })
	})
	f.emit(&ir.Block{At: ir.At(s.Pos()), Body: body})
}

// intSwitch returns the tag as an int if core can switch on it directly.
func (f *fn) intSwitch(s *ast.SwitchStmt) ir.Expr {
	if s.Tag == nil || f.info.Types[s.Tag].Value != nil {
		return nil
	}
	b, ok := f.typ(s.Tag).Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return nil
	}
	switch b.Kind() {
	case types.Uint, types.Uint64, types.Uintptr: // may not fit an int
		return nil
	}
	for _, c := range s.Body.List {
		for _, x := range c.(*ast.CaseClause).List {
			v := f.info.Types[x].Value
			if v == nil || types.IsInterface(f.typ(x)) {
				return nil
			}
			if _, exact := constant.Int64Val(constant.ToInt(v)); !exact {
				return nil
			}
		}
	}
	tag := f.expr(s.Tag)
	if tag.Type() != intStore {
		tag = &ir.Convert{At: ir.At(s.Pos()), Typ: intStore, X: tag}
	}
	return tag
}

// chain sets k to the number of the first clause that applies.
func (f *fn) chain(s *ast.SwitchStmt, k *ir.Local, clauses []ast.Stmt) []ir.Stmt {
	var tag ir.Expr
	var tagType types.Type
	if s.Tag != nil {
		tagType = defaultType(f.typ(s.Tag))
		tag = f.temp(s.Pos(), "tag", f.conv(s.Tag, tagType))
	}
	var list []ir.Stmt
	tail := &list
	for i, c := range clauses {
		for _, x := range c.(*ast.CaseClause).List {
			cond := f.caseCond(x, tag, tagType)
			set := &ir.Assign{At: ir.At(x.Pos()), Lhs: k, Rhs: number(x.Pos(), i)}
			next := &ir.If{At: ir.At(x.Pos()), Cond: cond, Then: []ir.Stmt{set}}
			*tail = append(*tail, next)
			tail = &next.Else
		}
	}
	return list
}

func (f *fn) caseCond(x ast.Expr, tag ir.Expr, tagType types.Type) ir.Expr {
	pos := x.Pos()
	switch {
	case tag == nil:
		if t := f.typ(x); types.IsInterface(t) {
			return f.equal(pos, token.EQL, f.expr(x), boolean(pos, true), t, types.Typ[types.Bool])
		}
		return f.conv(x, defaultType(f.typ(x)))
	case f.info.Types[x].IsNil() || isNil(f.typ(x)):
		return &ir.Binary{At: ir.At(pos), Op: token.EQL, X: tag,
			Y: &ir.Zero{At: ir.At(pos), Typ: tag.Type()}}
	}
	t := f.typ(x)
	if isUntyped(t) && !types.IsInterface(tagType) {
		t = tagType
	}
	return f.equal(pos, token.EQL, tag, f.conv(x, defaultType(t)), tagType, defaultType(t))
}

// choose lowers the clauses of a switch on the number k.
func (f *fn) choose(s ast.Stmt, label string, k ir.Expr, clauses []ast.Stmt,
	values func(int, *ast.CaseClause) []int) {
	e := &ir.Switch{At: ir.At(s.Pos()), Tag: k}
	t := f.target(label, false)
	f.within(t, func() {
		for i, c := range clauses {
			c := c.(*ast.CaseClause)
			clause := ir.Clause{Body: f.in(func() { f.clause(clauses, i) })}
			if c.List != nil {
				clause.Values = values(i, c)
			}
			e.Clauses = append(e.Clauses, clause)
		}
	})
	e.Label = t.irLabel()
	f.emit(e)
}

// clause lowers the body of clause i, and of those it falls through to.
func (f *fn) clause(clauses []ast.Stmt, i int) {
	list := clauses[i].(*ast.CaseClause).Body
	if n := len(list); n > 0 {
		if b, ok := list[n-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
			f.emit(&ir.Block{At: ir.At(b.Pos()), Body: f.block(list[:n-1])})
			f.clause(clauses, i+1)
			return
		}
	}
	f.stmts(list)
}

func (f *fn) typeSwitch(s *ast.TypeSwitchStmt, label string) {
	pos := s.Pos()
	var subject ast.Expr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		subject = a.X.(*ast.TypeAssertExpr).X
	case *ast.AssignStmt:
		subject = a.Rhs[0].(*ast.TypeAssertExpr).X
	}
	body := f.in(func() {
		f.stmt(s.Init, "")
		static := f.typ(subject)
		x := f.temp(pos, "x", f.erase(f.expr(subject), static))
		var descs []*rt.Desc
		e := &ir.Switch{At: ir.At(pos)}
		t := f.target(label, false)
		f.within(t, func() {
			for _, c := range s.Body.List {
				c := c.(*ast.CaseClause)
				var clause ir.Clause
				holds := static
				for _, tx := range c.List {
					clause.Values = append(clause.Values, len(descs))
					if f.info.Types[tx].IsNil() || isNil(f.typ(tx)) {
						descs = append(descs, nil)
					} else {
						descs = append(descs, f.types.Real(f.typ(tx)))
						if len(c.List) == 1 {
							holds = f.typ(tx)
						}
					}
				}
				clause.Body = f.in(func() {
					if v, ok := f.info.Implicits[c].(*types.Var); ok {
						f.define(v, f.extract(x, holds), c.Pos())
					}
					f.stmts(c.Body)
				})
				e.Clauses = append(e.Clauses, clause)
			}
		})
		table := f.extern(pos, "cases", reflect.ValueOf(rt.NewCases(descs...)))
		e.Tag = f.call(pos, "Case", x, table)
		e.Label = t.irLabel()
		f.emit(e)
	})
	f.emit(&ir.Block{At: ir.At(pos), Body: body})
}

func (f *fn) selectStmt(s *ast.SelectStmt, label string) {
	e := &ir.Select{At: ir.At(s.Pos())}
	t := f.target(label, false)
	f.within(t, func() {
		for _, c := range s.Body.List {
			c := c.(*ast.CommClause)
			e.Clauses = append(e.Clauses, f.comm(c))
		}
	})
	e.Label = t.irLabel()
	f.emit(e)
}

func (f *fn) comm(c *ast.CommClause) ir.Comm {
	out := ir.Comm{At: ir.At(c.Pos())}
	var start func()
	switch s := c.Comm.(type) {
	case *ast.SendStmt:
		out.Chan = f.expr(s.Chan)
		out.Send = f.conv(s.Value, coreOf(f.typ(s.Chan)).(*types.Chan).Elem())
	case *ast.ExprStmt:
		out.Chan = f.expr(ast.Unparen(s.X).(*ast.UnaryExpr).X)
	case *ast.AssignStmt:
		ch := ast.Unparen(s.Rhs[0]).(*ast.UnaryExpr).X
		out.Chan = f.expr(ch)
		elem := f.subst(f.env, coreOf(f.typ(ch)).(*types.Chan).Elem())
		start = func() { f.received(&out, s, elem) }
	}
	out.Body = f.in(func() {
		if start != nil {
			start()
		}
		f.stmts(c.Body)
	})
	return out
}

// received gives the left side of a receive in a select its values.
func (f *fn) received(out *ir.Comm, s *ast.AssignStmt, elem types.Type) {
	for i, lhs := range s.Lhs {
		if blank(lhs) {
			continue
		}
		t := elem
		if i == 1 {
			t = types.Typ[types.Bool]
		}
		v := &ir.Var{Name: "v", Typ: f.storage(lhs.Pos(), t)}
		if i == 0 {
			out.Value = v
		} else {
			out.Ok = v
		}
		value := &ir.Local{At: ir.At(lhs.Pos()), Var: v}
		if d := f.assigned(lhs); d != nil {
			f.define(d, f.convert(value, t, d.Type()), lhs.Pos())
		} else {
			f.emit(&ir.Assign{At: ir.At(lhs.Pos()), Lhs: f.expr(lhs),
				Rhs: f.convert(value, t, f.typ(lhs))})
		}
	}
}
