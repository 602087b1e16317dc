package random

// This file writes statements other than loops, choices and calls.

import (
	"fmt"
	"go/types"
	"strings"
)

// body writes the body of a function.
func (g *gen) body(sig *types.Signature, n int) {
	frame := g.frame
	g.results, g.loops = sig.Results(), nil
	g.budget = min(g.budget, 16)
	g.scope(func() {
		if recv := sig.Recv(); recv != nil {
			g.vars = append(g.vars, variable{recv.Name(), recv.Type(), true, false})
		}
		for p := range sig.Params().Variables() {
			g.vars = append(g.vars, variable{p.Name(), p.Type(), !sig.Variadic(), false})
		}
		g.line("if spent() {\n%s\n}", g.zeroReturn(sig))
		for r := range sig.Results().Variables() {
			if r.Name() != "" {
				g.vars = append(g.vars, variable{r.Name(), r.Type(), false, false})
			}
		}
		if g.chance(3) {
			g.deferred()
		}
		g.stmts(n)
		g.returned()
	})
	g.frame = frame
}

// returned writes a return, if the function has results.
func (g *gen) returned() {
	if g.results == nil || g.results.Len() == 0 {
		return
	}
	if g.results.At(0).Name() != "" && g.chance(2) {
		g.line("return")
		return
	}
	var values []string
	for r := range g.results.Variables() {
		values = append(values, g.expr(r.Type(), 2))
	}
	g.line("return %s", strings.Join(values, ", "))
}

func (g *gen) stmts(n int) {
	for range n {
		g.stmt()
		if g.chance(3) {
			g.report()
		}
	}
}

// block writes statements in a scope of their own.
func (g *gen) block(n int) { g.scope(func() { g.stmts(n) }) }

func (g *gen) stmt() {
	if g.budget--; g.indent > 5 || g.budget < 0 {
		g.report()
		return
	}
	switch g.IntN(44) {
	case 0, 1, 2, 3, 4, 5:
		g.variable(g.typ(2, false))
	case 6, 7, 8, 9:
		g.assign()
	case 10, 11:
		g.operate()
	case 12, 13:
		g.parallel()
	case 14, 15:
		g.ifStmt()
	case 16, 17, 18, 19:
		g.loop()
	case 20, 21:
		g.switchStmt()
	case 22, 23:
		g.typeSwitch()
	case 24, 25, 26, 27, 28, 29:
		g.call()
	case 30, 31:
		g.traced()
	case 32:
		g.deferred()
	case 33:
		g.failing()
	case 34:
		g.concurrent()
	case 35:
		g.grow()
	case 36:
		g.commaOK()
	case 37:
		g.closures()
	case 38:
		g.localType()
	case 39, 40:
		g.mixed()
	case 41:
		g.leave()
	case 42:
		g.back()
	default:
		g.early()
	}
}

// known declares name as a variable of type t from now on.
func (g *gen) known(name string, t types.Type, safe bool) {
	g.line("_ = %s", name)
	g.vars = append(g.vars, variable{name, t, safe, false})
}

// variable writes the declaration of a variable.
func (g *gen) variable(t types.Type) {
	name := g.name("v")
	switch g.IntN(6) {
	case 0:
		if !types.IsInterface(t) || isParam(t) {
			g.line("%s := %s", name, g.expr(t, 3))
			break
		}
		fallthrough
	case 1:
		g.line("var %s %s", name, g.str(t))
		g.known(name, t, false)
		return
	default:
		g.line("var %s %s = %s", name, g.str(t), g.expr(t, 3))
	}
	g.known(name, t, true)
}

// variables lists the names of variables of type t.
func (g *gen) variables(t types.Type) []string {
	var list []string
	for _, v := range g.vars {
		if types.Identical(v.typ, t) && !strings.HasPrefix(v.name, "const") {
			list = append(list, v.name)
		}
	}
	return list
}

// target returns something to assign to.
func (g *gen) target(ok func(path) bool) (path, bool) {
	var list []path
	for _, p := range g.paths() {
		if p.assignable && (ok == nil || ok(p)) {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return path{}, false
	}
	return pick(g, list), true
}

func (g *gen) assign() {
	if p, ok := g.target(nil); ok {
		g.line("%s = %s", p.text, g.expr(p.typ, 3))
	}
}

func (g *gen) operate() {
	p, ok := g.target(func(p path) bool { return !isParam(p.typ) && isNumber(p.typ) })
	switch {
	case !ok:
	case g.chance(3):
		g.line("%s%s", p.text, pick(g, []string{"++", "--"}))
	case isInteger(p.typ) && g.chance(3):
		g.line("%s %s (%s & 15)", p.text, pick(g, []string{"<<=", ">>="}), g.operand(intType))
	case isInteger(p.typ):
		g.line("%s %s %s", p.text, pick(g, []string{"+=", "-=", "*=", "&=", "|=", "^=", "&^="}),
			g.expr(p.typ, 2))
	default:
		g.line("%s %s %s", p.text, pick(g, []string{"+=", "-=", "*="}), g.expr(p.typ, 2))
	}
}

// parallel assigns several values at once.
func (g *gen) parallel() {
	a, ok := g.target(nil)
	if !ok {
		return
	}
	b, same := g.target(func(p path) bool { return types.Identical(p.typ, a.typ) })
	if same && g.chance(2) {
		g.line("%s, %s = %s, %s", a.text, b.text, b.text, a.text)
		return
	}
	b, _ = g.target(nil)
	g.line("%s, %s = %s, %s", a.text, b.text, g.expr(a.typ, 2), g.expr(b.typ, 2))
}

// report prints what some variables hold.
func (g *gen) report() {
	var values []string
	for range 3 {
		if list := g.paths(); len(list) > 0 {
			if s := g.printable(pick(g, list)); s != "" {
				values = append(values, s)
			}
		}
	}
	if n := len(g.vars); n > 0 {
		if s := g.printable(path{text: g.vars[n-1].name, typ: g.vars[n-1].typ}); s != "" {
			values = append(values, s)
		}
	}
	if len(values) > 0 {
		g.line("out(%s)", strings.Join(values, ", "))
	}
}

// printable returns what is printed of p.
func (g *gen) printable(p path) string {
	if isParam(p.typ) {
		return "kind(" + p.text + ")"
	}
	if g.Values && shows(p.typ, 5) && g.chance(2) {
		return fmt.Sprintf("fmt.Sprintf(%q, %s)", pick(g, []string{"%v", "%+v", "%T", "%#v"}), p.text)
	}
	switch u := p.typ.Underlying().(type) {
	case *types.Basic:
		if _, ok := types.Unalias(p.typ).(*types.Named); ok {
			return g.conv(u, p.text)
		}
		return p.text
	case *types.Slice, *types.Map, *types.Chan:
		return "len(" + p.text + ")"
	case *types.Pointer, *types.Signature:
		return p.text + " == nil"
	case *types.Interface:
		return "kind(" + p.text + ")"
	}
	var parts []path
	g.expand(p, 2, &parts)
	var values []string
	for _, part := range parts[1:] {
		if _, ok := part.typ.Underlying().(*types.Basic); ok && !isParam(part.typ) && len(values) < 4 {
			values = append(values, g.printable(part))
		}
	}
	return strings.Join(values, ", ")
}

// shows reports whether fmt shows values of t the same each time, and t is not deeper than that.
func shows(t types.Type, depth int) bool {
	if depth == 0 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return true
	case *types.Slice:
		return shows(u.Elem(), depth-1)
	case *types.Array:
		return shows(u.Elem(), depth-1)
	case *types.Map:
		return shows(u.Elem(), depth-1)
	case *types.Struct:
		for f := range u.Fields() {
			if !shows(f.Type(), depth-1) {
				return false
			}
		}
		return true
	}
	return false
}

// traced writes a statement whose parts tell in which order they are evaluated.
func (g *gen) traced() {
	n := 0
	tr := func(t types.Type) string {
		n++
		if types.Identical(t, intType) && g.chance(2) {
			return fmt.Sprintf("trInt(%d, %s)", n, g.expr(t, 1))
		}
		return fmt.Sprintf("tr[%s](%d, %s)", g.str(t), n, g.expr(t, 1))
	}
	switch g.IntN(8) {
	case 0:
		g.line("out(%s + %s*(%s-%s))", tr(intType), tr(intType), tr(intType), tr(intType))
	case 1:
		g.line("out(%s && %s || %s && !%s)", tr(boolType), tr(boolType), tr(boolType), tr(boolType))
	case 2:
		t := g.basicType()
		v := g.name("v")
		g.line("var %s = []%s{%s, %s, %s}", v, t, tr(t), tr(t), tr(t))
		g.known(v, types.NewSlice(t), true)
		g.line("%s[%s&1], %s[%s&1] = %s, %s", v, tr(intType), v, tr(intType), tr(t), tr(t))
	case 3:
		if s, ok := g.someStruct(); ok {
			var fields []string
			for f := range s.Underlying().(*types.Struct).Fields() {
				if f.Name() != "_" {
					fields = append(fields, f.Name()+": "+tr(f.Type()))
				}
			}
			v := g.name("v")
			g.line("%s := %s{%s}", v, g.str(s), strings.Join(fields, ", "))
			g.known(v, s, true)
		}
	case 4:
		m := g.name("v")
		g.line("%s := map[string]int{}", m)
		g.line("%s[%s] = %s", m, tr(stringType), tr(intType))
		g.line("out(len(%s), %s[%s])", m, m, tr(stringType))
	case 5:
		g.line("if out(\"if\"); %s == %s {", tr(stringType), tr(stringType))
		g.block(1)
		g.line("}")
	case 6:
		g.line("defer out(%s, %s)", tr(intType), tr(stringType))
	default:
		g.line("switch %s {\ncase %s, %s:\nout(1)\ncase %s:\nout(2)\ndefault:\nout(3)\n}",
			tr(intType), tr(intType), tr(intType), tr(intType))
	}
}

// someStruct returns a named struct type.
func (g *gen) someStruct() (types.Type, bool) {
	var list []types.Type
	for _, t := range g.complete {
		if _, ok := t.Underlying().(*types.Struct); ok {
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		return nil, false
	}
	return pick(g, list), true
}

// grow appends, copies, cuts, deletes and clears.
func (g *gen) grow() {
	p, ok := g.target(func(p path) bool {
		switch p.typ.Underlying().(type) {
		case *types.Slice, *types.Map:
			return !isParam(p.typ) && p.safe
		}
		return false
	})
	if !ok {
		return
	}
	switch u := p.typ.Underlying().(type) {
	case *types.Slice:
		switch g.IntN(5) {
		case 0:
			g.line("%s = append(%s, %s)", p.text, p.text, g.list(u.Elem(), 1+g.IntN(3), 1))
		case 1:
			g.line("%s = append(%s, %s...)", p.text, p.text, g.expr(p.typ, 1))
			g.line("if len(%s) > 20 {\n%s = %s[:20]\n}", p.text, p.text, p.text)
		case 2:
			g.line("out(copy(%s, %s))", p.text, g.expr(p.typ, 1))
		case 3:
			g.line("%s = %s[:len(%s)/2+1]", p.text, p.text, p.text)
		default:
			g.line("clear(%s)", p.text)
		}
	case *types.Map:
		key := g.key(u.Key())
		switch g.IntN(3) {
		case 0:
			g.line("delete(%s, %s)", p.text, key)
		case 1:
			g.line("clear(%s)", p.text)
		default:
			g.line("%s[%s] = %s", p.text, key, g.expr(u.Elem(), 2))
		}
	}
}

// back writes a loop made of goto.
func (g *gen) back() {
	i, label := g.name("i"), g.name("again")
	g.line("%s := %s & 3\n%s:", i, g.operand(intType), label)
	g.block(1)
	g.line("if %s++; %s < 4 && !spent() {\ngoto %s\n}", i, i, label)
}

// leave writes a jump out of one of the loops around, or to its next turn.
func (g *gen) leave() {
	if len(g.loops) == 0 {
		g.variable(g.typ(1, false))
		return
	}
	g.line("if %s {\n%s\n}", g.expr(boolType, 2), g.jump(pick(g, g.loops)))
}

// localType declares a type in the function.
func (g *gen) localType() {
	if len(g.params) > 0 {
		g.variable(g.typ(1, false))
		return
	}
	obj := types.NewTypeName(0, g.pkg, g.name("L"), nil)
	named := types.NewNamed(obj, nil, nil)
	var under types.Type = types.NewStruct([]*types.Var{
		g.field("f0", g.typ(1, true)), g.field("self", types.NewPointer(named)),
	}, nil)
	if g.chance(2) {
		under = g.basicType()
	}
	named.SetUnderlying(under)
	g.line("type %s %s", obj.Name(), g.str(under))
	g.complete = append(g.complete, named)
	g.variable(named)
}

// early writes a return that happens or not.
func (g *gen) early() {
	if g.results == nil && g.nested == 0 {
		g.variable(intType)
		return
	}
	g.line("if %s {", g.expr(boolType, 2))
	g.indent++
	if g.results == nil || g.results.Len() == 0 {
		g.line("return")
	}
	g.returned()
	g.indent--
	g.line("}")
}
