package pool

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// cores runs a test with so many cores.
func cores(t *testing.T, n int) {
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// TestRunNests: a piece may call Run itself, with all workers busy in such pieces.
func TestRunNests(t *testing.T) {
	cores(t, 4)
	var done atomic.Int64
	Run(16, func(int) {
		Run(16, func(int) {
			Run(16, func(int) { done.Add(1) })
		})
	})
	if got := done.Load(); got != 16*16*16 {
		t.Errorf("%d pieces done, want %d", got, 16*16*16)
	}
}

// TestRunEverySize: each piece is done once, and its work is seen by the caller.
func TestRunEverySize(t *testing.T) {
	for _, c := range []int{1, 2, 3} {
		cores(t, c)
		for n := range 40 {
			seen := make([]int, n)
			Run(n, func(i int) { seen[i]++ })
			for i, s := range seen {
				if s != 1 {
					t.Fatalf("%d cores, %d pieces: piece %d was done %d times", c, n, i, s)
				}
			}
		}
	}
}

// TestSplitCovers: the pieces are the whole, in any size.
func TestSplitCovers(t *testing.T) {
	cores(t, 3)
	for total := range 50 {
		for grain := 1; grain < 12; grain++ {
			seen := make([]int, total)
			Split(total, grain, func(lo, hi int) {
				for i := range seen[lo:hi] {
					seen[lo+i]++
				}
			})
			for i, s := range seen {
				if s != 1 {
					t.Fatalf("Split(%d, %d): element %d was in %d pieces", total, grain, i, s)
				}
			}
		}
	}
}

// TestRunPanics: the panic of a piece reaches the caller when no piece runs any more, and the pool
// goes on working.
func TestRunPanics(t *testing.T) {
	for _, c := range []int{1, 2, 4} {
		cores(t, c)
		for range 200 {
			var running atomic.Int64
			func() {
				defer func() {
					if p := recover(); p != "piece 3" {
						t.Errorf("recovered %v, want the panic of piece 3", p)
					}
					if n := running.Load(); n != 0 {
						t.Errorf("%d pieces still run", n)
					}
				}()
				Run(10, func(piece int) {
					running.Add(1)
					defer running.Add(-1)
					if piece == 3 {
						panic("piece 3")
					}
				})
			}()
		}
	}
}

// TestRunFromManyGoroutines: more callers than there are jobs, some of them nesting.
func TestRunFromManyGoroutines(t *testing.T) {
	cores(t, 4)
	var wg sync.WaitGroup
	var done atomic.Int64
	for range 3 * maxJobs {
		wg.Go(func() {
			for range 20 {
				Run(5, func(int) { Split(100, 30, func(lo, hi int) { done.Add(int64(hi - lo)) }) })
			}
		})
	}
	wg.Wait()
	if want := int64(3 * maxJobs * 20 * 5 * 100); done.Load() != want {
		t.Errorf("%d elements done, want %d", done.Load(), want)
	}
}

// TestRunUsesAllCores: pieces that wait for each other finish only when all cores take part, also
// after GOMAXPROCS has changed.
func TestRunUsesAllCores(t *testing.T) {
	for i := range 150 {
		c := []int{2, 4, 3}[i%3]
		cores(t, c)
		var here sync.WaitGroup
		here.Add(c)
		Run(c, func(int) {
			here.Done()
			here.Wait()
		})
	}
}

// TestLimit: without workers the caller does all pieces, in order.
func TestLimit(t *testing.T) {
	cores(t, 4)
	defer Limit(0)()
	next := 0
	Run(100, func(i int) {
		if i != next {
			t.Fatalf("piece %d came when %d was next", i, next)
		}
		next++
	})
}

// TestOthersRun: a worker that watches for work does not keep a goroutine from running for long,
// while loops follow each other without end.
func TestOthersRun(t *testing.T) {
	cores(t, 2)
	done := make(chan struct{})
	go func() {
		for range 100 {
			runtime.Gosched()
		}
		close(done)
	}()
	for {
		Run(2, func(int) {})
		select {
		case <-done:
			return
		default:
		}
	}
}

// TestIdle: without work all workers sleep.
func TestIdle(t *testing.T) {
	cores(t, 4)
	Run(8, func(int) { runtime.Gosched() })
	for watching.Load() != 0 {
		time.Sleep(time.Millisecond)
	}
}

// TestRunAllocates: handing out a loop takes no memory.
func TestRunAllocates(t *testing.T) {
	cores(t, 2)
	body, span := func(int) {}, func(int, int) {}
	Run(2, body)
	if n := testing.AllocsPerRun(100, func() { Run(4, body); Split(4, 1, span) }); n > 0 {
		t.Errorf("%v allocations for a Run and a Split", n)
	}
}

func BenchmarkRun(b *testing.B) {
	body := func(int) {}
	b.ReportAllocs()
	for b.Loop() {
		Run(2, body)
	}
}

// BenchmarkRunAfterPause is a loop on two cores after 20 µs in which only the caller computed.
func BenchmarkRunAfterPause(b *testing.B) {
	var met [2]atomic.Int64
	b.ReportAllocs()
	var took time.Duration
	n := int64(0)
	for b.Loop() {
		for began := time.Now(); time.Since(began) < 20*time.Microsecond; {
		}
		n++
		began := time.Now()
		Run(2, func(i int) { // both must come
			met[i].Store(n)
			for met[1-i].Load() < n {
				if time.Since(began) > time.Second {
					panic("the worker did not come")
				}
			}
		})
		took += time.Since(began)
	}
	b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "ns/meeting")
}

// TestRest: workers that were told to rest take part in the next job all the same.
func TestRest(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for range 1000 {
		end := Rest()
		var n atomic.Int32
		Run(8, func(int) { n.Add(1) })
		end()
		if n.Load() != 8 {
			t.Fatalf("%d of 8 pieces were done", n.Load())
		}
	}
}
