package random

// This file writes conditions, loops, switches, deferred calls and goroutines.

import (
	"go/types"
	"strings"
)

func (g *gen) ifStmt() {
	if g.chance(3) {
		v, t := g.name("v"), g.typ(1, false)
		g.line("if %s := %s; %s {", v, "("+g.typed(t, g.expr(t, 1))+")", g.expr(boolType, 2))
		g.indent++
		g.line("_ = %s", v)
		g.indent--
	} else {
		g.line("if (%s) {", g.expr(boolType, 3))
	}
	g.block(1 + g.IntN(3))
	for g.chance(3) {
		g.line("} else if (%s) {", g.expr(boolType, 2))
		g.block(1)
	}
	if g.chance(2) {
		g.line("} else {")
		g.block(1 + g.IntN(2))
	}
	g.line("}")
}

// typed makes sure that text, a value of type t, is of that very type.
func (g *gen) typed(t types.Type, text string) string {
	if types.IsInterface(t) && !isParam(t) {
		return g.conv(t, text)
	}
	return text
}

// loop writes a loop of any form. Its label, if it has one, is used.
func (g *gen) loop() {
	label := ""
	if g.chance(3) {
		label = g.name("loop")
		g.line("%s:", label)
	}
	before := len(g.vars)
	g.loopHead()
	loops := g.loops
	if label != "" {
		g.loops = append(loops[:len(loops):len(loops)], label)
	}
	inner := g.vars[before:]
	g.vars = g.vars[:before:before]
	g.scope(func() {
		for _, v := range inner {
			g.line("_ = %s", v.name)
		}
		g.vars = append(g.vars, inner...)
		g.line("if spent() {\nbreak\n}")
		g.stmts(1 + g.IntN(3))
		if label != "" || g.chance(3) {
			g.line("if %s {\n%s\n}", g.expr(boolType, 2), g.jump(label))
			g.stmts(1)
		}
	})
	g.loops = loops
	g.line("}")
}

// jump is a break or continue, of the loop with that label if it has one.
func (g *gen) jump(label string) string {
	word := pick(g, []string{"break", "continue"})
	return strings.TrimSpace(word + " " + label)
}

// loopHead writes a loop up to its opening brace, and makes its variables known.
func (g *gen) loopHead() {
	i := g.name("i")
	use := func(t types.Type, names ...string) {
		for _, n := range names {
			g.vars = append(g.vars, variable{n, t, false, g.chance(2)})
		}
	}
	ranges := func(u func(types.Type) bool) (path, bool) {
		p, ok := g.findKind(u)
		return p, ok && g.chance(2)
	}
	switch g.IntN(12) {
	case 0, 1:
		g.line("for %s := 0; %s < %d; %s++ {", i, i, 1+g.IntN(4), i)
		use(intType, i)
	case 2:
		j := g.name("i")
		g.line("for %s, %s := 0, %s; %s < 3 || %s; %s, %s = %s+1, %s-1 {", i, j,
			g.expr(intType, 1), i, g.expr(boolType, 1), i, j, i, j)
		use(intType, i, j)
	case 3:
		t := g.basicOf(types.IsInteger)
		g.line("for %s := range %s & 3 {", i, g.operand(t))
		use(t, i)
	case 4:
		g.line("for range %d {", 1+g.IntN(3))
	case 5:
		g.line("for %s {", g.expr(boolType, 2))
	case 6:
		v := g.name("v")
		g.line("for %s, %s := range %s {", i, v, g.operand(stringType))
		use(intType, i)
		use(types.Typ[types.Int32], v)
	case 7:
		p, ok := ranges(func(u types.Type) bool { _, ok := u.(*types.Map); return ok })
		if !ok || !ordered(p.typ.Underlying().(*types.Map).Key()) {
			g.line("for %s := range count(%d) {", i, g.IntN(4))
			use(intType, i)
			return
		}
		g.line("for _, %s := range sortedKeys(%s) {", i, p.text)
		use(p.typ.Underlying().(*types.Map).Key(), i)
	case 8:
		p, ok := ranges(func(u types.Type) bool { _, ok := u.(*types.Array); return ok })
		if !ok || !p.addressable {
			g.line("for %s := range count(%s & 3) {", i, g.operand(intType))
			use(intType, i)
			return
		}
		v := g.name("v")
		g.line("for %s, %s := range %s%s {", i, v, pick(g, []string{"", "&"}), p.text)
		use(intType, i)
		use(p.typ.Underlying().(*types.Array).Elem(), v)
	default:
		p, ok := ranges(func(u types.Type) bool { _, ok := u.(*types.Slice); return ok })
		if !ok {
			t := types.NewSlice(g.typ(1, false))
			p = path{text: "(" + g.expr(t, 2) + ")", typ: t}
		}
		v := g.name("v")
		elem := p.typ.Underlying().(*types.Slice).Elem()
		switch g.IntN(4) {
		case 0:
			g.line("for %s, %s := range pairs[%s](%s) {", i, v, g.str(elem), p.text)
		case 1:
			x, same := g.target(func(p path) bool { return types.Identical(p.typ, elem) })
			if same {
				g.line("for _, %s = range %s {", x.text, p.text)
				return
			}
			g.line("for %s, %s := range %s {", i, v, p.text)
		default:
			g.line("for %s, %s := range %s {", i, v, p.text)
		}
		use(intType, i)
		use(elem, v)
	}
}

func (g *gen) switchStmt() {
	t := types.Type(types.Typ[pick(g, []types.BasicKind{types.Int, types.String, types.Uint8})])
	for _, n := range g.named {
		if b, ok := n.Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 && g.chance(3) {
			t = n
		}
	}
	values := []string{"1", "2", "3", "4", "5"}
	if t == stringType {
		values = []string{`"a"`, `"bc"`, `"c"`, `""`, `"e"`}
	}
	switch g.IntN(4) {
	case 0:
		g.line("switch {")
		for i := range values {
			values[i] = g.expr(boolType, 2)
			if values[i] == "true" || values[i] == "false" {
				values[i] = "gbool"
			}
		}
	case 1:
		v := g.name("v")
		g.line("switch %s := %s; %s {", v, g.operand(t), v)
	default:
		tag := g.operand(t)
		if isInteger(t) && g.chance(2) {
			tag += " & 3"
		}
		g.line("switch %s {", tag)
	}
	n := 1 + g.IntN(4)
	other := g.IntN(n + 2)
	for i := range n {
		if i == other {
			g.clause("default", i == n-1)
		}
		if i == 0 && g.chance(2) {
			g.clause("case "+values[4]+", "+values[0], i == n-1)
			continue
		}
		g.clause("case "+values[i], i == n-1)
	}
	g.line("}")
}

func (g *gen) clause(head string, last bool) {
	g.line("%s:", head)
	g.block(1 + g.IntN(2))
	switch {
	case g.chance(5):
		g.line("if %s {\nbreak\n}\nout(\"after\")", g.expr(boolType, 2))
	case g.chance(5) && !last:
		g.line("fallthrough")
	}
}

func (g *gen) typeSwitch() {
	x, ok := g.findKind(func(u types.Type) bool { return types.IsInterface(u) })
	if !ok {
		x = path{text: "any(" + g.expr(g.typ(1, false), 1) + ")", typ: anyType}
	}
	iface := x.typ.Underlying().(*types.Interface)
	v := g.name("v")
	g.line("switch %s := %s.(type) {", v, x.text)
	seen := map[string]bool{}
	clause := func(head string, t types.Type) {
		g.line("%s:", head)
		g.scope(func() {
			g.known(v, t, false)
			g.stmts(1 + g.IntN(2))
		})
	}
	for range 1 + g.IntN(3) {
		var names []string
		t := x.typ
		for range 1 + g.IntN(2) {
			c := g.typ(1, false)
			if iface.NumMethods() > 0 && !types.IsInterface(c) {
				if c = g.implementer(iface); c == nil {
					continue
				}
			}
			if seen[g.str(c)] || isParam(c) {
				continue
			}
			seen[g.str(c)] = true
			names = append(names, g.str(c))
			t = c
		}
		if len(names) > 1 {
			t = x.typ
		}
		if len(names) > 0 {
			clause("case "+strings.Join(names, ", "), t)
		}
	}
	if g.chance(2) {
		clause("case nil", x.typ)
	}
	clause("default", x.typ)
	g.line("}")
}

// deferred writes a defer statement.
func (g *gen) deferred() {
	switch g.IntN(7) {
	case 0, 1:
		g.line("defer func() {")
		g.line("if r := recover(); r != nil {\nout(\"recovered\", text(r))")
		g.inLiteral(func() { g.stmts(1) })
		g.line("}\n}()")
	case 2:
		t := g.typ(1, false)
		v := g.name("v")
		g.line("defer func(%s %s) {", v, g.str(t))
		g.inLiteral(func() {
			g.known(v, t, true)
			g.stmts(2)
		})
		g.line("}(%s)", g.expr(t, 2))
	case 3:
		i := g.name("i")
		g.line("for %s := range %d {\ndefer func() {\nout(\"deferred\", %s)\n%s++\n}()\n}", i,
			1+g.IntN(3), i, i)
	case 4:
		g.line("defer func() {\ndefer func() {\nout(\"second\", text(recover()))\n}()")
		g.line("panic(%s)\n}()", pick(g, []string{`"again"`, "gint", "fmt.Errorf(\"e\")"}))
	case 5:
		g.line("defer func() {\nfunc() {\nout(recover() == nil)\n}()\n}()")
	default:
		if call, _, ok := g.anyCall(); ok {
			g.line("defer %s", call)
		}
	}
}

// failing writes a statement that panics and is recovered, and one that depends on what it did.
func (g *gen) failing() {
	g.line("func() {\ndefer func() {\nout(\"failed\", text(recover()))\n}()")
	i := g.operand(intType)
	t := g.typ(1, false)
	switch g.IntN(20) {
	case 0:
		g.line("list := []int{1, 2}\nout(list[%s])", i)
	case 1:
		g.line("var p *struct{ a, b int }\nout(p.b)")
	case 2:
		g.line("var m map[string]int\nm[\"a\"] = %s", i)
	case 3:
		g.line("zero := %s & 0\nout(%s / zero)", i, i)
	case 4:
		g.line("out(kind(any(%s).(%s)))", g.typed(t, g.expr(t, 1)), g.str(g.typ(1, false)))
	case 5:
		g.line("list := []int{1, 2, 3}\nn := %s\nout(len(list[n:2]))", i)
	case 6:
		g.line("n := %s\nout(len(make([]int, n&3-2)))", i)
	case 7:
		g.line("n := %s\nout(1 << (n | -8))", i)
	case 8:
		g.line("var c chan int\nclose(c)")
	case 9:
		g.line("c := make(chan int, 2)\nclose(c)\nc <- 1")
	case 10:
		g.line("list := make([]int, uint(%s)%%5)\nout([3]int(list)[1])", i)
	case 11:
		g.line("x, y := any([]int{1}), any([]int{1})\nout(x == y)")
	case 12:
		g.line("m := map[any]int{}\nm[func() {}] = 1")
	case 13:
		g.line("panic(%s)", g.typed(t, g.expr(t, 2)))
	case 14:
		g.line("var f func(int) int\nout(f(%s))", i)
	case 15:
		g.line("defer func() {\npanic(fmt.Sprint(\"again \", text(recover())))\n}()\npanic(1)")
	case 16:
		g.line("s := %s\nout(s[%s:])", g.expr(stringType, 2), i)
	case 17:
		g.line("var e error\nout(e.Error())")
	case 18:
		g.line("var a [4]int\nn := %s\na[n] = 1\nout(a[n&3])", i)
	default:
		for _, it := range g.complete {
			if types.IsInterface(it) {
				g.line("out(any(%s).(%s) == nil)", g.typed(t, g.expr(t, 1)), g.str(it))
				break
			}
		}
	}
	g.line("out(\"went on\")\n}()")
}

// concurrent writes goroutines that are waited for.
func (g *gen) concurrent() {
	c, v, k := g.name("c"), g.name("v"), g.name("k")
	n := 1 + g.IntN(4)
	t := g.basicType()
	g.line("%s := %s", k, g.expr(t, 2))
	switch g.IntN(6) {
	case 0:
		g.line("%s := make(chan %s, %d)", c, g.str(t), g.IntN(3))
		g.line("go func() {\ndefer close(%s)\nfor range %d {\n%s <- %s\n}\n}()", c, n, c, k)
		g.line("for %s := range %s {\nout(%s)\n}", v, c, v)
	case 1:
		g.line("var %s sync.WaitGroup\n%s := make([]int, %d)", c, v, n)
		g.line("for i := range %s {\n%s.Add(1)\ngo func() {\ndefer %s.Done()\n%s[i] = i * i\n}()\n}",
			v, c, c, v)
		g.line("%s.Wait()\nout(sum(%s...), kind(%s))", c, v, k)
	case 2:
		g.line("var %s sync.WaitGroup\nvar mu%s sync.Mutex\n%s := 0", c, c, v)
		g.line("for i := range %d {\n%s.Go(func() {\nmu%s.Lock()\ndefer mu%s.Unlock()\n%s += i\n})\n}",
			n, c, c, c, v)
		g.line("%s.Wait()\nout(%s, kind(%s))", c, v, k)
	case 3:
		g.line("%s, none := make(chan %s, 1), make(chan int)", c, g.str(t))
		if g.chance(2) {
			g.line("%s <- %s", c, k)
		} else if g.chance(2) {
			g.line("close(%s)", c)
		}
		g.line("select {\ncase %s, ok := <-%s:\nout(%s, ok)\ncase none <- 1:\nout(\"sent\")\n"+
			"default:\nout(\"nothing\", kind(%s))\n}", v, c, v, k)
	case 4:
		g.line("%s, done%s := make(chan int), make(chan bool)", c, c)
		g.line("go func(n int) {\nfor i := range n {\n%s <- i\n}\nclose(done%s)\n}(%d)", c, c, n)
		g.line("all%s:\nfor {\nselect {\ncase %s := <-%s:\nout(%s, kind(%s))\ncase <-done%s:\n"+
			"break all%s\n}\n}", c, v, c, v, k, c, c)
	default:
		g.line("%s := make(chan any)", c)
		g.line("go func() {\ndefer func() {\n%s <- recover()\n}()\npanic(%s)\n}()", c, k)
		g.line("out(text(<-%s))", c)
	}
}

// commaOK writes a statement that asks whether there is a value.
func (g *gen) commaOK() {
	v, ok := g.name("v"), g.name("ok")
	if x, found := g.findKind(func(u types.Type) bool { return types.IsInterface(u) }); found &&
		g.chance(2) {
		t := g.typ(1, false)
		iface := x.typ.Underlying().(*types.Interface)
		if iface.NumMethods() > 0 && !types.IsInterface(t) {
			if t = g.implementer(iface); t == nil {
				return
			}
		}
		if isParam(t) {
			t = intType
			if iface.NumMethods() > 0 {
				return
			}
		}
		g.line("%s, %s := %s.(%s)", v, ok, x.text, g.str(t))
		g.known(v, t, false)
		g.line("out(%s)", ok)
		return
	}
	m, found := g.findKind(func(u types.Type) bool { _, is := u.(*types.Map); return is })
	if !found {
		return
	}
	u := m.typ.Underlying().(*types.Map)
	g.line("%s, %s := %s[%s]", v, ok, m.text, g.key(u.Key()))
	g.known(v, u.Elem(), false)
	g.line("out(%s)", ok)
}

// closures makes functions in a loop that keep variables, and calls them.
func (g *gen) closures() {
	fs, i, k := g.name("fs"), g.name("i"), g.name("k")
	g.line("var %s []func() int", fs)
	g.line(pick(g, []string{
		"for %[1]s := 0; %[1]s < 3; %[1]s++ {", "for %[1]s := range 3 {",
		"for _, %[1]s := range []int{4, 5} {", "for %[1]s := range count(3) {",
		"for %[1]s := range [2]string{} {",
	}), i)
	g.line("%s := %s", k, g.expr(intType, 2))
	g.line("%s = append(%s, func() int {\n%s += %s\n%s\nreturn %s\n})", fs, fs, k, i,
		pick(g, []string{"", i + "++", k + " *= 2"}), k)
	g.line("%s\n}", pick(g, []string{"", k + "++", "out(" + i + ")"}))
	f := g.name("f")
	g.line("for _, %s := range %s {\nout(%s(), %s())\n}", f, fs, f, f)
}
