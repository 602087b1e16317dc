package heap

import (
	"sync"
	"unsafe"
)

// A Buffer is memory that an op packs matrices and sums up in. It begins where a cache line begins.
type Buffer struct{ Floats []float32 }

// kept are buffers that nobody uses. They are not left to a sync.Pool, which the garbage collector
// empties: new pages cost more than the products that fill them.
var kept struct {
	sync.Mutex
	buffers []*Buffer
	floats  int // in all of them
}

const (
	cacheLine = 64 // bytes, at least

	keep       = 32      // buffers that are kept at most
	keepFloats = 1 << 24 // and their float32
)

// NewBuffer returns a buffer of at least n float32 with any contents, a released one if it can.
func NewBuffer(n int) *Buffer {
	kept.Lock()
	best := -1
	for i, b := range kept.buffers {
		if cap(b.Floats) >= n && (best < 0 || cap(b.Floats) < cap(kept.buffers[best].Floats)) {
			best = i
		}
	}
	if best >= 0 {
		b := takeKept(best)
		kept.Unlock()
		b.Floats = b.Floats[:n]
		return b
	}
	kept.Unlock()
	return newBuffer(n)
}

func newBuffer(n int) *Buffer {
	size, align := n*4, cacheLine
	if size > hugePage/2 { // it is worth a whole one: packed panels touch many pages in turn
		size, align = (size+hugePage-1)&^(hugePage-1), hugePage
	}
	raw := make([]byte, size+align)
	skip := -uintptr(unsafe.Pointer(&raw[0])) & uintptr(align-1)
	begin := unsafe.Pointer(&raw[skip])
	if align == hugePage {
		advise(begin, size)
	}
	return &Buffer{unsafe.Slice((*float32)(begin), size/4)[:n]}
}

// takeKept takes the i-th kept buffer away.
func takeKept(i int) *Buffer {
	b, last := kept.buffers[i], len(kept.buffers)-1
	kept.buffers[i] = kept.buffers[last]
	kept.buffers[last] = nil
	kept.buffers = kept.buffers[:last]
	kept.floats -= cap(b.Floats)
	return b
}

// Release gives b back. When there are too many the smallest goes, and b itself when it is too
// much.
func (b *Buffer) Release() {
	kept.Lock()
	defer kept.Unlock()
	if kept.floats+cap(b.Floats) > keepFloats {
		return
	}
	kept.buffers = append(kept.buffers, b)
	kept.floats += cap(b.Floats)
	if len(kept.buffers) <= keep {
		return
	}
	least := 0
	for i, b := range kept.buffers {
		if cap(b.Floats) < cap(kept.buffers[least].Floats) {
			least = i
		}
	}
	takeKept(least)
}
