package cpu

import (
	"math"
	"unsafe"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// This file implements the steps of optimizers. A step goes through its arrays once, in blocks that
// stay in the first-level cache while one kernel after the other works on them.

// block is the length of such a piece: those of all arrays and buffers fit in the cache.
const block = 512

// SGDStep implements device.Backend.
func (Backend) SGDStep(ps []device.Parameter, s device.SGD, skip *device.Array) {
	steps(ps, skip, s.Momentum != 0, func(p *device.Parameter) { sgdStep(p, s) })
}

func sgdStep(p *device.Parameter, given device.SGD) {
	u, s := newUpdate(p), sgd{given, p.First}
	if u.wide {
		u.run(func(lo, hi int) { sgdRange[float64](u, lo, hi, &s) })
	} else {
		u.run(func(lo, hi int) { sgdRange[float32](u, lo, hi, &s) })
	}
	u.done()
}

// sgd is a step that may be the first one.
type sgd struct {
	device.SGD
	first bool
}

func sgdRange[T float](u *update, lo, hi int, s *sgd) {
	var work [3][block]T
	for ; lo < hi; lo += block {
		sgdBlock(u, lo, min(block, hi-lo), s, &work)
	}
}

func sgdBlock[T float](u *update, lo, n int, s *sgd, work *[3][block]T) {
	p, d, b := u.span(0, lo, n), u.span(1, lo, n), u.span(2, lo, n)
	theta := get(p, work[0][:n])
	step := direction(d, theta, work[1][:n], s.Maximize, s.WeightDecay)
	if b.a != nil {
		sum := get(b, work[2][:n])
		if s.first {
			copy(sum, step)
		} else {
			unaryRow(device.MulP, sum, sum, s.Momentum)
			round(b, sum)
			axpy(sum, sum, step, T(1-s.Dampening))
		}
		put(b, sum)
		if s.Nesterov {
			own := work[1][:n]
			axpy(own, step, sum, T(s.Momentum))
			round(d, own)
			step = own
		} else {
			step = sum
		}
	}
	axpy(theta, theta, step, T(-s.LR))
	put(p, theta)
}

// AdamStep implements device.Backend.
func (Backend) AdamStep(ps []device.Parameter, a device.Adam, skip *device.Array) {
	steps(ps, skip, false, func(p *device.Parameter) { adamStep(p, a) })
}

func adamStep(p *device.Parameter, a device.Adam) {
	u, t := newUpdate(p), float64(p.Step)
	c := adam{a, -a.LR / (1 - math.Pow(a.Betas[0], t)), math.Sqrt(1 - math.Pow(a.Betas[1], t))}
	if u.wide {
		u.run(func(lo, hi int) { adamRange[float64](u, lo, hi, &c) })
	} else {
		u.run(func(lo, hi int) { adamRange[float32](u, lo, hi, &c) })
	}
	u.done()
}

// steps calls step for each of ps, unless skip says not to.
func steps(ps []device.Parameter, skip *device.Array, momentum bool, step func(p *device.Parameter)) {
	if skip != nil && elems[float32](skip, skip.Offset, 1, 1)[0] != 0 {
		return
	}
	for i := range ps {
		p := ps[i]
		if p.Steps != nil {
			done := elems[int64](p.Steps, p.Steps.Offset, 1, 2)
			p.First = done[1] == 0
			done[0]++
			if momentum {
				done[1]++
			}
			p.Step = int(done[0])
		}
		step(&p)
	}
}

// adam is a step with what follows from its number.
type adam struct {
	device.Adam
	rate float64 // what m/(√v + ε) is multiplied by
	root float64 // what √v is divided by
}

func adamRange[T float](u *update, lo, hi int, a *adam) {
	var work [5][block]T
	for ; lo < hi; lo += block {
		adamBlock(u, lo, min(block, hi-lo), a, &work)
	}
}

func adamBlock[T float](u *update, lo, n int, a *adam, work *[5][block]T) {
	p, d, m := u.span(0, lo, n), u.span(1, lo, n), u.span(2, lo, n)
	v, w := u.span(3, lo, n), u.span(4, lo, n)
	theta, decay := get(p, work[0][:n]), a.WeightDecay
	if a.Decoupled {
		unaryRow(device.MulP, theta, theta, 1-a.LR*decay)
		round(p, theta)
		decay = 0
	}
	g := direction(d, theta, work[1][:n], a.Maximize, decay)

	mean, square := get(m, work[2][:n]), get(v, work[3][:n])
	if xs, ok := any(theta).([]float32); ok && w.a == nil && a.Betas[0] > 0.5 &&
		m.a.DType == device.Float32 && v.a.DType == device.Float32 {
		simd.Adam(xs, any(mean).([]float32), any(square).([]float32), any(g).([]float32),
			float32(1-a.Betas[0]), float32(a.Betas[1]), float32(1-a.Betas[1]), float32(a.root),
			float32(a.Eps), float32(a.rate))
		put(p, theta)
		return
	}

	root := work[4][:n]
	lerp(mean, g, root, 1-a.Betas[0])
	put(m, mean)

	unaryRow(device.MulP, square, square, a.Betas[1])
	round(v, square)
	ternaryRow(device.Addcmul, square, square, g, g, T(1-a.Betas[1]))
	put(v, square)
	if w.a != nil {
		top := get(w, root)
		binaryRow(device.Maximum, top, top, square)
		put(w, top)
		v, square = w, top
	}

	unaryRow(device.Sqrt, root, square, 0)
	round(v, root)
	unaryRow(device.DivP, root, root, a.root)
	round(v, root)
	unaryRow(device.AddP, root, root, a.Eps)
	round(v, root)
	ternaryRow(device.Addcdiv, theta, theta, mean, root, T(a.rate))
	put(p, theta)
}

// RMSpropStep implements device.Backend.
func (Backend) RMSpropStep(ps []device.Parameter, r device.RMSprop, skip *device.Array) {
	steps(ps, skip, r.Momentum != 0, func(p *device.Parameter) { rmspropStep(p, r) })
}

func rmspropStep(p *device.Parameter, r device.RMSprop) {
	r.LR /= 1 + float64(p.Step-1)*r.Decay
	u := newUpdate(p)
	if u.wide {
		u.run(func(lo, hi int) { rmspropRange[float64](u, lo, hi, &r) })
	} else {
		u.run(func(lo, hi int) { rmspropRange[float32](u, lo, hi, &r) })
	}
	u.done()
}

func rmspropRange[T float](u *update, lo, hi int, r *device.RMSprop) {
	var work [5][block]T
	for ; lo < hi; lo += block {
		rmspropBlock(u, lo, min(block, hi-lo), r, &work)
	}
}

func rmspropBlock[T float](u *update, lo, n int, r *device.RMSprop, work *[5][block]T) {
	p, d, v := u.span(0, lo, n), u.span(1, lo, n), u.span(2, lo, n)
	m, b := u.span(3, lo, n), u.span(4, lo, n)
	theta := get(p, work[0][:n])
	g := direction(d, theta, work[1][:n], r.Maximize, r.WeightDecay)

	square, root := get(v, work[2][:n]), work[3][:n]
	if xs, ok := any(theta).([]float32); ok && m.a == nil && b.a == nil &&
		v.a.DType == device.Float32 {
		simd.RootStep(xs, any(square).([]float32), any(g).([]float32), float32(r.Keep),
			float32(r.Add), float32(r.Eps), float32(-r.LR))
		put(p, theta)
		return
	}

	unaryRow(device.MulP, square, square, r.Keep)
	round(v, square)
	ternaryRow(device.Addcmul, square, square, g, g, T(r.Add))
	put(v, square)
	if m.a != nil {
		mean := get(m, work[4][:n])
		lerp(mean, g, root, r.Add)
		put(m, mean)
		ternaryRow(device.Addcmul, root, square, mean, mean, -1)
		round(v, root)
		square = root
	}

	unaryRow(device.Sqrt, root, square, 0)
	round(v, root)
	unaryRow(device.AddP, root, root, r.Eps)
	round(v, root)
	if b.a == nil {
		ternaryRow(device.Addcdiv, theta, theta, g, root, T(-r.LR))
	} else {
		step := get(b, work[4][:n])
		unaryRow(device.MulP, step, step, r.Momentum)
		round(b, step)
		ternaryRow(device.Addcdiv, step, step, g, root, 1)
		put(b, step)
		axpy(theta, theta, step, T(-r.LR))
	}
	put(p, theta)
}

// lerp moves mean by weight of the way to g, as PyTorch does: its two forms differ in how they round.
// The way itself is not rounded to 16 bits.
func lerp[T float](mean, g, way []T, weight float64) {
	binaryRow(device.Sub, way, g, mean)
	if weight < 0.5 {
		axpy(mean, mean, way, T(weight))
	} else {
		axpy(mean, g, way, T(weight-1))
	}
}

// direction is the gradient, turned to ascend, with weight decay added: itself where nothing
// changes, else in buf.
func direction[T float](d span, theta, buf []T, maximize bool, decay float64) []T {
	g := get(d, buf)
	if maximize {
		unaryRow(device.Neg, buf, g, 0)
		g = buf
	}
	if decay != 0 {
		axpy(buf, g, theta, T(decay))
		round(d, buf)
		g = buf
	}
	return g
}

// axpy computes out = a + p·x: first the product, rounded, then the sum.
func axpy[T float](out, a, x []T, p T) {
	if out, ok := any(out).([]float32); ok {
		simd.Axpy(out, any(a).([]float32), any(x).([]float32), float32(p))
		return
	}
	for i := range out {
		out[i] = a[i] + T(p*x[i])
	}
}

// An update is the arrays of one step, dense and in the order of their elements. Those that are nil
// stay nil.
type update struct {
	given, dense [5]*device.Array
	total        int
	wide         bool // one of them is float64, in which all is computed then
}

func newUpdate(p *device.Parameter) *update {
	u := new(update)
	u.given = [5]*device.Array{p.Value, p.Grad, p.Kept[0], p.Kept[1], p.Kept[2]}
	u.dense, u.total = u.given, u.given[0].Numel()
	for i, a := range u.given {
		if a == nil {
			continue
		}
		u.wide = u.wide || a.DType == device.Float64
		if !a.Contiguous() {
			u.dense[i] = denseCopy(a)
		}
	}
	return u
}

// run calls f for all elements, in parallel where there are many.
func (u *update) run(f func(lo, hi int)) {
	if u.total <= grainCheap {
		f(0, u.total)
		return
	}
	pool.Split(u.total, grainCheap, f)
}

// done writes back what was computed in copies: all but the gradient changes.
func (u *update) done() {
	for i, a := range u.given {
		if a != u.dense[i] && i != 1 {
			Backend{}.Copy(a, u.dense[i])
		}
	}
}

// A span is one block of one array.
type span struct {
	a     *device.Array
	lo, n int
}

func (u *update) span(i, lo, n int) span { return span{u.dense[i], lo, n} }

// get returns the elements: themselves where they are of type T, else converted into buf.
func get[T float](s span, buf []T) []T { return row(buf, s.a, s.a.Offset+s.lo, 1, s.n) }

// put writes what get returned, and rounds it to what was written.
func put[T float](s span, xs []T) {
	if s.a.DType != dtypeOf[T]() {
		store(s.a, s.a.Offset+s.lo, 1, xs)
		load(xs, s.a, s.a.Offset+s.lo, 1)
	}
}

// round rounds xs to the dtype of s.
func round[T float](s span, xs []T) {
	if s.a.DType == dtypeOf[T]() {
		return
	}
	var buf [block]uint32 // room for any smaller dtype
	copied := device.Array{Data: unsafe.Pointer(&buf), DType: s.a.DType}
	store(&copied, 0, 1, xs)
	load(xs, &copied, 0, 1)
}
