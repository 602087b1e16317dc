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
}
