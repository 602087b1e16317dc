package repl_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"halfnote/repl"
)

// TestProf: %prof runs code as a cell does, names and value included, and shows a table of its ops.
func TestProf(t *testing.T) {
	s := repl.New(repl.Config{})
	for _, c := range []struct {
		src   string
		wants []string
	}{
		{"w := tensor.Ones(8, 8).SetRequiresGrad(true)", nil},
		{"%%prof\nloss := w.MatMul(w).Sum()\nloss.Backward()\n" +
			"func twice(x int) int { return 2 * x }\nloss.Item()",
			[]string{"[display] op", "allocated", "matmul backward", "(outside of ops)", "Out[2]: 512"}},
		{"%prof w.Add(1).Sum().Item() + float64(twice(4))", []string{"\nadd", "Out[3]: 136"}},
		{"_2 + loss.Item()", []string{"Out[4]: 1024"}},
		{"%prof", []string{"%prof: there is no code"}},
		{"%%prof\n", []string{"%%prof: there is no code"}},
		{"%prof 1\n2", []string{"halfnote cannot run %prof among other lines yet"}},
		{"%%load\nx", []string{"%%load: no such command; %help lists them"}},
		{"%%prof\nx := undefined", []string{"cell 9:2:6: undefined: undefined", "x := undefined"}},
		{"%prof undefined", []string{"cell 10:1:7: undefined: undefined"}},
		{"%%prof\n\n  panic(1)", []string{"cell 11:3:"}},
		{"%tb", []string{"cell 11:3:"}},
		{"%prof w.Exp()", []string{"\nexp"}}, // also after a panic
	} {
		got := eval(t, s, c.src)
		for _, want := range c.wants {
			if !strings.Contains(got, want) {
				t.Errorf("%q gives\n%s\nwithout %q", c.src, got, want)
			}
		}
		if fails := strings.HasPrefix(c.src, "%prof 1"); fails && strings.Contains(got, "[display]") {
			t.Errorf("%q shows\n%s", c.src, got)
		}
	}
}

// TestProfFails: %prof shows the table of the time so far when its code fails or is stopped, wherever
// it is.
func TestProfFails(t *testing.T) {
	const start = "%%prof\ntensor.Ones(8).Exp()\nfmt.Println(`started`)\n"
	for _, src := range []string{
		"panic(1)", "for {}", "time.Sleep(time.Hour)", "select {}",
		"func() { defer fmt.Print(); for {} }()",
	} {
		t.Run(src, func(t *testing.T) {
			s := repl.New(repl.Config{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			out := &starter{cancel: cancel}
			if src == "panic(1)" {
				out.cancel = func() {}
			}
			_, err := s.Eval(ctx, start+src, out)
			var e *repl.Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v", err)
			}
			if got := out.String(); !strings.Contains(got, "\nexp") {
				t.Errorf("%s, shows %q", e.Kind, got)
			}
			if got := eval(t, s, "%prof tensor.Ones(8).Sqrt()"); !strings.Contains(got, "\nsqrt") {
				t.Errorf("afterwards %q", got)
			}
		})
	}
}
