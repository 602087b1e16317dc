package repl

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"halfnote/repl/display"
)

// TestCanWake: packages that compute on goroutines of their own can wake goroutines that wait.
func TestCanWake(t *testing.T) {
	for name, test := range map[string]struct {
		src  string
		want bool
	}{
		"alone": {"package main\nimport \"sync\"\nvar wg sync.WaitGroup\nfunc main() { wg.Wait() }", false},
		"group": {"package main\nimport \"sync\"\nvar wg sync.WaitGroup\nfunc main() { wg.Go(main) }",
			false},
		"sleeps": {"package main\nimport \"time\"\nfunc main() { time.Sleep(1) }", false},
		"timer":  {"package main\nimport \"time\"\nfunc main() { <-time.After(1) }", true},
		"gonum": {"package main\nimport \"gonum.org/v1/gonum/mat\"\nfunc main() { mat.NewDense(1, 1, nil) }",
			true},
		"tensor": {"package main\nimport \"halfnote/tensor\"\nfunc main() { tensor.Zeros(1) }", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(Config{})
			cell, ds := s.checker.Program([]File{{Name: "main.go", Src: test.src}})
			if len(ds) > 0 {
				t.Fatal(ds)
			}
			if got := canWake(cell); got != test.want {
				t.Errorf("canWake is %t, want %t", got, test.want)
			}
		})
	}
}

// TestDeadlock: a cell whose goroutines wait for each other ends, and those of earlier cells are
// among them; the session goes on.
func TestDeadlock(t *testing.T) {
	for _, cells := range [][]string{
		{"ch := make(chan int)\nch <- 1"},
		{"ch := make(chan int)", "go func() { ch <- <-ch }()", "<-ch"},
		{"var wg sync.WaitGroup\nwg.Go(func() { select {} })\nwg.Go(func() { wg.Wait() })\nselect {}"},
		{"r, w := io.Pipe()", "go fmt.Fprintln(w, `a`, `b`)", "b := bufio.NewReader(r)\n" +
			"b.ReadString('\\n')\nb.ReadByte()"},
		{"done := make(chan int)\ngo func() { time.Sleep(time.Second / 10); <-done }()\n<-done"},
		{"go func() { select {} }()\nruntime.Goexit()"},
		{"next, _ := iter.Pull(func(yield func(int) bool) { select {} })\nnext()"},
	} {
		t.Run(cells[len(cells)-1], func(t *testing.T) {
			t.Parallel()
			s := New(Config{})
			for i, src := range cells {
				_, err := s.Eval(t.Context(), src, &silent{})
				if i < len(cells)-1 {
					if err != nil {
						t.Fatal(err)
					}
					continue
				}
				const want = "fatal error: all goroutines are asleep - deadlock!"
				if err == nil || err.(*Error).Message() != want {
					t.Errorf("got %v, want %s", err, want)
				}
			}
			if _, err := s.Eval(t.Context(), "time.Sleep(1)", &silent{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDeadlockPlace: a deadlock is at the statement that waits, or nowhere.
func TestDeadlockPlace(t *testing.T) {
	var all sync.WaitGroup
	const c = "c := make(chan int, 1)\n"
	for _, test := range []struct{ src, want string }{
		{c + "<-c", "2:1"},
		{c + "fmt.Print()\n<-c", "3:1"},
		{c + "fmt.Print(1+<-c)", "2:13"},
		{c + "fmt.Print()\nn, ok := <-c\nfmt.Print(n, ok)", "3:10"},
		{c + "if <-c > 0 {\n\tfmt.Print()\n}", "2:4"},
		{c + "for v := range c {\n\tfmt.Print(v)\n}", "2:1"},
		{c + "c <- 1\nfor v := range c {\n\tfmt.Print(v)\n}", "3:1"},
		{c + "c <- 1\nfunc f() int {\n\tfmt.Print()\n\treturn 1\n}\nc <- f()", "7:1"},
		{c + "func f() {\n\tfmt.Print()\n\t<-c\n}\nf()", "4:2"},
		{"select {}", "1:1"},
		{"fmt.Print()\nselect {}", "2:1"},
		{c + "fmt.Print()\nselect {\ncase <-c:\ncase n := <-c:\n\tfmt.Print(n)\n}", "3:1"},
		{"var wg sync.WaitGroup\nwg.Add(1)\nwg.Wait()", "3:1"},
		{c + "go fmt.Print()\nfor range 1000 {\n}\n<-c", "5:1 or nowhere"},
		{c + "go func() { time.Sleep(1e7); fmt.Print() }()\n<-c", "nowhere"},
	} {
		all.Go(func() { // they take a second each
			s := New(Config{})
			_, err := s.Eval(t.Context(), test.src, &silent{})
			var e *Error
			if !errors.As(err, &e) || e.Value != errDeadlock {
				t.Errorf("%s: error %v", test.src, err)
				return
			}
			got := "nowhere"
			if d := e.Diagnostics[0]; d.Line > 0 {
				got = fmt.Sprintf("%d:%d", d.Line, d.Col)
			}
			if !slices.Contains(strings.Split(test.want, " or "), got) {
				t.Errorf("%s: it is at %s, want %s", test.src, got, test.want)
			}
		})
	}
	all.Wait()
}

// TestPlaceAfterReceive: what panics with a value that was received is at its own place.
func TestPlaceAfterReceive(t *testing.T) {
	s := New(Config{})
	const src = "c, a := make(chan int, 1), []int{1}\nc <- 5\nfmt.Print(a[<-c])"
	_, err := s.Eval(t.Context(), src, &silent{})
	var e *Error
	if !errors.As(err, &e) || e.Diagnostics[0].Line != 3 || e.Diagnostics[0].Col != 11 {
		t.Errorf("error %v, want it at 3:11", err)
	}
}

// TestGoexit: a cell that ends its first goroutine goes on as long as those that it has started,
// whatever those of earlier cells do.
func TestGoexit(t *testing.T) {
	s := New(Config{})
	for _, test := range []struct{ src, message string }{
		{"release, ended := make(chan int), false\ngo func() { <-release }()", ""},
		{"go func() { close(release); time.Sleep(time.Second / 10); ended = true }()\nruntime.Goexit()",
			"fatal error: no goroutines (main called runtime.Goexit) - deadlock!"},
		{"if !ended { panic(`the goroutine had not ended`) }", ""},
	} {
		_, err := s.Eval(t.Context(), test.src, &silent{})
		message := ""
		if err != nil {
			message = err.(*Error).Message()
		}
		if message != test.message {
			t.Errorf("%s: got %q, want %q", test.src, message, test.message)
		}
	}
}

// TestWoken: what has been used by any cell may wake a later one.
func TestWoken(t *testing.T) {
	s := New(Config{})
	for _, src := range []string{
		"ch := make(chan int)\ntime.AfterFunc(1500*time.Millisecond, func() { ch <- 1 })", "<-ch",
	} {
		if _, err := s.Eval(t.Context(), src, &silent{}); err != nil {
			t.Error(err)
		}
	}
}

// slow is an output that waits for a channel when something is written to it.
type slow struct {
	display.Output
	goOn chan bool
}

func (s slow) Stream(string, string) { <-s.goOn }

// TestOutputIsAwake: a cell whose output is slow does not wait for its own goroutines.
func TestOutputIsAwake(t *testing.T) {
	s := New(Config{})
	out := slow{&silent{}, make(chan bool)}
	go func() {
		defer close(out.goOn)
		stacks := make([]byte, 1<<20)
		for waits := false; !waits; runtime.Gosched() {
			for g := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
				waits = waits || strings.Contains(g, "[chan receive") && strings.Contains(g, "slow.Stream(")
			}
		}
		if s.types.Asleep() {
			t.Error("a cell that prints is asleep")
		}
	}()
	if _, err := s.Eval(t.Context(), "fmt.Print(1)\ngo func() { select {} }()", out); err != nil {
		t.Error(err)
	}
}
