package lower

// This file implements statements other than loops and switches.

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"slices"

	"halfnote/repl/ir"
)

func (f *fn) stmts(list []ast.Stmt) {
	for _, s := range list {
		f.stmt(s, "")
	}
}

// block lowers statements into a list of their own.
func (f *fn) block(list []ast.Stmt) []ir.Stmt { return f.in(func() { f.stmts(list) }) }

// stmt lowers one statement; label is that of a labelled statement, else "".
func (f *fn) stmt(s ast.Stmt, label string) {
	at := ir.At(0)
	if s != nil {
		at = ir.At(s.Pos())
	}
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
	case *ast.ExprStmt:
		if f.isResult(s.X) {
			f.cellResult(s.X)
			return
		}
		f.emit(&ir.ExprStmt{At: at, X: f.expr(s.X)})
	case *ast.SendStmt:
		ch := f.expr(s.Chan)
		elem := coreOf(f.typ(s.Chan)).(*types.Chan).Elem()
		f.emit(&ir.Send{At: at, Chan: ch, X: f.conv(s.Value, elem)})
	case *ast.IncDecStmt:
		f.operate(s.X, assignOps[s.Tok], nil, s.Pos())
	case *ast.AssignStmt:
		f.assign(s)
	case *ast.DeclStmt:
		f.declStmt(s.Decl.(*ast.GenDecl))
	case *ast.GoStmt:
		f.goStmt(s)
	case *ast.DeferStmt:
		f.deferStmt(s)
	case *ast.ReturnStmt:
		f.returnStmt(s)
	case *ast.BranchStmt:
		f.branch(s)
	case *ast.BlockStmt:
		f.emit(&ir.Block{At: at, Body: f.block(s.List)})
	case *ast.IfStmt:
		f.ifStmt(s)
	case *ast.LabeledStmt:
		f.labeled(s)
	case *ast.ForStmt:
		f.forStmt(s, label)
	case *ast.RangeStmt:
		f.rangeStmt(s, label)
	case *ast.SwitchStmt:
		f.switchStmt(s, label)
	case *ast.TypeSwitchStmt:
		f.typeSwitch(s, label)
	case *ast.SelectStmt:
		f.selectStmt(s, label)
	default:
		fail(s.Pos(), "this statement (%T)", s)
	}
}

func (f *fn) ifStmt(s *ast.IfStmt) {
	list := f.in(func() {
		if s.Init != nil {
			f.stmt(s.Init, "")
		}
		e := &ir.If{At: ir.At(s.Pos()), Cond: f.conv(s.Cond, defaultType(f.typ(s.Cond)))}
		e.Then = f.block(s.Body.List)
		if s.Else != nil {
			e.Else = f.in(func() { f.stmt(s.Else, "") })
		}
		f.emit(e)
	})
	if s.Init != nil {
		f.emit(&ir.Block{At: ir.At(s.Pos()), Body: list})
		return
	}
	f.emit(list...)
}

func (f *fn) declStmt(d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	for _, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		if len(spec.Values) > 0 {
			lhs := make([]ast.Expr, len(spec.Names))
			for i, id := range spec.Names {
				lhs[i] = id
			}
			f.assign(&ast.AssignStmt{
				Lhs: lhs, TokPos: spec.Pos(), Tok: token.DEFINE, Rhs: spec.Values,
			})
			continue
		}
		for _, id := range spec.Names {
			if v, ok := f.info.Defs[id].(*types.Var); ok && id.Name != "_" {
				pos := id.Pos()
				f.define(v, &ir.Zero{At: ir.At(pos), Typ: f.st(pos, v.Type())}, pos)
			}
		}
	}
}

func (f *fn) assign(s *ast.AssignStmt) {
	switch {
	case s.Tok != token.ASSIGN && s.Tok != token.DEFINE:
		f.operate(s.Lhs[0], assignOps[s.Tok], s.Rhs[0], s.Pos())
	case len(s.Lhs) == 1:
		f.assignOne(s.Lhs[0], s.Rhs[0], s.Pos())
	case len(s.Lhs) == len(s.Rhs):
		f.assignParallel(s)
	default:
		f.assignTuple(s)
	}
}

var one = constant.MakeInt64(1)

var assignOps = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB, token.MUL_ASSIGN: token.MUL,
	token.QUO_ASSIGN: token.QUO, token.REM_ASSIGN: token.REM, token.AND_ASSIGN: token.AND,
	token.OR_ASSIGN: token.OR, token.XOR_ASSIGN: token.XOR, token.SHL_ASSIGN: token.SHL,
	token.SHR_ASSIGN: token.SHR, token.AND_NOT_ASSIGN: token.AND_NOT,
	token.INC: token.ADD, token.DEC: token.SUB,
}

// assigned returns the variable that an assignment declares, or nil.
func (f *fn) assigned(lhs ast.Expr) *types.Var {
	if id, ok := lhs.(*ast.Ident); ok {
		v, _ := f.info.Defs[id].(*types.Var)
		return v
	}
	return nil
}

func blank(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	return ok && id.Name == "_"
}

func (f *fn) assignOne(lhs, rhs ast.Expr, pos token.Pos) {
	switch v := f.assigned(lhs); {
	case blank(lhs):
		if f.isResult(rhs) {
			f.cellResult(rhs)
			return
		}
		t := f.typ(rhs)
		if v != nil {
			t = f.subst(f.env, v.Type()) // var _ T = x
		}
		if !isNil(t) && f.info.Types[rhs].Value == nil {
			f.emit(&ir.ExprStmt{At: ir.At(pos), X: f.conv(rhs, t)})
		}
	case v != nil:
		f.define(v, f.conv(rhs, v.Type()), pos)
	default:
		t := f.typ(lhs)
		f.emit(&ir.Assign{At: ir.At(pos), Lhs: f.expr(lhs), Rhs: f.toPlace(f.conv(rhs, t), lhs)})
	}
}

// operate lowers lhs op= rhs, and ++ and -- with a nil rhs.
func (f *fn) operate(lhs ast.Expr, op token.Token, rhs ast.Expr, pos token.Pos) {
	t := f.typ(lhs)
	place := f.expr(lhs)
	at := ir.At(pos)
	e := &ir.Binary{At: at, Op: op, X: place}
	switch {
	case rhs == nil:
		e.Y = f.constant(pos, one, t)
	case op == token.SHL || op == token.SHR:
		e.Y = f.shiftCount(rhs)
	default:
		e.Y = f.conv(rhs, t)
	}
	if !steady(place) {
		f.callsFirst(append(operands(place), &e.Y)...)
		f.settle(place)
	}
	f.emit(&ir.Assign{At: at, Lhs: place, Rhs: e})
}

// steady reports whether evaluating what is assigned to twice is the same, whatever is evaluated
// between the two: a variable, what a local pointer points to, or a field of these.
func steady(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Local:
		return true
	case *ir.Field:
		if e.X.Type().Kind() == reflect.Pointer {
			_, local := e.X.(*ir.Local)
			return local
		}
		return steady(e.X)
	case *ir.Deref:
		switch e.X.(type) {
		case *ir.Extern, *ir.Local:
			return true
		}
	}
	return false
}

// settle evaluates the operands of an index or a pointer indirection into variables.
func (f *fn) settle(e ir.Expr) {
	switch e := e.(type) {
	case *ir.Index:
		if e.X.Type().Kind() == reflect.Array { // an array is a part of a variable
			f.settle(e.X)
		} else {
			e.X = f.once(e.X)
		}
		e.I = f.once(e.I)
	case *ir.Deref:
		e.X = f.once(e.X)
	case *ir.Field:
		if e.X.Type().Kind() == reflect.Pointer {
			e.X = f.once(e.X)
		} else {
			f.settle(e.X)
		}
	}
}

// once returns x evaluated now, unless evaluating it twice is the same.
func (f *fn) once(x ir.Expr) ir.Expr {
	switch x := x.(type) {
	case *ir.Const, *ir.Extern:
		return x
	}
	return f.temp(x.Pos(), "at", x)
}

// places lowers what stands on the left side of an assignment, with nil for new variables and _.
// Their parts are what must be evaluated once, before anything is assigned.
func (f *fn) places(lhs []ast.Expr) (places []ir.Expr, parts []*ir.Expr) {
	places = make([]ir.Expr, len(lhs))
	for i, x := range lhs {
		if !blank(x) && f.assigned(x) == nil {
			places[i] = f.expr(x)
			parts = append(parts, operands(places[i])...)
		}
	}
	return places, parts
}

// assignParallel lowers a, b = x, y: operands, then values, then assignments from left to right.
func (f *fn) assignParallel(s *ast.AssignStmt) {
	places, parts := f.places(s.Lhs)
	values := make([]ir.Expr, len(s.Rhs))
	for i, rhs := range s.Rhs {
		t := f.typ(rhs)
		if v := f.assigned(s.Lhs[i]); v != nil {
			t = v.Type()
		} else if places[i] != nil {
			t = f.typ(s.Lhs[i])
		}
		if isNil(t) {
			continue
		}
		values[i] = f.conv(rhs, t)
		parts = append(parts, &values[i])
	}
	f.callsFirst(parts...)
	for _, p := range places {
		f.settle(p)
	}
	for i, v := range values {
		if v != nil {
			values[i] = f.temp(v.Pos(), "v", v)
		}
	}
	f.store(s.Lhs, places, values)
}

// store gives the places and new variables on the left their values.
func (f *fn) store(lhs []ast.Expr, places, values []ir.Expr) {
	for i, x := range lhs {
		switch v := f.assigned(x); {
		case blank(x) || values[i] == nil:
		case v != nil:
			f.define(v, values[i], x.Pos())
		default:
			value := f.toPlace(values[i], x)
			f.emit(&ir.Assign{At: ir.At(x.Pos()), Lhs: places[i], Rhs: value})
		}
	}
}

// assignTuple lowers a, b = f() and the forms with ok.
func (f *fn) assignTuple(s *ast.AssignStmt) {
	places, parts := f.places(s.Lhs)
	rhs := ast.Unparen(s.Rhs[0])
	tuple := f.tupleType(rhs)
	settle := func() {
		for _, p := range places {
			f.settle(p)
		}
	}
	if slices.ContainsFunc(parts, hasCall) {
		settle()
		settle = func() {}
	}
	values := f.spread(rhs, tuple)
	settle()
	out := make([]ir.Expr, len(values))
	for i, v := range values {
		t := tuple.At(i).Type()
		to := t
		if d := f.assigned(s.Lhs[i]); d != nil {
			to = d.Type()
		} else if places[i] != nil {
			to = f.typ(s.Lhs[i])
		}
		out[i] = f.convert(v, t, to)
	}
	f.store(s.Lhs, places, out)
}

// tupleType is the types of what rhs gives when two or more values are asked of it.
func (f *fn) tupleType(rhs ast.Expr) *types.Tuple {
	if tuple, ok := f.typ(rhs).(*types.Tuple); ok {
		return tuple
	}
	return tupleOf([]types.Type{f.typ(rhs), types.Typ[types.Bool]})
}

// spread evaluates an expression with several values into variables.
func (f *fn) spread(rhs ast.Expr, tuple *types.Tuple) []*ir.Local {
	rhs = ast.Unparen(rhs)
	var e ir.Expr
	switch x := rhs.(type) {
	case *ast.TypeAssertExpr:
		e = f.assertion(x, true)
	case *ast.IndexExpr:
		e = f.index(x)
	case *ast.UnaryExpr:
		e = &ir.Recv{At: ir.At(x.Pos()), X: f.expr(x.X)}
	default:
		e = f.expr(rhs)
	}
	at := ir.At(rhs.Pos())
	d := &ir.DefineMany{At: at, X: e}
	locals := make([]*ir.Local, tuple.Len())
	for i := range locals {
		v := &ir.Var{Name: "t", Typ: f.st(rhs.Pos(), defaultType(tuple.At(i).Type()))}
		d.Vars = append(d.Vars, v)
		locals[i] = &ir.Local{At: at, Var: v}
	}
	f.emit(d)
	return locals
}
