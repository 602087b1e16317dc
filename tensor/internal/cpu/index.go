package cpu

import (
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// A pick is a Gather or a Scatter laid out in rows along the last dimension: a has the index's
// shape, and the index names places of b along axis.
type pick struct {
	a, b, index *device.Array
	axis        int
	rows, n     int // rows, and elements in each
	stepA       int // along a row, in each array
	stepB       int
	stepI       int
	stride      int // of b along axis
	inRow       bool
}

func newPick(a, b, index *device.Array, axis int) pick {
	last := len(index.Shape) - 1
	p := pick{a: a, b: b, index: index, axis: axis, rows: 1, n: index.Shape[last],
		stepA: a.Strides[last], stepI: index.Strides[last], stride: b.Strides[axis]}
	if p.inRow = axis == last; !p.inRow {
		p.stepB = b.Strides[last]
	}
	for _, s := range index.Shape[:last] {
		p.rows *= s
	}
	return p
}

// row returns where row i begins in a, in the index, and in b at position 0 of axis.
func (p *pick) row(i int) (here, off, there int) {
	here, off, there = p.a.Offset, p.index.Offset, p.b.Offset
	for d := len(p.index.Shape) - 2; d >= 0; d-- {
		k := i % p.index.Shape[d]
		i /= p.index.Shape[d]
		here += k * p.a.Strides[d]
		off += k * p.index.Strides[d]
		if d != p.axis {
			there += k * p.b.Strides[d]
		}
	}
	return here, off, there
}

// whole reports whether one position serves a whole row.
func (p *pick) whole() bool { return !p.inRow && p.stepI == 0 }

// positions returns the n positions of a row that begin at off, p.stepI apart.
func (p *pick) positions(off, n int) []int64 { return elems[int64](p.index, off, p.stepI, n) }

// Gather implements device.Backend.
func (Backend) Gather(out, x, index *device.Array, axis int) {
	p := newPick(out, x, index, axis)
	if p.n == 0 || p.rows == 0 {
		return
	}
	pool.Split(p.rows, max(1, grainCheap/p.n), func(lo, hi int) {
		switch x.DType.Size() {
		case 8:
			gather[uint64](&p, lo, hi)
		case 4:
			gather[uint32](&p, lo, hi)
		case 2:
			gather[uint16](&p, lo, hi)
		default:
			gather[uint8](&p, lo, hi)
		}
	})
}

// gather copies the elements of rows lo up to hi, bit for bit.
func gather[S any](p *pick, lo, hi int) {
	for i := lo; i < hi; i++ {
		here, off, there := p.row(i)
		at := p.positions(off, p.n)
		dst := elems[S](p.a, here, p.stepA, p.n)
		if p.whole() {
			src := elems[S](p.b, there+int(at[0])*p.stride, p.stepB, p.n)
			if p.stepA == 1 && p.stepB == 1 {
				copy(dst, src)
				continue
			}
			for j := range p.n {
				dst[j*p.stepA] = src[j*p.stepB]
			}
			continue
		}
		for j := range p.n {
			k := there + int(at[j*p.stepI])*p.stride + j*p.stepB
			dst[j*p.stepA] = elems[S](p.b, k, 1, 1)[0]
		}
	}
}

// Scatter implements device.Backend. What is written to one element comes from one row, or from
// one column where axis is not the last dimension: that is how the work is shared out, so that the
// order of additions is always the same.
func (Backend) Scatter(op device.ScatterOp, out, index, src *device.Array, axis int) {
	p := newPick(src, out, index, axis)
	if p.n == 0 || p.rows == 0 {
		return
	}
	part := func(lo, hi, from, to int) {
		switch out.DType.ComputeIn() {
		case device.Float64:
			scatterRows[float64](op, &p, lo, hi, from, to)
		case device.Float32:
			scatterRows[float32](op, &p, lo, hi, from, to)
		default:
			scatterRows[int64](op, &p, lo, hi, from, to)
		}
	}
	if p.inRow {
		pool.Split(p.rows, max(1, grainCheap/p.n), func(lo, hi int) { part(lo, hi, 0, p.n) })
		return
	}
	const narrowest = 16 // columns: fewer share cache lines between workers
	pool.Split(p.n, max(narrowest, grainCheap/p.rows), func(from, to int) { part(0, p.rows, from, to) })
}

// scatterRows scatters the elements from column from up to column to of rows lo up to hi.
func scatterRows[T number](op device.ScatterOp, p *pick, lo, hi, from, to int) {
	direct := p.a.DType == dtypeOf[T]() && p.b.DType == dtypeOf[T]()
	var bufOld, bufNew [chunk]T
	for i := lo; i < hi; i++ {
		here, off, there := p.row(i)
		if !p.whole() {
			at := p.positions(off, p.n)
			for j := from; j < to; j++ {
				k := there + int(at[j*p.stepI])*p.stride + j*p.stepB
				old, add := bufOld[:1], bufNew[:1]
				load(add, p.a, here+j*p.stepA, 1)
				load(old, p.b, k, 1)
				scatterRow(op, old, add)
				store(p.b, k, 1, old)
			}
			continue
		}
		there += int(p.positions(off, 1)[0]) * p.stride
		for j := from; j < to; j += chunk {
			n := min(chunk, to-j)
			src := row(bufNew[:], p.a, here+j*p.stepA, p.stepA, n)
			if direct && p.stepB == 1 {
				scatterRow(op, elems[T](p.b, there+j, 1, n), src)
				continue
			}
			old := bufOld[:n]
			load(old, p.b, there+j*p.stepB, p.stepB)
			scatterRow(op, old, src)
			store(p.b, there+j*p.stepB, p.stepB, old)
		}
	}
}

func scatterRow[T number](op device.ScatterOp, old, add []T) {
	add = add[:len(old)]
	switch op {
	case device.ScatterPut:
		copy(old, add)
	case device.ScatterAdd:
		for i, v := range add {
			old[i] += v
		}
	case device.ScatterMul:
		for i, v := range add {
			old[i] *= v
		}
	case device.ScatterMax:
		for i, v := range add {
			old[i] = max(old[i], v)
		}
	case device.ScatterMin:
		for i, v := range add {
			old[i] = min(old[i], v)
		}
	}
}
