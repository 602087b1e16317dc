package cpu

import (
	"math"
	"unsafe"

	"halfnote/tensor/internal/cpu/gemm"
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// This file implements attention in float32: tiles of queries × keys stay in the caches, and the
// softmax of a row is mended when a later tile has a larger score, see
// https://arxiv.org/abs/2205.14135. The sizes do not depend on the machine.
const (
	attentionSpan = 128 // queries that share packed keys and values
	attentionRows = 32  // queries of a tile
	attentionKeys = 256 // keys of a tile
)

// attending is one call of Attend or AttendGrad.
type attending struct {
	*device.Attention
	lead         []int // leading dimensions of the output
	batch        int
	t, s, d, e   int
	q, k, v, lse *device.Array
}

func newAttending(g, lse, q, k, v *device.Array, a *device.Attention) *attending {
	dims := len(g.Shape)
	at := &attending{Attention: a, lead: g.Shape[:dims-2], batch: 1, t: g.Shape[dims-2],
		s: k.Shape[len(k.Shape)-2], d: k.Shape[len(k.Shape)-1], e: g.Shape[dims-1],
		q: q, k: k, v: v, lse: lse}
	for _, n := range at.lead {
		at.batch *= n
	}
	return at
}

// visible returns how many keys the queries before number `to` can see.
func (a *attending) visible(to int) int {
	if a.Causal {
		return min(a.s, to)
	}
	return a.s
}

// Attend implements device.Backend.
func (Backend) Attend(out, lse, q, k, v *device.Array, a *device.Attention) {
	at := newAttending(out, lse, q, k, v, a)
	if out.DType.ComputeIn() == device.Float64 {
		at.attend64(out)
		return
	}
	spans := (at.t + attentionSpan - 1) / attentionSpan
	pool.Run(at.batch*spans, func(i int) { at.attend(out, i/spans, i%spans*attentionSpan) })
}

// attend computes the rows of a span of member i of the batch.
func (a *attending) attend(out *device.Array, i, from int) {
	rows := min(attentionSpan, a.t-from)
	keys := a.visible(from + rows)
	width := min(attentionKeys, keys)
	stepQ, stepO, stepP := gemm.Pitch(a.d), gemm.Pitch(a.e), gemm.Pitch(width)
	var kt, vs, qs, o, p, spare []float32
	defer carve(piece{&kt, packedSize(a.d, width)}, piece{&vs, packedSize(width, a.e)},
		piece{&qs, rows * stepQ}, piece{&o, rows * stepO}, piece{&p, attentionRows * stepP},
		piece{&spare, width}).release()

	a.queries(qs, stepQ, i, from, rows)
	k, v := a.member(a.k, i), a.member(a.v, i)
	mask, keep := a.member(a.Mask, i), a.member(a.Keep, i)
	var state [attentionSpan]rowState
	for r := range rows {
		state[r].top = float32(math.Inf(-1))
	}
	for k0 := 0; k0 < keys; k0 += attentionKeys {
		n := min(attentionKeys, keys-k0)
		gemm.Pack(kt, k.matrix(k0).T(), a.d, n)
		gemm.Pack(vs, v.matrix(k0), n, a.e)
		for r0 := 0; r0 < rows; r0 += attentionRows {
			m := min(attentionRows, rows-r0)
			seen := min(n, a.visible(from+r0+m)-k0)
			if seen <= 0 {
				continue
			}
			gemm.Block(p, stepP, qs[r0*stepQ:], stepQ, 1, kt, m, seen, a.d, false)
			for r := range m {
				row, line := from+r0+r, p[r*stepP:][:n]
				own := max(0, min(n, a.visible(row+1)-k0))
				clear(line[own:])
				line = line[:own]
				mask.apply(line, row, k0, spare)
				state[r0+r].add(line, o[(r0+r)*stepO:][:a.e])
				keep.choose(line, row, k0, &dropped)
			}
			gemm.Block(o[r0*stepO:], stepO, p, stepP, 1, vs, m, a.e, n, k0 > 0)
		}
	}
	kept := 1.0
	if a.Keep != nil {
		kept = a.Kept
	}
	to, lse := a.member(out, i), a.vector(a.lse, i)
	for r := range rows {
		line, s := o[r*stepO:][:a.e], &state[r]
		store(lse.Array, lse.off+(from+r)*lse.step, 1, []float32{s.lse()})
		switch {
		case s.sum == 0:
			clear(line)
		case to.DType == device.Float32 && to.step == 1:
			simd.MulScalar(elems[float32](out, to.at(from+r, 0), 1, a.e), line,
				float32(kept/s.sum))
			continue
		default:
			simd.MulScalar(line, line, float32(kept/s.sum))
		}
		to.store(line, from+r, 0)
	}
}

// A rowState is the softmax of a row so far: its largest score, and the sum of the exponentials of
// the others' distances to it.
type rowState struct {
	top float32
	sum float64
}

// add turns scores into exponentials and adds them; o, the sum of the values so far, is brought to
// their scale.
func (s *rowState) add(scores, o []float32) {
	if len(scores) == 0 {
		return
	}
	before := s.top
	s.top = max(before, simd.Largest(scores))
	if math.IsInf(float64(s.top), -1) {
		clear(scores)
		return
	}
	if s.top != before && s.sum != 0 {
		factor := math.Exp(float64(before - s.top))
		s.sum *= factor
		simd.MulScalar(o, o, float32(factor))
	}
	s.sum += simd.ExpSum(scores, scores, s.top)
}

// lse returns the logarithm of the sum of the exponentials of the scores.
func (s *rowState) lse() float32 { return float32(float64(s.top) + math.Log(s.sum)) }

// queries loads rows from … of the queries of member i, times the scale.
func (a *attending) queries(dst []float32, step, i, from, rows int) {
	q := a.member(a.q, i)
	for r := range rows {
		line := dst[r*step:][:a.d]
		q.load(line, from+r, 0)
		simd.MulScalar(line, line, float32(a.Scale))
	}
}

// A member is the part of an array that belongs to one member of the batch. What has one row or
// column repeats it.
type member struct {
	*device.Array
	off, down, step int
}

// member returns that of member i, without an array if x is nil.
func (a *attending) member(x *device.Array, i int) member {
	if x == nil {
		return member{}
	}
	p, n := member{Array: x, off: a.offset(x, 2, i)}, len(x.Shape)
	if n >= 1 && x.Shape[n-1] != 1 {
		p.step = x.Strides[n-1]
	}
	if n >= 2 && x.Shape[n-2] != 1 {
		p.down = x.Strides[n-2]
	}
	return p
}

// vector is member for what has no columns.
func (a *attending) vector(x *device.Array, i int) member {
	return member{x, a.offset(x, 1, i), 0, x.Strides[len(x.Strides)-1]}
}

// offset returns where the part of number i in the batch begins in x, whose last dimensions, tail
// in number, are not of the batch.
func (a *attending) offset(x *device.Array, tail, i int) int {
	off := x.Offset
	for d := len(a.lead) - 1; d >= 0; d-- {
		at := i % a.lead[d]
		i /= a.lead[d]
		if e := d - len(a.lead) + len(x.Shape) - tail; e >= 0 && x.Shape[e] != 1 {
			off += at * x.Strides[e]
		}
	}
	return off
}

func (p *member) at(row, column int) int { return p.off + row*p.down + column*p.step }

func (p *member) load(dst []float32, row, column int) {
	load(dst, p.Array, p.at(row, column), p.step)
}

func (p *member) store(src []float32, row, column int) {
	store(p.Array, p.at(row, column), p.step, src)
}

// matrix returns p from a row on.
func (p *member) matrix(row int) gemm.Matrix {
	return gemm.Matrix{Data: unsafe.Add(p.Data, p.at(row, 0)*p.DType.Size()), DType: p.DType,
		Row: p.down, Col: p.step}
}

// apply adds a mask of floats to the scores of a row from a column on, or closes what a mask of
// bools has false.
func (p *member) apply(scores []float32, row, column int, spare []float32) {
	switch {
	case p.Array == nil || len(scores) == 0:
	case p.DType == device.Bool:
		p.choose(scores, row, column, &closed)
	case p.DType == device.Float32 && p.step == 1:
		simd.Add(scores, scores, elems[float32](p.Array, p.at(row, column), 1, len(scores)))
	default:
		spare = spare[:len(scores)]
		p.load(spare, row, column)
		simd.Add(scores, scores, spare)
	}
}

// What closed scores and dropped weights are.
var (
	closed  = minusInf()
	dropped [gradientKeys]float32
)

func minusInf() (row [gradientKeys]float32) {
	repeat(row[:], float32(math.Inf(-1)))
	return row
}

// choose keeps the elements for which p has true and takes the others from other.
func (p *member) choose(line []float32, row, column int, other *[gradientKeys]float32) {
	if p.Array == nil || len(line) == 0 {
		return
	}
	stay := elems[bool](p.Array, p.at(row, column), p.step, len(line))
	if p.step == 1 {
		simd.Where(line, stay, line, other[:len(line)])
		return
	}
	for j := range line {
		if !stay[j*p.step] {
			line[j] = other[0]
		}
	}
}

// packedSize returns the number of elements that a k×n matrix takes when it is packed.
func packedSize(k, n int) int { return gemm.Panels(n) * gemm.Panel * k }
