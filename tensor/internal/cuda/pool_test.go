//go:build cuda

package cuda

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"halfnote/tensor/internal/device"
)

// idlePool returns the first GPU's backend with a stream of its own, whose memory no other test has.
func ownStream(t *testing.T) *Backend {
	t.Helper()
	b := gpu(t)
	var s *stream
	err := b.gpu.do(func() (err error) {
		s, err = b.gpu.newStream()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s.On(t.Name()).(*Backend)
}

// caching has the pool keep memory, as it does outside of tests.
func caching(t *testing.T) {
	had := uncached.Swap(false)
	t.Cleanup(func() { uncached.Store(had) })
}

func alloc(t *testing.T, b *Backend, bytes int) *block {
	t.Helper()
	p, err := b.Alloc(device.Bool, bytes, false)
	if err != nil {
		t.Fatal(err)
	}
	return (*block)(p)
}

func free(b *Backend, m *block) { b.Free(unsafe.Pointer(m), device.Bool, m.bytes) }

// check looks at all segments of s: their chunks must lie one after another, no two neighbours be
// idle, and idle ones be in their lists.
func (s *stream) check(t *testing.T) (idle int) {
	t.Helper()
	s.gpu.pool.mu.Lock()
	defer s.gpu.pool.mu.Unlock()
	for _, b := range []*bins{&s.small, &s.large} {
		for i, list := range b.lists {
			if (len(list) > 0) != (b.used[i/64]>>(i%64)&1 == 1) {
				t.Errorf("list %d has %d chunks and the wrong bit", i, len(list))
			}
			for j, c := range list {
				if !c.idle || c.at != j || bin(c.size) != i || c.size%unit != 0 {
					t.Errorf("chunk %+v is at %d of list %d", *c, j, i)
				}
				if n := c.next; n != nil && (n.idle || n.prev != c || n.address != c.address+uint64(c.size)) {
					t.Errorf("chunk %+v is followed by %+v", *c, *n)
				}
				if p := c.prev; p != nil && (p.idle || p.next != c || p.address+uint64(p.size) != c.address) {
					t.Errorf("chunk %+v comes after %+v", *c, *p)
				}
				idle += c.size
			}
		}
	}
	return idle
}

// TestCUDAPool: memory in use never overlaps, and comes back whole, whatever is asked for and freed in
// whatever order.
func TestCUDAPool(t *testing.T) {
	caching(t)
	b := ownStream(t)
	r := numbers(t.Name())
	var live []*block
	for range 3000 {
		if len(live) > 0 && r.IntN(2) == 0 {
			i := r.IntN(len(live))
			free(b, live[i])
			live[i] = live[len(live)-1]
			live = live[:len(live)-1]
			continue
		}
		m := alloc(t, b, r.IntN(1<<r.IntN(23)))
		for _, o := range live {
			if m.address < o.address+uint64(o.chunk.size) && o.address < m.address+uint64(m.chunk.size) {
				t.Fatalf("%+v overlaps %+v", *m.chunk, *o.chunk)
			}
		}
		if m.address%unit != 0 && b.gpu.number < 0 || m.chunk.size < m.bytes {
			t.Fatalf("%d bytes got %+v", m.bytes, *m.chunk)
		}
		live = append(live, m)
	}
	b.stream.check(t)
	for _, m := range live {
		free(b, m)
	}
	before := b.MemoryStats().Reserved
	idle := b.stream.check(t)
	b.EmptyCache()
	if got := before - b.MemoryStats().Reserved; got < int64(idle) || b.stream.check(t) != 0 {
		t.Errorf("EmptyCache gave %d bytes back, %d were idle", got, idle)
	}
}

// TestCUDAPoolWaste: no more than a unit, or a megabyte of what is large, is lost in a block.
func TestCUDAPoolWaste(t *testing.T) {
	caching(t)
	b := ownStream(t)
	for _, bytes := range []int{1, 511, 513, 100_000, 1 << 20, 1<<20 + 1, 3_000_000, 9 << 20, 33_000_001} {
		m := alloc(t, b, bytes)
		if most := bytes + unit; m.chunk.size > most && m.chunk.size > bytes+largeUnit {
			t.Errorf("%d bytes take %d", bytes, m.chunk.size)
		}
		free(b, m)
	}
	if n := bin(unit * (1 << 31)); n >= len(b.stream.small.lists) {
		t.Errorf("a terabyte is in list %d", n)
	}
}

// TestCUDAPoolStreams: memory that another stream uses is used again when that is done with it, and
// not before.
func TestCUDAPoolStreams(t *testing.T) {
	caching(t)
	b, other := ownStream(t), ownStream(t)
	m := alloc(t, b, 1000)
	a := &device.Array{Data: unsafe.Pointer(m), DType: device.Bool, Shape: []int{1000}, Strides: []int{1}}
	other.Fill(a, 1)
	if len(m.others) != 1 {
		t.Fatalf("the block knows of %d other streams, want 1", len(m.others))
	}
	at := m.address
	free(b, m)
	if b.gpu.pool.waiting.list == nil {
		t.Error("the memory does not wait")
	}
	if err := other.stream.wait(); err != nil {
		t.Fatal(err)
	}
	if got := alloc(t, b, 1000).address; got != at {
		t.Errorf("memory at %x, want that at %x again", got, at)
	}
}

// TestCUDAOutOfMemory: garbage and what is cached go first, and then the error says who has the memory.
func TestCUDAOutOfMemory(t *testing.T) {
	caching(t)
	b := ownStream(t)
	b.EmptyCache()
	p := &b.gpu.pool
	had := p.most
	p.most = int(b.MemoryStats().Reserved) + 100<<20
	defer func() { p.most = had }()
	for range 10 { // each is garbage before the next
		alloc(t, b, 60<<20)
	}
	for i := range 5 { // of sizes that do not fit each other
		free(b, alloc(t, b, (50+i*10)<<20))
	}
	m := alloc(t, b, 60<<20)
	_, err := b.Alloc(device.Float32, 20<<20, false)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"cuda:0 is out of memory: 83.9 MB are asked for", "tensors hold", "cached", "free"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in %v", want, err)
		}
	}
	if _, err := b.Alloc(device.Float64, 1<<57, false); err == nil || !strings.Contains(err.Error(), "1.15e+06 TB") {
		t.Errorf("an exabyte: %v", err)
	}
	free(b, m)
	free(b, alloc(t, b, 90<<20))
}

// TestCUDAGarbage: a loop that never frees stays within some budgets between collections, which run
// beside it.
func TestCUDAGarbage(t *testing.T) {
	caching(t)
	b := ownStream(t)
	runtime.GC()
	before := b.MemoryStats()
	for range 200 {
		alloc(t, b, 4<<20)
	}
	if got := b.MemoryStats().Reserved - before.Reserved; got > int64(12*b.gpu.pool.budget) {
		t.Errorf("200 arrays of 4 MB made the GPU reserve %d bytes", got)
	}
}

func BenchmarkCUDAAlloc(b *testing.B) {
	backend := gpu(b)
	b.ReportAllocs()
	for b.Loop() {
		p, _ := backend.Alloc(device.Float32, 1000, false)
		backend.Free(p, device.Float32, 1000)
	}
}
