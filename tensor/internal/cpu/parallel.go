package cpu

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Elementwise work is shared out from these sizes on: below, waking a worker (about 5 µs) costs
// more than it saves. Ops that call the math package are about ten times dearer per element.
const (
	grainCheap = 1 << 15
	grainMath  = 1 << 12
)

// A job is one parallel loop: pieces 0 … n-1, taken by whoever comes next.
type job struct {
	body   func(piece int)
	n      int64
	next   atomic.Int64
	left   sync.WaitGroup // pieces that are not done
	caught atomic.Pointer[any]
}

var pool struct {
	once sync.Once
	jobs chan *job
	size int
}

// parallel calls body for every piece from 0 to n-1, on all cores, and returns when all are done.
// The caller takes part, so calls may nest and may come from many goroutines at once.
func parallel(n int, body func(piece int)) {
	pool.once.Do(startPool)
	if n <= 1 {
		for i := range n {
			body(i)
		}
		return
	}
	j := &job{body: body, n: int64(n)}
	j.left.Add(n)
	for range min(pool.size, n-1) {
		select {
		case pool.jobs <- j:
		default: // all workers are busy: do it here
		}
	}
	j.run()
	j.left.Wait() // for pieces, not for workers: one may stand in a piece that called parallel
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
	pool.size = runtime.GOMAXPROCS(0) - 1
	pool.jobs = make(chan *job, pool.size)
	for range pool.size {
		go func() {
			for j := range pool.jobs {
				j.run()
			}
		}()
	}
}

// split cuts total elements into pieces of size grain and calls body for each, in parallel.
func split(total, grain int, body func(lo, hi int)) {
	parallel((total+grain-1)/grain, func(i int) {
		body(i*grain, min((i+1)*grain, total))
	})
}
