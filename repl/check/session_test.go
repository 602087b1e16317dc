package check

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mustCell checks and commits a cell that has no errors.
func mustCell(t testing.TB, c *Checker, name, src string) *Cell {
	t.Helper()
	cell, diagnostics := c.Cell(name, src)
	if len(diagnostics) > 0 {
		t.Fatalf("%s: %+v", name, diagnostics)
	}
	c.Commit(cell)
	return cell
}

func TestRedefinition(t *testing.T) {
	c := newChecker()
	first := mustCell(t, c, "cell 1", "x := 1\nfunc get() int { return x }")
	old := c.Lookup("x")
	mustCell(t, c, "cell 2", `x := "a"`)
	now := c.Lookup("x")
	if now == old || now.Type() != types.Typ[types.String] {
		t.Fatalf("x is %v", now)
	}
	use := mustCell(t, c, "cell 3", "get() + len(x)")
	for id, obj := range use.Info.Uses {
		if id.Name == "x" && obj != now {
			t.Errorf("cell 3 uses %v, not the x of cell 2", obj)
		}
		if id.Name == "get" && obj != first.Defs[1] {
			t.Errorf("cell 3 uses %v, not the get of cell 1", obj)
		}
	}
	var names []string
	for _, obj := range c.Live() {
		names = append(names, obj.Name())
	}
	if diff := cmp.Diff([]string{"get", "x"}, names); diff != "" {
		t.Errorf("live (-want +got):\n%s", diff)
	}
}

func TestUncommitted(t *testing.T) {
	c := newChecker()
	if _, d := c.Cell("cell 1", "x := 1\nimport \"strings\""); d != nil {
		t.Fatal(d)
	}
	if c.Lookup("x") != nil || c.Lookup("strings") != nil || len(c.Live()) > 0 {
		t.Error("a cell that was only checked changed what is live")
	}
}

// TestAutoImport: of the packages of one name that is imported which has all that the cell names.
func TestAutoImport(t *testing.T) {
	for src, want := range map[string]string{
		"rand.Float64()":                                "math/rand/v2",
		"rand.IntN(3)":                                  "math/rand/v2",
		"rand.New(rand.NewPCG(1, 2))":                   "math/rand/v2",
		"rand.Intn(3)":                                  "math/rand",
		"rand.New(rand.NewSource(1)).Float64()":         "math/rand",
		"rand.Read(make([]byte, 3))":                    "crypto/rand",
		"rand.Text()":                                   "crypto/rand",
		"func f(r *rand.Rand) int { return r.IntN(3) }": "math/rand/v2",
		"template.New(`t`)":                             "text/template",
		"template.HTML(`<p>`)":                          "html/template",
		"new(scanner.Scanner)":                          "text/scanner",
		"scanner.ErrorList{}":                           "go/scanner",
		"draw.Over":                                     "image/draw",
		"draw.Canvas{}":                                 "gonum.org/v1/plot/vg/draw",
		"palette.Plan9":                                 "image/color/palette",
		"palette.Rainbow":                               "gonum.org/v1/plot/palette",
	} {
		cell := mustCell(t, newChecker(), "cell 1", src)
		if diff := cmp.Diff([]string{want}, cell.AutoImports); diff != "" {
			t.Errorf("%s (-want +got):\n%s", src, diff)
		}
	}
}

func TestImportsStay(t *testing.T) {
	c := newChecker()
	cell := mustCell(t, c, "cell 1", "import str \"strings\"\nrand.Float64()")
	if diff := cmp.Diff([]string{"math/rand/v2"}, cell.AutoImports); diff != "" {
		t.Errorf("automatic imports (-want +got):\n%s", diff)
	}
	cell = mustCell(t, c, "cell 2", "str.ToUpper(\"a\"); rand.Float64()")
	if len(cell.AutoImports) > 0 {
		t.Errorf("imported again: %v", cell.AutoImports)
	}
	// An automatic import makes room for a package that has what the cell names.
	cell = mustCell(t, c, "cell 3", "rand.Seed(3); rand.Float64()")
	if diff := cmp.Diff([]string{"math/rand"}, cell.AutoImports); diff != "" {
		t.Errorf("automatic imports (-want +got):\n%s", diff)
	}
	// An explicit one does not, and a variable takes the name over.
	mustCell(t, c, "cell 4", "import \"crypto/rand\"")
	if _, d := c.Cell("cell 5", "rand.IntN(3)"); len(d) != 1 {
		t.Errorf("crypto/rand gave way: %v", d)
	}
	mustCell(t, c, "cell 6", "rand := 4")
	mustCell(t, c, "cell 7", "rand + 1")
	var imports []string
	for _, p := range c.Imports() {
		imports = append(imports, p.Name()+" "+p.Imported().Path())
	}
	if diff := cmp.Diff([]string{"str strings"}, imports); diff != "" {
		t.Errorf("imports (-want +got):\n%s", diff)
	}
}

func TestDotImport(t *testing.T) {
	c := newChecker()
	mustCell(t, c, "cell 1", "import . \"math\"\nSqrt(Pi)")
	mustCell(t, c, "cell 2", "Sin(0)")
	mustCell(t, c, "cell 3", "import _ \"image/png\"")
	if len(c.Live()) > 0 {
		t.Errorf("live: %v", c.Live())
	}
}

func TestDefine(t *testing.T) {
	c := newChecker()
	v := c.Define("_3", types.Typ[types.Int])
	cell := mustCell(t, c, "cell 4", "_3 * 2")
	for id, obj := range cell.Info.Uses {
		if id.Name == "_3" && obj != v {
			t.Errorf("_3 is %v", obj)
		}
	}
	if !c.Forget("_3") || c.Forget("_3") {
		t.Error("Forget does not tell whether the name was live")
	}
	if _, d := c.Cell("cell 5", "_3"); len(d) != 1 {
		t.Errorf("forgotten, but %v", d)
	}
}

// TestGenericsOverCells instantiates a generic type of one cell in others: it is one type.
func TestGenericsOverCells(t *testing.T) {
	c := newChecker()
	mustCell(t, c, "cell 1", `type Stack[T any] struct{ items []T }
func (s *Stack[T]) Push(x T) { s.items = append(s.items, x) }
func Map[T, U any](xs []T, f func(T) U) []U {
	var out []U
	for _, x := range xs {
		out = append(out, f(x))
	}
	return out
}`)
	mustCell(t, c, "cell 2", "a := Stack[int]{}\na.Push(1)")
	mustCell(t, c, "cell 3", "var b Stack[int] = a\nb.items[0]")
	cell := mustCell(t, c, "cell 4", "Map(b.items, func(i int) string { return fmt.Sprint(i) })")
	if got := cell.Info.Types[cell.Result.X].Type.String(); got != "[]string" {
		t.Errorf("type %s", got)
	}
}

func TestPositions(t *testing.T) {
	for _, tt := range []struct {
		src            string
		line, col, len int
		source         string
	}{
		{"x := foo", 1, 6, 3, "x := foo"},
		{"\tx := \t foo", 1, 9, 3, "\tx := \t foo"},
		{"s, y := \"日本\", foo.bar", 1, 19, 3, "s, y := \"日本\", foo.bar"},
		{"func f() {}\n\n\nx := 1\n\n  y := x + foo + 1", 6, 12, 3, "  y := x + foo + 1"},
		{"x := 1\r\ny := foo\r\n", 2, 6, 3, "y := foo"},
		{"//line other.go:77\nx := foo", 2, 6, 3, "x := foo"},
		{"x := 1 +", 1, 9, 1, "x := 1 +"},
		{"x := 1 +\n\n\n", 1, 9, 1, "x := 1 +"},
		{"x := 1 + // more\n", 1, 9, 1, "x := 1 + // more"},
		{"var i int = \"abc\" + \"d\"", 1, 13, 11, "var i int = \"abc\" + \"d\""},
		{"f := func() {\n\tfoo(\n\t\t1)\n}", 2, 2, 3, "\tfoo("},
	} {
		_, diagnostics := newChecker().Cell("cell 1", tt.src)
		if len(diagnostics) != 1 {
			t.Errorf("%q: %v", tt.src, diagnostics)
			continue
		}
		d := diagnostics[0]
		if d.Line != tt.line || d.Col != tt.col || d.Len != tt.len || d.Source != tt.source ||
			d.Cell != "cell 1" {
			t.Errorf("%q: %+v", tt.src, d)
		}
	}
}

// TestNodePositions compares the text at each identifier's position with its name.
func TestNodePositions(t *testing.T) {
	const src = "import \"fmt\"\n\n// ä\nx := \"日本\" + y() //line a.go:1\n" +
		"func y() string { return z }\n" +
		"const z = \"é\"; var é, b = 1, `\n`; type (\n\tT struct{ f int }\n)\n" +
		"fmt.Println(x, é, b, T{f: 1})\n"
	c := newChecker()
	c.fset.AddFile("before", -1, 1000)
	cell := mustCell(t, c, "cell 1", src)
	base := cell.Fset.Position(cell.Chunks[0].Decls[0].Pos())
	if base.Filename != "cell 1" || base.Line != 5 || base.Column != 1 {
		t.Errorf("y is at %v", base)
	}
	n := 0
	for id := range cell.Info.Uses {
		p := cell.Fset.PositionFor(id.Pos(), false)
		if !strings.HasPrefix(src[p.Offset:], id.Name) {
			t.Errorf("%s is said to be at %v: %.10q", id.Name, p, src[p.Offset:])
		}
		n++
	}
	if n < 8 {
		t.Errorf("only %d uses", n)
	}
}

func TestFollowOnErrors(t *testing.T) {
	_, diagnostics := newChecker().Cell("cell 1", `a := foo()
b := a.x + 1
func f() { unused := 1 }
c := b * bar`)
	var got []string
	for _, d := range diagnostics {
		got = append(got, fmt.Sprintf("%d:%d: %s", d.Line, d.Col, d.Msg))
	}
	if diff := cmp.Diff([]string{"1:6: undefined: foo", "4:10: undefined: bar"}, got); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

func TestProgram(t *testing.T) {
	main := File{"main.go", "package main\n\nimport \"fmt\"\n\nvar a = b + 1\n\n" +
		"func main() { fmt.Println(a, helper()) }\n"}
	c := newChecker()
	cell, diagnostics := c.Program([]File{main,
		{"helper.go", "package main\n\nvar b = 2\n\nfunc helper() int { return b }\n"}})
	if diagnostics != nil {
		t.Fatal(diagnostics)
	}
	if !cell.IsProgram || len(cell.Chunks) != 1 || len(cell.Chunks[0].InitOrder) != 2 ||
		cell.Chunks[0].InitOrder[0].Lhs[0].Name() != "b" {
		t.Errorf("chunks %+v", cell.Chunks)
	}
	var decls int
	for _, d := range cell.Chunks[0].Decls {
		if _, ok := d.(*ast.FuncDecl); ok {
			decls++
		}
	}
	if decls != 2 || len(cell.Defs) != 4 || len(cell.Vars) != 2 {
		t.Errorf("%d functions, defines %v", decls, cell.Defs)
	}
	if len(c.Live()) > 0 {
		t.Errorf("live: %v", c.Live())
	}
}

func TestProgramErrors(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"package main\n\nimport \"os\"\n\nfunc main() {}\n",
			`a.go:3:8 4 "os" imported and not used`},
		{"package main\n\nfunc main() { x := 1 }\n", "a.go:3:15 1 declared and not used: x"},
		{"package main\n\nfunc f() {}\n",
			"a.go:1:9 4 function main is undeclared in the main package"},
		{"package tools\n\nfunc main() {}\n",
			"a.go:1:9 5 package tools is not a program; it must be package main"},
		{"package main\n\nfunc main() { fmt.Println() }\n", "a.go:3:15 3 undefined: fmt"},
		{"package main\n\nfunc main() {\n", "a.go:3:14 1 expected '}', found 'EOF'"},
		{"package main\nimport \"x.org/y\"\nfunc main() {}\n", "a.go:2:8 9 package x.org/y is of " +
			"another module, which cells cannot import yet"},
		{"", "a.go:1:1 1 expected 'package', found 'EOF'"},
	} {
		_, diagnostics := newChecker().Program([]File{{"a.go", tt.src}})
		if len(diagnostics) != 1 {
			t.Errorf("%q: %v", tt.src, diagnostics)
			continue
		}
		d := diagnostics[0]
		got := fmt.Sprintf("%s:%d:%d %d %s", d.Cell, d.Line, d.Col, d.Len, d.Msg)
		if got != tt.want {
			t.Errorf("%q:\ngot  %s\nwant %s", tt.src, got, tt.want)
		}
	}
	_, diagnostics := newChecker().Program([]File{
		{"a.go", "package main\nfunc main() {}\n"},
		{"b.go", "package main\n\nvar x int = \"b\"\n"}})
	if len(diagnostics) != 1 || diagnostics[0].Cell != "b.go" || diagnostics[0].Line != 3 {
		t.Errorf("error in the second file: %v", diagnostics)
	}
	_, diagnostics = newChecker().Program([]File{
		{"a.go", "package main\nfunc main() { fmt.Print() }"}})
	if want := `write import "fmt" at its beginning`; len(diagnostics) != 1 ||
		diagnostics[0].Help != want {
		t.Errorf("a missing import: %+v, want the help %s", diagnostics, want)
	}
	if _, diagnostics := newChecker().Program(nil); len(diagnostics) != 1 {
		t.Errorf("no files: %v", diagnostics)
	}
}

func TestOwnNames(t *testing.T) {
	for msg, want := range map[string]string{
		"cannot use p (variable of type main.P) as []main.Q value": "cannot use p (variable of " +
			"type P) as []Q value",
		`"main".T and *"main".T`:      "T and *T",
		`cannot use "main.go" (type)`: `cannot use "main.go" (type)`,
		"domain.T":                    "domain.T",
	} {
		if got := ownNames(msg); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", msg, got, want)
		}
	}
}

// FuzzCell looks for cells that make the checker panic or that it accepts without a place for
// what it says of them.
func FuzzCell(f *testing.F) {
	for _, src := range []string{
		"x := 1\nx", "func f() {}\nf()", "import \"fmt\"\nfmt.Println(1);", "type T struct{}\n" +
			"func (t T) M() {}\nT{}.M()", "for i := range 3 {\n}\n", "var a = f()\nfunc f() int " +
			"{ return b }\nvar b = 1", "L: goto L", "package main", "func (", "func () f() {}", "}{",
		"`", "/*", "x := [...]int{1,2}\nx[:", "const (\na = iota\nb\n)\nb", "select {}", ";;;",
		"func f[T any](x T) T { return x }\nf(1)", "type T T", "var x = x", "import . \"math\"\nPi",
		"\xff", "\ufeffx", "x.y.z", "func init() {}", "switch x := 1; {\ncase true:\n}", "_ = 1\n_",
		"type A T", "type T T",
	} {
		f.Add(src)
	}
	c := newChecker()
	mustCell(f, c, "cell 0", "x := 1\ntype T struct{ A int }\n"+
		"func g() (int, error) { return 1, nil }")
	f.Fuzz(func(t *testing.T, src string) {
		cell, diagnostics := c.Cell("cell", src)
		if (cell == nil) != (len(diagnostics) > 0) {
			t.Fatalf("cell %v, diagnostics %v", cell, diagnostics)
		}
		lines := strings.Split(src, "\n")
		for _, d := range diagnostics {
			if d.Line < 1 || d.Line > len(lines) || d.Col < 1 || d.Col > len(lines[d.Line-1])+1 ||
				d.Len < 1 || d.Msg == "" {
				t.Errorf("diagnostic %+v", d)
			}
			if strings.Contains(d.Help, "go/types:") {
				t.Errorf("go/types panics: %s", d.Help)
			}
		}
	})
}

func BenchmarkCell(b *testing.B) {
	c := newChecker()
	var src strings.Builder
	for i := range 200 {
		fmt.Fprintf(&src, "name%d := %d\n", i, i)
	}
	mustCell(b, c, "cell 0", src.String()+"import \"fmt\"\nimport \"strings\"")
	for _, bb := range []struct{ name, src string }{
		{"trivial", "name7 + 1"},
		{"call", "fmt.Println(strings.Repeat(\"a\", name3))"},
		{"mixed", "func f(n int) int { return 2 * n }\ny := f(name1)\ntype P struct{ X int }\n" +
			"p := P{y}\nfmt.Println(p.X)\n"},
		{"error", "y := foo(name1)"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			for b.Loop() {
				c.Cell("cell", bb.src)
			}
		})
	}
}
