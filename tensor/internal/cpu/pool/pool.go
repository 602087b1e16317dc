// Package pool shares loops out over all cores.
package pool

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A job is one parallel loop: pieces 0 … n-1, taken by whoever comes next.
type job struct {
	body   func(piece int)
	n      int64
	next   atomic.Int64
	left   sync.WaitGroup // pieces that are not done
	caught atomic.Pointer[any]
}

var workers struct {
	once sync.Once
	jobs chan *job
	size int
}

// Run calls body for every piece from 0 to n-1, on all cores, and returns when all are done.
// The caller takes part, so calls may nest and may come from many goroutines at once.
func Run(n int, body func(piece int)) {
	workers.once.Do(startPool)
	if n <= 1 {
		for i := range n {
			body(i)
		}
		return
	}
	j := &job{body: body, n: int64(n)}
	j.left.Add(n)
	for range min(workers.size, n-1) {
		select {
		case workers.jobs <- j:
		default: // all workers are busy: do it here
		}
	}
	j.run()
	j.left.Wait() // for pieces, not for workers: one may stand in a piece that called Run
	if p := j.caught.Load(); p != nil {
		panic(*p)
	}
}

// run takes pieces until there are none left.
func (j *job) run() {
	for i := j.next.Add(1) - 1; i < j.n; i = j.next.Add(1) - 1 {
		j.piece(int(i))
	}
}

func (j *job) piece(i int) {
	defer j.left.Done()
	defer func() {
		if p := recover(); p != nil {
			j.caught.CompareAndSwap(nil, &p)
		}
	}()
	j.body(i)
}

// startPool starts one worker for each core but the caller's. They live as long as the process.
func startPool() {
	workers.size = runtime.GOMAXPROCS(0) - 1
	workers.jobs = make(chan *job, workers.size)
	for range workers.size {
		go func() {
			for j := range workers.jobs {
				j.run()
			}
		}()
	}
}

// Limit makes n the number of workers, at most, and returns what undoes it. It is for tests, which
// call it while nothing else computes.
func Limit(n int) (restore func()) {
	workers.once.Do(startPool)
	before := workers.size
	workers.size = min(n, before)
	return func() { workers.size = before }
}

// Split cuts total elements into pieces of size grain and calls body for each, in parallel.
func Split(total, grain int, body func(lo, hi int)) {
	Run((total+grain-1)/grain, func(i int) {
		body(i*grain, min((i+1)*grain, total))
	})
}
