package repl_test

import (
	"runtime"
	"testing"

	"halfnote/repl"
)

// TestMemory: a cell leaves only what its names hold, and a silent one nothing; the interpreter
// would keep the syntax of all, 10 KB for the smallest and 40 KB with a closure.
func TestMemory(t *testing.T) {
	const cells, most = 2000, 2 << 10
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
			if n := runtime.NumGoroutine(); n > goroutines {
				t.Errorf("%d goroutines became %d", goroutines, n)
			}
			runtime.KeepAlive(s)
		})
	}
}

// heap is how many bytes are in use after a collection.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
