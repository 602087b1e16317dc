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
		{"member_of_either", "rand.Int‸", "Int Int32 Int32N Int64 Int64N IntN Int31 Int31n Int63 Int63n Intn", ""},
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
		{"range_assigned", "i, apple := 0, point\nfor i, app‸ = range points {\n}", "apple", ""},
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
		{"select_send", "select {\ncase point.No‸", "Norm", ""},
		{"go", "go point.Mo‸", "Move", ""},
		{"go_literal_parameter", "func f[Elem any](c chan Elem) {\n\tgo func(c, d <-chan Ele‸", "Elem", ""},
		{"literal_hidden_fields", "Point{1, 2, tex‸", "text textproto", ""},
		{"defer", "defer point.Mo‸", "Move", ""},
		{"return", "func f() float64 {\n\treturn point.No‸", "Norm", ""},
		{"closure", "func() {\n\tx := point\n\tgo func() {\n\t\tx.No‸", "Norm", ""},
		{"assignment", "x, y := 1, point.‸", "label X Y Move Norm", ""},
		{"several", "point, poi‸", "point points", ""},
		{"own_type", "type Pair struct{ Left, Right int }\np := Pair{}\np.‸", "Left Right", ""},
		{"own_type_after", "func f(p Pair) { p.‸ }\n\ntype Pair struct{ Left, Right int }", "Left Right", ""},
		{"own_variable_after_in_group", "var (\n\ta = late‸\n\tlater = 1\n)", "later", ""},
		{"statement_after", "x := late‸\nlater := 1", "", "later"},
		{"name_of_the_statement", "alpha, alpine := pair(al‸", "", "alpha alpine"},
		{"name_defined_anew", "point := poi‸", "point points Point", ""},
		{"name_of_the_declaration", "var alpha = al‸", "", "alpha"},
		{"type_parameter_after", "func f[S ~[]Ele‸, Elem any](s S) {}", "Elem", ""},
		{"own_method_after", "func f(p Pair) { p.‸ }\n\ntype Pair struct{ Left int }\n\nfunc (p Pair) Sum() int { return p.Left }",
			"Left Sum", ""},
		{"receiver", "func (p Point) Half() float64 {\n\treturn p.‸", "X Y Half Norm label Move", ""},
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
			checkTexts(t, texts(c), test.want, test.not)
			if c.Start > off || off > c.End || c.End > len(src) {
				t.Errorf("replaces %d to %d, the cursor is at %d of %d", c.Start, c.End, off, len(src))
			}
		})
	}
}

// checkTexts: the words of first come first, and those of not are not there.
func checkTexts(t *testing.T, got []string, first, not string) {
	t.Helper()
	want := strings.Fields(first)
	if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("got %v, want first %v", got[:min(len(got), 12)], want)
	}
	for _, text := range strings.Fields(not) {
		if slices.Contains(got, text) {
			t.Errorf("%s is among %v", text, got)
		}
	}
}

// TestCompleteWanted: what has the type that is wanted comes first.
func TestCompleteWanted(t *testing.T) {
	s := newcomer(t)
	eval(t, s, `type Color int
const (
	Red Color = iota
	Green
	Blue
)
var color Color
var ratio = 0.5
var err error
type Opts struct { Name string; Inner Point; Many []Point }
func paint(c Color, scale float64) {}
func takes(o Opts, more ...Color) {}
func Map[T, U any](xs []T, f func(T) U) []U { return nil }
type square struct{ side float64 }
func (s square) Area() float64 { return s.side * s.side }
type tile struct{}
func (t *tile) Area() float64 { return 1 }
type Stack[T any] struct { items []T }`)
	for _, test := range []struct {
		name, src string
		want      string // the first items
		not       string // what must not be among the items
	}{
		{"argument", "paint(‸", "Blue color Green Red limit", ""},
		{"argument_2", "paint(Red, ‸", "limit ratio", ""},
		{"argument_variadic", "takes(Opts{}, Red, ‸", "Blue color Green Red", ""},
		{"argument_prefix", "paint(R‸", "Red ratio", ""},
		{"argument_of_method", "point.Move(‸", "limit ratio", ""},
		{"argument_of_closure", "f := func(c Color) {}\nf(‸", "Blue color Green Red", ""},
		{"argument_inferred", "Map[Color, int]([]Color{‸", "Blue color Green Red", ""},
		{"literal_value", "Opts{Inner: ‸", "point Point", ""},
		{"literal_by_place", "Opts{text, ‸", "point Point", "Inner"},
		{"literal_nested", "takes(Opts{Many: []Point{{‸", "X Y label", ""},
		{"literal_elided_key", "map[Point]int{{la‸", "label", ""},
		{"element", "[]Color{Red, ‸", "Blue color Green Red", ""},
		{"map_key", "map[Color]string{‸", "Blue color Green Red", ""},
		{"map_value", "map[string]Color{\"a\": ‸", "Blue color Green Red", ""},
		{"map_index", "byName[‸", "text", ""},
		{"variable", "var x Color = ‸", "Blue color Green Red", ""},
		{"assignment", "color = ‸", "Blue color Green Red", ""},
		{"assignment_2", "ratio, color = 1, ‸", "Blue color Green Red", ""},
		{"comparison", "if color == ‸", "Blue color Green Red", ""},
		{"arithmetic", "x := color + ‸", "Blue color Green Red", ""},
		{"return", "func f() (Color, error) {\n\treturn Red, ‸", "err nil", ""},
		{"return_of_literal", "f := func() Color { return ‸", "Blue color Green Red", ""},
		{"send", "c := make(chan Color)\nc <- ‸", "Blue color Green Red", ""},
		{"case", "switch color {\ncase ‸", "Blue color Green Red", ""},
		{"case_given", "switch color {\ncase Red, Green:\ncase ‸", "Blue color", "Red Green"},
		{"case_given_later", "switch color {\ncase ‸:\ncase Blue:\n}", "color Green Red", "Blue"},
		{"case_between", "switch color {\ncase Red:\ncase ‸\ncase Blue:\n}", "Blue color Green", "Red"},
		{"type_case", "switch shape.(type) {\ncase ‸", "*tile square any", "shape"},
		{"type_case_nil", "switch shape.(type) {\ncase ni‸", "nil", ""},
		{"type_case_given", "switch shape.(type) {\ncase square:\ncase ‸", "*tile any", "square"},
		{"type_assertion", "shape.(‸", "*tile square any", ""},
		{"append", "append(points, ‸", "point Point", ""},
		{"delete", "delete(byName, ‸", "text", ""},
		{"pointer", "var p *Point = &‸", "point Point", ""},
		{"element_of_type_parameter", "func (s *Stack[T]) Push(x T) { s.items = append(s.items, ‸)",
			"x s", ""},
		{"type_argument", "var s Stack[‸", "any bool byte Circle", "point"},
		{"type_argument_of_function", "first[Po‸", "Point", "point"},
		{"type_of_make", "make(‸", "any bool byte Circle", "point"},
		{"field", "paint(Red, point.‸", "X Y Norm label", ""},
		{"member", "errors.Is(err, io.‸", "EOF ErrClosedPipe", ""},
		{"of_the_type's_package", "time.Sleep(‸", "time.Hour time.Microsecond", ""},
		{"of_the_type's_package_by_name", "time.Sleep(Mil‸", "time.Millisecond", ""},
		{"of_the_type's_package_behind_dot", "time.Sleep(3 * time.‸", "Hour Microsecond", ""},
		{"of_the_interface's_package", "tensor.Zeros(2).To(‸", "tensor.BFloat16 tensor.Bool", ""},
		{"struct_of_a_package", "amp.NewGradScaler(‸", "amp.ScalerConfig", ""},
		{"any", "fmt.Println(‸", "Blue byName", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			checkTexts(t, texts(s.Complete(typed(t, test.src))), test.want, test.not)
		})
	}
}

// TestCompletePlaces looks at what can stand at a place at all, and at the text that is replaced.
func TestCompletePlaces(t *testing.T) {
	s := newcomer(t)
	eval(t, s, "größe := 3")
	for _, test := range []struct{ name, src, want string }{
		{"switch_first", "switch point.X {\n‸\n}", "[] case default"},
		{"select_first", "select {\n\tca‸", "[ca] case"},
		{"case_later", "switch point.X {\ncase 1:\n\tcas‸", "[cas] case"},
		{"break_outside", "brea‸", "[brea]"},
		{"break", "for {\n\tbrea‸", "[brea] break"},
		{"continue_in_switch", "switch {\ncase true:\n\tcontinu‸", "[continu]"},
		{"fallthrough", "switch {\ncase true:\n\tfallt‸", "[fallt] fallthrough"},
		{"fallthrough_by_type", "switch shape.(type) {\ncase Circle:\n\tfallt‸", "[fallt]"},
		{"import_inside", "func f() {\n\timpor‸", "[impor] importer"},
		{"import", "impor‸", "[impor] import importer"},
		{"package", "packag‸", "[packag] package"},
		{"package_later", "x := 1\npackag‸", "[packag]"},
		{"import_name", "import ‸", "[]"},
		{"method_name", "x := 1\nfunc (p *Point) ‸", "[]"},
		{"break_label", "outer:\n\tfor {\n\t\tfor {\n\t\t\tbreak ‸", "[] outer"},
		{"continue_label", "outer:\n\tfor {\n\tinner:\n\t\tfor {\n\t\t\tcontinue o‸", "[o] outer"},
		{"continue_no_loop", "outer:\n\tswitch {\n\tcase true:\n\t\tfor {\n\t\t\tcontinue ‸", "[]"},
		{"goto_label", "func f() {\n\tgoto ‸\nend:\n\treturn\n}\nother:\nfor {\n}", "[] end"},
		{"literal_fields_first", "Point{‸, 2}", "[] X Y label"},
		{"file", "os.Open(\"testd‸\")", "[testd] testdata/"},
		{"file_below", "os.Open(\"testdata/help/g‸", "[g] go.txtar"},
		{"file_raw", "os.Open(`testdata/help/g‸", "[g] go.txtar"},
		{"file_of_load", "%load testdata/help/g‸", "[g] go.txtar"},
		{"file_of_shell", "!cat testdata/help/g‸", "[g] go.txtar"},
		{"file_of_shell_pipe", "!cat <testdata/help/g‸", "[g] go.txtar"},
		{"no_shell", "ok := true\n!ok && lim‸", "[lim] limit"},
		{"command_of_help", "?%lo‸", "[%lo] %load"},
		{"percent_in_expression", "x := (7\n% lim‸\n)", "[lim] limit"},
		{"percent_in_string", "x := `\n%load testd‸\n`", "[]"},
		{"not_ascii", "x := größ‸", "[größ] größe"},
		{"not_ascii_before", "/* äöü */ x := \"→\" + tex‸", "[tex] text textproto"},
		{"carriage_returns", "x := point\r\nx.No‸\r\n", "[No] Norm"},
		{"tabs", "\t\tpoint.No‸", "[No] Norm"},
		{"number", "x := 1.‸", "[]"},
		{"exponent", "1e‸", "[]"},
		{"behind_mistakes", "x := := 1\nz := points[0]\nz.No‸", "[No] Norm"},
		{"before_mistakes", "z := points[0]\nz.No‸\ny = ))\nfunc broken( {", "[No] Norm"},
		{"between_mistakes", "for i := range {\n}\npoint.No‸\nx := {", "[No] Norm"},
	} {
		t.Run(test.name, func(t *testing.T) {
			src, off := typed(t, test.src)
			c := s.Complete(src, off)
			items := texts(c)
			n := len(strings.Fields(test.want)) - 1
			if strings.HasPrefix(test.want, "[] X") {
				items = items[:min(n, len(items))]
			}
			got := strings.TrimSpace("[" + src[c.Start:c.End] + "] " + strings.Join(items, " "))
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestCompleteRedefined: completion knows what a name means now.
func TestCompleteRedefined(t *testing.T) {
	s := newcomer(t)
	eval(t, s, "point := text\ntype Point struct{ Lat, Lon float64 }\nvar here Point")
	for src, want := range map[string]string{
		"point.‸": "", "here.‸": "Lat Lon", "points[0].‸": "label X Y Move Norm",
		"Point{‸": "Lat Lon", "func double(s string) {}\ndoubl‸": "double",
	} {
		got := texts(s.Complete(typed(t, src)))
		if n := len(strings.Fields(want)); !slices.Equal(got[:min(n, len(got))], strings.Fields(want)) ||
			n == 0 && len(got) > 0 {
			t.Errorf("%s: got %v, want %s", src, got[:min(12, len(got))], want)
		}
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
		"math/ra‸":            {"rand", "package", "math/rand/v2"},
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
		"paint(", "switch point {\ncase ", "switch {\n", "for {\n\tbreak ", "goto x\nx:", "!ls a/", "\"a/",
		"?%", "%load ", "List[", "map[Point]int{{", "first(points, ", "shape.(", "x := := 1\ny.", "func (a) ",
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
