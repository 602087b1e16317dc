package data

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"halfnote/tensor"
)

// LoaderConfig says how a [Loader] makes batches.
type LoaderConfig struct {
	BatchSize int // 0: 32 (PyTorch's default is 1)

	Shuffle bool   // draw a new order for every epoch
	Seed    uint64 // of orders and transforms; 0: drawn from tensor's generator by NewLoader

	DropLast bool // leave out a last batch that is shorter

	// Prefetch is the number of batches that are made while the loop still works on one. 0 makes
	// each when it is asked for, or 2 for each worker where Workers is set.
	Prefetch int
	Workers  int // goroutines that make batches; 0: one. Transforms run on all of them at once

	Transform Transform     // of every batch; see Compose
	DType     tensor.DType  // of x where it is floating; unset: as it is
	Device    tensor.Device // to which x and y are moved; the zero value is tensor.DefaultDevice's

	Progress func(done, total int) // called before each batch and at the end; see ProgressLine
}

// A Loader makes batches of a data set, epoch by epoch, as PyTorch's DataLoader does. What it makes
// depends on the seed and the number of the epoch alone: not on prefetching or the number of
// workers, nor on what else is drawn.
type Loader struct {
	set *Dataset
	c   LoaderConfig

	mu      sync.Mutex
	state   loaderState
	current *epoch // the loop begun last, while it runs
}

// A loaderState is where a loader stands: what the next loop begins with.
type loaderState struct {
	seed  uint64
	epoch int
	batch int // the first that is not yet handed out
}

// NewLoader returns a loader of d's samples.
//
//	loader := data.NewLoader(train, data.LoaderConfig{BatchSize: 64, Shuffle: true, Prefetch: 2})
//	for range epochs {
//		for x, y := range loader.Batches() {
//			…
//		}
//	}
//
// It panics with a [*tensor.Error] where a size is negative.
func NewLoader(d *Dataset, c LoaderConfig) *Loader {
	if d == nil {
		fail("loader", "the data set is nil")
	}
	if c.BatchSize < 0 || c.Prefetch < 0 || c.Workers < 0 {
		fail("loader", "batch size %d, prefetch %d, workers %d: none can be negative",
			c.BatchSize, c.Prefetch, c.Workers)
	}
	if c.BatchSize == 0 {
		c.BatchSize = 32
	}
	if c.Seed == 0 {
		c.Seed = drawSeed()
	}
	if c.Device == tensor.CPU {
		c.Device, _ = tensor.DefaultDevice()
	}
	l := &Loader{set: d, c: c, state: loaderState{seed: c.Seed}}
	l.c.Workers = max(1, min(c.Workers, l.Len())) // more would have nothing to do
	if c.Workers > 0 && c.Prefetch == 0 {
		l.c.Prefetch = 2 * l.c.Workers // PyTorch's prefetch_factor
	}
	l.c.Prefetch = min(l.c.Prefetch, l.Len())
	return l
}

// Len returns the number of batches in an epoch.
func (l *Loader) Len() int {
	n := l.set.Len()
	if !l.c.DropLast && n%l.c.BatchSize > 0 {
		return n/l.c.BatchSize + 1
	}
	return n / l.c.BatchSize
}

// String names the data set and the batches.
func (l *Loader) String() string {
	order := "in order"
	if l.c.Shuffle {
		order = "shuffled"
	}
	return fmt.Sprintf("loader of %s: %d samples, %s, %d batches of %d", l.set.name, l.set.Len(),
		order, l.Len(), l.c.BatchSize)
}

// Epoch returns the number of the epoch that runs, or else of the next one, from 0 on.
func (l *Loader) Epoch() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.epoch
}

// Batches returns the sequence of an epoch's batches: x [n, …] and y [n, …]. Every range over it is
// the next epoch, also after a loop that was left early. Of several loops at once each has an epoch
// of its own, and the loader's state is that of the one begun last.
//
// Batches are made on goroutines, outside of the loop's autocast region and without recording
// gradients; they have ended when the loop is left, however it is. What a transform panics with,
// the loop panics with, once it comes to that batch.
func (l *Loader) Batches() iter.Seq2[*tensor.Tensor, *tensor.Tensor] {
	return func(yield func(x, y *tensor.Tensor) bool) {
		e := l.begin()
		defer l.end(e)
		e.run(yield)
	}
}

// begin starts an epoch.
func (l *Loader) begin() *epoch {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current != nil {
		l.state.epoch, l.state.batch = l.state.epoch+1, 0
	}
	e := &epoch{loader: l, start: l.state, total: l.Len()}
	if l.c.Shuffle {
		e.order = passOrder(l.set.Len(), e.start.seed, uint64(e.start.epoch)+1)
	} else {
		e.order = upTo(l.set.Len())
	}
	l.current = e
	return e
}

// handedOut notes that the loop has the first n batches.
func (l *Loader) handedOut(e *epoch, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current == e {
		l.state.batch = n
	}
}

// end makes the next epoch follow.
func (l *Loader) end(e *epoch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current == e {
		l.current = nil
		l.state.epoch, l.state.batch = l.state.epoch+1, 0
	}
}

// StateDict returns where the loader stands, as Int64 tensors without dimensions: the seed, the
// epoch, and the number of batches that the loop has been given of it. A loader of the same data
// set and configuration that loads it goes on there: in the middle of an epoch it begins with the
// rest of it.
func (l *Loader) StateDict() map[string]*tensor.Tensor {
	l.mu.Lock()
	defer l.mu.Unlock()
	number := func(n int64) *tensor.Tensor { return tensor.FromInt64([]int64{n}) }
	return map[string]*tensor.Tensor{
		"seed":  number(int64(l.state.seed)),
		"epoch": number(int64(l.state.epoch)),
		"batch": number(int64(l.state.batch)),
	}
}

// LoadStateDict takes a state from [Loader.StateDict]. After an error nothing is changed. A
// loop that runs meanwhile goes on, but is no longer the one whose state the loader has.
func (l *Loader) LoadStateDict(dict map[string]*tensor.Tensor) error {
	var n [3]int64
	for i, key := range []string{"seed", "epoch", "batch"} {
		t := dict[key]
		if t == nil || t.DType() != tensor.Int64 || t.Numel() != 1 {
			return fmt.Errorf("loader: state %q is no int64 number", key)
		}
		n[i] = t.Int64s()[0]
	}
	if len(dict) > len(n) {
		return fmt.Errorf("loader: %d states; a loader has seed, epoch and batch", len(dict))
	}
	if n[1] < 0 || n[1] >= math.MaxInt32 {
		return fmt.Errorf("loader: epoch %d is not from 0 to %d", n[1], math.MaxInt32-1)
	}
	if n[2] < 0 || n[2] > int64(l.Len()) {
		return fmt.Errorf("loader: batch %d: an epoch of this loader has %d", n[2], l.Len())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state, l.current = loaderState{uint64(n[0]), int(n[1]), int(n[2])}, nil
	return nil
}

// An epoch is one loop over a loader's batches.
type epoch struct {
	loader *Loader
	start  loaderState
	order  []int // of the samples
	total  int   // batches

	stopped atomic.Bool
}

// A job is a batch that a goroutine makes.
type job struct {
	batch int
	done  chan result // has room for it
}

// A result is a batch, or what making it panicked with.
type result struct {
	x, y   *tensor.Tensor
	failed any
}

// run hands out batches in order. The jobs that are open are at most one that the loop waits for
// and those to be made ahead, so that sending them never blocks.
func (e *epoch) run(yield func(x, y *tensor.Tensor) bool) {
	c := &e.loader.c
	jobs := make(chan job, c.Prefetch+1)
	var workers sync.WaitGroup
	defer workers.Wait()
	defer close(jobs)
	defer e.stopped.Store(true)
	for range min(c.Workers, e.total-e.start.batch) {
		workers.Go(func() {
			for j := range jobs {
				e.make(j)
			}
		})
	}
	var open []job
	next := e.start.batch
	openUpTo := func(n int) {
		for ; len(open) < n && next < e.total; next++ {
			j := job{next, make(chan result, 1)}
			open = append(open, j)
			jobs <- j
		}
	}
	for i := e.start.batch; i < e.total; i++ {
		openUpTo(1)
		j := open[0]
		open = open[1:]
		openUpTo(c.Prefetch)
		r := <-j.done
		if r.failed != nil {
			panic(r.failed)
		}
		e.tell(i)
		e.loader.handedOut(e, i+1)
		if !yield(r.x, r.y) {
			return
		}
	}
	e.tell(e.total)
}

func (e *epoch) tell(done int) {
	if f := e.loader.c.Progress; f != nil {
		f(done, e.total)
	}
}

// make makes a batch, or catches what a transform panics with.
func (e *epoch) make(j job) {
	var r result
	returned := false
	// Also on runtime.Goexit, which ends the worker. No job before this one is open then.
	defer func() {
		if p := recover(); p != nil {
			r.failed = p
		} else if !returned {
			r.failed = &tensor.Error{Op: "loader", Msg: "a transform ended its goroutine"}
		}
		j.done <- r
	}()
	if !e.stopped.Load() { // else nobody waits for it
		tensor.NoGrad(func() { r.x, r.y = e.transformed(j.batch) })
	}
	returned = true
}

// transformed makes a batch. Each has random numbers of its own.
func (e *epoch) transformed(batch int) (x, y *tensor.Tensor) {
	c := &e.loader.c
	from := batch * c.BatchSize
	rest := e.order[from:]
	x, y = e.loader.set.at(rest[:min(c.BatchSize, len(rest))])
	if c.Transform != nil {
		source := rand.NewPCG(^e.start.seed, uint64(e.start.epoch)<<32|uint64(batch))
		x, y = c.Transform(x, y, rand.New(source))
		checkSamples(x, y)
	}
	if c.DType != 0 && x.DType().IsFloat() {
		x = x.To(c.DType)
	}
	return x.To(c.Device), y.To(c.Device)
}
