package repl_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"halfnote/repl"
)

// TestErrorName looks at the names by which front ends know errors.
func TestErrorName(t *testing.T) {
	s := repl.New(repl.Config{})
	eval(t, s, "type MyErr struct{ n int }\nfunc (MyErr) Error() string { return `mine` }\n"+
		"type Plain struct{ n int }\nvar m map[string]int\nvar p *Plain\nzero := 0\nvar x any = 1")
	for src, want := range map[string]string{
		"undefined":                                   "CompileError",
		"os.Exit(3)":                                  "Exit",
		"panic(1)":                                    "Panic",
		"panic(`text`)":                               "Panic",
		"panic(Plain{1})":                             "Panic",
		"panic(errors.New(`x`))":                      "Panic",
		"panic(fmt.Errorf(`x: %w`, io.EOF))":          "Panic",
		"panic(errors.Join(io.EOF, io.EOF))":          "Panic",
		"panic(MyErr{1})":                             "MyErr",
		"panic(&MyErr{1})":                            "MyErr",
		"panic(&fs.PathError{Err: io.EOF})":           "fs.PathError",
		"tensor.Ones(2, 3).MatMul(tensor.Ones(2, 3))": "tensor.Error",
		"[]int{1}[zero+1]":                            "RuntimeError",
		"1 / zero":                                    "RuntimeError",
		"m[`a`] = 1":                                  "RuntimeError",
		"p.n":                                         "RuntimeError",
		"x.(string)":                                  "RuntimeError",
		"new(sync.Mutex).Unlock()":                    "FatalError",
		"panic(nil)":                                  "RuntimeError",
		"close(make(chan int)); var c chan int; close(c)": "RuntimeError",
		"strings.Builder{}.x":                             "CompileError",
	} {
		_, err := s.Eval(context.Background(), src, &recorder{})
		var e *repl.Error
		if !errors.As(err, &e) || e.Name() != want {
			t.Errorf("%s: %v, named %q, want %q", src, err, e.Name(), want)
		}
	}
}

// TestRender looks at where the caret stands.
func TestRender(t *testing.T) {
	for src, want := range map[string]string{
		"\t\"日本\" + undef": "cell 1:1:13: undefined: undef\n    \"日本\" + undef\n             ^~~~~\n",
		"s := \"e\u0301\" +\t日本": "cell 1:1:14: undefined: 日本\n    s := \"e\u0301\" +\t日本\n" +
			"              \t^~~~\n",
		"_ = é + undef": "cell 1:1:5: undefined: é\n    _ = é + undef\n        ^\n" +
			"cell 1:1:10: undefined: undef\n    _ = é + undef\n            ^~~~~\n",
	} {
		if got := eval(t, repl.New(repl.Config{}), src); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", src, got, want)
		}
	}
}

// TestTraceback: %tb shows the compiled functions, too, and keeps to the last error.
func TestTraceback(t *testing.T) {
	s := repl.New(repl.Config{})
	eval(t, s, "func bad(n int) string { return strings.Repeat(`x`, n) }\nbad(-1)")
	eval(t, s, "x := 1")
	got := eval(t, s, "%tb")
	for _, want := range []string{
		"cell 1:1:33: panic: strings: negative Repeat count\n", "\nin strings.Repeat, strings/strings.go:",
		"\ncalled from cell 1:2:1\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%%tb gives %q, want %q in it", got, want)
		}
	}
	if got := eval(t, repl.New(repl.Config{}), "%tb"); !strings.Contains(got, "no cell has given") {
		t.Errorf("at first %%tb gives %q", got)
	}
}

// TestPlaceAmongGoroutines: the place of an error is that of the goroutine that has it.
func TestPlaceAmongGoroutines(t *testing.T) {
	s := repl.New(repl.Config{})
	eval(t, s, "var stop atomic.Bool\ngo func() {\n\ta := []int{1}\n\tfor i := 0; !stop.Load(); i++ {\n"+
		"\t\ta[i%1]++\n\t}\n}()\nfunc f(a []int, i int) int {\n\treturn a[i]\n}")
	for range 20 {
		if got := eval(t, s, "f([]int{}, 1)"); !strings.HasPrefix(got, "cell 1:9:9: runtime error") {
			t.Fatalf("got %s", got)
		}
	}
	eval(t, s, "stop.Store(true)")
}
