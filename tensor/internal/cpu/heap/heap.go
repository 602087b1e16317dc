// Package heap gives tensors their memory, and takes back what no tensor uses any more.
//
// Small memory is Go's as any other. From [Smallest] bytes on it comes in blocks that are used
// again: fresh ones cost page faults and clearing, more than most ops that fill them. A block is Go
// memory too, with a finalizer: when nothing points at it any more, that puts it back on the list
// of its size. Whoever holds a pointer into a block so holds the block, whatever became of the
// tensor. As blocks that are used again do not make Go's heap grow, they call for collections
// themselves, when more is in use than the last one has left; what nobody has asked for in several
// of them goes back to Go.
//
// What ops themselves need for a while comes as a [Buffer], which is given back and stays out of
// the books.
package heap

import (
	"math/bits"
	"os"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
	"unsafe"

	"halfnote/internal/memory"
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

const (
	// Smallest is the number of bytes from which on memory is used again. A finalizer costs about
	// half a microsecond, clearing so many bytes a quarter.
	Smallest = 16 << 10

	// leastBudget is how many bytes may become garbage between two collections at the least. A
	// collection of a small heap takes 150 µs and more: with half of that, a loop with results of
	// 1 MB takes 1.4 times as long on one core. With four times as much memory would leave the
	// caches.
	leastBudget = 8 << 20

	// Where a collection has more to go through, as in a session with its types, that costs more
	// than what leaves the caches: so many times as much may become garbage then, up to
	// largeBudget. The loop with results of 1 MB takes half as long in a cell.
	perScanned  = 16
	largeBudget = 32 << 20

	// quick is how many bytes a collection goes through in about two milliseconds. Beside a
	// goroutine that computes on, the same would take two turns of the scheduler, 20 ms, on one
	// core, and the spinning of workers on others would not let it be much faster there.
	quick = 4 << 20

	hugePage = 2 << 20

	// A block lies on its list for so many collections and so long before it goes back to Go.
	idleCollections = 5
	idleTime        = 2 * time.Second
)

// poison makes memory that is not cleared begin as ones: NaNs, or numbers nobody expects. Tests set
// it to find ops that rely on zeros.
var poison = os.Getenv("HALFNOTE_POISON") != ""

// A header stands in front of the elements of a block. Its size keeps them aligned for vectors.
type header struct {
	size  int // of the block, with its header
	bytes int // that were asked for
	_     [48]byte
}

const headerSize = int(unsafe.Sizeof(header{}))

// An idle block lies on the list of its size.
type idle struct {
	block *header
	since int // which collection
	at    time.Time
}

var h struct {
	mu      sync.Mutex
	lists   [64 * steps][]idle
	stats   device.MemoryStats
	limit   int // when more is in use, a collection is due
	budget  int // by so much the limit is above what the last one has left
	scanned int // bytes that it has gone through
	running bool
	over    sync.Cond // signalled when a collection is over
	passed  int       // collections so far
}

func init() {
	h.over.L = &h.mu
	h.budget, h.limit = leastBudget, leastBudget
	scanned := []metrics.Sample{{Name: "/gc/scan/total:bytes"}}
	memory.EachCollection(func() bool {
		metrics.Read(scanned)
		passed(int(scanned[0].Value.Uint64()))
		return true
	})
}

// Alloc returns memory for so many bytes, which begins as zeros or as anything.
func Alloc(bytes int, zero bool) unsafe.Pointer {
	if bytes < Smallest {
		p := unsafe.Pointer(unsafe.SliceData(make([]uint64, (bytes+7)/8)))
		if poison && !zero {
			Poison(p, bytes)
		}
		return p
	}
	list, room := class(bytes)
	size := room + headerSize
	b := take(list, size, bytes)
	fresh := b == nil
	if fresh {
		all := make([]header, size/headerSize)
		b = &all[0]
		b.size = size
		if size >= 2*hugePage {
			advise(unsafe.Pointer(b), size)
		}
	}
	b.bytes = bytes
	runtime.SetFinalizer(b, (*header).unused)
	p := unsafe.Add(unsafe.Pointer(b), headerSize)
	switch {
	case zero && !fresh:
		clear(unsafe.Slice((*byte)(p), bytes))
	case poison && !zero:
		Poison(p, bytes)
	}
	return p
}

// Poison fills memory that Alloc did not give, where tests ask for that.
func Poison(p unsafe.Pointer, bytes int) {
	if poison {
		for i := range unsafe.Slice((*byte)(p), bytes) {
			*(*byte)(unsafe.Add(p, i)) = 0xff
		}
	}
}

// Free takes back a block that Alloc gave for at least Smallest bytes, and that nothing uses any
// more.
func Free(p unsafe.Pointer) {
	b := (*header)(unsafe.Add(p, -headerSize))
	runtime.SetFinalizer(b, nil)
	if poison {
		Poison(p, b.bytes)
	}
	b.unused()
}

const steps = 8 // sizes of blocks between a power of two and the next

// class rounds the size of a block's elements up, and numbers the sizes.
func class(bytes int) (list, room int) {
	e := bits.Len(uint(bytes-1)) - 4
	room = (bytes + 1<<e - 1) &^ (1<<e - 1)
	return e*steps + room>>e - steps - 1, room
}

// take returns a block from its list, or nil where that is empty, and keeps the books.
func take(list, size, bytes int) (b *header) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stats.Allocations++
	h.stats.Allocated += int64(bytes)
	h.stats.InUse += int64(bytes)
	if over := int(h.stats.InUse) - h.limit; over > 0 ||
		over > -h.budget/2 && len(h.lists[list]) == 0 {
		collect(list)
	}
	h.stats.Peak = max(h.stats.Peak, h.stats.InUse)
	if n := len(h.lists[list]); n > 0 {
		b = h.lists[list][n-1].block // the one that the caches know best
		h.lists[list][n-1].block = nil
		h.lists[list] = h.lists[list][:n-1]
		h.stats.Reused++
		return b
	}
	h.stats.Reserved += int64(size)
	return nil
}

// unused puts a block on its list.
func (b *header) unused() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stats.InUse -= int64(b.bytes)
	if !reuse {
		h.stats.Reserved -= int64(b.size)
		return
	}
	list, _ := class(b.size - headerSize)
	h.lists[list] = append(h.lists[list], idle{b, h.passed, time.Now()})
}

// collect has a collection begin where none does. It waits for the end of a quick one, and else
// where the budget has been spent twice. h is locked.
func collect(list int) {
	switch {
	case h.running:
	case h.scanned <= quick:
		defer pool.Rest()()
		collection()
		return
	default:
		go func() {
			h.mu.Lock()
			collection()
			h.mu.Unlock()
		}()
	}
	for h.running && int(h.stats.InUse) > h.limit+h.budget && len(h.lists[list]) == 0 {
		h.over.Wait()
	}
}

// collection collects garbage. h is locked, but not meanwhile.
func collection() {
	if h.running {
		return
	}
	h.running = true
	before := h.passed
	h.mu.Unlock()
	runtime.GC()
	h.mu.Lock()
	left := int64(-1)
	for range 100 { // the finalizers have their turn; whoever runs in one cannot wait for that
		if h.passed != before && h.stats.InUse == left {
			break
		}
		left = h.stats.InUse
		h.mu.Unlock()
		runtime.Gosched()
		h.mu.Lock()
	}
	h.budget = max(leastBudget, min(perScanned*h.scanned, largeBudget), h.scanned,
		int(h.stats.InUse)/4)
	h.limit = int(h.stats.InUse) + h.budget
	h.running = false
	h.over.Broadcast()
}

// passed notes a collection that has gone through so many bytes, which is what it costs. Elements
// of tensors are not among them.
func passed(scanned int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.passed++
	h.scanned = scanned
	if over := h.limit - h.budget - int(h.stats.InUse); over > 0 && !h.running {
		h.limit -= over / 4 // one that Go has begun, perhaps where a step has the least in use
	}
	long := time.Now().Add(-idleTime)
	for i, list := range h.lists {
		n := 0 // the first ones lie there longest
		for n < len(list) && list[n].since < h.passed-idleCollections && list[n].at.Before(long) {
			h.stats.Reserved -= int64(list[n].block.size)
			n++
		}
		if n > 0 {
			h.lists[i] = append(list[:0:0], list[n:]...)
		}
	}
}

// Stats returns the books.
func Stats() device.MemoryStats {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stats
}

// ResetPeak sets the peak to what is in use.
func ResetPeak() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stats.Peak = h.stats.InUse
}

// Empty gives the blocks that nothing uses back to Go.
func Empty() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, list := range h.lists {
		for _, b := range list {
			h.stats.Reserved -= int64(b.block.size)
		}
		h.lists[i] = nil
	}
}
