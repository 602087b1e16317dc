package cpu

import (
	"math"
	"unsafe"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// A worker holds the scores of so many rows at most, so that what it holds of long sequences grows
// with their length, not with its square. The number does not depend on the machine, nor so do the
// sums of gradients over blocks.
const attentionRows = 64

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

// blocks returns the number of blocks of rows.
func (a *attending) blocks() int { return (a.t + attentionRows - 1) / attentionRows }

// block returns the rows of block i, and how many keys they can see.
func (a *attending) block(i int) (from, rows, keys int) {
	from = i * attentionRows
	rows, keys = min(attentionRows, a.t-from), a.s
	if a.Causal {
		keys = min(a.s, from+rows)
	}
	return from, rows, keys
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

// matrix returns rows from … from+rows-1 of matrix number i of x.
func (a *attending) matrix(x *device.Array, i, from, rows int) *device.Array {
	n := len(x.Shape)
	return &device.Array{Data: x.Data, DType: x.DType,
		Offset: a.offset(x, 2, i) + from*x.Strides[n-2],
		Shape:  []int{rows, x.Shape[n-1]}, Strides: []int{x.Strides[n-2], x.Strides[n-1]}}
}

// turned returns the transpose of a matrix.
func turned(x *device.Array) *device.Array {
	return &device.Array{Data: x.Data, DType: x.DType, Offset: x.Offset,
		Shape: []int{x.Shape[1], x.Shape[0]}, Strides: []int{x.Strides[1], x.Strides[0]}}
}

// denseRows describes a slice as a matrix.
func denseRows[T number](values []T, rows, columns int) *device.Array {
	return &device.Array{Data: unsafe.Pointer(unsafe.SliceData(values)), DType: dtypeOf[T](),
		Shape: []int{rows, columns}, Strides: []int{columns, 1}}
}

// Attend implements device.Backend.
func (Backend) Attend(out, lse, q, k, v *device.Array, a *device.Attention) {
	at := newAttending(out, lse, q, k, v, a)
	if computeIn(out.DType) == device.Float64 {
		attend[float64](at, out)
		return
	}
	attend[float32](at, out)
}

func attend[T float](a *attending, out *device.Array) {
	blocks := a.blocks()
	pool.Run(a.batch*blocks, func(piece int) {
		i := piece / blocks
		from, rows, keys := a.block(piece % blocks)
		p := make([]T, rows*keys)
		scores(a, p, i, from, rows, keys)
		lse := make([]T, rows)
		for r := range rows {
			lse[r] = weigh(p[r*keys : (r+1)*keys])
		}
		store(a.lse, a.lseOffset(i, from), a.lse.Strides[len(a.lse.Strides)-1], lse)
		a.drop(func(r, off, step int) { keepRow(p[r*keys:(r+1)*keys], a, off, step) }, i, from, rows)
		Backend{}.MatMul(a.matrix(out, i, from, rows), denseRows(p, rows, keys),
			a.matrix(a.v, i, 0, keys), nil)
	})
}

func (a *attending) lseOffset(i, from int) int {
	return a.offset(a.lse, 1, i) + from*a.lse.Strides[len(a.lse.Strides)-1]
}

// scores computes a block of scale·q·kᵀ + mask; what may not be attended to is -Inf.
func scores[T float](a *attending, p []T, i, from, rows, keys int) {
	Backend{}.MatMul(denseRows(p, rows, keys), a.matrix(a.q, i, from, rows),
		turned(a.matrix(a.k, i, 0, keys)), nil)
	scale, closed := T(a.Scale), T(math.Inf(-1))
	for j := range p {
		p[j] *= scale
	}
	if a.Mask != nil {
		a.rows(a.Mask, i, from, rows, func(r, off, step int) {
			maskRow(p[r*keys:(r+1)*keys], a.Mask, off, step)
		})
	}
	for r := 0; a.Causal && r < rows; r++ {
		for j := min(keys, from+r+1); j < keys; j++ {
			p[r*keys+j] = closed
		}
	}
}

// rows calls f with the offsets of rows from … of x, which broadcasts to all scores, and the step
// along them.
func (a *attending) rows(x *device.Array, i, from, rows int, f func(r, off, step int)) {
	off, down, step := x.Offset, 0, 0
	n := len(x.Shape)
	if n >= 1 && x.Shape[n-1] != 1 {
		step = x.Strides[n-1]
	}
	if n >= 2 {
		off = a.offset(x, 2, i)
		if x.Shape[n-2] != 1 {
			down = x.Strides[n-2]
		}
	}
	for r := range rows {
		f(r, off+(from+r)*down, step)
	}
}

func maskRow[T float](p []T, mask *device.Array, off, step int) {
	if mask.DType == device.Bool {
		closed := T(math.Inf(-1))
		open := elems[bool](mask, off, step, len(p))
		for j := range p {
			if !open[j*step] {
				p[j] = closed
			}
		}
		return
	}
	var buf [chunk]T
	for j := 0; j < len(p); j += chunk {
		n := min(chunk, len(p)-j)
		for k, v := range row(buf[:], mask, off+j*step, step, n) {
			p[j+k] += v
		}
	}
}

// weigh turns a row of scores into weights that add up to 1, or to 0 where all are -Inf, and
// returns the logarithm of the sum of the exponentials.
func weigh[T float](p []T) T {
	top := T(math.Inf(-1))
	for _, v := range p {
		top = max(top, v)
	}
	if math.IsInf(float64(top), -1) {
		clear(p)
		return top
	}
	sum := 0.0
	for j, v := range p {
		e := math.Exp(float64(v - top))
		sum += e
		p[j] = T(e)
	}
	for j := range p {
		p[j] = T(float64(p[j]) / sum)
	}
	return T(float64(top) + math.Log(sum))
}

// drop calls f for the rows of the bools of dropout, where there are any.
func (a *attending) drop(f func(r, off, step int), i, from, rows int) {
	if a.Keep != nil {
		a.rows(a.Keep, i, from, rows, f)
	}
}

// keepRow applies dropout to a row.
func keepRow[T float](p []T, a *attending, off, step int) {
	keep := elems[bool](a.Keep, off, step, len(p))
	kept := T(a.Kept)
	for j := range p {
		if keep[j*step] {
			p[j] *= kept
		} else {
			p[j] = 0
		}
	}
}
