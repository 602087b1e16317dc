package pool

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// How many rounds a worker and an owner look out for each other before they sleep; a round
	// takes about a nanosecond. With a tenth of that a training step on two cores took up to twice
	// as long: waking costs more than the pauses between its loops.
	workerRounds = 500_000
	ownerRounds  = 100_000

	// longestWatch is how long a worker goes without sleep when there always is work. While it
	// has its core, the scheduler does not look for goroutines in the queues of other cores.
	longestWatch = 2 * time.Millisecond
)

// A worker is a goroutine that takes part in jobs.
type worker struct {
	number int32
	asleep atomic.Bool   // whoever makes it false rings the bell
	bell   chan struct{} // holds one ring
}

var (
	growing  sync.Mutex // held while workers are started
	all      atomic.Pointer[[]*worker]
	limit    = int32(maxWorkers) // what Limit allows
	allowed  atomic.Int32        // workers with lower numbers take part
	watching atomic.Int32        // workers that are awake and in no job
	resting  atomic.Bool         // see Rest
)

const maxWorkers = 1 << 10

func init() { all.Store(new([]*worker)) }

// available returns how many workers may help, all of which have been started.
func available() int {
	n := min(int32(runtime.GOMAXPROCS(0)-1), limit)
	if allowed.Load() != n {
		grow(n)
	}
	return int(n)
}

// grow makes n the number of workers. Those that are too many sleep.
func grow(n int32) {
	growing.Lock()
	defer growing.Unlock()
	list := *all.Load()
	for len(list) < int(n) {
		w := &worker{number: int32(len(list)), bell: make(chan struct{}, 1)}
		w.asleep.Store(true)
		list = append(list[:len(list):len(list)], w)
		go w.live()
	}
	all.Store(&list)
	allowed.Store(n)
}

// Limit makes n the number of workers, at most, and returns what undoes it. It is for tests, which
// call it while nothing else computes.
func Limit(n int) (restore func()) {
	before := limit
	limit = int32(n)
	return func() { limit = before }
}

// Rest lets workers that find no job sleep at once, until end is called: beside one that looks out for
// jobs a garbage collection takes twice as long.
func Rest() (end func()) {
	resting.Store(true)
	return func() { resting.Store(false) }
}

// wake sees to it that so many workers are awake, if there are that many.
func wake(helpers int) {
	missing := helpers - int(watching.Load())
	if missing <= 0 {
		return
	}
	for _, w := range (*all.Load())[:helpers] {
		if w.asleep.Load() && w.asleep.CompareAndSwap(true, false) {
			w.bell <- struct{}{}
			if missing--; missing == 0 {
				return
			}
		}
	}
}

// live waits for the bell and looks for work, as long as the process lives.
func (w *worker) live() {
	for {
		<-w.bell
		for {
			watching.Add(1)
			w.watch()
			watching.Add(-1)
			w.asleep.Store(true)
			// Who opened a job just now may have counted on this worker. If it may not take part any
			// more, the others do.
			if !w.allowed() && open.Load() != 0 {
				wake(int(allowed.Load()))
			}
			if !w.wanted() || !w.asleep.CompareAndSwap(true, false) {
				break
			}
		}
	}
}

// allowed reports whether the worker may take part in jobs.
func (w *worker) allowed() bool { return w.number < allowed.Load() }

// wanted reports whether there is a job that the worker may take part in.
func (w *worker) wanted() bool { return open.Load() != 0 && w.allowed() }

// watch takes part in jobs until there have been none for some time, or the worker may not any more.
func (w *worker) watch() {
	began := time.Now()
	for s := (spin{}); w.allowed() && !resting.Load() && s.on(workerRounds); {
		if !w.wanted() {
			continue
		}
		watching.Add(-1)
		for m := open.Load(); m != 0; m = open.Load() {
			help(bits.TrailingZeros32(m))
		}
		watching.Add(1)
		if time.Since(began) > longestWatch {
			return
		}
		s = spin{}
	}
}

// A spin counts the rounds of a loop that waits for another core.
type spin struct{ rounds int }

const yieldEvery = 1 << 13 // rounds

// on reports whether to go on waiting. Now and then it lets other goroutines run.
func (s *spin) on(limit int) bool {
	s.rounds++
	if s.rounds%yieldEvery == 0 {
		runtime.Gosched()
	}
	return s.rounds < limit
}
