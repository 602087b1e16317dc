package repl_test

import (
	"math"
	"runtime"
	"strings"
	"testing"

	"halfnote/internal/memory"
	"halfnote/repl"
)

// TestMemory: a cell leaves only what its names hold, and a silent one nothing; the interpreter
// would keep the syntax of all, 10 KB for the smallest and 40 KB with a closure.
func TestMemory(t *testing.T) {
	const cells, most = 400, 2 << 10
	for name, src := range map[string]string{
		"assignment": "x = 1 + 1",
		"closure":    "x = func() int { return x + 1 }()",
		"print":      "fmt.Print()",
		"defer":      "defer func() { x++ }()",
		"library":    "slices.Sort([]int{3, x})",
	} {
		t.Run(name, func(t *testing.T) {
			s := repl.New(repl.Config{})
			eval(t, s, "x := 1")
			eval(t, s, src)
			before, goroutines := heap(), runtime.NumGoroutine()
			for range cells {
				eval(t, s, src)
			}
			if grown := (heap() - before) / cells; grown > most {
				t.Errorf("a cell leaves %d bytes", grown)
			}
			if grown := (runtime.NumGoroutine() - goroutines) / cells; grown > 0 {
				t.Errorf("a cell leaves %d goroutines", grown)
			}
			runtime.KeepAlive(s)
		})
	}
}

// heap is how many bytes are in use, without the garbage that goroutines of other tests make.
func heap() int {
	least := math.MaxInt
	for range 3 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		least = min(least, int(m.HeapAlloc))
	}
	return least
}

// TestManyGoroutines: the stacks of goroutines that wait are no deep recursion, and do not hide one.
func TestManyGoroutines(t *testing.T) {
	s := repl.New(repl.Config{})
	eval(t, s, "stop := make(chan int); func f(n int) int { return f(n+1) + 1 }")
	eval(t, s, "for range 25_000 { go func() { <-stop }() }")
	if got := eval(t, s, "runtime.NumGoroutine()"); !strings.HasSuffix(got, ": 25001\n") {
		t.Errorf("there are %s", got)
	}
	if got := eval(t, s, "f(0)"); !strings.Contains(got, "stack overflow") {
		t.Errorf("the recursion gives %s", got)
	}
	eval(t, s, "close(stop)")
}

// TestMemoryLimit: a cell that takes more than the process may have is stopped, whatever it makes;
// what it no longer holds is given back, and its names keep what they have.
func TestMemoryLimit(t *testing.T) {
	const room = 400 << 20 // more than a cell makes while garbage is collected on one processor
	s := repl.New(repl.Config{})
	eval(t, s, "kept := 7")
	eval(t, s, "[]int{kept}")
	defer memory.SetLimit(memory.Limit())
	memory.SetLimit(memory.InUse() + room)
	for name, src := range map[string]string{
		"append": "func() { var a [][]int; for { a = append(a, make([]int, 1000)) } }()",
		"map":    "func() { m := map[int]string{}; for i := 0; ; i++ { m[i] = strings.Repeat(`x`, 10_000) } }()",
		"make":   "func() { var a [][]byte; for { b := make([]byte, 1<<20); a = append(a, b) } }()",
	} {
		t.Run(name, func(t *testing.T) {
			got := eval(t, s, src)
			if !strings.Contains(got, "runtime error: out of memory: the process has ") ||
				!strings.Contains(got, "B, more than the ") ||
				!strings.HasSuffix(got, "\nhelp: values that were shown are kept: _2 = nil lets go of one\n") {
				t.Errorf("got %s", got)
			}
			if have := memory.InUse(); have > memory.Limit()-room/2 {
				t.Errorf("after it the process has %s", memory.Text(have))
			}
			if got := eval(t, s, "kept"); !strings.HasSuffix(got, ": 7\n") {
				t.Errorf("kept is %s", got)
			}
		})
	}
	got := eval(t, s, "func() { for range 2000 { _ = append([]int{}, make([]int, 100_000)...) } }()")
	if got != "" {
		t.Errorf("garbage counts: %s", got)
	}
}

// TestCallsKeepNothing: what a compiled call was given and gave is garbage when the cell is over.
func TestCallsKeepNothing(t *testing.T) {
	s := repl.New(repl.Config{})
	before := heap()
	eval(t, s, `fmt.Fprint(io.Discard, strings.Repeat("x", 200<<20));`)
	if more := heap() - before; more > 100<<20 {
		t.Errorf("%d more bytes live after the cell", more)
	}
	runtime.KeepAlive(s)
}
