//go:build cuda

package cuda

// #include "driver.h"
// #cgo noescape hn_alloc
// #cgo nocallback hn_alloc
// #cgo noescape hn_memory
// #cgo nocallback hn_memory
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gorgonia.org/cu"

	"halfnote/internal/memory"
	"halfnote/tensor/internal/device"
)

// A pool has the memory of a GPU. What is given back is kept for the next op of its stream, which comes
// after all ops of the stream that used it: asking the driver takes as long as many ops, and waits for
// them. Memory that other streams have used too waits for what they were doing.
//
// Tensors end when Go's garbage collector finds them, and that knows nothing of a GPU's memory. So the
// pool calls for collections: where it would have to ask the driver for more, and more is held than the
// last collection has left.
type pool struct {
	gpu   *GPU
	total int // bytes that the GPU has
	most  int // that may be reserved

	mu      sync.Mutex
	stats   device.MemoryStats
	held    int // by blocks, with what they have more than was asked for
	graphs  int // reserved by graphs
	limit   int // when more is held, a collection is due
	budget  int // by so much the limit is above what the last one has left
	running bool
	over    sync.Cond   // signalled when a collection is over
	passed  int         // collections so far
	streams []*stream   // all that have memory
	vacant  []cu.Stream // of graphs that are no more

	waiting struct {
		sync.Mutex
		list []waiting
	}
}

// Memory that waits for streams other than its own.
type waiting struct {
	chunk  *chunk
	events []event
}

const (
	// Between two collections a part of the GPU's memory may become garbage: one takes as long as
	// hundreds of ops in a session.
	garbagePart = 64
	leastBudget = 32 << 20
	largeBudget = 1 << 30
)

var (
	// uncached gives every tensor memory of its own from the driver, for tools that look for accesses
	// outside of it.
	uncached atomic.Bool

	// poison makes memory that is not cleared begin as ones, as in package heap.
	poison = os.Getenv("HALFNOTE_POISON") != ""
)

func init() { uncached.Store(os.Getenv("HALFNOTE_CUDA_CACHE") == "0") }

// start makes p the pool of g's memory.
func (p *pool) start(g *GPU, total int) {
	p.gpu, p.total, p.most = g, total, total
	p.over.L = &p.mu
	p.budget = min(max(total/garbagePart, leastBudget), largeBudget)
	p.limit = p.budget
	memory.EachCollection(func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.passed++
		if !p.running { // one that Go has begun
			p.limit = max(p.limit, p.used()+p.budget)
		}
		return true
	})
}

// take returns memory of so many bytes for s, or says why there is none.
func (p *pool) take(s *stream, bytes int) (*block, error) {
	p.reclaim(false)
	size := max(bytes, 1)
	if !uncached.Load() {
		size = (size + unit - 1) / unit * unit
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if size > p.total {
		return nil, p.exhausted(size)
	}
	c := s.bins(size).find(size)
	if c != nil {
		p.stats.Reused++
	} else {
		var err error
		if c, err = p.grow(s, size); err != nil {
			return nil, err
		}
	}
	p.stats.Allocations++
	p.stats.Allocated += int64(bytes)
	p.stats.InUse += int64(bytes)
	p.stats.Peak = max(p.stats.Peak, p.stats.InUse)
	p.held += c.size
	m := &block{address: c.address, bytes: bytes, chunk: c, stream: s}
	m.self = m
	return m, nil
}

// grow finds a chunk for s where its idle ones are too small. p is locked, but not while the driver or
// the garbage collector are at work.
func (p *pool) grow(s *stream, size int) (*chunk, error) {
	b := s.bins(size)
	if p.used()+size > p.limit {
		p.collect(s, size)
		if c := b.find(size); c != nil {
			return c, nil
		}
	}
	segment := segmentFor(size)
	if uncached.Load() {
		segment = size
	}
	c, err := p.ask(b, segment)
	if !outOfMemory(err) {
		return p.cut(c, size), err
	}
	for range 3 { // what a graph that is no more has used is found by the collection after the one that finds it
		p.collection()
		p.mu.Unlock()
		p.reclaim(true)
		p.mu.Lock()
		if c := b.find(size); c != nil {
			return c, nil
		}
		p.empty()
		c, err = p.ask(b, segment)
		if outOfMemory(err) && segment > size {
			c, err = p.ask(b, size)
		}
		if !outOfMemory(err) {
			return p.cut(c, size), err
		}
	}
	return nil, p.exhausted(size)
}

// used is what a collection may make less. p is locked.
func (p *pool) used() int { return p.held + p.graphs }

// cut leaves what is too much of a new segment to its bins.
func (p *pool) cut(c *chunk, size int) *chunk {
	if c != nil {
		c.bins.split(c, size)
	}
	return c
}

// ask asks the driver for a segment. p is locked, but not meanwhile.
func (p *pool) ask(b *bins, size int) (*chunk, error) {
	if int(p.stats.Reserved)+size > p.most {
		return nil, driverError(C.CUDA_ERROR_OUT_OF_MEMORY)
	}
	p.stats.Reserved += int64(size)
	p.mu.Unlock()
	var at C.CUdeviceptr
	err := failed(C.hn_alloc(p.gpu.ctx(), &at, C.size_t(size)))
	p.mu.Lock()
	if err != nil {
		p.stats.Reserved -= int64(size)
		return nil, err
	}
	b.stream.segments++
	if b.stream.graph != nil {
		p.graphs += size
	}
	return &chunk{address: uint64(at), size: size, bins: b}, nil
}

func outOfMemory(err error) bool {
	var e driverError
	return errors.As(err, &e) && e == driverError(C.CUDA_ERROR_OUT_OF_MEMORY)
}

// exhausted says who has the memory. p is locked.
func (p *pool) exhausted(size int) error {
	unused, _ := p.gpu.memory()
	cached := p.stats.Reserved - int64(p.held)
	return fmt.Errorf("%s is out of memory: %s are asked for; of its %s, tensors hold %s, %s are cached "+
		"in pieces that are too small, and %s are free; smaller batches need less",
		p.gpu, bytesText(size), bytesText(p.total), bytesText(p.held), bytesText(int(cached)), bytesText(unused))
}

// memory returns how many bytes the driver says are unused, and how many there are.
func (g *GPU) memory() (unused, all int) {
	var u, a C.size_t
	if C.hn_memory(g.ctx(), &u, &a) != C.CUDA_SUCCESS {
		return 0, 0
	}
	return int(u), int(a)
}

// bytesText returns a number of bytes with three digits and a unit.
func bytesText(n int) string {
	v, units := float64(n), []string{"B", "KB", "MB", "GB", "TB"}
	for v >= 999.5 && len(units) > 1 {
		v, units = v/1000, units[1:]
	}
	return fmt.Sprintf("%.3g %s", v, units[0])
}

// give takes back what nothing uses any more but work that was put into streams before.
func (p *pool) give(m *block) {
	p.mu.Lock()
	if m.late = m.graphs > 0; m.late {
		p.mu.Unlock()
		return
	}
	p.stats.InUse -= int64(m.bytes)
	p.held -= m.chunk.size
	others := m.others
	if len(others) == 0 {
		p.put(m.chunk)
	}
	p.mu.Unlock()
	if len(others) > 0 {
		p.await(m.chunk, others)
	}
}

// await makes a chunk idle when streams are done with it.
func (p *pool) await(c *chunk, streams []*stream) {
	var events []event
	for _, s := range streams {
		if e, err := p.gpu.event(); err == nil {
			if e.record(s) != nil {
				continue // the GPU is lost
			}
			events = append(events, e)
		}
	}
	if len(events) == 0 {
		p.mu.Lock()
		p.put(c)
		p.mu.Unlock()
		return
	}
	p.waiting.Lock()
	p.waiting.list = append(p.waiting.list, waiting{c, events})
	p.waiting.Unlock()
}

// put makes a chunk idle. p is locked.
func (p *pool) put(c *chunk) {
	c.bins.give(c)
	switch s := c.bins.stream; {
	case s.ended:
		p.vacate(s)
	case uncached.Load():
		p.empty()
	}
}

// reclaim makes memory idle whose other streams are done with it, or waits for them.
func (p *pool) reclaim(wait bool) {
	w := &p.waiting
	if !wait && !w.TryLock() {
		return
	}
	if wait {
		w.Lock()
	}
	defer w.Unlock()
	left := w.list[:0]
	for _, m := range w.list {
		if !p.done(&m, wait) {
			left = append(left, m)
			continue
		}
		p.mu.Lock()
		p.put(m.chunk)
		p.mu.Unlock()
	}
	clear(w.list[len(left):])
	w.list = left
}

// done reports whether m's streams are done with it.
func (p *pool) done(m *waiting, wait bool) bool {
	for len(m.events) > 0 {
		e := m.events[0]
		if wait {
			_ = e.wait()
		} else if !e.done() {
			return false
		}
		p.gpu.keep(e)
		m.events = m.events[1:]
	}
	return true
}

// empty gives segments without blocks back to the driver, but for those of graphs. p is locked.
func (p *pool) empty() {
	for _, s := range p.streams {
		if s.graph == nil {
			p.emptyStream(s)
		}
	}
}

func (p *pool) emptyStream(s *stream) {
	for _, b := range []*bins{&s.small, &s.large} {
		for _, c := range b.whole() {
			if C.hn_free(p.gpu.ctx(), C.CUdeviceptr(c.address)) == C.CUDA_SUCCESS {
				p.stats.Reserved -= int64(c.size)
			}
			if s.graph != nil {
				p.graphs -= c.size
			}
			s.segments--
		}
	}
}

// endGraph gives back what r has reserved. The stream goes when tensors have nothing of it any more.
func (p *pool) endGraph(r *recorded) {
	p.mu.Lock()
	var late []*block
	for m := range r.given {
		if m.graphs--; m.graphs == 0 && m.late {
			late = append(late, m)
		}
	}
	r.stream.ended = true
	p.vacate(r.stream)
	p.mu.Unlock()
	for _, m := range late {
		m.stream.gpu.pool.give(m)
	}
}

// vacate gives back what is idle of a graph that has ended. p is locked.
func (p *pool) vacate(s *stream) {
	p.emptyStream(s)
	if s.segments > 0 {
		return
	}
	p.streams = slices.DeleteFunc(slices.Clone(p.streams), func(o *stream) bool { return o == s })
	p.vacant = append(p.vacant, s.handle)
}

// collect has a collection begin where none does. It waits for the end of a quick one, and else where
// the budget has been spent twice. p is locked.
func (p *pool) collect(s *stream, size int) {
	switch {
	case p.running:
	case memory.Scanned() <= quick:
		p.collection()
		return
	default:
		go func() {
			p.mu.Lock()
			p.collection()
			p.mu.Unlock()
		}()
	}
	for p.running && p.used()+size > p.limit+p.budget {
		p.over.Wait()
	}
}

// quick is how many bytes a collection goes through in about two milliseconds.
const quick = 4 << 20

// collection collects garbage. p is locked, but not meanwhile.
func (p *pool) collection() {
	if p.running {
		return
	}
	p.running = true
	before, left := p.passed, -1
	p.mu.Unlock()
	runtime.GC()
	p.mu.Lock()
	for range 100 { // the finalizers have their turn; whoever runs in one cannot wait for that
		if p.passed != before && p.used() == left {
			break
		}
		left = p.used()
		p.mu.Unlock()
		runtime.Gosched()
		p.mu.Lock()
	}
	p.limit = p.used() + max(p.budget, p.used()/4)
	p.running = false
	p.over.Broadcast()
}

func (p *pool) read() device.MemoryStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}

func (p *pool) resetPeak() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stats.Peak = p.stats.InUse
}

// release gives what is idle back to the driver.
func (p *pool) release() {
	p.reclaim(true)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.empty()
}
