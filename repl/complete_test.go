package repl_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"halfnote/repl"
)

// typed splits a text at the cursor, which is written as |.
func typed(t testing.TB, text string) (src string, cursor int) {
	t.Helper()
	before, after, ok := strings.Cut(text, "‸")
	if !ok {
		t.Fatalf("no cursor in %q", text)
	}
	return before + after, len(before)
}

// texts lists the items of a completion.
func texts(c repl.Completion) []string {
	list := make([]string, len(c.Items))
	for i, item := range c.Items {
		list[i] = item.Text
	}
	return list
}

// newcomer is a session as people have it after a few cells.
func newcomer(t testing.TB) *repl.Session {
	t.Helper()
	s := repl.New(repl.Config{})
	for _, cell := range []string{
		"import \"strings\"\nimport (\n\t\"halfnote/tensor/optim\"\n\tm \"math\"\n)",
		`// A Point lies in the plane.
type Point struct {
	X, Y   float64 // where it lies
	label  string
}

// Norm is the distance from the origin.
func (p Point) Norm() float64 { return math.Hypot(p.X, p.Y) }

// Move moves the point by
// some amount.
func (p *Point) Move(dx, dy float64) { p.X += dx; p.Y += dy }

type Circle struct {
	Point
	*strings.Builder
	Radius float64
}

type List[T any] struct { Items []T }

func (l List[T]) First() T { return l.Items[0] }

type Shape interface { Area() float64 }`,
		`point := Point{1, 2, "a"}
points := []Point{point}
byName := map[string]*Circle{}
const limit = 3
list := List[Point]{points}
var shape Shape
text := "hello"
// double doubles x.
func double(x int) int { return 2 * x }
func pair() (Point, error) { return point, nil }
func first[T any](xs []T) T { return xs[0] }`,
		"point",
	} {
		if got := eval(t, s, cell); strings.Contains(got, "cell ") {
			t.Fatal(got)
		}
	}
	return s
}

func TestComplete(t *testing.T) {
	s := newcomer(t)
	for _, test := range []struct {
		name, src string
		want      string // the first items
		not       string // what must not be among the items
	}{
		{"session", "poi‸", "point points Point", "text"},
		{"upper_case", "POI‸", "Point point points", ""},
		{"session_function", "dou‸", "double", ""},
		{"constant", "x := lim‸", "limit", ""},
		{"import", "stri‸", "strings string", ""},
		{"builtin", "app‸", "append", ""},
		{"keyword", "fo‸", "for format", ""},
		{"keyword_not_in_expression", "x := fo‸", "format", "for"},
		{"range", "for i := ran‸", "range rand", ""},
		{"else", "if true {\n} el‸", "else elf", ""},
		{"package_not_imported", "buf‸", "bufio", ""},
		{"own_package", "tens‸", "tensor", ""},
		{"result", "_‸", "_4", ""},
		{"results_only_on_demand", "‸", "", "_4"},
		{"inside_word", "po‸int", "point points Point", ""},

		{"member", "strings.To‸", "ToLower ToLowerSpecial ToTitle ToTitleSpecial ToUpper", "Builder"},
		{"member_lower_case", "strings.has‸", "HasPrefix HasSuffix", ""},
		{"member_renamed", "m.Sq‸", "Sqrt Sqrt2", ""},
		{"member_not_imported", "bufio.NewS‸", "NewScanner", ""},
		{"member_of_either", "rand.Int‸", "Int Int31 Int31n Int63 Int63n Intn Int32 Int32N", ""},
		{"member_own", "optim.NewSG‸", "NewSGD", ""},
		{"member_type", "var b strings.‸", "Builder Reader Replacer", "ToUpper"},
		{"member_bound", "import \"crypto/rand\"\nrand.‸", "Int Prime Read Reader Text", "IntN"},

		{"field", "point.‸", "label X Y Move Norm", ""},
		{"call", "first(points).‸", "label X Y Norm", "Move"},
		{"index", "points[0].‸", "label X Y Move Norm", ""},
		{"map_of_pointers", `byName["a"].‸`, "Builder Point Radius", ""},
		{"promoted", `byName["a"].No‸`, "Norm", ""},
		{"promoted_pointer", `byName["a"].Wr‸`, "Write WriteByte WriteRune WriteString", ""},
		{"generic", "list.‸", "Items First", ""},
		{"generic_result", "list.First().N‸", "Norm", ""},
		{"generic_inferred", "first(points).No‸", "Norm", ""},
		{"interface", "shape.‸", "Area", ""},
		{"method_expression", "Point.‸", "Norm", "Move"},
		{"method_expression_pointer", "(*Point).‸", "Move Norm", ""},
		{"type_parameter", "func f[T fmt.Stringer](x T) {\n\tx.‸", "String", ""},
		{"embedded_interface", "type W struct{ io.Reader }\nvar w W\nw.‸", "Reader Read", ""},
		{"dot_import", "import . \"strings\"\nHasP‸", "HasPrefix", ""},
		{"program", "package main\n\nimport \"os\"\n\nfunc main() {\n\tlines := os.Args\n\tli‸\n}\n",
			"lines limit list List", ""},
		{"error", "_, err := pair()\nerr.‸", "Error", ""},
		{"chain", "strings.NewReader(text).‸", "Len Read", "s"},
		{"type_assertion", "shape.(Po‸", "Point", "point"},
		{"asserted", "shape.(Point).‸", "label X Y Norm", "Move"},
		{"dereferenced", "(*byName[text]).Ra‸", "Radius", ""},
		{"nothing_behind_two_results", "pair().‸", "", "X"},
		{"nothing_behind_unknown", "what.is.‸", "", "point"},
		{"dot_then_newline", "point.‸\nx := 3\n", "label X Y Move Norm", ""},

		{"local", "func f(alpha int) {\n\talpine := 1\n\tal‸\n}", "alpha alpine", ""},
		{"local_first", "func f(pomelo int) {\n\tpo‸", "pomelo point points", ""},
		{"later_local", "func f() {\n\tal‸\n\talpha := 1\n}", "", "alpha"},
		{"parameter_of_literal", "f := func(alpha Point) {\n\talpha.‸", "label X Y Move Norm", ""},
		{"range_variable", "for i, apple := range points {\n\tapp‸", "apple append", ""},
		{"range_variable_type", "for _, p := range points {\n\tp.‸", "label X Y Move Norm", ""},
		{"if_variable", "if p, err := pair(); err != nil {\n\tp.N‸", "Norm", ""},
		{"if_header", "if point.No‸", "Norm", ""},
		{"if_header_call", "if double(point.No‸", "Norm", ""},
		{"if_statement", "if p := point.No‸", "Norm", ""},
		{"for_header", "for i := 0; i < lim‸", "limit", ""},
		{"for_body_open", "for i := range 3 {\n\tfmt.Println(i, point.‸", "label X Y Move Norm", ""},
		{"switch", "switch point.‸", "label X Y Move Norm", ""},
		{"case", "switch point {\ncase poi‸", "point points Point", ""},
		{"case_body", "switch x := point.X; {\ncase x > 1:\n\tpoint.No‸", "Norm", ""},
		{"type_switch", "switch s := shape.(type) {\ncase Po‸", "Point", "point"},
		{"type_switch_body", "switch s := shape.(type) {\ncase Point:\n\ts.‸", "label X Y Move Norm", ""},
		{"select", "c := make(chan Point)\nselect {\ncase p := <-c:\n\tp.No‸", "Norm", ""},
		{"go", "go point.Mo‸", "Move", ""},
		{"defer", "defer point.Mo‸", "Move", ""},
		{"return", "func f() float64 {\n\treturn point.No‸", "Norm", ""},
		{"closure", "func() {\n\tx := point\n\tgo func() {\n\t\tx.No‸", "Norm", ""},
		{"assignment", "x, y := 1, point.‸", "label X Y Move Norm", ""},
		{"several", "point, poi‸", "point points", ""},
		{"own_type", "type Pair struct{ Left, Right int }\np := Pair{}\np.‸", "Left Right", ""},
		{"own_type_after", "func f(p Pair) { p.‸ }\n\ntype Pair struct{ Left, Right int }", "Left Right", ""},
		{"own_method_after", "func f(p Pair) { p.‸ }\n\ntype Pair struct{ Left int }\n\nfunc (p Pair) Sum() int { return p.Left }",
			"Left Sum", ""},
		{"receiver", "func (p Point) Half() float64 {\n\treturn p.‸", "label X Y Half Move Norm", ""},
		{"parameter_type", "func f(p Po‸", "Point", "point"},
		{"parameter_type_slice", "func f(p ...[]*Po‸", "Point", "point"},
		{"field_type", "type T struct {\n\tp Po‸\n}", "Point", "point"},
		{"var_type", "var p Po‸", "Point", "point"},
		{"map_key", "m := map[stri‸", "string strings", ""},
		{"map_value", "m := map[string]Po‸", "Point", "point"},
		{"conversion", "[]by‸", "byte bytes", "byName"},
		{"new_name", "func po‸", "", "point"},
		{"new_type", "type po‸", "", "point"},
		{"new_variable", "var po‸", "", "point"},

		{"literal", "optim.SGDConfig{‸", "LR Momentum", ""},
		{"literal_prefix", "optim.SGDConfig{LR: 0.1, Mo‸}", "Momentum", "LR"},
		{"literal_rest", "optim.SGDConfig{LR: 0.1, ‸", "Momentum Dampening", "LR point"},
		{"literal_in_call", "optim.NewSGD(nil, optim.SGDConfig{L‸", "LR", ""},
		{"literal_value", "optim.SGDConfig{LR: poi‸", "point points", ""},
		{"literal_own", "Point{la‸", "label", ""},
		{"literal_elided", "[]Point{{la‸", "label", ""},
		{"literal_pointer", "map[string]*Circle{\"a\": {Ra‸", "Radius", ""},
		{"literal_local_type", "type Pair struct{ Left, Right int }\nPair{Left: 1, ‸}", "Right", "Left"},

		{"import_path", "import \"net/ht‸", "net/http net/http/cgi", ""},
		{"import_path_closed", "import \"halfnote/am‸\"", "halfnote/amp halfnote/amp/apex halfnote/amp/monitor", ""},
		{"import_group", "import (\n\t\"fmt\"\n\tx \"halfnote/tensor/o‸", "halfnote/tensor/optim", ""},
		{"string", "x := \"poi‸\"", "", "point"},
		{"open_string", "x := \"poi‸", "", "point"},
		{"raw_string", "x := `\npoi‸\n`", "", "point"},
		{"comment", "// poi‸", "", "point"},
		{"block_comment", "/* poi‸ */", "", "point"},
		{"number", "x := 0x‸", "", "point"},
		{"command", "%ti‸", "", "time"},
		{"behind_a_command", "%time\npoi‸", "point points Point", ""},
		{"help", "?poi‸", "point points Point", ""},
		{"behind_an_error", "x := := 3\ny = )\npoi‸", "point points Point", ""},
		{"open_call_above", "fmt.Println(1\npoint.No‸", "Norm", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			src, off := typed(t, test.src)
			c := s.Complete(src, off)
			got := texts(c)
			want := strings.Fields(test.want)
			if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
				t.Errorf("got %v, want first %v", got[:min(len(got), 12)], want)
			}
			for _, not := range strings.Fields(test.not) {
				if slices.Contains(got, not) {
					t.Errorf("%s is among %v", not, got)
				}
			}
			if c.Start > off || off > c.End || c.End > len(src) {
				t.Errorf("replaces %d to %d, the cursor is at %d of %d", c.Start, c.End, off, len(src))
			}
		})
	}
}

// TestCompleteItems looks at kinds and signatures.
func TestCompleteItems(t *testing.T) {
	s := newcomer(t)
	for src, want := range map[string]repl.CompletionItem{
		"strings.Cu‸":         {"Cut", "function", "func(s, sep string) (before, after string, found bool)"},
		"point.No‸":           {"Norm", "method", "func() float64"},
		"point.la‸":           {"label", "field", "string"},
		"by‸":                 {"byName", "variable", "map[string]*Circle"},
		"lim‸":                {"limit", "constant", "untyped int = 3"},
		"Cir‸":                {"Circle", "type", "struct"},
		"time.Dura‸":          {"Duration", "type", "int64"},
		"m.Pi‸":               {"Pi", "constant", "untyped float = 3.141592653589793"},
		"firs‸":               {"first", "function", "func[T any](xs []T) T"},
		"math/ra‸":            {"rand", "package", "math/rand"},
		"ampl‸":               {},
		"am‸":                 {"amp", "package", "halfnote/amp"},
		"opti‸":               {"optim", "package", "halfnote/tensor/optim"},
		"retu‸":               {"return", "keyword", ""},
		"appe‸":               {"append", "function", "func(slice []T, elems ...T) []T"},
		"import \"math/ra‸":   {"math/rand", "path", ""},
		"optim.SGDConfig{Mo‸": {"Momentum", "field", "float64"},
		"tru‸":                {"true", "constant", "untyped bool"},
	} {
		c := s.Complete(typed(t, src))
		var got repl.CompletionItem
		if len(c.Items) > 0 {
			got = c.Items[0]
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", src, got, want)
		}
	}
}

// gate is an Output that says when a cell has begun to print.
type gate struct {
	recorder
	once  sync.Once
	began chan struct{}
}

func (g *gate) Stream(name, text string) {
	g.recorder.Stream(name, text)
	g.once.Do(func() { close(g.began) })
}

// TestCompleteWhileRunning: a cell that runs does not keep questions waiting, and is not disturbed.
func TestCompleteWhileRunning(t *testing.T) {
	s := newcomer(t)
	ctx, cancel := context.WithCancel(t.Context())
	out := &gate{began: make(chan struct{})}
	ended := make(chan error)
	go func() {
		_, err := s.Eval(ctx, "fmt.Println(`began`)\nfor { point.X++ }", out)
		ended <- err
	}()
	<-out.began
	if got := texts(s.Complete(typed(t, "point.No‸"))); !slices.Equal(got, []string{"Norm"}) {
		t.Errorf("got %v", got)
	}
	b, ok := s.Inspect("point", 5, 0)
	if want := "var point Point\n\ncell 3:1"; !ok || b.Text() != want {
		t.Errorf("help %q, want %q, without the value that changes", b.Text(), want)
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("the cell was not stopped")
	}
}

// TestCompleteInALongCell: what would take seconds is not answered, at once.
func TestCompleteInALongCell(t *testing.T) {
	s := repl.New(repl.Config{})
	src := strings.Repeat("x := strings.Repeat(`a`, 2)\n", 40_000) + "strings.Re"
	if c := s.Complete(src, len(src)); c.Start != len(src) || c.End != len(src) || c.Items != nil {
		t.Errorf("%d items from %d to %d", len(c.Items), c.Start, c.End)
	}
	if _, ok := s.Inspect(src, len(src), 0); ok {
		t.Error("Inspect knows something")
	}
}

// FuzzComplete looks for texts that complete outside of themselves, or not at all.
func FuzzComplete(f *testing.F) {
	s := newcomer(f)
	for _, src := range []string{
		"point.", "x := (7 %", "import \"", "`a", "// x", "func (p Point", "}}}", "for ", "a.b[",
		"type T struct { T", "\xff.x", "é.", "go func() {", "Point{X: ", "%%x\n y", "?x", "f(`\r",
	} {
		f.Add(src, len(src))
	}
	f.Fuzz(func(t *testing.T, src string, off int) {
		c := s.Complete(src, off)
		off = min(max(off, 0), len(src))
		if c.Start < 0 || c.Start > off || off > c.End || c.End > len(src) {
			t.Errorf("%q at %d: replaces %d to %d", src, off, c.Start, c.End)
		}
	})
}

// manyNames is a cell that defines 200 names.
func manyNames() string {
	var cell strings.Builder
	for i := range 50 {
		fmt.Fprintf(&cell, "v%[1]d := []float64{%[1]d}\nfunc f%[1]d(x int) int { return x + %[1]d }\n"+
			"type T%[1]d struct { X, Y int }\nconst c%[1]d = %[1]d\n", i)
	}
	return cell.String()
}

// BenchmarkComplete is the time of an answer in a session with 200 names.
func BenchmarkComplete(b *testing.B) {
	s := repl.New(repl.Config{})
	if got := eval(b, s, manyNames()); got != "" {
		b.Fatal(got)
	}
	for name, src := range map[string]string{
		"name":     "v1‸",
		"all":      "x := ‸",
		"member":   "strings.T‸",
		"field":    "for i := range 3 {\n\tx := T1{X: i}\n\tx.‸",
		"big_cell": strings.ReplaceAll(manyNames(), "v", "w") + "w3‸",
	} {
		b.Run(name, func(b *testing.B) {
			src, off := typed(b, src)
			for b.Loop() {
				s.Complete(src, off)
			}
		})
	}
	for _, path := range []string{"strings", "net/http", "tensor"} {
		b.Run("first/"+path, func(b *testing.B) {
			src := path[strings.LastIndex(path, "/")+1:] + "."
			for b.Loop() {
				b.StopTimer()
				s := repl.New(repl.Config{})
				b.StartTimer()
				s.Complete(src, len(src))
			}
		})
	}
}
