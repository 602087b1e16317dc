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
