package check

import (
	"go/types"
	"strings"
	"testing"

	"halfnote/repl/symbols"
)

func newSketcher(c *Checker) *Sketcher { return NewSketcher(c, symbols.NewImporter()) }

// TestSketch: what a sketch imports and defines is not known to the session, and packages that the
// session has imported are the same in sketches.
func TestSketch(t *testing.T) {
	c := newChecker()
	mustCell(t, c, "cell 1", "x := strings.NewReader(\"a\")")
	base := c.fset.Base()
	s := newSketcher(c)
	src := "y := bufio.NewReader(x)\ny."
	sk := s.Complete(src, len(src), len(src))
	if sk == nil {
		t.Fatal("no sketch")
	}
	x, ok := sk.Selected()
	if got := types.TypeString(sk.Info.TypeOf(x), nil); !ok || got != "*bufio.Reader" {
		t.Errorf("y is a %s", got)
	}
	if c.Lookup("bufio") != nil || c.Lookup("y") != nil || c.fset.Base() != base {
		t.Error("a sketch has changed what is known")
	}
	pkg, err := s.Import("strings")
	if named := namedType(c.Lookup("x").Type()); err != nil || pkg != named.Obj().Pkg() {
		t.Errorf("another package strings than the session's, or %v", err)
	}
	for src, want := range map[string]string{
		"x‸": "var x *strings.Reader",
		"func f() {\n\tx := 1\n\tprintln(x‸)\n}": "var x int",
		"len‸(x":                               "builtin len",
		"x.Len‸()":                             "func (*strings.Reader).Len() int",
		"type T struct{ A int }\nT{A‸: 1}":     "field A int",
		"type T struct{ A int }\nvar t = T{A‸": "field A int",
		"unknown‸":                             "<nil>",
		"import str \"strings\"\nstr‸.ToUpper": "package str (\"strings\")",
	} {
		before, after, _ := strings.Cut(src, "‸")
		start := strings.LastIndexFunc(before, func(r rune) bool { return !isLetter(r) }) + 1
		sk := s.Inspect(before+after, start, len(before))
		if sk == nil {
			t.Errorf("%s: no sketch", src)
			continue
		}
		got := "<nil>"
		if obj := sk.Object(); obj != nil {
			got = types.ObjectString(obj, func(p *types.Package) string {
				return strings.TrimPrefix(p.Path(), "main")
			})
		}
		if got != want {
			t.Errorf("%s: %s, want %s", src, got, want)
		}
	}
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

func TestFindDeclaration(t *testing.T) {
	for src, want := range map[string]Declaration{
		"// f doubles.\n//\n// Twice.\nfunc ‸f(x int) int {\n\treturn 2 * x // not this\n}\n// nor this": {
			"func f(x int) int {\n\treturn 2 * x // not this\n}", "f doubles.\n\nTwice.\n"},
		"x := 1 // of x\n// of f\nfunc ‸f() {}":          {"func f() {}", "of f\n"},
		"x := 1 // of x\nfunc ‸f() {}":                   {"func f() {}", ""},
		"x := 1; /* of f */ func ‸f() {}":                {"func f() {}", ""},
		"‸x := 1 // of x\nfunc f() {}":                   {"x := 1", "of x\n"},
		"// of x\n‸x, y := 1,\n\t2":                      {"x, y := 1,\n\t2", "of x\n"},
		"y := 1 // of y\n‸x := 2":                        {"x := 2", ""},
		"// of T\ntype ‸T struct {\n\tA int // of A\n}":  {"type T struct {\n\tA int // of A\n}", "of T\n"},
		"type T struct {\n\t‸A, B int // of A\n}":        {"A, B int", "of A\n"},
		"type T struct {\n\t// of B\n\tA, ‸B int `x`\n}": {"A, B int `x`", "of B\n"},
		"type (\n\t// of T\n\t‸T int\n\tU int\n)":        {"type T int", "of T\n"},
		"// of all\nconst (\n\t‸a = 1 // of a\n)":        {"const (\n\ta = 1 // of a\n)", "of a\n"},
		"// of all\nconst (\n\t‸a = 1\n)":                {"const (\n\ta = 1\n)", "of all\n"},
		"f := func() {\n\t‸z := 1 // of z\n}":            {"z := 1", "of z\n"},
		"for i, ‸x := range []int{1} {\n}":               {"for i, x := range []int{1}", ""},
		"//line x:99\n‸x := 1 // of x":                   {"x := 1", "of x\n"},
		"‸f(1)":                                          {},
		"x := ‸":                                         {},
		"‸":                                              {},
	} {
		before, after, _ := strings.Cut(src, "‸")
		got, ok := FindDeclaration(before+after, len(before))
		if got != want || ok != (want != Declaration{}) {
			t.Errorf("%s\n%+v, %v; want %+v", src, got, ok, want)
		}
	}
}
