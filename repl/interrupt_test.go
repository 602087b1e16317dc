package repl_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"halfnote/repl"
)

// interrupt runs a cell that prints `started` and does not end, and stops it then. It returns what
// the cell has printed after that.
func interrupt(t *testing.T, s *repl.Session, src string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out := &starter{cancel: cancel}
	_, err := s.Eval(ctx, src, out)
	var e *repl.Error
	if !errors.As(err, &e) || e.Kind != repl.KindInterrupt {
		t.Fatalf("%s: error %v, want an interrupt", src, err)
	}
	_, after, _ := strings.Cut(out.String(), "started\n")
	return after
}

// TestInterruptDefers: deferred calls run when a cell is stopped, last first, whatever they call, and
// nothing else does.
func TestInterruptDefers(t *testing.T) {
	for src, want := range map[string]string{
		"defer fmt.Println(`cleanup`)\nfmt.Println(`started`)\nfor {}": "cleanup\n",
		`func inner() int { defer fmt.Println("inner"); fmt.Println("started"); for {} }
func outer() (n int) { defer func() { fmt.Println("outer", recover(), n) }(); n = inner(); return 5 }
defer fmt.Println("cell")
fmt.Println("not", outer())`: "inner\nouter <nil> 0\ncell\n",
		`func closing(n int) { defer fmt.Println("closed", n); if n > 0 { closing(n - 1) } }
func f() { defer closing(2); fmt.Println("started"); time.Sleep(time.Hour); fmt.Println("not") }
f()`: "closed 0\nclosed 1\nclosed 2\n",
		`func f() { defer fmt.Println("second"); defer func() { panic("first") }(); fmt.Println("started")
select {} }
func g() { defer func() { fmt.Println("recovered", recover()) }(); f(); fmt.Println("not") }
g()
fmt.Println("not")`: "second\nrecovered <nil>\n",
		`type S struct{}
func (S) String() string { defer fmt.Println("deferred"); fmt.Println("started"); for {} }
for { fmt.Println(S{}) }`: "deferred\n",
		`type R struct{ started bool }
func (r *R) Read(p []byte) (int, error) { if !r.started { fmt.Println("started"); r.started = true }
return len(p), nil }
defer fmt.Println("deferred")
io.Copy(io.Discard, &R{})
fmt.Println("not")`: "deferred\n",
		`var wg sync.WaitGroup
results := make(chan int, 9)
sum := 0
ready := make(chan bool)
func work(n int) { defer wg.Done(); defer func() { results <- n }(); ready <- true; for {} }
defer func() { wg.Wait(); close(results); for n := range results { sum += n }; fmt.Println(sum) }()
for i := range 3 { wg.Add(1); go work(i + 1); <-ready }
fmt.Println("started")
for {}`: "6\n",
		"defer func() { time.Sleep(20*time.Millisecond); fmt.Println(`slept`) }()\n" +
			"fmt.Println(`started`)\nfor {}": "slept\n",
	} {
		t.Run(src, func(t *testing.T) {
			t.Parallel()
			s := repl.New(repl.Config{})
			if got := interrupt(t, s, src); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if got := eval(t, s, "1 + 1"); got != "Out[2]: 2\n" {
				t.Errorf("after the interrupt 1 + 1 gives %q", got)
			}
		})
	}
}

// TestInterruptState: locks, semaphores and files are free after an interrupt, however many there are.
func TestInterruptState(t *testing.T) {
	s := repl.New(repl.Config{})
	eval(t, s, `var mu sync.Mutex
sem := make(chan bool, 1)
left := 0
func work() {
	mu.Lock()
	defer mu.Unlock()
	sem <- true
	defer func() { <-sem }()
	defer func() { left++ }()
	fmt.Println("started")
	for { time.Sleep(time.Millisecond) }
}
func often() {
	for i := 0; ; i++ {
		func() { mu.Lock(); defer mu.Unlock(); if i == 50 { fmt.Println("started") } }()
	}
}`)
	for range 50 {
		interrupt(t, s, "work()")
	}
	const state = "fmt.Sprint(len(sem), left)"
	if got := eval(t, s, state); !strings.HasSuffix(got, "\"0 50\"\n") {
		t.Errorf("after 50 interrupts: %s", got)
	}
	if got := eval(t, s, "mu.TryLock()"); !strings.HasSuffix(got, ": true\n") {
		t.Fatalf("after 50 interrupts TryLock gives %s", got)
	}
	eval(t, s, "mu.Unlock()")
	interrupt(t, s, "often()")
}

// TestInterruptGoroutines: goroutines of a stopped cell run their deferred calls, too, and end.
func TestInterruptGoroutines(t *testing.T) {
	s := repl.New(repl.Config{})
	interrupt(t, s, `var wg sync.WaitGroup
var mus [4]sync.Mutex
ready := make(chan bool)
func work(i int) {
	defer wg.Done()
	mus[i].Lock()
	defer mus[i].Unlock()
	ready <- true
	for i := 0; ; i++ { if i > 1000 { time.Sleep(time.Microsecond) } }
}
for i := range mus { wg.Add(1); go work(i); <-ready }
fmt.Println("started")
wg.Wait()`)
	got := eval(t, s, `wg.Wait()
free := 0
for i := range mus { if mus[i].TryLock() { free++ } }
free`)
	if got != "Out[2]: 4\n" {
		t.Errorf("got %s", got)
	}
}

// TestInterruptEndless: deferred calls that do not end are stopped, too.
func TestInterruptEndless(t *testing.T) {
	for _, loop := range []string{"for {}", "select {}", "time.Sleep(time.Hour)", "<-make(chan int)"} {
		t.Run(loop, func(t *testing.T) {
			t.Parallel()
			s := repl.New(repl.Config{})
			begun := time.Now()
			got := interrupt(t, s, "x := 1\ndefer func() { "+loop+"; fmt.Println(`not`) }()\n"+
				"fmt.Println(`started`)\nfor {}")
			if got != "" || time.Since(begun) > 20*time.Second {
				t.Errorf("after %v: %q", time.Since(begun), got)
			}
			if got := eval(t, s, "x"); got != "Out[2]: 1\n" {
				t.Errorf("x is %q", got)
			}
		})
	}
}

// TestInterruptEarlierLiteral: a function literal of an earlier cell that waits for a channel is
// stopped at once, wherever it is called from, and its deferred calls run.
func TestInterruptEarlierLiteral(t *testing.T) {
	for wait, call := range map[string]string{
		"<-ch":                 "g()",
		"ch <- 1":              "g()",
		"for range ch {}":      "g()",
		"fmt.Println(<-ch)":    "g()",
		"select { case <-ch:}": "g()",
		"_ = <-ch":             "slices.SortFunc([]int{1, 2}, func(a, b int) int { g(); return 0 })",
		"_, _ = <-ch":          "sort.Slice([]int{1, 2}, func(i, j int) bool { g(); return true })",
	} {
		t.Run(wait, func(t *testing.T) {
			t.Parallel()
			s := repl.New(repl.Config{})
			eval(t, s, "ch := make(chan int)\nvar mu sync.Mutex")
			eval(t, s, "g := func() { mu.Lock(); defer mu.Unlock(); "+
				"fmt.Println(`started`); "+wait+"; fmt.Println(`not`) }")
			begun := time.Now()
			if got := interrupt(t, s, call); got != "" || time.Since(begun) > 2*time.Second {
				t.Errorf("after %v: %q", time.Since(begun), got)
			}
			if got := eval(t, s, "mu.TryLock()"); got != "Out[4]: true\n" {
				t.Errorf("the lock: %q", got)
			}
		})
	}
}

// TestInterruptCompiled: what cannot be stopped is said.
func TestInterruptCompiled(t *testing.T) {
	s := repl.New(repl.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	soon := func() { time.AfterFunc(200*time.Millisecond, cancel) } // once the lock is waited for
	_, err := s.Eval(ctx, "var mu sync.Mutex\nmu.Lock()\nfmt.Println(`started`)\nmu.Lock()\n"+
		"fmt.Println(`on`)", &starter{cancel: soon})
	const want = "interrupted; a call into compiled code goes on in the background"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if got := eval(t, s, "mu.Unlock()"); got != "" {
		t.Errorf("got %q", got)
	}
}

// TestInterruptGivenUp: a cell in a call into compiled code that does not end is given up, with a
// word about it, and does not go on when the call returns.
func TestInterruptGivenUp(t *testing.T) {
	t.Parallel()
	s := repl.New(repl.Config{})
	run := func(src string) string {
		t.Helper()
		out := &starter{cancel: func() {}}
		res, err := s.Eval(t.Context(), src, out)
		if err != nil {
			t.Fatal(err)
		}
		return res.Bundle.Text()
	}
	run("r, w, _ := os.Pipe()\nx := 1\nread := func() int { return x }")
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.Eval(ctx, `r.SetReadDeadline(time.Now().Add(3600 * time.Millisecond))
fmt.Println("started")
r.Read(make([]byte, 1))
for range 100 { x++ }`, &starter{cancel: func() { time.AfterFunc(200*time.Millisecond, cancel) }})
	var e *repl.Error
	if !errors.As(err, &e) || !e.Background || !strings.Contains(e.Error(), "in the background") {
		t.Fatalf("error %v", err)
	}
	<-time.After(time.Second) // for the read to end
	if got := run("read()"); got != "1" {
		t.Errorf("an earlier function gives %s", got)
	}
}

// TestInterruptLate: what is in a call into compiled code while its cell is stopped ends, with its
// deferred calls, when the call returns, however much later.
func TestInterruptLate(t *testing.T) {
	t.Parallel()
	s := repl.New(repl.Config{})
	eval(t, s, `r, w, _ := os.Pipe()
var n atomic.Int64
gone := make(chan string, 9)
func read(name string) {
	defer func() { gone <- fmt.Sprint(name) }()
	defer func() { name = strings.ToUpper(name); for range 9 { name += fmt.Sprint(1) } }()
	for { r.Read(make([]byte, 1)); n.Add(1) }
}`)
	interrupt(t, s, "go read(`goroutine`)\nw.Write(make([]byte, 1))\nfor n.Load() == 0 {}\n"+
		"fmt.Println(`started`)\nn.Store(0)\nfor {}")
	ctx, cancel := context.WithCancel(t.Context())
	out := &starter{cancel: func() { time.AfterFunc(200*time.Millisecond, cancel) }}
	_, err := s.Eval(ctx, "fmt.Println(`started`)\nread(`cell`)", out)
	var e *repl.Error
	if !errors.As(err, &e) || !e.Background {
		t.Fatalf("error %v", err)
	}
	interrupt(t, s, "fmt.Println(`started`)\nfor {}")
	eval(t, s, "w.Write(make([]byte, 100))")
	got := eval(t, s, "names := []string{<-gone, <-gone}\nslices.Sort(names)\nnames")
	if !strings.HasSuffix(got, `{"CELL111111111", "GOROUTINE111111111"}`+"\n") {
		t.Errorf("gone are %s", got)
	}
	if got := eval(t, s, "n.Load()"); !strings.HasSuffix(got, ": 0\n") {
		t.Errorf("steps after the calls: %s", got)
	}
}

// TestInterruptKeepsGoroutines: goroutines of earlier cells go on after an interrupt, with what they
// waited for meanwhile, whatever they and the interrupted cell do.
func TestInterruptKeepsGoroutines(t *testing.T) {
	const counts, echoes = "was := n.Load()\nfor n.Load() == was { time.Sleep(time.Millisecond) }",
		"in <- 7\n<-out"
	for _, c := range []struct{ work, goesOn, interrupted string }{
		{"for { tick() }", counts, "for {}"},
		{"for { tick(); time.Sleep(time.Millisecond) }", counts, "select {}"},
		{"again: tick()\ngoto again", counts, "for {}"},
		{"for { fib(15); tick() }", counts, "fib(60)"},
		{"for { slices.SortFunc(large[:9_000], func(a, b int) int { return b - a }); tick() }", counts,
			"for {}"},
		{"for { slices.Sort(large); slices.Reverse(large); tick() }", counts, "for {}"},
		{"for { fmt.Fprintln(&writer{}, 1) }", counts, "for { fmt.Fprintln(&writer{}, 1) }"},
		{"var mu sync.Mutex\nfor { mu.Lock(); tick(); mu.Unlock() }", counts, "for { fib(9) }"},
		{"var mu sync.Mutex\nfor { func() { mu.Lock(); defer mu.Unlock(); tick() }() }", counts, "for {}"},
		{"for range forever { tick() }", counts, "<-make(chan int)"},
		{"for { x := <-in; out <- x }", echoes, "for range make(chan int) {}"},
		{"for x := range in { out <- x }", echoes, "<-make(chan int)"},
		{"for { x, ok := <-in; if !ok { break }; out <- x }", echoes, "time.Sleep(time.Hour)"},
		{"for { echo() }", echoes, "echo()"},
		{"for { select { case x := <-in: out <- x } }", echoes, "for {}"},
		{"for { func() { defer echo() }() }", echoes, "for {}"},
	} {
		t.Run(c.work, func(t *testing.T) {
			s := repl.New(repl.Config{})
			eval(t, s, `var n atomic.Int64
var ends atomic.Bool
func tick() { n.Add(1); if ends.Load() { runtime.Goexit() } }
in, out := make(chan int), make(chan int)
large := make([]int, 300_000)
type writer struct{}
func (*writer) Write(text []byte) (int, error) { tick(); return len(text), nil }
func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }
func echo() { out <- <-in }
func forever(yield func(int) bool) { for yield(0) {} }`)
			eval(t, s, "func work() { "+c.work+" }\ngo work()")
			goesOn := func(then string) {
				t.Helper()
				if got := eval(t, s, c.goesOn+then+"\n`on`"); !strings.HasSuffix(got, "\"on\"\n") {
					t.Fatalf("the goroutine has not gone on: %s", got)
				}
			}
			for range 3 {
				goesOn("")
				interrupt(t, s, "fmt.Println(`started`)\n"+c.interrupted)
			}
			goesOn("")
			interrupt(t, s, "go work()\nfmt.Println(`started`)\nfor {}")
			goesOn("\nends.Store(true)")
		})
	}
}

// TestInterruptAtOnce: a cell that is stopped before it begins, here when it notes that user does not
// fit the new k, leaves its types whole.
func TestInterruptAtOnce(t *testing.T) {
	s := repl.New(repl.Config{})
	eval(t, s, "func k() int { return 1 }\nfunc user() int { return k() }")
	ctx, cancel := context.WithCancel(t.Context())
	src := "func k() string { return `` }\ntype name string\n" +
		"func (n name) String() string { return `I am ` + string(n) }\nfmt.Println(name(`one`))"
	if _, err := s.Eval(ctx, src, &noteTaker{cancel: cancel}); err == nil {
		t.Fatal("the cell runs")
	}
	if got := eval(t, s, "fmt.Sprint(name(`two`))"); !strings.HasSuffix(got, "\"I am two\"\n") {
		t.Errorf("got %s", got)
	}
}

// A noteTaker stops a cell when it gets text.
type noteTaker struct {
	recorder
	cancel func()
}

func (n *noteTaker) Stream(string, string) { n.cancel() }
