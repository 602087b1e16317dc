package memory_test

import (
	"runtime"
	"testing"

	"halfnote/internal/memory"
)

// TestEachCollection: the function is called after one collection and the next, and no more when it
// has said so.
func TestEachCollection(t *testing.T) {
	const most = 3
	calls := make(chan int, most+1)
	n := 0
	memory.EachCollection(func() bool {
		n++
		calls <- n
		return n < most
	})
	for want := 1; want <= most; want++ {
		runtime.GC()
		if got := <-calls; got != want {
			t.Fatalf("call %d, want %d", got, want)
		}
	}
	last := make(chan struct{})
	memory.EachCollection(func() bool { close(last); return false })
	runtime.GC()
	<-last
	if len(calls) > 0 {
		t.Error("it was called again")
	}
}
