package tensor

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/petermattis/goid"

	"halfnote/internal/pending"
	"halfnote/tensor/internal/cuda"
	"halfnote/tensor/internal/device"
)

// This file implements the checks of what ops are given: positions, and numbers that an op refuses.
// On a GPU they are done there, and looked at when the program reads a value: to wait for each would
// leave the GPU without work.

// A doubt is a check on a device that nobody has looked at yet.
type doubt struct {
	goroutine int64
	found     *Tensor                     // of device.Check, or the number of mistakes alone
	explain   func(place int, what int64) // panics for the first mistake
}

var doubts struct {
	count atomic.Int64
	sync.Mutex
	all []doubt
}

// mostDoubts is how many checks a program that reads no values leaves behind at most.
const mostDoubts = 256

// A check says which positions an op takes.
type check struct {
	op      string
	n       int                        // 0 … n−1 are in range
	back    bool                       // and −n … −1, which count from the end
	skip    []int64                    // and these, which become −1
	explain func(at []int, what int64) // panics for the first position that is not
}

// of returns positions in place of index that are in range.
func (c check) of(index *Tensor) *Tensor {
	x := index.unrepeated(-1)
	safe := c.run(x, nil, nil)
	if safe == x {
		return index
	}
	return safe.Expand(index.arr.Shape...)
}

// weighed is of, and returns besides the sum of the positions' weights, or their number where weight
// is nil.
func (c check) weighed(index, weight *Tensor) (safe, total *Tensor) {
	total = empty(c.op, index.Device(), Float64, nil)
	return c.run(index, total, weight), total
}

// run returns x itself where that is safe: the host knows it at once.
func (c check) run(x, total, weight *Tensor) (safe *Tensor) {
	dense, shape := x.contiguous(), x.arr.Shape
	b, onHost := x.backend(c.op), x.Device() == CPU
	var out *Tensor
	if safe = x; !onHost || c.back || len(c.skip) > 0 {
		out = empty(c.op, x.Device(), Int64, shape)
		safe = out
	}
	if onHost {
		var told [device.FoundLen]int64
		found := device.Array{Data: unsafe.Pointer(&told), DType: device.DType(Int64)}
		b.Check(out.array(), &found, total.array(), &dense.arr, weight.array(), c.skip, c.n, c.back)
		if told[0] > 0 {
			c.explain(unravel(int(told[1]), shape), told[2])
		}
		return safe
	}
	found := zeros(c.op, x.Device(), Int64, []int{device.FoundLen})
	b.Check(&out.arr, &found.arr, total.array(), &dense.arr, weight.array(), c.skip, c.n, c.back)
	shape = slices.Clone(shape) // and not a part of x, whose memory would live as long as the doubt
	doubt{found: found, explain: func(place int, what int64) {
		c.explain(unravel(place, shape), what)
	}}.note(c.n <= 0) // no position is safe in nothing
	return safe
}

// unrepeated returns a view of t with one element along dimensions, but axis, that repeat it.
func (t *Tensor) unrepeated(axis int) *Tensor {
	if !slices.Contains(t.arr.Strides, 0) {
		return t
	}
	out := t.Detach()
	for d, by := range out.arr.Strides {
		if d != axis && by == 0 && out.arr.Shape[d] > 1 {
			out.arr.Shape[d] = 1
		}
	}
	return out
}

// refuse has op fail where an element of mistakes is not 0.
func refuse(op string, mistakes *Tensor, format string, args ...any) {
	doubt{found: mistakes.Any(), explain: func(int, int64) { fail(op, format, args...) }}.note(false)
}

// note looks at d now where that is asked for, or is no wait, and else when the program reads a value.
func (d doubt) note(now bool) {
	if now || d.found.Device() == CPU || cuda.Synchronous {
		d.resolve()
		return
	}
	if r := recordingOf(d.found.Device()); r != nil {
		r.check(d)
		return
	}
	d.goroutine = goid.Get()
	doubts.Lock()
	doubts.all = append(doubts.all, d)
	full := len(doubts.all) > mostDoubts
	doubts.count.Store(int64(len(doubts.all)))
	doubts.Unlock()
	if full {
		settleAll()
	}
}

// toHost copies t to dst, which lies in the host's memory, and looks at what was checked before.
func (t *Tensor) toHost(op string, dst *device.Array) {
	t.backend(op).ToHost(dst, &t.arr)
	t.Device().prove()
}

// adopt makes the checks that the calling goroutine leaves behind those of another.
func adopt(by int64) {
	if doubts.count.Load() == 0 {
		return
	}
	id := goid.Get()
	doubts.Lock()
	defer doubts.Unlock()
	for i := range doubts.all {
		if doubts.all[i].goroutine == id {
			doubts.all[i].goroutine = by
		}
	}
}

// prove panics where a check of this goroutine has found a mistake. Who has read a value of d has
// waited for it.
func (d Device) prove() {
	if d == CPU || doubts.count.Load() == 0 {
		return
	}
	id := goid.Get()
	resolve(func(m doubt) bool { return m.goroutine == id })
}

func init() { pending.Settle, pending.Forget = settleAll, forgetAll }

// forgetAll looks at no check that is there.
func forgetAll() {
	doubts.Lock()
	defer doubts.Unlock()
	doubts.all = nil
	doubts.count.Store(0)
}

// settleAll panics where a check of any goroutine has found a mistake.
func settleAll() {
	if doubts.count.Load() > 0 {
		resolve(func(doubt) bool { return true })
	}
}

// printed has what f, which fmt calls, panics with told again: fmt prints it, and goes on.
func printed(f func()) {
	if doubts.count.Load() == 0 {
		f()
		return
	}
	doubts.Lock()
	before := slices.Clone(doubts.all)
	doubts.Unlock()
	done := false
	defer func() {
		if done {
			return
		}
		doubts.Lock()
		defer doubts.Unlock()
		for _, d := range before {
			if !slices.ContainsFunc(doubts.all, func(o doubt) bool { return o.found == d.found }) {
				doubts.all = append(doubts.all, d)
			}
		}
		doubts.count.Store(int64(len(doubts.all)))
	}()
	f()
	done = true
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
	defer markLate()
	for _, d := range now {
		d.resolve()
	}
}

// markLate, deferred, has a mistake say that its op is over.
func markLate() {
	r := recover()
	if r == nil {
		return
	}
	if e, ok := r.(*Error); ok {
		e.Late = true
	}
	panic(r)
}

// resolve panics where d has found a mistake.
func (d doubt) resolve() {
	var told [device.FoundLen]int64
	x := &d.found.arr
	host := hostArray(told[:d.found.Numel()], Int64, x.Shape)
	d.found.backend("check").ToHost(&host, x)
	if told[0] > 0 {
		d.explain(int(told[1]), told[2])
	}
}
