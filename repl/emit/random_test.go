package emit_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/repl/ir"
)

// A writer makes random functions that mix statements and types in all ways, end, and do not
// depend on the order of evaluation that Go leaves open.
type writer struct {
	*rand.Rand
	strings.Builder
	indent int
	vars   map[string][]string // by type
	count  int
	loops  []string // labels
	inLit  bool
	fixed  map[string]bool // variables that are not assigned to
}

var randomTypes = []string{
	"int", "int8", "uint8", "uint32", "int64", "float64", "float32", "string", "bool", "[]int",
	"map[string]int", "*int", "pt", "*pt", "func(int) int", "any", "[3]int", "[]pt", "[]bool",
	"*bool", "chan int",
}

const randomPrelude = `
type pt struct {
	a int
	b string
	c []int
	d bool
	e [2]int
	f func(int) int
	p *pt
}

func at(i, n int) int { return ((i % n) + n) % n }

func short(s string) string {
	if len(s) > 12 {
		return s[3:9]
	}
	return s
}

func both(x int, s string) (int, string) { return x + len(s), short(s + "!") }

func show(x any) {
	switch fmtOf(x) {
	case 1:
		out("nil")
	default:
		out(x)
	}
}

func fmtOf(x any) int {
	if x == nil {
		return 1
	}
	return 0
}
`

func (w *writer) line(format string, args ...any) {
	w.WriteString(strings.Repeat("\t", w.indent))
	fmt.Fprintf(w, format, args...)
	w.WriteByte('\n')
}

func (w *writer) pick(list ...string) string { return list[w.IntN(len(list))] }

func (w *writer) variable(t string) string {
	if vs := w.vars[t]; len(vs) > 0 {
		return w.pick(vs...)
	}
	return ""
}

func (w *writer) fresh(t string) string {
	w.count++
	name := fmt.Sprintf("v%d", w.count)
	w.vars[t] = append(w.vars[t], name)
	return name
}

func isInt(t string) bool { return strings.Contains(t, "int") && !strings.ContainsAny(t, "[*( ") }

func isFloat(t string) bool { return strings.HasPrefix(t, "float") }

// expr writes an expression of type t.
func (w *writer) expr(t string, depth int) string {
	v := w.variable(t)
	if v != "" && (depth <= 0 || w.IntN(3) == 0) {
		return v
	}
	sub := func(t string) string { return w.expr(t, depth-1) }
	switch {
	case isInt(t):
		if t == "int" {
			switch w.IntN(9) {
			case 0:
				return "len(" + sub(w.pick("string", "[]int", "map[string]int", "[]pt")) + ")"
			case 1:
				s := w.list()
				return s + "[at(" + sub("int") + ", len(" + s + "))]"
			case 2:
				return w.point() + ".a"
			case 3:
				return w.point() + ".e[at(" + sub("int") + ", 2)]"
			case 4:
				if p := w.variable("*int"); p != "" {
					return "*" + p
				}
			case 5:
				if m := w.variable("map[string]int"); m != "" {
					return m + "[" + sub("string") + "]"
				}
			case 6:
				return "min(" + sub("int") + ", " + sub("int") + ")"
			}
		}
		switch w.IntN(8) {
		case 0:
			return t + "(" + sub(w.pick("int", "int8", "uint8", "uint32", "int64")) + ")"
		case 1:
			return "(" + sub(t) + " / (" + sub(t) + " | 1))"
		case 2:
			return "(" + sub(t) + " % (" + sub(t) + " | 1))"
		case 3:
			return "(" + sub(t) + w.pick(" << ", " >> ") + "(uint(" + sub("int") + ") & 15))"
		case 4:
			return w.pick("-", "^", "+") + "(" + sub(t) + ")"
		}
		return "(" + sub(t) + w.pick(" + ", " - ", " * ", " & ", " | ", " ^ ", " &^ ") + sub(t) + ")"
	case isFloat(t):
		switch w.IntN(4) {
		case 0:
			return t + "(" + sub(w.pick("int8", "uint8", "float32", "float64")) + ")"
		case 1:
			return w.pick("min", "max") + "(" + sub(t) + ", " + sub(t) + ")"
		}
		return "(" + sub(t) + w.pick(" + ", " - ", " * ", " / ") + sub(t) + ")"
	case t == "string":
		switch w.IntN(4) {
		case 0:
			return w.point() + ".b"
		case 1:
			return "string(rune(65 + at(" + sub("int") + ", 26)))"
		}
		return "short(" + sub("string") + " + " + sub("string") + ")"
	case t == "bool":
		switch w.IntN(9) {
		case 0:
			k := w.pick("int", "uint8", "float64", "string", "int64")
			return "(" + sub(k) + w.pick(" == ", " != ", " < ", " <= ", " > ", " >= ") + sub(k) + ")"
		case 1:
			return "(" + sub("bool") + w.pick(" == ", " != ") + sub("bool") + ")"
		case 2:
			return "!" + sub("bool")
		case 3:
			return w.point() + ".d"
		case 4:
			if p := w.variable("*bool"); p != "" {
				return "*" + p
			}
		case 5:
			if s := w.variable("[]bool"); s != "" {
				return s + "[at(" + sub("int") + ", len(" + s + "))]"
			}
		case 6:
			t := w.pick("*pt", "map[string]int", "func(int) int", "any")
			return "(" + sub(t) + w.pick(" == ", " != ") + "nil)"
		}
		return "(" + sub("bool") + w.pick(" && ", " || ") + sub("bool") + ")"
	}
	return w.composite(t, v, depth, sub)
}

func (w *writer) composite(t, v string, depth int, sub func(string) string) string {
	if depth <= 0 && v != "" {
		return v
	}
	switch t {
	case "[]int":
		if w.IntN(3) == 0 {
			return "append(" + w.list() + "[:1:1], " + sub("int") + ", 4)"
		}
		return "[]int{" + sub("int") + ", 2, " + sub("int") + "}"
	case "[]bool":
		return "[]bool{" + sub("bool") + ", " + sub("bool") + "}"
	case "[3]int":
		return "[3]int{" + sub("int") + ", 7, " + sub("int") + "}"
	case "[]pt":
		return "[]pt{" + sub("pt") + ", {a: " + sub("int") + "}}"
	case "map[string]int":
		return `map[string]int{"a": ` + sub("int") + `, "bc": ` + sub("int") + "}"
	case "*int":
		return "new(int)"
	case "*bool":
		return "new(bool)"
	case "chan int":
		return "make(chan int, 5)"
	case "pt":
		if depth > 0 && w.IntN(3) == 0 {
			if p := w.variable("*pt"); p != "" {
				return "*" + p
			}
		}
		return "pt{a: " + sub("int") + ", b: " + sub("string") + ", d: " + sub("bool") + "}"
	case "*pt":
		return "&pt{a: " + sub("int") + ", c: " + sub("[]int") + "}"
	case "func(int) int":
		if w.inLit || depth <= 0 {
			return "func(x int) int { return x + 1 }"
		}
		return w.literal()
	}
	return "any(" + sub(w.pick("int", "string", "float64", "bool", "uint8")) + ")"
}

// literal writes a function literal that uses variables around it.
func (w *writer) literal() string {
	w.inLit = true
	defer func() { w.inLit = false }()
	w.count++
	x := fmt.Sprintf("x%d", w.count)
	w.vars["int"] = append(w.vars["int"], x)
	body := w.expr("int", 2)
	text := "func(" + x + " int) int { return " + body + " }"
	if c := w.variable("int"); c != "" && c != x && !w.fixed[c] {
		text = "func(" + x + " int) int { " + c + " = " + c + " + " + x + "; return " + body + " }"
	}
	w.vars["int"] = w.vars["int"][:len(w.vars["int"])-1]
	return text
}

func (w *writer) list() string {
	if v := w.variable("[]int"); v != "" {
		return v
	}
	return "[]int{1, 2, 3}"
}

func (w *writer) point() string {
	if v := w.variable(w.pick("pt", "*pt")); v != "" {
		return v
	}
	return "(&pt{a: 3})"
}

func (w *writer) block(n int) {
	before := map[string][]string{}
	for t, vs := range w.vars {
		before[t] = vs[:len(vs):len(vs)]
	}
	w.indent++
	for range n {
		w.stmt()
		if w.IntN(2) == 0 {
			w.report()
		}
	}
	w.indent--
	w.vars = before
}

// report prints some variables.
func (w *writer) report() {
	var list []string
	for range 3 {
		t := w.pick("int", "int8", "uint8", "uint32", "int64", "float64", "float32", "string", "bool",
			"[]int", "map[string]int", "any", "[3]int", "[]bool")
		if v := w.variable(t); v != "" {
			list = append(list, v)
		}
	}
	for _, f := range []string{".a", ".b", ".d", ".e", ".c"} {
		if p := w.variable(w.pick("pt", "*pt")); p != "" && w.IntN(2) == 0 {
			list = append(list, p+f)
		}
	}
	for _, t := range []string{"*int", "*bool"} {
		if p := w.variable(t); p != "" {
			list = append(list, "*"+p)
		}
	}
	if len(list) > 0 {
		w.line("out(%s)", strings.Join(list, ", "))
	}
}

func (w *writer) assignable(t string) string {
	v := w.variable(t)
	if v == "" || w.fixed[v] {
		return ""
	}
	return v
}

func (w *writer) stmt() {
	if w.indent > 5 {
		w.line("out(%s)", w.expr("int", 2))
		return
	}
	switch w.IntN(22) {
	case 0, 1, 2, 3:
		t := w.pick(randomTypes...)
		e := w.expr(t, 3)
		w.line("var %s %s = %s", w.fresh(t), t, e)
		vs := w.vars[t]
		w.line("_ = %s", vs[len(vs)-1])
	case 4, 5, 6:
		t := w.pick(randomTypes...)
		if v := w.assignable(t); v != "" {
			w.line("%s = %s", v, w.expr(t, 3))
		}
	case 7:
		t := w.pick("int", "int8", "uint8", "uint32", "int64")
		if v := w.assignable(t); v != "" {
			w.line("%s %s %s", v, w.pick("+=", "-=", "*=", "|=", "^="), w.expr(t, 2))
		}
	case 8:
		if v := w.variable("[]int"); v != "" {
			w.line("%s[at(%s, len(%s))] = %s", v, w.expr("int", 1), v, w.expr("int", 2))
		}
	case 9:
		if p := w.variable("*pt"); p != "" {
			w.line("%s.%s", p, w.pick("a = "+w.expr("int", 2), "b = "+w.expr("string", 2),
				"d = "+w.expr("bool", 2), "e[1] = "+w.expr("int", 2), "a++",
				"f = "+w.expr("func(int) int", 1), "p = "+w.expr("*pt", 1)))
		}
	case 10:
		if p := w.variable("*int"); p != "" {
			w.line("*%s = %s", p, w.expr("int", 2))
		}
		if p := w.variable("*bool"); p != "" {
			w.line("*%s = %s", p, w.expr("bool", 3))
		}
	case 11:
		if m := w.variable("map[string]int"); m != "" {
			w.line("if %s != nil {", m)
			w.line("\t%s[%s] += %s", m, w.expr("string", 1), w.expr("int", 2))
			w.line("}")
		}
	case 12, 13:
		w.line("if %s {", w.expr("bool", 3))
		w.block(1 + w.IntN(3))
		if w.IntN(2) == 0 {
			w.line("} else {")
			w.block(1 + w.IntN(2))
		}
		w.line("}")
	case 14, 15:
		w.loop()
	case 16:
		w.line("switch %s & 3 {", w.expr("int", 2))
		for i := range 3 {
			w.line("%s", w.pick(fmt.Sprintf("case %d:", i), fmt.Sprintf("case %d, %d:", i, i+10)))
			w.block(1 + w.IntN(2))
			if w.IntN(4) == 0 {
				w.line("\tif %s {", w.expr("bool", 2))
				w.line("\t\tbreak")
				w.line("\t}")
				w.line("\tout(\"after\")")
			}
		}
		w.line("default:")
		w.block(1)
		w.line("}")
	case 17:
		if f := w.variable("func(int) int"); f != "" {
			e := w.expr("int", 1)
			w.line("if %s != nil {", f)
			w.line("\tout(%s(%s))", f, e)
			w.line("}")
		}
	case 18:
		w.count++
		a, b := fmt.Sprintf("a%d", w.count), fmt.Sprintf("b%d", w.count)
		w.line("%s, %s := both(%s, %s)", a, b, w.expr("int", 2), w.expr("string", 2))
		w.line("out(%s, %s)", a, b)
		w.vars["int"] = append(w.vars["int"], a)
		w.vars["string"] = append(w.vars["string"], b)
	case 19:
		if m := w.variable("map[string]int"); m != "" {
			w.count++
			w.line("m%d, ok%d := %s[%s]", w.count, w.count, m, w.expr("string", 1))
			w.line("out(m%d, ok%d)", w.count, w.count)
		}
		if a := w.variable("any"); a != "" {
			w.count++
			w.line("i%d, is%d := %s.(%s)", w.count, w.count, a, w.pick("int", "string", "bool", "uint8"))
			w.line("out(i%d, is%d)", w.count, w.count)
		}
	case 20:
		if c := w.variable("chan int"); c != "" {
			w.line("if len(%s) < 5 {", c)
			w.line("\t%s <- %s", c, w.expr("int", 2))
			w.line("}")
			if x := w.assignable("int"); x != "" {
				w.line("if len(%s) > 1 {", c)
				w.line("\t%s = <-%s", x, c)
				w.line("}")
			}
		}
	default:
		t := w.pick("int", "uint8", "int64", "string", "bool")
		w.line("out(%s, %s)", w.expr(t, 3), w.expr("int", 2))
		if w.IntN(3) == 0 {
			w.line("show(%s)", w.expr("any", 2))
		}
	}
}

func (w *writer) loop() {
	w.count++
	label := fmt.Sprintf("loop%d", w.count)
	w.line("%s:", label)
	switch w.IntN(3) {
	case 0:
		i := fmt.Sprintf("i%d", w.count)
		w.line("for %s := 0; %s < %d; %s++ {", i, i, 1+w.IntN(4), i)
		w.line("\tk%d := %s", w.count, i)
		w.vars["int"] = append(w.vars["int"], fmt.Sprintf("k%d", w.count))
		w.line("\t_ = k%d", w.count)
	case 1:
		w.line("for k%d, e%d := range %s {", w.count, w.count, w.expr("[]int", 2))
		w.line("\t_ = k%d", w.count)
		w.line("\t_ = e%d", w.count)
		w.line("\tif k%d > 4 {", w.count)
		w.line("\t\tbreak")
		w.line("\t}")
		w.vars["int"] = append(w.vars["int"], fmt.Sprintf("k%d", w.count))
	default:
		w.line("for _, k%d := range %s {", w.count, w.expr("[3]int", 2))
		w.line("\t_ = k%d", w.count)
		w.vars["int"] = append(w.vars["int"], fmt.Sprintf("k%d", w.count))
	}
	w.fixed[fmt.Sprintf("k%d", w.count)] = true
	w.loops = append(w.loops, label)
	w.block(1 + w.IntN(3))
	w.line("\tif %s {", w.expr("bool", 2))
	w.line("\t\t%s %s", w.pick("continue", "break"), w.pick(append(w.loops, "")...))
	w.line("\t}")
	w.block(1)
	w.line("\tcontinue %s", label)
	w.line("}")
	w.loops = w.loops[:len(w.loops)-1]
	w.vars["int"] = w.vars["int"][:len(w.vars["int"])-1]
}

// start writes a constant of type t.
func (w *writer) start(t string) string {
	switch {
	case isInt(t):
		return fmt.Sprint(w.IntN(100))
	case isFloat(t):
		return fmt.Sprintf("%d.%d", w.IntN(10), w.IntN(10))
	case t == "string":
		return `"` + w.pick("", "a", "bc", "déf") + `"`
	}
	return w.pick("true", "false")
}

// randomSource writes n functions named case0 and so on.
func randomSource(seed uint64, n int) string {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, 1)), fixed: map[string]bool{}}
	for i := range n {
		w.vars = map[string][]string{}
		w.line("func case%d() {", i)
		w.indent++
		for _, t := range randomTypes[:9] {
			v := w.fresh(t)
			w.line("var %s %s = %s", v, t, w.start(t))
			w.line("_ = %s", v)
		}
		w.indent--
		w.block(12)
		w.line("}\n")
	}
	return "package main\n" + randomPrelude + "\n" + w.String()
}

var seed = flag.Uint64("seed", 1, "the number of the random programs")

// TestRandomPrograms compares random programs with what they do when Go runs them.
func TestRandomPrograms(t *testing.T) {
	const functions = 40
	src := randomSource(*seed, functions)
	want := goRun(t, map[string]string{
		"cases.go": src, "prelude.go": read(t, "testdata/prelude.go"),
	}, "try(%s)")
	m := newMachine(t)
	funcs := translate(t, m.FileSet(), m.types, m.hosts, src+hostDecls)
	m.run(t, &ir.Unit{Funcs: funcs})
	for _, f := range funcs {
		if !strings.HasPrefix(f.Name, "case") {
			continue
		}
		m.out.Reset()
		m.hosts["try"].(func(func()))(func() { m.run(t, call(f)) })
		if got := m.out.String(); got != want[f.Name] {
			_, after, _ := strings.Cut(src, "func "+f.Name+"() {")
			body, _, _ := strings.Cut(after, "\n}\n")
			t.Errorf("%s: wanted - got +\n%s\n%s", f.Name, cmp.Diff(want[f.Name], got), body)
		}
	}
}
