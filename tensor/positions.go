package tensor

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/petermattis/goid"

	"halfnote/tensor/internal/device"
)

// This file implements the checks of positions that ops are given. On a GPU they are done there, and
// looked at when the program reads a value: to wait for each would leave the GPU without work.

// A doubt is a check on a device that nobody has looked at yet.
type doubt struct {
	device    Device
	goroutine int64
	sums      *Tensor // of device.Check
	explain   func()  // checks on the host, and panics
}

var doubts struct {
	count atomic.Int64
	sync.Mutex
	all []doubt
}

// mostDoubts is how many checks a program that reads no values leaves behind at most.
const mostDoubts = 64

// checked returns positions in place of index that are in range, those in skip as −1, and what
// device.Check has summed up. explain checks index on the host and panics where it has mistakes.
func checked(op string, index, weight *Tensor, skip []int64, n int, explain func()) (safe, sums *Tensor) {
	x := index.Detach().contiguous()
	safe = empty(op, index.Device(), Int64, index.arr.Shape)
	sums = empty(op, index.Device(), Float64, []int{2})
	safe.backend(op).Check(&safe.arr, &sums.arr, &x.arr, weight.array(), skip, n)
	d := doubt{index.Device(), 0, sums, explain}
	if d.device == CPU {
		d.resolve()
		return safe, sums
	}
	d.goroutine = goid.Get()
	doubts.Lock()
	doubts.all = append(doubts.all, d)
	full := len(doubts.all) > mostDoubts
	doubts.count.Store(int64(len(doubts.all)))
	doubts.Unlock()
	if full {
		resolve(func(d doubt) bool { return true })
	}
	return safe, sums
}

// toHost copies t to dst, which lies in the host's memory, and looks at what was checked before.
func (t *Tensor) toHost(op string, dst *device.Array) {
	t.backend(op).ToHost(dst, &t.arr)
	t.Device().prove()
}

// prove panics where a check of this goroutine on d has found a mistake.
func (d Device) prove() {
	if doubts.count.Load() == 0 {
		return
	}
	id := goid.Get()
	resolve(func(m doubt) bool { return m.device == d && m.goroutine == id })
}

// resolve looks at the checks that pass.
func resolve(pass func(d doubt) bool) {
	var now []doubt
	doubts.Lock()
	doubts.all = slices.DeleteFunc(doubts.all, func(d doubt) bool {
		if pass(d) {
			now = append(now, d)
			return true
		}
		return false
	})
	doubts.count.Store(int64(len(doubts.all)))
	doubts.Unlock()
	for _, d := range now {
		d.resolve()
	}
}

// resolve panics where d has found a mistake.
func (d doubt) resolve() {
	var sums [2]float64
	host := hostArray(sums[:], Float64, []int{2})
	d.sums.backend("check").ToHost(&host, &d.sums.arr)
	if sums[1] > 0 {
		d.explain()
		fail("check", "%g positions were out of range, and have changed since", sums[1])
	}
}
