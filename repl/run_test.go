package repl_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"halfnote/repl"
)

// starter cancels a cell when it prints its first text.
type starter struct {
	recorder
	cancel func()
}

func (s *starter) Stream(name, text string) {
	s.recorder.Stream(name, text)
	s.cancel()
}

// TestInterrupt: a cell can be stopped wherever it is, and everything from before lives on, closures
// included.
func TestInterrupt(t *testing.T) {
	for _, src := range []string{
		"for {}",
		"select {}",
		"time.Sleep(time.Hour)",
		"<-make(chan int)",
		"make(chan int) <- 1",
		"for range time.Tick(time.Hour) {}",
		"for { func() { defer func() { recover() }() }() }",
		"n := 0; for range seq { n++ }",
		"sort.Slice([]int{1, 2, 3}, func(i, j int) bool { for {} })",
		"done := make(chan int); go func() { for {} }(); <-done",
	} {
		t.Run(src, func(t *testing.T) {
			t.Parallel()
			s := repl.New(repl.Config{})
			eval(t, s, "kept := 40\nadd := func(n int) int { kept += n; return kept }\n"+
				"seq := func(yield func() bool) { for yield() {} }")
			ctx, cancel := context.WithCancel(t.Context())
			out := &starter{cancel: cancel}
			_, err := s.Eval(ctx, "fmt.Println(`started`)\nkept++\n"+src, out)
			var e *repl.Error
			if !errors.As(err, &e) || e.Kind != repl.KindInterrupt {
				t.Fatalf("error %v, want an interrupt", err)
			}
			if got := eval(t, s, "add(1)"); got != "Out[3]: 42\n" && got != "Out[3]: 41\n" {
				t.Errorf("after the interrupt add(1) gives %q", got)
			}
		})
	}
}

// TestStdout: what a cell writes to os.Stdout and os.Stderr stands in its output in order with what
// it prints and shows.
func TestStdout(t *testing.T) {
	s := repl.New(repl.Config{})
	got := eval(t, s, `fmt.Println("1")
fmt.Fprintln(os.Stdout, "2")
w := bufio.NewWriter(os.Stdout)
w.WriteString("3\n")
w.Flush()
println("4")
fmt.Fprintln(os.Stderr, "5")
display.Show("6")
fmt.Fprint(os.Stdout, "7")`)
	want := "1\n2\n3\n4\n5\n[display] \"6\"\n7"
	if _, text, _ := strings.Cut(got, "display\"\n"); !strings.Contains(text, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := eval(t, s, `fmt.Fprintln(os.Stdout, strings.Repeat("x", 200000))`); len(got) < 200000 {
		t.Errorf("200,001 bytes became %d", len(got))
	}
}

// TestExit: os.Exit ends the cell with its code, deferred calls do not run, names stay.
func TestExit(t *testing.T) {
	s := repl.New(repl.Config{})
	var out recorder
	_, err := s.Eval(t.Context(), "x := 1\ndefer fmt.Println(`no`)\nos.Exit(3)", &out)
	var e *repl.Error
	if !errors.As(err, &e) || e.Kind != repl.KindExit || e.Code != 3 || out.String() != "" {
		t.Errorf("error %v, output %q", err, out.String())
	}
	if got := eval(t, s, "x"); got != "Out[2]: 1\n" {
		t.Errorf("x is %q", got)
	}
}

// TestGoroutine: what a goroutine prints goes to the cell that started it, and its panic ends
// neither the session nor the process.
func TestGoroutine(t *testing.T) {
	s := repl.New(repl.Config{})
	var first recorder
	_, err := s.Eval(t.Context(), `gate, done := make(chan int), make(chan int)
go func() {
	defer close(done)
	<-gate
	fmt.Print("late")
	panic("in goroutine")
}()`, &first)
	if err != nil {
		t.Fatal(err)
	}
	if got := eval(t, s, "close(gate)\n<-done\nfmt.Print(`second`)"); got != "second" {
		t.Errorf("the second cell prints %q", got)
	}
	eval(t, s, "runtime.Gosched()")
	if got := first.String(); !strings.HasPrefix(got, "late") {
		t.Errorf("the first cell's output is %q", got)
	}
}

// TestEndless: endless recursion is an error of the cell, not the end of the process.
func TestEndless(t *testing.T) {
	s := repl.New(repl.Config{})
	got := eval(t, s, "x := 1\nfunc f(n int) int { return 1 + f(n+1) }\nf(0)")
	if want := "stack overflow: functions call each other without end"; !strings.Contains(got, want) {
		t.Errorf("got %q", got)
	}
	if got := eval(t, s, "x"); got != "Out[2]: 1\n" {
		t.Errorf("x is %q", got)
	}
}

// TestPanicsEnd: where the panic of a goroutine is to end cells, it ends the one that runs, or the
// next one, once; the session goes on.
func TestPanicsEnd(t *testing.T) {
	for _, test := range []struct {
		name  string
		cells []string // the last but one fails
	}{
		{"wait", []string{"go panic(`boom`); select {}", "1"}},
		{"done", []string{"var wg sync.WaitGroup\nwg.Add(1)\n" +
			"go func() { defer wg.Done(); panic(`boom`) }()\nwg.Wait()", "1"}},
		{"group", []string{"var wg sync.WaitGroup\nwg.Go(func() { panic(`boom`) })\nwg.Wait()", "1"}},
		{"earlier", []string{"gate := make(chan int)\ngo func() { <-gate; panic(`boom`) }()",
			"close(gate)\nselect {}", "1"}},
		{"recovered", []string{"done := make(chan any)\ngo func() {\n" +
			"\tdefer func() { done <- recover() }()\n\tpanic(1)\n}()\n<-done", "panic(`boom`)", "1"}},
		{"several", []string{"for range 9 { go panic(`boom`) }\nselect {}", "1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := repl.New(repl.Config{PanicsEnd: true})
			for i, src := range test.cells {
				var out recorder
				_, err := s.Eval(t.Context(), src, &out)
				var e *repl.Error
				fails := i == len(test.cells)-2
				if fails && (!errors.As(err, &e) || e.Message() != "panic: boom") || !fails && err != nil {
					t.Errorf("cell %d: %v", i+1, err)
				}
				if text := out.String(); strings.Contains(text, "boom") {
					t.Errorf("cell %d prints %q", i+1, text)
				}
			}
		})
	}
}

// TestProgramGoroutine: a program ends with the panic of any of its goroutines, and with os.Exit.
func TestProgramGoroutine(t *testing.T) {
	for body, kind := range map[string]string{
		"panic(`in goroutine`)": repl.KindPanic,
		"os.Exit(4)":            repl.KindExit,
	} {
		src := "package main\nimport \"os\"\nfunc main() { go func() { " + body + " }(); select {} }\n" +
			"var _ = os.Args"
		var out recorder
		err := repl.New(repl.Config{}).Program(t.Context(), []repl.File{{Name: "p.go", Src: src}}, &out)
		var e *repl.Error
		if !errors.As(err, &e) || e.Kind != kind {
			t.Errorf("%s: %v, want kind %s", body, err, kind)
		}
	}
}
