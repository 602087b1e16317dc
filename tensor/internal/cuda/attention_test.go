//go:build cuda

package cuda

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfnote/tensor/internal/cpu"
	"halfnote/tensor/internal/device"
)

// An attended is a call of Attend and AttendGrad.
type attended struct {
	lead, leadKeys []int // leading dimensions of the queries, and of the keys and values
	t, s, d, e     int
	causal         bool
	mask           device.DType // of a mask, or 0
	column         bool         // whether the mask is the same for all queries
	dropout        bool
	sharp          bool // scores that differ by much
	half           bool // for 16-bit floats only
}

func (c attended) String() string {
	return fmt.Sprintf("%v·%v T %d S %d D %d E %d causal %v mask %s dropout %v", c.lead, c.leadKeys, c.t, c.s, c.d,
		c.e, c.causal, suffixes[c.mask], c.dropout)
}

var attendeds = []attended{
	{lead: []int{2}, leadKeys: []int{2}, t: 5, s: 7, d: 4, e: 3},
	{t: 70, s: 70, d: 16, e: 16, causal: true},
	{lead: []int{2, 3}, leadKeys: []int{1, 3}, t: 3, s: 9, d: 8, e: 8, mask: device.Bool, dropout: true},
	{lead: []int{2}, leadKeys: []int{2}, t: 66, s: 40, d: 24, e: 80, causal: true, mask: device.Float32},
	{lead: []int{2}, leadKeys: []int{1}, t: 20, s: 130, d: 72, e: 130, mask: device.Float16, column: true, dropout: true},
	{t: 1, s: 1, d: 1, e: 1},
	{t: 9, s: 4, d: 5, e: 2, causal: true, mask: device.Bool, sharp: true},
	{t: 3, s: 0, d: 4, e: 5},
	{lead: []int{0}, leadKeys: []int{0}, t: 3, s: 2, d: 4, e: 5},
	{t: 33, s: 200, d: 64, e: 64, sharp: true},
	{t: 5, s: 70, d: 400, e: 40, causal: true, half: true}, // more than shared memory has room for
	{t: 4, s: 6, d: 900, e: 3, half: true},
}

// arrays returns what c computes with, and room for the results.
type attendArraysOf struct {
	q, k, v, mask, keep, out, lse, g, dq, dk, dv, dmask pair
}

func (c attended) arrays(t *testing.T, r *rand.Rand, d, wide device.DType, layout int) (a attendArraysOf) {
	t.Helper()
	at := func(lead []int, rest ...int) []int { return append(append([]int{}, lead...), rest...) }
	a.q = random(t, r, d, layout, false, at(c.lead, c.t, c.d)...)
	if c.sharp {
		big := make([]float64, a.q.host.Numel())
		for i := range big {
			big[i] = r.NormFloat64() * 40
		}
		a.q = filled(t, d, layout, big, a.q.host.Shape...)
	}
	a.k = random(t, r, d, layout/2, false, at(c.leadKeys, c.s, c.d)...)
	a.v = random(t, r, d, layout/3, false, at(c.leadKeys, c.s, c.e)...)
	rows := c.t
	if c.column {
		rows = 1
	}
	if c.mask != 0 {
		a.mask = random(t, r, c.mask, layout/2, false, at(c.lead, rows, c.s)...)
	}
	if c.dropout {
		a.keep = random(t, r, device.Bool, 0, false, at(c.lead, c.t, c.s)...)
	}
	a.out, a.lse = blank(t, d, layout, at(c.lead, c.t, c.e)...), blank(t, wide, 0, at(c.lead, c.t)...)
	a.g = random(t, r, d, layout/2, false, at(c.lead, c.t, c.e)...)
	a.dq, a.dk = blank(t, d, layout, at(c.lead, c.t, c.d)...), blank(t, d, layout/2, at(c.lead, c.s, c.d)...)
	a.dv, a.dmask = blank(t, wide, layout, at(c.lead, c.s, c.e)...), blank(t, wide, 0, at(c.lead, c.t, c.s)...)
	for _, p := range []*pair{&a.out, &a.lse, &a.dq, &a.dk, &a.dv, &a.dmask} {
		p.near = true
	}
	return a
}

func (c attended) device(a *attendArraysOf, gpu bool) *device.Attention {
	out := &device.Attention{Scale: 1 / math.Sqrt(float64(c.d)), Causal: c.causal, Mask: a.mask.on(gpu), Keep: a.keep.on(gpu)}
	if c.dropout {
		out.Kept = 2
	}
	return out
}

func wideOf(d device.DType) device.DType {
	if d == device.Float64 {
		return d
	}
	return device.Float32
}

func TestCUDAAttention(t *testing.T) {
	r := numbers(t.Name())
	for layout, c := range attendeds {
		for _, d := range floatDTypes {
			if c.half && d != device.Float16 {
				continue
			}
			a := c.arrays(t, r, d, wideOf(d), layout)
			both(t, func(b device.Backend, gpu bool) {
				b.Attend(a.out.on(gpu), a.lse.on(gpu), a.q.on(gpu), a.k.on(gpu), a.v.on(gpu), c.device(&a, gpu))
			})
			part := 1e-5
			if d == device.Float64 {
				part = 1e-13
			}
			a.out.agree(t, 1, part, "out of %v", c)
			a.lse.agree(t, 4, part, "lse of %v", c)
		}
	}
}

func TestCUDAAttentionGrad(t *testing.T) {
	r := numbers(t.Name())
	for layout, c := range attendeds {
		for _, d := range floatDTypes {
			if c.half && d != device.Float16 {
				continue
			}
			a := c.arrays(t, r, d, wideOf(d), layout)
			both(t, func(b device.Backend, gpu bool) {
				of := c.device(&a, gpu)
				b.Attend(a.out.on(gpu), a.lse.on(gpu), a.q.on(gpu), a.k.on(gpu), a.v.on(gpu), of)
				b.AttendGrad(a.dq.on(gpu), a.dk.on(gpu), a.dv.on(gpu), a.dmask.on(gpu), a.g.on(gpu), a.lse.on(gpu),
					a.q.on(gpu), a.k.on(gpu), a.v.on(gpu), of)
			})
			part := 2e-5
			switch {
			case d == device.Float64 && c.sharp:
				part = 1e-12
			case d == device.Float64:
				part = 1e-13
			case c.sharp:
				part = 2e-4 // of scores of some hundreds, the exponentials of which have errors as large
			}
			// What rounds in sharp scores goes into a gradient by p(1−p) of products of g with v, which are
			// about 32, and by that times k or q into the others, however small they are where each query
			// has one key.
			terms := []float64{4, 64, 1, 8}
			for i, p := range []pair{a.dq, a.dk, a.dv, a.dmask} {
				if p.terms = 1; c.sharp {
					p.terms = terms[i]
				}
				p.agree(t, 1, part, "gradient %d of %v", i, c)
			}
		}
	}
}

// TestCUDAAttentionRounding: the weights of 16-bit attention are not rounded to 16 bits, and their
// gradients may be larger and smaller than such numbers.
func TestCUDAAttentionRounding(t *testing.T) {
	r := numbers(t.Name())
	c := attended{lead: []int{2}, leadKeys: []int{2}, t: 70, s: 90, d: 32, e: 40}
	scaled := func(d device.DType, by float64, shape ...int) pair {
		values := make([]float64, shape[0]*shape[1]*shape[2])
		for i := range values {
			values[i] = r.NormFloat64() * by
		}
		return filled(t, d, 0, values, shape...)
	}
	for _, d := range []device.DType{device.Float16, device.BFloat16} {
		lost := math.Ldexp(1, -20) // of a weight
		if d == device.BFloat16 {
			lost = math.Ldexp(1, -15)
		}
		a := c.arrays(t, r, d, device.Float32, 0)
		a.q = scaled(d, 0.05, 2, c.t, c.d)
		pairs := make([]float64, 2*c.s*c.e) // of values that cancel but for the small differences of weights
		for i := range pairs {
			pairs[i] = 1
			if i/c.e%2 == 1 {
				pairs[i] = -1
			}
		}
		a.v = filled(t, d, 0, pairs, 2, c.s, c.e)
		attend := func(b device.Backend, gpu bool) {
			b.Attend(a.out.on(gpu), a.lse.on(gpu), a.q.on(gpu), a.k.on(gpu), a.v.on(gpu), c.device(&a, gpu))
		}
		both(t, attend)
		most := 0.0
		for _, v := range values(gpu(t), a.out.gpu) {
			most = max(most, math.Abs(v))
		}
		a.out.agree(t, 1, lost/most, "differences of weights")

		a.v, a.dq, a.dk = scaled(d, 100, 2, c.s, c.e), blank(t, device.Float32, 0, 2, c.t, c.d), blank(t, device.Float32, 0, 2, c.s, c.d)
		a.dq.near, a.dk.near = true, true
		both(t, attend)
		for _, size := range []float64{1e4, 1e-6} {
			a.g = scaled(d, size, 2, c.t, c.e)
			both(t, func(b device.Backend, gpu bool) {
				b.AttendGrad(a.dq.on(gpu), a.dk.on(gpu), a.dv.on(gpu), nil, a.g.on(gpu), a.lse.on(gpu), a.q.on(gpu),
					a.k.on(gpu), a.v.on(gpu), c.device(&a, gpu))
			})
			for i, p := range []pair{a.dq, a.dk, a.dv} {
				p.agree(t, 4, lost, "gradient %d for gradients of %g", i, size)
			}
		}
	}
}

// TestCUDAAttentionParts has few queries, and so many keys that several blocks share them.
func TestCUDAAttentionParts(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for layout, c := range []attended{
		{lead: []int{2}, leadKeys: []int{2}, t: 1, s: 700, d: 16, e: 24},
		{lead: []int{2, 2}, leadKeys: []int{2, 1}, t: 3, s: 530, d: 8, e: 8, mask: device.Bool, dropout: true, sharp: true},
		{t: 2, s: 1100, d: 4, e: 130, mask: device.Float32, column: true},
		{t: 460, s: 470, d: 3, e: 2, causal: true}, // the first queries see nothing of the last parts
	} {
		for _, d := range floatDTypes {
			a := c.arrays(t, r, d, wideOf(d), layout)
			if c.mask == device.Bool { // a row without keys
				a.mask = filled(t, c.mask, 0, append(make([]float64, c.s), values(cpu.Backend{}, a.mask.host)[c.s:]...), a.mask.host.Shape...)
			}
			at := newAttending(a.out.gpu, a.lse.gpu, a.q.gpu, a.k.gpu, a.v.gpu, c.device(&a, true))
			at.choose(gpu(t), wideOf(d), d, 1, 3)
			if at.split(); at.args.Splits < 2 {
				t.Errorf("%v: %d parts", c, at.args.Splits)
			}
			both(t, func(b device.Backend, gpu bool) {
				b.Attend(a.out.on(gpu), a.lse.on(gpu), a.q.on(gpu), a.k.on(gpu), a.v.on(gpu), c.device(&a, gpu))
			})
			part := 1e-5
			if d == device.Float64 {
				part = 1e-13
			}
			a.out.agree(t, 1, part, "out of %v", c)
			a.lse.agree(t, 4, part, "lse of %v", c)
		}
	}
}

// TestCUDAAttentionInfinite has infinities and NaNs in each of the inputs. What comes of them does not depend
// on how the processor and the GPU cut keys and queries where none is hidden, or all lie in one tile.
func TestCUDAAttentionInfinite(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	inf := math.Inf(1)
	for layout, c := range []attended{
		{lead: []int{2}, leadKeys: []int{2}, t: 20, s: 30, d: 16, e: 24},
		{t: 70, s: 130, d: 20, e: 40, dropout: true},
		{t: 30, s: 30, d: 8, e: 8, causal: true},
		{lead: []int{2}, leadKeys: []int{1}, t: 9, s: 25, d: 17, e: 5, mask: device.Bool},
		{t: 9, s: 25, d: 16, e: 16, mask: device.Float32},
		{t: 2, s: 600, d: 16, e: 16},
	} {
		for _, d := range floatDTypes {
			for i := range 8 {
				a := c.arrays(t, r, d, wideOf(d), 0)
				of := func(p *pair, change func(v []float64, row int)) {
					v, shape := values(cpu.Backend{}, p.host), p.host.Shape
					change(v, shape[len(shape)-1])
					*p = filled(t, p.host.DType, layout+i, v, shape...)
				}
				of(&a.q, func(v []float64, _ int) {
					for n := range v {
						v[n] *= 3 // so that some weights are less than 16 bits have beside 1
					}
				})
				if c.mask != 0 {
					of(&a.mask, func(v []float64, row int) { // the second query has no keys
						for n := range row {
							v[row+n] = map[device.DType]float64{device.Float32: -inf}[c.mask]
						}
					})
				}
				for range 1 + i/4 {
					of([]*pair{&a.q, &a.k, &a.v, &a.g}[i%4], func(v []float64, _ int) {
						v[r.IntN(len(v))] = []float64{inf, -inf, math.NaN()}[r.IntN(3)]
					})
				}
				both(t, func(b device.Backend, gpu bool) {
					of := c.device(&a, gpu)
					b.Attend(a.out.on(gpu), a.lse.on(gpu), a.q.on(gpu), a.k.on(gpu), a.v.on(gpu), of)
					b.AttendGrad(a.dq.on(gpu), a.dk.on(gpu), a.dv.on(gpu), a.dmask.on(gpu), a.g.on(gpu), a.lse.on(gpu),
						a.q.on(gpu), a.k.on(gpu), a.v.on(gpu), of)
				})
				for k, p := range []pair{a.out, a.lse, a.dq, a.dk, a.dv, a.dmask} {
					what := []string{"out", "lse", "dq", "dk", "dv", "dmask"}[k]
					if c.causal && what == "dmask" {
						continue // what is hidden need not be written
					}
					p.agree(t, 4, 0.01, "%s of %v with the %d-th of q, k, v and g infinite", what, c, i%4)
				}
			}
		}
	}
}
