package repl_test

import (
	"strings"
	"testing"

	"halfnote/repl"
)

// TestMakeTooMuch: what the machine has no memory for is a panic of the cell, not the end of the
// process.
func TestMakeTooMuch(t *testing.T) {
	s := repl.New(repl.Config{})
	eval(t, s, "n, wide := 1<<40, uint64(1)<<40\ntype T[E any] []E\n"+
		"func grow[E any](n int) T[E] { return make(T[E], n) }")
	for _, src := range []string{
		"make([]byte, 1<<46)", "make([]byte, 0, 1<<46)", "make([]float64, n)", "make([]int, wide, wide)",
		"make(map[int]string, n)", "make(chan int, n)", "grow[string](n)", "make([][1 << 20]int, 1<<24)",
	} {
		got := eval(t, s, src)
		if !strings.Contains(got, "runtime error: makeslice: ") ||
			!strings.Contains(got, "B are asked for, the process may have ") {
			t.Errorf("%s gives %q", src, got)
		}
	}
	for src, want := range map[string]string{
		"len(make([]struct{}, n))":                         "1099511627776\n",
		"cap(make(chan int, 1<<3))":                        ": 8\n",
		"len(make([]byte, uint8(200)))":                    ": 200\n",
		"k := -1; len(make([]int, k))":                     "makeslice: len out of range",
		"huge := 1 << 62; len(make([]int, huge))":          "makeslice: len out of range",
		"defer func() { recover() }(); _ = make([]int, n)": "",
	} {
		if got := eval(t, s, src); !strings.Contains(got, want) {
			t.Errorf("%s gives %q, want %q", src, got, want)
		}
	}
}

// TestCallTooMuch: so is what compiled functions are asked for.
func TestCallTooMuch(t *testing.T) {
	s := repl.New(repl.Config{})
	eval(t, s, "import \"math/rand\"\nconst n = 1 << 44\nvar b strings.Builder\n"+
		"var g interface{ Grow(int) } = &b\ntype T struct{ bytes.Buffer }\nvar x T\n"+
		"list := reflect.ValueOf(&[]int{}).Elem()\nwide := image.Rect(0, 0, 1<<22, 1<<22)\n"+
		"repeat := strings.Repeat\ngrow := b.Grow")
	for src, name := range map[string]string{
		"strings.Repeat(`x`, n)":           "strings.Repeat: 18 TB",
		"repeat(`xx`, n)":                  "strings.Repeat: 35 TB",
		"bytes.Repeat([]byte(`abc`), n)":   "bytes.Repeat: 53 TB",
		"b.Grow(n)":                        "strings.Builder.Grow: 18 TB",
		"grow(n)":                          "strings.Builder.Grow: 18 TB",
		"(*strings.Builder).Grow(&b, n)":   "strings.Builder.Grow: 18 TB",
		"g.Grow(n)":                        "strings.Builder.Grow: 18 TB",
		"x.Grow(n)":                        "bytes.Buffer.Grow: 18 TB",
		"bufio.NewReaderSize(os.Stdin, n)": "bufio.NewReaderSize: 18 TB",
		"bufio.NewWriterSize(&b, n)":       "bufio.NewWriterSize: 18 TB",
		"reflect.MakeSlice(reflect.TypeOf([]int{}), 0, n)":      "reflect.MakeSlice: 141 TB",
		"reflect.MakeChan(reflect.TypeOf(make(chan T)), 1<<40)": "reflect.MakeChan: 44 TB",
		"list.Grow(n)": "reflect.Value.Grow: 141 TB",
		"reflect.New(reflect.ArrayOf(n, reflect.TypeOf(1)))": "reflect.New: 141 TB",
		"rand.Perm(n)":                         "rand.Perm: 141 TB",
		"rand.New(rand.NewSource(1)).Perm(n)":  "rand.Rand.Perm: 141 TB",
		"new(big.Int).Lsh(big.NewInt(1), 8*n)": "big.Int.Lsh: 18 TB",
		"image.NewRGBA(wide)":                  "image.NewRGBA: 70 TB",
		"mat.NewDense(1<<21, 1<<21, nil)":      "mat.NewDense: 35 TB",
		"slices.Repeat([]int{1}, n)":           "makeslice: 141 TB",
		"slices.Grow([]int{1}, n)":             "makeslice: 141 TB",
	} {
		got := eval(t, s, src)
		want := "runtime error: " + name + " are asked for, the process may have "
		if !strings.Contains(got, want) {
			t.Errorf("%s gives %q, want %q", src, got, want)
		}
	}
	for src, want := range map[string]string{
		"new([1 << 40]byte)":                         "halfnote cannot run a value of 1048576 MB yet",
		"strings.Repeat(`ab`, 2)":                    ": \"abab\"",
		"strings.Repeat(`ab`, -1)":                   "strings: negative Repeat count",
		"strings.Repeat(`ab`, 1<<62)":                "strings: Repeat output length overflow",
		"b.Grow(-1)":                                 "strings.Builder.Grow: negative count",
		"b.Grow(10); b.Cap() >= 10":                  ": true",
		"reflect.MakeSlice(nil, 1, 1)":               "nil pointer",
		"reflect.MakeSlice(list.Type(), 2, 3).Len()": ": 2",
		"reflect.New(nil)":                           "reflect: New(nil)",
		"reflect.MakeMapWithSize(reflect.TypeOf(map[int]int{}), 5).Len()": ": 0",
	} {
		if got := eval(t, s, src); !strings.Contains(got, want) {
			t.Errorf("%s gives %q, want %q", src, got, want)
		}
	}
}
