package lower_test

import (
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"halfnote/repl/check"
	"halfnote/repl/ir"
	"halfnote/repl/lower"
	"halfnote/repl/rt"
	"halfnote/repl/symbols"
)

// session checks and lowers cells, as package repl does.
type session struct {
	checker *check.Checker
	lowerer *lower.Lowerer
}

func newSession() *session {
	symbol := func(path, name string) (reflect.Value, bool) {
		table, _ := symbols.Load(path)
		v, ok := table.Symbols[name]
		return v, ok
	}
	ts := rt.NewTypes(func(path, name string) (reflect.Type, bool) {
		v, ok := symbol(path, name)
		if !ok || v.Kind() != reflect.Pointer || !v.IsNil() {
			return nil, false
		}
		return v.Type().Elem(), true
	})
	return &session{
		checker: check.New(token.NewFileSet(), symbols.NewImporter(), symbols.ByName),
		lowerer: lower.New(ts, symbol, func(string) *check.Library { return nil }),
	}
}

// lower lowers a cell; the unit is nil and the text says why when it does not check.
func (s *session) lower(src string) (*lower.Unit, string, error) {
	cell, ds := s.checker.Cell("cell 1", src)
	if len(ds) > 0 {
		return nil, ds[0].Msg, nil
	}
	u, err := s.lowerer.Unit(cell, nil)
	if err == nil {
		s.checker.Commit(cell)
	}
	return u, "", err
}

// TestUnsupported: what cannot be lowered says what it is and where, and leaves nothing behind.
func TestUnsupported(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"type P struct{ X int }\nslices.Sort([]int{2, 1})", "the generic function slices.Sort"},
	} {
		s := newSession()
		_, msg, err := s.lower(c.src)
		if err == nil || msg != "" || err.Error() != "halfnote cannot run "+c.want+" yet" {
			t.Errorf("%s: %q %v, want %s", c.src, msg, err, c.want)
			continue
		}
		if _, msg, err := s.lower("type P struct{ Y int }\nP{2}.Y"); err != nil || msg != "" {
			t.Errorf("the cell after %s: %s %v", c.src, msg, err)
		}
	}
}

// TestRedefinition: a function that is defined anew with the same type is what earlier functions
// call from then on.
func TestRedefinition(t *testing.T) {
	s := newSession()
	for _, src := range []string{
		"func inner() int { return 1 }\nfunc outer() int { return inner() }",
		"outer()",
		"func inner() int { return 2 }",
	} {
		if _, msg, err := s.lower(src); err != nil || msg != "" {
			t.Fatalf("%s: %s %v", src, msg, err)
		}
	}
	u, _, err := s.lower("outer()")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range u.Funcs {
		names = append(names, strings.TrimRight(f.Name, "_0123456789"))
	}
	if got := strings.Join(names, " "); got != "outer inner" {
		t.Errorf("lowered again: %s; want outer inner", got)
	}
}

// TestFree: a closure captures what it uses and does not declare.
func TestFree(t *testing.T) {
	u, msg, err := newSession().lower(`
func adder(n int) func(int) int {
	total := n
	return func(k int) int { total += k; return total }
}
adder(1)`)
	if err != nil || msg != "" {
		t.Fatal(msg, err)
	}
	for _, f := range u.Funcs {
		for _, s := range f.Body {
			if r, ok := s.(*ir.Return); ok {
				c, ok := r.Results[0].(*ir.Closure)
				if !ok || len(c.Captures) != 1 || c.Captures[0].Name != "total" ||
					c.Captures[0].Typ != reflect.TypeFor[*int]() {
					t.Errorf("captures of %s: %v, want a pointer total", f.Name, c.Captures)
				}
				return
			}
		}
	}
	t.Error("no closure was returned")
}

// FuzzUnit: whatever checks is lowered, or refused with an *Unsupported.
func FuzzUnit(f *testing.F) {
	programs, _ := filepath.Glob("../testdata/programs/*.go")
	for _, p := range programs {
		src, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(src))
	}
	f.Add("x := 1\nfor i := range x { defer func() { println(i, recover()) }() }")
	f.Add("type T[P any] struct{ v P }\nfunc (t T[P]) Get() P { return t.v }\nT[string]{`a`}.Get()")
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 4096 {
			return
		}
		newSession().lower(src)
	})
}
