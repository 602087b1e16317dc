package cpu

import "halfnote/tensor/internal/device"

// A picker visits every element of an index array, in row-major order. here is the offset of the
// element of a at the same place, there that of the element of b that the index names along axis.
type picker struct {
	a, b, index *device.Array
	axis        int
	at          [device.MaxDims]int
	left        int
	here, there int
}

// newPicker begins a walk. a has index's shape, and the tensor package has checked the indices.
func newPicker(a, b, index *device.Array, axis int) picker {
	return picker{a: a, b: b, index: index, axis: axis, left: index.Numel()}
}

// next moves to the next element and reports whether there is one.
func (p *picker) next() bool {
	if p.left == 0 {
		return false
	}
	p.left--
	p.here, p.there = p.a.Offset, p.b.Offset
	off := p.index.Offset
	for d := range p.index.Shape {
		p.here += p.at[d] * p.a.Strides[d]
		off += p.at[d] * p.index.Strides[d]
		if d != p.axis {
			p.there += p.at[d] * p.b.Strides[d]
		}
	}
	p.there += int(elems[int64](p.index, off, 1, 1)[0]) * p.b.Strides[p.axis]
	for d := len(p.index.Shape) - 1; d >= 0; d-- {
		if p.at[d]++; p.at[d] < p.index.Shape[d] {
			break
		}
		p.at[d] = 0
	}
	return true
}

// Gather implements device.Backend.
func (Backend) Gather(out, x, index *device.Array, axis int) {
	p := newPicker(out, x, index, axis)
	switch x.DType.Size() {
	case 8:
		gather[uint64](&p)
	case 4:
		gather[uint32](&p)
	case 2:
		gather[uint16](&p)
	default:
		gather[uint8](&p)
	}
}

// gather copies elements of one size, bit for bit.
func gather[S any](p *picker) {
	for p.next() {
		elems[S](p.a, p.here, 1, 1)[0] = elems[S](p.b, p.there, 1, 1)[0]
	}
}

// ScatterAdd implements device.Backend.
func (Backend) ScatterAdd(out, index, src *device.Array, axis int) {
	p := newPicker(src, out, index, axis)
	switch computeIn(out.DType) {
	case device.Float64:
		scatterAdd[float64](&p)
	case device.Float32:
		scatterAdd[float32](&p)
	default:
		scatterAdd[int64](&p)
	}
}

func scatterAdd[T number](p *picker) {
	var sum, term [1]T
	for p.next() {
		load(sum[:], p.b, p.there, 1)
		load(term[:], p.a, p.here, 1)
		sum[0] += term[0]
		store(p.b, p.there, 1, sum[:])
	}
}
