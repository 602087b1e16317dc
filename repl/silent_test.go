package repl_test

import (
	"runtime"
	"testing"

	"halfnote/repl"
)

// TestSilent: a silent cell has no number and no _n; what it defines stays.
func TestSilent(t *testing.T) {
	s := repl.New(repl.Config{})
	silent := func(src string) repl.Result {
		t.Helper()
		res, err := s.EvalWith(t.Context(), src, &recorder{}, repl.EvalOptions{Silent: true})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	eval(t, s, "x := 20")
	if res := silent("x + 1"); res.Count != 1 || res.Bundle.Text() != "21" {
		t.Errorf("count %d, value %q", res.Count, res.Bundle.Text())
	}
	silent("y := func() int { return x * 2 }\nx++")
	if got := eval(t, s, "y()"); got != "Out[2]: 42\n" {
		t.Errorf("y() gives %q", got)
	}
	if got := eval(t, s, "_2 + 1"); got != "Out[3]: 43\n" {
		t.Errorf("_2 + 1 gives %q", got)
	}
	_, err := s.EvalWith(t.Context(), "\nnope", &recorder{}, repl.EvalOptions{Silent: true})
	want := "silent cell 3:2:1: undefined: nope\n    nope\n    ^~~~\n" +
		"help: to define it, write nope := …"
	if err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
}

// TestSilentMemory: a front end may ask silently as often as it likes.
func TestSilentMemory(t *testing.T) {
	const cells, most = 600, 300
	s := repl.New(repl.Config{})
	eval(t, s, "x := make([]byte, 1000)")
	ask := func() {
		if _, err := s.EvalWith(t.Context(), "len(x)", &recorder{},
			repl.EvalOptions{Silent: true}); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		ask()
	}
	before := heap()
	for range cells {
		ask()
	}
	if grown := (heap() - before) / cells; grown > most {
		t.Errorf("a silent cell leaves %d bytes", grown)
	}
	runtime.KeepAlive(s)
}
