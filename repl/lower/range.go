package lower

// This file implements range. Over a slice, array, map or channel core has it; over an integer or
// a string it is a loop, and over a function a closure that says whether to go on:
//
//	for i := range n { … }           for h := 0; h < n; h = h + 1 { i := h; … }
//	for i, r := range s { … }   →    for h := 0; h < len(s); h = h + w {
//	                                     r, w = rt.DecodeRune(s, h); i := h; … }
//	for x := range seq { … }         seq(func(x T) bool { …; return true })
//
// A break, continue or return in such a closure that leaves more than its own loop notes a number,
// returns false, and is done again after the call.

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"halfnote/repl/ir"
	"halfnote/repl/rt"
)

func (f *fn) rangeStmt(s *ast.RangeStmt, label string) {
	t := coreOf(f.typ(s.X))
	body := f.in(func() {
		switch t := t.(type) {
		case *types.Signature:
			f.rangeFunc(s, t, label)
		case *types.Basic:
			if t.Info()&types.IsString != 0 {
				f.rangeString(s, label)
			} else {
				f.rangeInt(s, label)
			}
		default:
			f.rangeElements(s, label, t)
		}
	})
	f.emit(&ir.Block{At: ir.At(s.Pos()), Body: body})
}

// A turn is what one side of range, key or value, gets in an iteration.
type turn struct {
	x     ast.Expr // what the user wrote; nil or _ for nothing
	value ir.Expr
	t     types.Type
}

// set gives the iteration variables their values: new ones, or, in a parallel assignment, what is
// there already, all operands on the left first.
func (f *fn) set(turns ...turn) {
	places := make([]ir.Expr, len(turns))
	for i, t := range turns {
		if t.x != nil && !blank(t.x) && f.assigned(t.x) == nil {
			places[i] = f.expr(t.x)
			f.settle(places[i])
		}
	}
	for i, t := range turns {
		switch {
		case t.x == nil || blank(t.x):
		case places[i] != nil:
			f.emit(&ir.Assign{At: ir.At(t.x.Pos()), Lhs: places[i],
				Rhs: f.convert(t.value, t.t, f.typ(t.x))})
		default:
			v := f.assigned(t.x)
			f.define(v, f.convert(t.value, t.t, v.Type()), t.x.Pos())
		}
	}
}

func (f *fn) rangeInt(s *ast.RangeStmt, label string) {
	t := defaultType(f.typ(s.X))
	if s.Key != nil && !blank(s.Key) {
		t = f.typ(s.Key)
	}
	pos := s.Pos()
	n := f.temp(pos, "n", f.conv(s.X, t))
	h := f.temp(pos, "i", &ir.Zero{At: ir.At(pos), Typ: n.Type()})
	f.counted(s, label, h, n, func() ir.Expr { return f.constant(pos, one, t) }, func() {
		f.set(turn{s.Key, h, t})
	})
}

// counted lowers a loop of h from its value to n, whose body begins with start.
func (f *fn) counted(s *ast.RangeStmt, label string, h, n ir.Expr, step func() ir.Expr,
	start func()) {
	at := ir.At(s.Pos())
	loop := &ir.Loop{At: at, Cond: &ir.Binary{At: at, Op: token.LSS, X: h, Y: n}}
	t := f.target(label, true)
	f.within(t, func() {
		loop.Body = f.in(func() {
			start()
			f.stmts(s.Body.List)
		})
	})
	loop.Post = []ir.Stmt{&ir.Assign{At: at, Lhs: h,
		Rhs: &ir.Binary{At: at, Op: token.ADD, X: h, Y: step()}}}
	loop.Label = t.irLabel()
	f.emit(loop)
}

func (f *fn) rangeString(s *ast.RangeStmt, label string) {
	pos := s.Pos()
	at := ir.At(pos)
	str := f.temp(pos, "s", f.conv(s.X, types.Typ[types.String]))
	h := f.temp(pos, "i", number(pos, 0))
	w := f.temp(pos, "w", number(pos, 0))
	n := &ir.Builtin{At: at, Op: "len", Args: []ir.Expr{str}, Typ: intStore}
	f.counted(s, label, h, n, func() ir.Expr { return w }, func() {
		r := &ir.Var{Name: "r", Typ: reflect.TypeFor[rune]()}
		size := &ir.Var{Name: "w", Typ: intStore}
		decoded := f.call(pos, "DecodeRune", str, h)
		f.emit(&ir.DefineMany{At: at, Vars: []*ir.Var{r, size}, X: decoded},
			&ir.Assign{At: at, Lhs: w, Rhs: &ir.Local{At: at, Var: size}})
		f.set(turn{s.Key, h, types.Typ[types.Int]},
			turn{s.Value, &ir.Local{At: at, Var: r}, types.Typ[types.Rune]})
	})
}

// rangeElements lowers range over a slice, array, pointer to array, map or channel.
func (f *fn) rangeElements(s *ast.RangeStmt, label string, t types.Type) {
	var key, value types.Type
	switch t := t.(type) {
	case *types.Slice:
		key, value = types.Typ[types.Int], t.Elem()
	case *types.Array:
		key, value = types.Typ[types.Int], t.Elem()
	case *types.Pointer:
		key, value = types.Typ[types.Int], t.Elem().Underlying().(*types.Array).Elem()
	case *types.Map:
		key, value = t.Key(), t.Elem()
	case *types.Chan:
		key = t.Elem()
	default:
		fail(s.Pos(), "range over %s", t)
	}
	loop := &ir.Range{At: ir.At(s.Pos()), X: f.expr(s.X)}
	tgt := f.target(label, true)
	f.within(tgt, func() {
		loop.Body = f.in(func() {
			var turns []turn
			loop.Key, turns = f.iteration(s.Key, key, turns)
			loop.Value, turns = f.iteration(s.Value, value, turns)
			f.set(turns...)
			f.stmts(s.Body.List)
		})
	})
	loop.Label = tgt.irLabel()
	f.emit(loop)
}

// iteration returns the core variable for x: x itself where it can be, else one whose value is to
// be set in a turn.
func (f *fn) iteration(x ast.Expr, t types.Type, turns []turn) (*ir.Var, []turn) {
	if x == nil || blank(x) {
		return nil, turns
	}
	t = f.subst(f.env, t)
	hidden := &ir.Var{Name: "e", Typ: f.storage(x.Pos(), t)}
	v := f.assigned(x)
	if v != nil && !f.shared[v] && f.slots[v] == nil {
		hidden.Name = v.Name()
		f.vars[v] = hidden
		return hidden, turns
	}
	return hidden, append(turns, turn{x, &ir.Local{At: ir.At(x.Pos()), Var: hidden}, t})
}

// An escape is the way out of a range-over-func body to what stands around the loop.
type escape struct {
	state  ir.Expr         // of the loop, one of those of package rt
	code   ir.Expr         // the number of what is to be done after the call; 0 for nothing
	before []ir.Stmt       // declarations that stand before the call
	after  []func(*fn)     // what to do for 1, 2 …
	labels map[string]bool // those of the body
}

// box declares a new t before the call, which the body sets and the code after the call reads.
func (e *escape) box(pos token.Pos, name string, t reflect.Type) ir.Expr {
	at, ptr := ir.At(pos), reflect.PointerTo(t)
	v := &ir.Var{Name: name, Typ: ptr}
	e.before = append(e.before, &ir.Define{At: at, Var: v,
		Init: &ir.Builtin{At: at, Op: "new", Typ: ptr}})
	return &ir.Deref{At: at, X: &ir.Local{At: at, Var: v}}
}

// is compares the state of the loop.
func (e *escape) is(pos token.Pos, op token.Token, state int) ir.Expr {
	return &ir.Binary{At: ir.At(pos), Op: op, X: e.state, Y: number(pos, state)}
}

// set sets the state of the loop.
func (e *escape) set(pos token.Pos, state int) ir.Stmt {
	return &ir.Assign{At: ir.At(pos), Lhs: e.state, Rhs: number(pos, state)}
}

// begin is what the body does first: it panics if the loop has ended.
func (e *escape) begin(f *fn, pos token.Pos) {
	f.emit(&ir.If{At: ir.At(pos), Cond: e.is(pos, token.NEQ, rt.RangeReady), Then: []ir.Stmt{
		&ir.ExprStmt{At: ir.At(pos), X: f.call(pos, "RangePanic", e.state)},
	}}, e.set(pos, rt.RangeInBody))
}

// next ends the body: the loop may go on.
func (e *escape) next(f *fn, pos token.Pos) {
	f.emit(e.set(pos, rt.RangeReady),
		&ir.Return{At: ir.At(pos), Results: []ir.Expr{boolean(pos, true)}})
}

// end ends the loop: the body returns false.
func (e *escape) end(f *fn, pos token.Pos) {
	f.emit(e.set(pos, rt.RangeDone),
		&ir.Return{At: ir.At(pos), Results: []ir.Expr{boolean(pos, false)}})
}

// out leaves the body for good and has then done after the call.
func (e *escape) out(f *fn, pos token.Pos, then func(outer *fn)) {
	if e.code == nil {
		e.code = e.box(pos, "leave", intStore)
	}
	e.after = append(e.after, then)
	f.emit(&ir.Assign{At: ir.At(pos), Lhs: e.code, Rhs: number(pos, len(e.after))})
	e.end(f, pos)
}

func (f *fn) rangeFunc(s *ast.RangeStmt, sig *types.Signature, label string) {
	pos := s.Pos()
	yield := coreOf(f.subst(f.env, sig.Params().At(0).Type())).(*types.Signature)
	e := &escape{labels: labels(s.Body)}
	e.state = e.box(pos, "state", intStore)
	seq := f.expr(s.X)
	body := f.closure(pos, f.storage(pos, yield), func(g *fn, fun *ir.Func) {
		f.share(g)
		g.me = nil // recover recovers nothing here
		fun.Label, fun.IsPart = f.part, true
		g.escape = e
		g.give = func(pos token.Pos, values []ir.Expr) { e.giveBack(g, pos, values) }
		g.targets = append(append([]*target{}, f.targets...),
			&target{label: label, loop: true, escape: e})
		fun.Body = g.in(func() {
			var turns []turn
			for i := range yield.Params().Len() {
				t := yield.Params().At(i).Type()
				p := &ir.Var{Name: "p", Typ: g.storage(pos, t)}
				fun.Params = append(fun.Params, p)
				x := []ast.Expr{s.Key, s.Value}[i]
				turns = append(turns, turn{x, &ir.Local{At: ir.At(pos), Var: p}, t})
			}
			e.begin(g, pos)
			g.set(turns...)
			g.stmts(s.Body.List)
			e.next(g, pos)
		})
	})
	f.emit(e.before...)
	call := &ir.Call{At: ir.At(pos), Fun: seq, Args: []ir.Expr{body}}
	f.emit(&ir.ExprStmt{At: ir.At(pos), X: call})
	swallowed := f.call(pos, "RangePanic", number(pos, rt.RangeSwallowed))
	f.emit(&ir.If{At: ir.At(pos), Cond: e.is(pos, token.EQL, rt.RangeInBody),
		Then: []ir.Stmt{&ir.ExprStmt{At: ir.At(pos), X: swallowed}}}, e.set(pos, rt.RangeOver))
	for i, then := range e.after {
		f.emit(&ir.If{At: ir.At(pos),
			Cond: &ir.Binary{At: ir.At(pos), Op: token.EQL, X: e.code, Y: number(pos, i+1)},
			Then: f.in(func() { then(f) })})
	}
}

// labels lists the labels in the body of a range over a function that a goto in it can name.
func labels(body ast.Node) map[string]bool {
	list := map[string]bool{}
	own(body, func(n ast.Node) bool {
		if l, ok := n.(*ast.LabeledStmt); ok {
			list[l.Label.Name] = true
		}
		return false
	})
	return list
}

// giveBack keeps the values of a return statement and returns them after the call.
func (e *escape) giveBack(g *fn, pos token.Pos, values []ir.Expr) {
	var kept []ir.Expr
	for _, v := range values {
		result := e.box(pos, "result", v.Type())
		kept = append(kept, result)
		g.emit(&ir.Assign{At: ir.At(pos), Lhs: result, Rhs: v})
	}
	e.out(g, pos, func(outer *fn) { outer.give(pos, kept) })
}
