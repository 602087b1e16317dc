package emit

import (
	"go/ast"
	"go/constant"
	"go/token"
	"reflect"

	"halfnote/repl/ir"
)

func (f *fn) stmt(s ir.Stmt) {
	f.markFor(s)
	switch s := s.(type) {
	case *ir.Define:
		f.define(s)
	case *ir.DefineMany:
		f.defineMany(s)
	case *ir.Assign:
		f.assign(s)
	case *ir.ExprStmt:
		f.exprStmt(s)
	case *ir.Send:
		if t := s.Chan.Type(); recursive(t, t, nil) {
			f.sendItself(s)
			return
		}
		list := f.list([]ir.Expr{s.Chan, s.X}, func(x ir.Expr) ast.Expr {
			if x == s.Chan {
				return f.channel(x)
			}
			return f.elem(x)
		})
		f.mark(s.Pos()) // again: the operands may have noted others
		f.add(&ast.SendStmt{Chan: list[0], Arrow: s.Pos(), Value: list[1]})
	case *ir.If:
		f.ifStmt(s)
	case *ir.Loop:
		f.loop(s)
	case *ir.Range:
		f.rangeLoop(s)
	case *ir.Switch:
		f.switchStmt(s)
	case *ir.Select:
		f.selectStmt(s)
	case *ir.Block:
		f.add(f.block(s.Body))
	case *ir.Label:
		f.add(label(userLabel(s.Name), s.Pos()))
	case *ir.Goto:
		f.jump(token.GOTO, userLabel(s.Label), s.Pos())
	case *ir.Break:
		f.breakStmt(s)
	case *ir.Continue:
		f.continueStmt(s)
	case *ir.Return:
		f.returnStmt(s)
	default:
		fail("statement %T", s)
	}
}

// sendItself emits a send to a channel of a type that contains itself, about which yaegi's send does
// not know the type of the elements:
//
//	type T chan T; t <- t // panics with a nil pointer
func (f *fn) sendItself(s *ir.Send) {
	clause := ir.Comm{At: s.At, Chan: s.Chan, Send: s.X}
	f.stmt(&ir.Select{At: s.At, Clauses: []ir.Comm{clause}})
}

func (f *fn) define(s *ir.Define) {
	if z, ok := s.Init.(*ir.Zero); ok && zeroConst(z) == nil {
		f.add(f.variable(f.declare(s.Var), z.Typ, nil, s.Pos()))
		return
	}
	// The name comes after the value, which may use a variable of the same name.
	init := f.value(s.Init)
	f.add(f.variable(f.declare(s.Var), s.Var.Typ, init, s.Pos()))
}

// defineMany declares variables and then assigns to them: := keeps the value of the last time when
// a key is missing or an assertion fails.
//
//	for … { v, ok := m[k] } // v stays
func (f *fn) defineMany(s *ir.DefineMany) {
	if x, ok := s.X.(*ir.Assert); ok {
		f.assertOk(s, x)
		return
	}
	var types []reflect.Type
	var rhs ast.Expr
	switch x := s.X.(type) {
	case *ir.Call:
		types = x.Results()
		rhs = f.call(x)
	case *ir.Index:
		types = []reflect.Type{x.Type(), boolType}
		rhs = f.index(x)
	case *ir.Recv:
		types = []reflect.Type{x.Type(), boolType}
		rhs = &ast.UnaryExpr{Op: token.ARROW, OpPos: x.Pos(), X: f.channel(x.X)}
	default:
		fail("several values of %T", s.X)
	}
	f.assignMany(s, types, rhs)
}

func (f *fn) assignMany(s *ir.DefineMany, types []reflect.Type, rhs ast.Expr) {
	var lhs []ast.Expr
	for i, v := range s.Vars {
		name := f.name("_")
		t := types[i]
		if v != nil {
			name, t = f.declare(v), v.Typ
		}
		if _, call := rhs.(*ast.CallExpr); call && slotted(t) {
			f.slot(name, t, s.Pos())
		} else {
			f.add(f.variable(name, t, nil, s.Pos()))
		}
		lhs = append(lhs, ident(name, s.Pos()))
	}
	f.add(&ast.AssignStmt{Lhs: lhs, TokPos: s.Pos(), Tok: token.ASSIGN, Rhs: []ast.Expr{rhs}})
}

// assertOk emits v, ok := x.(T). yaegi asks whether a T can be assigned, which a value of another
// type may be:
//
//	var x any = url.Values{}; _, ok := x.(map[string][]string) // true
func (f *fn) assertOk(s *ir.DefineMany, x *ir.Assert) {
	v := f.simple(x.X)
	holds := &ast.TypeAssertExpr{X: v, Type: f.typ(x.Typ)}
	if exactAssert(x.Typ) {
		f.assignMany(s, []reflect.Type{x.Typ, boolType}, holds)
		return
	}
	value, ok := f.name("_"), f.name("_")
	if s.Vars[0] != nil {
		value = f.declare(s.Vars[0])
	}
	if s.Vars[1] != nil {
		ok = f.declare(s.Vars[1])
	}
	test := &ast.CallExpr{Fun: f.runtime("Has", s.Pos()), Args: []ast.Expr{v, f.typeValue(x.Typ)}}
	f.add(f.variable(value, x.Typ, nil, s.Pos()), f.variable(ok, boolType, test, s.Pos()))
	f.add(&ast.IfStmt{Cond: ident(ok, s.Pos()), Body: &ast.BlockStmt{List: []ast.Stmt{
		assign(ident(value, s.Pos()), holds),
	}}})
}

// exactAssert reports whether no other type can be assigned to t.
func exactAssert(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Map, reflect.Func, reflect.Chan, reflect.Array, reflect.Struct,
		reflect.Pointer:
		return false
	}
	return true
}

// typeValue returns t as a value of type reflect.Type.
func (e *Emitter) typeValue(t reflect.Type) ast.Expr {
	type key struct{ reflect.Type }
	return e.symbol(key{t}, reflect.ValueOf(&t).Elem(), token.NoPos)
}

// assign emits an assignment of one value. Where yaegi writes the result of a call or a literal
// straight to the destination, it may replace what it should set:
//
//	*p = pkg.F() // of function type: *p stays
//	s.a = T{}    // s.a stays
//	m[k] = *p    // if p is nil: the key goes
func (f *fn) assign(s *ir.Assign) {
	if f.update(s) {
		return
	}
	var rhs ast.Expr
	before := f.collect(func() { rhs = f.assigned(s) })
	lhs := s.Lhs
	if len(before) > 0 {
		lhs = f.pinned(lhs)
		f.add(before...)
	}
	f.add(&ast.AssignStmt{
		Lhs: []ast.Expr{f.lhs(lhs)}, TokPos: s.Pos(), Tok: token.ASSIGN, Rhs: []ast.Expr{rhs},
	})
}

// update emits x = x + y as x += y, for which yaegi reads x once. It reports whether s is such an
// assignment.
func (f *fn) update(s *ir.Assign) bool {
	b, ok := s.Rhs.(*ir.Binary)
	if !ok || updates[b.Op] == 0 || !samePlace(s.Lhs, b.X) || calls(b.Y) {
		return false
	}
	if isOne(b.Y) && steps[b.Op] != 0 {
		f.add(&ast.IncDecStmt{X: f.lhs(s.Lhs), TokPos: s.Pos(), Tok: steps[b.Op]})
		return true
	}
	operand := f.expr
	if b.Op == token.SHL || b.Op == token.SHR {
		operand = func(y ir.Expr) ast.Expr { return f.shiftCount(y, s.Lhs.Type()) }
	}
	y := operand(b.Y)
	f.add(&ast.AssignStmt{
		Lhs: []ast.Expr{f.lhs(s.Lhs)}, TokPos: s.Pos(), Tok: updates[b.Op], Rhs: []ast.Expr{y},
	})
	return true
}

var updates = map[token.Token]token.Token{
	token.ADD: token.ADD_ASSIGN, token.SUB: token.SUB_ASSIGN, token.MUL: token.MUL_ASSIGN,
	token.QUO: token.QUO_ASSIGN, token.REM: token.REM_ASSIGN, token.AND: token.AND_ASSIGN,
	token.OR: token.OR_ASSIGN, token.XOR: token.XOR_ASSIGN, token.SHL: token.SHL_ASSIGN,
	token.SHR: token.SHR_ASSIGN, token.AND_NOT: token.AND_NOT_ASSIGN,
}

var steps = map[token.Token]token.Token{token.ADD: token.INC, token.SUB: token.DEC}

// isOne reports whether x is 1 of a type of which yaegi can count one up and down.
func isOne(x ir.Expr) bool {
	c, ok := x.(*ir.Const)
	return ok && c.Typ.Kind() >= reflect.Int && c.Typ.Kind() <= reflect.Uint64 &&
		constant.Compare(c.Val, token.EQL, constant.MakeInt64(1))
}

// samePlace reports whether x and y are the same variable, or the same part of what one points to,
// given that nothing is evaluated in between.
func samePlace(x, y ir.Expr) bool {
	if x.Type() != y.Type() {
		return false
	}
	switch x := x.(type) {
	case *ir.Local:
		y, ok := y.(*ir.Local)
		return ok && x.Var == y.Var
	case *ir.Extern:
		y, ok := y.(*ir.Extern)
		return ok && x.Value.IsValid() && y.Value.IsValid() &&
			x.Value.Interface() == y.Value.Interface()
	case *ir.Deref:
		y, ok := y.(*ir.Deref)
		return ok && samePlace(x.X, y.X)
	case *ir.Field:
		y, ok := y.(*ir.Field)
		return ok && x.I == y.I && samePlace(x.X, y.X)
	case *ir.Index:
		y, ok := y.(*ir.Index)
		return ok && x.X.Type().Kind() != reflect.Map && samePlace(x.X, y.X) && samePlace(x.I, y.I)
	case *ir.Const:
		y, ok := y.(*ir.Const)
		return ok && constant.Compare(x.Val, token.EQL, y.Val)
	}
	return false
}

// assigned emits the right side of s.
func (f *fn) assigned(s *ir.Assign) ast.Expr {
	switch x := s.Rhs.(type) {
	case *ir.Call:
		if _, local := s.Lhs.(*ir.Local); local && x.Type().Kind() != reflect.Func {
			return f.expr(x)
		}
	case *ir.Local, *ir.Const, *ir.Zero, *ir.Iface:
		return f.nilOr(x)
	case *ir.Binary:
		if x.Op != token.LAND && x.Op != token.LOR {
			return f.expr(x)
		}
	case *ir.Convert:
		if _, local := s.Lhs.(*ir.Local); local && isNumber(x.Typ) && isNumber(x.X.Type()) {
			return f.expr(x)
		}
	case *ir.Index, *ir.Field, *ir.Deref:
		if to, ok := s.Lhs.(*ir.Index); !ok || to.X.Type().Kind() != reflect.Map {
			return f.expr(x)
		}
	}
	return f.simple(s.Rhs)
}

func isNumber(t reflect.Type) bool {
	return t.Kind() >= reflect.Int && t.Kind() <= reflect.Complex128
}

// pinned returns the destination x with its operands in variables, so that what they are does not
// change before the assignment.
func (f *fn) pinned(x ir.Expr) ir.Expr {
	switch x := x.(type) {
	case *ir.Deref:
		return &ir.Deref{At: x.At, X: f.pin(x.X)}
	case *ir.Field:
		if x.X.Type().Kind() == reflect.Pointer {
			return &ir.Field{At: x.At, X: f.pin(x.X), I: x.I}
		}
		return &ir.Field{At: x.At, X: f.pinned(x.X), I: x.I}
	case *ir.Index:
		if x.X.Type().Kind() == reflect.Array {
			return &ir.Index{At: x.At, X: f.pinned(x.X), I: f.pin(x.I)}
		}
		return &ir.Index{At: x.At, X: f.pin(x.X), I: f.pin(x.I)}
	}
	return x
}

// pin puts x in a variable.
func (f *fn) pin(x ir.Expr) ir.Expr {
	if stable(x) {
		return x
	}
	v := &ir.Var{Name: "t", Typ: x.Type()}
	f.define(&ir.Define{At: ir.At(x.Pos()), Var: v, Init: x})
	return &ir.Local{At: ir.At(x.Pos()), Var: v}
}

// lhs emits a destination.
func (f *fn) lhs(x ir.Expr) ast.Expr {
	switch x := x.(type) {
	case *ir.Local, *ir.Field, *ir.Index:
		return f.expr(x)
	case *ir.Deref:
		if p, ok := x.X.(*ir.Extern); ok && !p.Value.IsValid() {
			// yaegi takes a package's variable for a constant.
			return &ast.StarExpr{Star: x.Pos(), X: f.simple(p)}
		}
		return f.expr(x)
	}
	fail("assignment to %T", x)
	return nil
}

func (f *fn) exprStmt(s *ir.ExprStmt) {
	switch x := s.X.(type) {
	case *ir.Call:
		f.callStmt(x)
		return
	case *ir.Builtin:
		if x.Typ == nil || x.Op == "copy" {
			f.add(&ast.ExprStmt{X: f.builtin(x)})
			return
		}
	}
	f.simple(s.X)
}

func (f *fn) ifStmt(s *ir.If) {
	if c, ok := s.Cond.(*ir.Const); ok {
		body := s.Else
		if constant.BoolVal(c.Val) {
			body = s.Then
		}
		f.add(f.block(body))
		return
	}
	stmt := &ast.IfStmt{If: s.Pos(), Cond: f.cond(s.Cond), Body: f.block(s.Then)}
	if len(s.Else) > 0 {
		stmt.Else = f.block(s.Else)
	}
	f.add(stmt)
}

// returnStmt emits a return. Of several results each is put in a variable first: yaegi computes
// some at the place of the first result.
//
//	return x, len(s) // len(s), len(s)
func (f *fn) returnStmt(s *ir.Return) {
	results := f.spreadResults(nil, s.Results)
	ret := &ast.ReturnStmt{Return: s.Pos()}
	switch {
	case len(results) > 1:
		ret.Results = f.list(results, f.elem)
	case len(results) == 1:
		switch results[0].(type) {
		case *ir.Call, *ir.Binary, *ir.Local, *ir.Const, *ir.Index, *ir.Field, *ir.Deref:
			ret.Results = []ast.Expr{f.expr(results[0])}
		default:
			ret.Results = []ast.Expr{f.elem(results[0])}
		}
	}
	f.add(ret)
}

// switchStmt emits a switch over int constants.
func (f *fn) switchStmt(s *ir.Switch) {
	tag := f.simple(s.Tag)
	name := f.enter(loop{label: s.Label, isSwitch: true})
	stmt := &ast.SwitchStmt{Switch: s.Pos(), Tag: tag, Body: &ast.BlockStmt{}}
	var last *ast.CaseClause
	for _, c := range s.Clauses {
		// A block of its own, for yaegi looks for labels only in blocks.
		clause := &ast.CaseClause{Body: []ast.Stmt{f.block(c.Body)}}
		for _, v := range c.Values {
			clause.List = append(clause.List, f.constant(&ir.Const{
				Typ: intType, Val: constant.MakeInt64(int64(v)),
			}))
		}
		if c.Values == nil {
			last = clause // yaegi expects it there
			continue
		}
		stmt.Body.List = append(stmt.Body.List, clause)
	}
	if last != nil {
		stmt.Body.List = append(stmt.Body.List, last)
	}
	f.leave(name, stmt)
}
