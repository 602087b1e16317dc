package display

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

type point struct{ X, Y int }

type node struct {
	Name string
	next *node
	Any  any
}

type temperature float64

func (t temperature) String() string { return fmt.Sprintf("%.1f °C", float64(t)) }

type picky struct{ s *string }

func (p *picky) String() string { return *p.s }

func TestText(t *testing.T) {
	ring := &node{Name: "a"}
	ring.next = &node{Name: "b", next: ring}
	var nilPicky *picky
	for _, test := range []struct {
		name string
		v    any
		want string
	}{
		{"nil", nil, "nil"},
		{"int", 42, "42"},
		{"float", 0.1, "0.1"},
		{"float32", float32(0.1), "0.1"},
		{"complex", 1 + 2i, "(1+2i)"},
		{"bool", true, "true"},
		{"string", "a \"b\"\n", `"a \"b\"\n"`},
		{"backquoted", `{"a": 1}`, "`{\"a\": 1}`"},
		{"error", io.EOF, "EOF"},
		{"stringer", 1500 * time.Millisecond, "1.5s"},
		{"stringer_inside", []temperature{20, 21.5}, "[]display.temperature{20.0 °C, 21.5 °C}"},
		{"nil_stringer", nilPicky, "nil"},
		{"struct", point{1, 2}, "display.point{X: 1, Y: 2}"},
		{"pointer", &point{1, 2}, "&display.point{X: 1, Y: 2}"},
		{"slice", []int{1, 2, 3}, "[]int{1, 2, 3}"},
		{"nil_slice", []int(nil), "[]int(nil)"},
		{"array", [2]string{"a", "b"}, `[2]string{"a", "b"}`},
		{"structs", []point{{1, 2}}, "[]display.point{{X: 1, Y: 2}}"},
		{"pointers", []*point{{1, 2}, nil}, "[]*display.point{{X: 1, Y: 2}, nil}"},
		{"anys", []any{1, "a", nil, point{}}, `[]any{1, "a", nil, display.point{X: 0, Y: 0}}`},
		{"map", map[string]int{"b": 2, "a": 1}, `map[string]int{"a": 1, "b": 2}`},
		{"map_of_bools", map[bool]int{true: 1, false: 0}, "map[bool]int{false: 0, true: 1}"},
		{"map_of_structs", map[point]int{{2, 1}: 0, {1, 9}: 0, {1, -10}: 0}, "map[display.point]int" +
			"{{X: 1, Y: -10}: 0, {X: 1, Y: 9}: 0, {X: 2, Y: 1}: 0}"},
		{"map_of_anys", map[any]int{"a": 0, 2: 0, nil: 0, -1: 0, temperature(1): 0},
			`map[any]int{nil: 0, -1: 0, 2: 0, 1.0 °C: 0, "a": 0}`},
		{"bytes", []byte("hello\n"), `[]byte("hello\n")`},
		{"binary", []byte{0, 255}, "[]uint8{0, 255}"},
		{"cycle", ring, `&display.node{
  Name: "a",
  next: &display.node{Name: "b", next: *display.node(…), Any: nil},
  Any: nil,
}`},
		{"size", unsafe.Sizeof(0), "8"},
		{"blank", struct {
			_ int
			N int
		}{}, "struct { _ int; N int }{N: 0}"},
		{"lock", &sync.Mutex{}, "&sync.Mutex{mu: sync.Mutex{state: 0, sema: 0}}"},
		{"counter", &atomic.Int64{}, "&atomic.Int64{v: 0}"},
		{"func", strings.ToUpper, "func(string) string"},
		{"unexported_error", node{Any: errors.New("x")}, `display.node{Name: "", next: nil, Any: x}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Text(test.v); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// verbose has a long text of its own.
type verbose struct{}

func (verbose) String() string { return strings.Repeat("x", 1_000_000) }

func TestTextAlignsNumbers(t *testing.T) {
	rows := make([][]int, 3)
	for i := range rows {
		for j := range 14 {
			rows[i] = append(rows[i], i*j)
		}
	}
	const want = `[][]int{
  {0, 0, 0, 0, 0,  0,  0,  0,  0,  0,  0,  0,  0,  0},
  {0, 1, 2, 3, 4,  5,  6,  7,  8,  9, 10, 11, 12, 13},
  {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26},
}`
	if got := Text(rows); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTextIsShortened(t *testing.T) {
	long := make([]int, 1_000_000)
	deep := &node{Name: "end"}
	for range 10_000 {
		deep = &node{Name: "n", next: deep}
	}
	wide := make([][]string, 199)
	for i := range wide {
		wide[i] = make([]string, 199)
	}
	large := map[string]int{}
	for i := range 200_000 {
		large[fmt.Sprint(i)] = i
	}
	for name, v := range map[string]any{
		"slice": long, "deep": deep, "string": strings.Repeat("é", 100_000),
		"bytes": make([]byte, 1_000_000), "map": large, "text": bytes.Repeat([]byte("a"), 1e6),
		"wide": wide, "anys": []any{long, long, long, wide},
	} {
		t.Run(name, func(t *testing.T) {
			text := Text(v)
			if len(text) > 3*textBudget {
				t.Errorf("%d bytes", len(text))
			}
			if !strings.Contains(text, "…") {
				t.Errorf("no sign of what is left out: %.200s", text)
			}
		})
	}
	got := Text(verbose{})
	if len(got) > textOwn+30 || !strings.HasSuffix(got, "… (1000000 bytes)") {
		t.Errorf("own text of %d bytes", len(got))
	}
	if got := Text(long); !strings.Contains(got, "… 999980 more …") {
		t.Errorf("got %s", got)
	}
}

// A car's fields are not exported, and nor are a garage's.
type (
	hue int
	car struct {
		c     hue
		price temperature
		old   *car
		paint any
	}
	garage struct {
		cars  map[string]car
		first [1]car
		gone  struct{ hue }
	}
)

func (c hue) String() string { return [...]string{"red", "green"}[c] }

// inCells makes the types of this package be a cell's until the test ends.
func inCells(t *testing.T) {
	before := cellPackage
	cellPackage = "halfnote/repl/display"
	t.Cleanup(func() { cellPackage = before })
}

func TestTextOfUnexportedFields(t *testing.T) {
	v := []any{
		car{c: 1, price: 20, old: &car{paint: hue(0)}},
		&car{paint: []hue{1}},
		garage{cars: map[string]car{"a": {}}, first: [1]car{{}}, gone: struct{ hue }{0}},
		car{c: 5},
	}
	const guarded = `[]any{
  display.car{
    c: 1,
    price: 20,
    old: &display.car{c: 0, price: 0, old: nil, paint: 0},
    paint: nil,
  },
  &display.car{c: 0, price: 0, old: nil, paint: []display.hue{1}},
  display.garage{
    cars: map[string]display.car{"a": {c: 0, price: 0, old: nil, paint: nil}},
    first: [1]display.car{{c: 0, price: 0, old: nil, paint: nil}},
    gone: struct { display.hue }{hue: 0},
  },
  display.car{c: 5, price: 0, old: nil, paint: nil},
}`
	if got := Text(v); got != guarded {
		t.Errorf("a package's:\n%s\nwant\n%s", got, guarded)
	}
	inCells(t)
	const opened = `[]any{
  display.car{
    c: green,
    price: 20.0 °C,
    old: &display.car{c: red, price: 0.0 °C, old: nil, paint: red},
    paint: nil,
  },
  &display.car{c: red, price: 0.0 °C, old: nil, paint: []display.hue{green}},
  display.garage{
    cars: map[string]display.car{"a": {c: red, price: 0.0 °C, old: nil, paint: nil}},
    first: [1]display.car{{c: red, price: 0.0 °C, old: nil, paint: nil}},
    gone: red,
  },
  display.car{
    c: 5 (no String: panic: runtime error: index out of range [5] with length 2),
    price: 0.0 °C,
    old: nil,
    paint: nil,
  },
}`
	if got := Text(v); got != opened {
		t.Errorf("a cell's:\n%s\nwant\n%s", got, opened)
	}
}

// shy must not be called; failing is one as an error, odder as a formatter.
type (
	shy     struct{ n int }
	failing []int
	odder   struct{ n int }
)

func (shy) String() string                 { panic("called") }
func (failing) Error() string              { panic("called") }
func (*odder) Format(fmt.State, rune)      { panic("called") }
func (odder) GoString() string             { panic("called") }
func (odder) MarshalText() ([]byte, error) { panic("called") }

func TestPlainText(t *testing.T) {
	inCells(t)
	for _, test := range []struct {
		v    any
		want string
	}{
		{nil, "nil"},
		{1, "1"},
		{time.Second, "1s"},
		{io.EOF, "EOF"},
		{temperature(20), "20"},
		{shy{1}, "display.shy{n: 1}"},
		{&shy{1}, "&display.shy{n: 1}"},
		{(*shy)(nil), "nil"},
		{failing{1, 2}, "display.failing{1, 2}"},
		{&odder{1}, "&display.odder{n: 1}"},
		{struct{ shy }{}, "struct { display.shy }{shy: display.shy{n: 0}}"},
		{&struct{ *shy }{}, "&struct { *display.shy }{shy: nil}"},
		{map[shy]failing{{2}: nil, {1}: {}}, "map[display.shy]display.failing" +
			"{{n: 1}: {}, {n: 2}: nil}"},
		{map[any]any{shy{2}: time.Second, shy{1}: hue(1)}, "map[any]any" +
			"{display.shy{n: 1}: 1, display.shy{n: 2}: 1s}"},
		{[][]hue{{0, 1}, {1, 0}}, "[][]display.hue{{0, 1}, {1, 0}}"},
		{[]fmt.Stringer{hue(1), time.Second}, "[]fmt.Stringer{1, 1s}"},
		{car{price: 1, paint: time.Minute}, "display.car{c: 0, price: 1, old: nil, paint: 1m0s}"},
		{sync.OnceFunc, "func(func()) func()"},
	} {
		if got := PlainText(test.v); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
	if got, want := Text(shy{1}), "display.shy{n: 1} (no String: panic: called)"; got != want {
		t.Errorf("Text is %s, want %s", got, want)
	}
}

func TestTextBreaksLines(t *testing.T) {
	items := make([]int, 60)
	for i := range items {
		items[i] = i
	}
	for line := range strings.Lines(Text(items)) {
		if n := len(line); n > textWidth+3 {
			t.Errorf("a line of %d: %s", n, line)
		}
	}
	const want = "[]display.point{\n  {X: 1000000, Y: 1},\n  {X: 1000000, Y: 2},\n" +
		"  {X: 1000000, Y: 3},\n  {X: 1000000, Y: 4},\n}"
	if got := Text([]point{{1e6, 1}, {1e6, 2}, {1e6, 3}, {1e6, 4}}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
