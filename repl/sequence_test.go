package repl_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"halfnote/repl"
)

// TestSequences runs random sequences of small cells, and compares what the session knows after
// each with a model of it.
func TestSequences(t *testing.T) {
	for seed := range uint64(12) {
		runSequence(t, seed, 20)
	}
}

// FuzzSequence does the same with ever other sequences.
func FuzzSequence(f *testing.F) {
	f.Add(uint64(1000))
	f.Fuzz(func(t *testing.T, seed uint64) { runSequence(t, seed, 30) })
}

// A known is a variable of the model. Functions keep the variable, not its name.
type known struct {
	kind  string // its type
	value any
}

// A model is what a session is to know: live variables and constants by name, and functions that
// return what a variable holds.
type model struct {
	*rand.Rand
	vars   map[string]*known
	consts map[string]int
	funcs  map[string]*known
}

// A sequel is the model of one cell's run.
type sequel struct {
	*model
	lines    []string
	declared map[string]bool // by this cell
	ended    bool            // by a panic: the following lines do not run
	printed  string
}

func runSequence(t *testing.T, seed uint64, cells int) {
	t.Helper()
	s := repl.New(repl.Config{})
	m := &model{rand.New(rand.NewPCG(seed, 2)), map[string]*known{}, map[string]int{},
		map[string]*known{}}
	var history []string
	run := func(src, want string) bool {
		history = append(history, src)
		got := withoutNotes(eval(t, s, src))
		if printed, fails := strings.CutSuffix(want, "error"); fails &&
			strings.HasPrefix(got, printed+"cell ") {
			return true
		}
		if got != want {
			t.Errorf("sequence %d: got %q, want %q after\n%s", seed, got, want,
				strings.Join(history, "\n---\n"))
		}
		return got == want
	}
	for range cells {
		src, want := m.cell()
		if !run(src, want) {
			return
		}
		for _, name := range []string{"a", "b", "c", "k", "f", "g"} {
			if !m.knows(name) && m.IntN(4) == 0 && !run("_ = "+name, "error") {
				return
			}
		}
		if list, want := m.all(); list != "" && !run("fmt.Println("+list+")", want) {
			return
		}
	}
}

// withoutNotes leaves out what the session says of imports and of names.
func withoutNotes(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "+ import") && !strings.HasPrefix(line, "note: ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func (m *model) knows(name string) bool {
	_, isConst := m.consts[name]
	return m.vars[name] != nil || isConst || m.funcs[name] != nil
}

// all lists what can be printed, and what it prints.
func (m *model) all() (list, want string) {
	var names, values []string
	add := func(name string, value any) {
		names, values = append(names, name), append(values, fmt.Sprint(value))
	}
	for _, name := range slices.Sorted(maps.Keys(m.vars)) {
		add(name, m.vars[name].value)
	}
	for _, name := range slices.Sorted(maps.Keys(m.consts)) {
		add(name, m.consts[name])
	}
	for _, name := range slices.Sorted(maps.Keys(m.funcs)) {
		add(name+"()", m.funcs[name].value)
	}
	return strings.Join(names, ", "), strings.Join(values, " ") + "\n"
}

// cell returns a cell and what it prints, with "error" at the end when it is to fail.
func (m *model) cell() (src, want string) {
	before := m.copied()
	c := &sequel{model: m, declared: map[string]bool{}}
	for range 1 + m.IntN(4) {
		c.line()
	}
	if m.IntN(4) == 0 { // nothing happens
		wrong := []string{"undefined++", "var unused int = `x`", "x ===", "return 1", "if {", "a, b, c := 1"}
		at := m.IntN(len(c.lines) + 1)
		c.lines = slices.Insert(c.lines, at, wrong[m.IntN(len(wrong))])
		*m = *before
		return strings.Join(c.lines, "\n"), "error"
	}
	if c.ended {
		c.printed += "error"
	}
	return strings.Join(c.lines, "\n"), c.printed
}

// copied returns a model with the same names and values, which functions share as before.
func (m *model) copied() *model {
	c := &model{m.Rand, map[string]*known{}, maps.Clone(m.consts), map[string]*known{}}
	same := map[*known]*known{}
	copyOf := func(v *known) *known {
		if same[v] == nil {
			same[v] = &known{v.kind, v.value}
		}
		return same[v]
	}
	for name, v := range m.vars {
		c.vars[name] = copyOf(v)
	}
	for name, v := range m.funcs {
		c.funcs[name] = copyOf(v)
	}
	return c
}

// line adds a line to the cell, and does in the model what it does unless the cell has ended.
func (c *sequel) line() {
	name := []string{"a", "b", "c"}[c.IntN(3)]
	add := func(format string, args ...any) { c.lines = append(c.lines, fmt.Sprintf(format, args...)) }
	switch c.IntN(10) {
	case 0, 1, 2:
		if c.declared[name] {
			return
		}
		kind, text, value := c.constant()
		add([]string{"%s := %s", "var %s = %s"}[c.IntN(2)], name, text)
		c.define(name, kind, value)
	case 3, 4:
		if v := c.vars[name]; v != nil && c.sure(name) {
			switch v.kind {
			case "int":
				add("%s += 3", name)
				c.do(func() { v.value = v.value.(int) + 3 })
			case "string":
				add("%s += `!`", name)
				c.do(func() { v.value = v.value.(string) + "!" })
			}
		}
	case 5:
		if v := c.vars[name]; v != nil && c.sure(name) {
			other := []string{"a", "b", "c"}[c.IntN(3)]
			if c.declared[other] || other == name {
				return
			}
			add("%s := %s", other, name)
			c.define(other, v.kind, v.value)
		}
	case 6:
		if c.declared["k"] {
			return
		}
		n := c.IntN(100)
		add("const k = %d", n)
		c.declared["k"] = true
		c.consts["k"] = n
	case 7:
		fun := []string{"f", "g"}[c.IntN(2)]
		if v := c.vars[name]; v != nil && !c.declared[name] && !c.declared[fun] {
			if old := c.funcs[fun]; old == nil || old.kind == v.kind {
				add("func %s() %s { return %s }", fun, v.kind, name)
				c.declared[fun] = true
				c.funcs[fun] = v
				c.declared[name] = true // a later line would be another variable to the function
			}
		}
	case 8:
		if v := c.vars[name]; v != nil && c.sure(name) {
			add("fmt.Println(%s)", name)
			c.do(func() { c.printed += fmt.Sprintln(v.value) })
		}
	default:
		if c.IntN(3) == 0 {
			add("if true { panic(`by hand`) }")
			c.ended = true
		}
	}
}

// sure reports whether the name means in the rest of the cell what the model says: behind a panic
// the cell declares what never comes to be.
func (c *sequel) sure(name string) bool { return !c.ended || !c.declared[name] }

func (c *sequel) do(f func()) {
	if !c.ended {
		f()
	}
}

// define makes a variable; one of the same name and type is that variable.
func (c *sequel) define(name, kind string, value any) {
	c.declared[name] = true
	c.do(func() {
		if v := c.vars[name]; v != nil && v.kind == kind {
			v.value = value
			return
		}
		c.vars[name] = &known{kind, value}
	})
}

func (c *sequel) constant() (kind, text string, value any) {
	switch c.IntN(3) {
	case 0:
		n := c.IntN(10)
		return "int", fmt.Sprint(n), n
	case 1:
		s := strings.Repeat("s", c.IntN(3))
		return "string", fmt.Sprintf("%q", s), s
	}
	return "bool", "true", true
}
