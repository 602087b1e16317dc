package emit

import (
	"go/ast"
	"go/constant"
	"go/token"
	"reflect"
	"slices"

	"halfnote/repl/ir"
)

// A loop is what break and continue may leave or repeat.
type loop struct {
	label    string // in core
	name     string // the label in the tree
	next     string // label at the end of the body, to which continue jumps, if it must
	isSwitch bool
	broken   bool // something needs name
	again    bool // something needs next
}

// enter begins a loop or switch.
func (f *fn) enter(l loop) int {
	l.name = f.name("loop")
	f.loops = append(f.loops, l)
	return len(f.loops) - 1
}

// leave adds the finished statement of the innermost loop or switch.
func (f *fn) leave(at int, s ast.Stmt) {
	l := f.loops[at]
	f.loops = f.loops[:at]
	if l.broken {
		s = &ast.LabeledStmt{Label: ident(l.name, token.NoPos), Stmt: s}
	}
	f.add(s)
}

// label marks a place. It holds a block, for yaegi has no empty statement.
func label(name string, pos token.Pos) ast.Stmt {
	return &ast.LabeledStmt{Label: ident(name, pos), Stmt: &ast.BlockStmt{}}
}

// userLabel returns the label in the tree for a label of core.
func userLabel(name string) string { return "goto·" + name }

func (f *fn) jump(tok token.Token, name string, pos token.Pos) {
	s := &ast.BranchStmt{Tok: tok, TokPos: pos}
	if name != "" {
		s.Label = ident(name, pos)
	}
	f.add(s)
}

// target returns the innermost loop or switch that ok accepts.
func (f *fn) target(label string, ok func(*loop) bool) *loop {
	for i := len(f.loops) - 1; i >= 0; i-- {
		l := &f.loops[i]
		if label != "" && l.label == label || label == "" && ok(l) {
			return l
		}
	}
	fail("label %s is not that of a loop", label)
	return nil
}

func (f *fn) breakStmt(s *ir.Break) {
	l := f.target(s.Label, func(*loop) bool { return true })
	if l == &f.loops[len(f.loops)-1] {
		f.jump(token.BREAK, "", s.Pos())
		return
	}
	l.broken = true
	f.jump(token.BREAK, l.name, s.Pos())
}

func (f *fn) continueStmt(s *ir.Continue) {
	l := f.target(s.Label, func(l *loop) bool { return !l.isSwitch })
	if l.next != "" {
		l.again = true
		f.jump(token.GOTO, l.next, s.Pos())
		return
	}
	for i := len(f.loops) - 1; &f.loops[i] != l; i-- {
		if !f.loops[i].isSwitch {
			l.broken = true
			f.jump(token.CONTINUE, l.name, s.Pos())
			return
		}
	}
	f.jump(token.CONTINUE, "", s.Pos())
}

// loop emits for ; cond; post {body}. A condition that needs statements before it is tested in the
// body; then, and when there is more than one statement to run after the body, continue jumps to
// the end of the body.
func (f *fn) loop(s *ir.Loop) {
	stmt := &ast.ForStmt{For: s.Pos()}
	var head []ast.Stmt
	if s.Cond != nil {
		head = f.collect(func() {
			f.mark(f.risk(s.Cond))
			stmt.Cond = f.cond(s.Cond)
		})
		if c, ok := s.Cond.(*ir.Const); ok {
			stmt.Cond = f.constant(c)
		}
	}
	if len(head) > 0 {
		head = append(head, &ast.IfStmt{
			Cond: &ast.UnaryExpr{Op: token.NOT, X: stmt.Cond},
			Body: &ast.BlockStmt{List: []ast.Stmt{&ast.BranchStmt{Tok: token.BREAK}}},
		})
		stmt.Cond = nil
	}
	post := f.collect(func() {
		for _, p := range s.Post {
			f.stmt(p)
		}
	})
	l := loop{label: s.Label}
	if len(post) > 1 {
		l.next = f.name("next")
	}
	at := f.enter(l)
	body := f.block(s.Body).List
	switch {
	case len(post) == 1:
		stmt.Post = post[0]
	case len(post) > 1:
		// The body is a block of its own, so that its variables are not those of post.
		body = []ast.Stmt{&ast.BlockStmt{List: body}}
		if f.loops[at].again {
			body = append(body, label(l.next, s.Pos()))
		}
		body = append(body, post...)
	}
	stmt.Body = &ast.BlockStmt{List: append(head, body...)}
	f.leave(at, stmt)
}

// rangeLoop emits for k, v := range x. A key that the body assigns to is a hidden one in the tree,
// for yaegi counts with the key itself:
//
//	for i := range 3 { i += 1 } // skips
func (f *fn) rangeLoop(s *ir.Range) {
	x := s.X
	if t := x.Type(); t.Kind() == reflect.Array && s.Value == nil && !calls(x) {
		// Only the length counts; the array may be one that a nil pointer points to.
		f.rangeLen(s, t.Len())
		return
	}
	if t := x.Type(); t.Kind() == reflect.Pointer {
		if s.Value == nil {
			if calls(x) {
				f.simple(x)
			}
			f.rangeLen(s, t.Elem().Len())
			return
		}
		x = &ir.Slice{At: ir.At(x.Pos()), X: x, Typ: reflect.SliceOf(t.Elem().Elem())}
	}
	operand := f.simple(x)
	channels := s.Value != nil && s.Value.Typ.Kind() == reflect.Chan
	if channels {
		// yaegi takes a loop for one over a channel when its second variable is a channel:
		//
		//	for _, c := range channels {}
		operand = f.temp(x.Type(), operand, x.Pos())
	}
	at := f.enter(loop{label: s.Label})
	counts := s.Key != nil && s.Key.Typ == intType && keyed(x.Type()) && !assigns(s.Body, s.Key)
	key, value := "", ""
	if counts {
		key = f.declare(s.Key)
	} else {
		key = f.name("k")
	}
	stmt := &ast.RangeStmt{
		For: s.Pos(), Key: ident(key, s.Pos()), Tok: token.DEFINE, X: operand,
	}
	var head []ast.Stmt
	if s.Key != nil && !counts {
		head = append(head, f.variable(f.declare(s.Key), s.Key.Typ, ident(key, s.Pos()), s.Pos()))
	}
	switch {
	case channels:
		elem := &ast.IndexExpr{X: operand, Index: ident(key, s.Pos())}
		head = append(head, f.variable(f.declare(s.Value), s.Value.Typ, elem, s.Pos()))
	case s.Value != nil:
		value = f.declare(s.Value)
		stmt.Value = ident(value, s.Pos())
	}
	stmt.Body = &ast.BlockStmt{List: append(head, f.block(s.Body).List...)}
	f.leave(at, stmt)
}

// keyed reports whether a range over a t counts.
func keyed(t reflect.Type) bool { return t.Kind() == reflect.Slice || t.Kind() == reflect.Array }

// rangeLen emits a range over the indexes of an array of length n.
func (f *fn) rangeLen(s *ir.Range, n int) {
	indexes := &ir.Builtin{At: s.At, Op: "make", Typ: reflect.TypeFor[[]struct{}](),
		Args: []ir.Expr{&ir.Const{Typ: intType, Val: constant.MakeInt64(int64(n))}}}
	f.rangeLoop(&ir.Range{At: s.At, Label: s.Label, Key: s.Key, X: indexes, Body: s.Body})
}

// calls reports whether x has a call or a receive in it.
func calls(x ir.Expr) bool {
	switch x.(type) {
	case nil:
		return false
	case *ir.Call, *ir.Recv:
		return true
	}
	return slices.ContainsFunc(ir.Operands(x), calls)
}

// selectStmt emits select as a call of the run-time package and a switch. yaegi keeps the channels
// of a select statement in one place, which goroutines that run it overwrite for each other; and it
// hangs when a labelled break leaves one.
func (f *fn) selectStmt(s *ir.Select) {
	block := "true"
	var xs []ir.Expr
	for _, c := range s.Clauses {
		switch {
		case c.Chan == nil:
			block = "false"
		case c.Send == nil:
			xs = append(xs, c.Chan)
		default:
			xs = append(xs, c.Chan, c.Send)
		}
	}
	operands := f.list(xs, f.elem)
	args := []ast.Expr{ident(block, s.Pos())}
	sw := &ir.Switch{At: s.At, Label: s.Label}
	received := &ir.Var{Name: "v", Typ: anyType}
	ok := &ir.Var{Name: "ok", Typ: boolType}
	n := 0
	for _, c := range s.Clauses {
		if c.Chan == nil {
			sw.Clauses = append(sw.Clauses, ir.Clause{Body: c.Body})
			continue
		}
		isSend := "false"
		args = append(args, operands[0])
		operands = operands[1:]
		var sent ast.Expr = ast.NewIdent("nil")
		if c.Send != nil {
			isSend = "true"
			sent = operands[0]
			operands = operands[1:]
		}
		args = append(args, ast.NewIdent(isSend), sent)
		sw.Clauses = append(sw.Clauses, ir.Clause{
			Values: []int{n}, Body: append(receive(c, received, ok), c.Body...),
		})
		n++
	}
	f.mark(s.Pos())
	chosen := &ir.Var{Name: "k", Typ: intType}
	call := &ast.CallExpr{Fun: f.runtime("Select", s.Pos()), Args: args}
	f.assignMany(&ir.DefineMany{At: s.At, Vars: []*ir.Var{chosen, received, ok}},
		[]reflect.Type{intType, anyType, boolType}, call)
	sw.Tag = &ir.Local{At: s.At, Var: chosen}
	f.switchStmt(sw)
}

// receive declares the variables of a receiving clause.
func receive(c ir.Comm, received, ok *ir.Var) []ir.Stmt {
	var list []ir.Stmt
	v := &ir.Local{At: c.At, Var: received}
	if c.Value != nil {
		t := c.Value.Typ
		var value ir.Expr = &ir.Assert{At: c.At, X: v, Typ: t}
		if t.Kind() == reflect.Interface {
			value = &ir.Iface{At: c.At, X: v, Typ: t}
		}
		list = append(list, &ir.Define{At: c.At, Var: c.Value, Init: value})
	}
	if c.Ok != nil {
		list = append(list, &ir.Define{At: c.At, Var: c.Ok, Init: &ir.Local{At: c.At, Var: ok}})
	}
	return list
}
