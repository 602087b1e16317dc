package tensor

import (
	"slices"

	"halfnote/tensor/internal/device"
)

// This file implements indexing with tensors of positions or of bools, PyTorch's x[i, :, j].

// Take returns the elements at the positions that the indices give, one index for each of the first
// dimensions: a tensor of Int64, an int or a []int with positions, of which negative ones count
// from the end; a Bool tensor that stands for the positions where it is true, and for as many
// dimensions as it has; or nil for a whole dimension. Positions of several indices are broadcast
// and go together, as in PyTorch: x.Take(i, j) gives x[i[0], j[0]], x[i[1], j[1]] and so on. They
// may be on t's device or on the CPU. Their dimensions stand where the indexed ones stood if those are
// neighbours, else in front. The gradient adds up at positions that are named more than once.
func (t *Tensor) Take(indices ...any) *Tensor {
	p := t.place("index", indices)
	return composed(func() *Tensor {
		return p.joined(t).selected(p.axis, p.index).Reshape(p.shape...)
	})
}

// IndexPut returns a copy of t with values, a number or a tensor that broadcasts to what
// Take(indices...) returns, written there, or added where accumulate is set. Without it the last of
// several values for one position stays, and receives the gradient.
func (t *Tensor) IndexPut(indices []any, values any, accumulate bool) *Tensor {
	const op = "index_put"
	src, v, _ := t.operand(op, values)
	if src == nil {
		src = full(t, v)
	}
	t, src = cast2(op, t, src)
	sameDType(op, t, src)
	p := t.place(op, indices)
	var buf [device.MaxDims]int
	if !equalInts(broadcast(op, buf[:0], p.shape, src.arr.Shape), p.shape) {
		fail(op, "values of shape %v do not broadcast to %v, the shape of what is indexed",
			src.arr.Shape, p.shape)
	}
	return composed(func() *Tensor {
		x := p.joined(t)
		parts := x.Shape()
		parts[p.axis] = p.index.Numel()
		src = src.Expand(p.shape...).Reshape(parts...)
		if accumulate {
			x = x.scatter(op, device.ScatterAdd, p.axis, x.along(p.axis, p.index), src)
		} else {
			x = x.indexCopy(op, p.axis, p.index, src)
		}
		return p.apart(x)
	})
}

// A place is where indices point to in a tensor, all of whose indexed dimensions are joined to one.
type place struct {
	axes  []int   // the order of dimensions in which the indexed ones are neighbours; nil: as it is
	moved []int   // the shape in that order
	whole []int   // the shape with the indexed dimensions joined
	axis  int     // which is the joined one
	index *Tensor // a vector of positions in it
	shape []int   // of the result
}

func (p *place) joined(t *Tensor) *Tensor {
	if p.axes != nil {
		t = t.Permute(p.axes...)
	}
	return t.Reshape(p.whole...)
}

// apart undoes joined.
func (p *place) apart(t *Tensor) *Tensor {
	t = t.Reshape(p.moved...)
	if p.axes == nil {
		return t
	}
	back := make([]int, len(p.axes))
	for i, a := range p.axes {
		back[a] = i
	}
	return t.Permute(back...)
}

// place checks the indices and works out where they point to.
func (t *Tensor) place(op string, indices []any) *place {
	given := t.positions(op, indices)
	var axes []int // those that are indexed
	for d, index := range given {
		if index != nil {
			axes = append(axes, d)
		}
	}
	if len(axes) == 0 {
		fail(op, "no index given that is not nil")
	}
	p := &place{axis: axes[0]}
	if axes[len(axes)-1]-axes[0] != len(axes)-1 {
		p.axis = 0
		p.axes = slices.Clone(axes)
		for d := range t.arr.Shape {
			if !slices.Contains(axes, d) {
				p.axes = append(p.axes, d)
			}
		}
	}
	for d := range t.arr.Shape {
		if p.axes != nil {
			d = p.axes[d]
		}
		p.moved = append(p.moved, t.arr.Shape[d])
	}
	points, flat := t.linear(op, axes, given)
	n := 1
	for _, a := range axes {
		n *= t.arr.Shape[a]
	}
	behind := p.moved[p.axis+len(axes):]
	p.whole = slices.Concat(p.moved[:p.axis], []int{n}, behind)
	p.shape = slices.Concat(p.moved[:p.axis], points, behind)
	checkShape(op, p.shape)
	p.index = flat.To(t.Device())
	return p
}

// positions returns the positions for each dimension of t, or nil where it is taken whole. Bools
// are turned into positions, negative positions into those that they stand for.
func (t *Tensor) positions(op string, indices []any) []*Tensor {
	out := make([]*Tensor, t.Dim())
	d := 0
	for i, v := range indices {
		var index *Tensor
		switch v := v.(type) {
		case nil:
		case *Tensor:
			index = v
		case int:
			index = CPU.int64s([]int64{int64(v)})
		case []int:
			at := make([]int64, len(v))
			for i, p := range v {
				at[i] = int64(p)
			}
			index = CPU.int64s(at, len(at))
		default:
			fail(op, "index %d is a %T; indices are tensors, ints, []int and nil", i, v)
		}
		if index != nil && index.Device() != CPU {
			sameDevice(op, t, index)
		}
		if index != nil && index.DType() == Bool {
			for _, column := range t.masked(op, i, d, index) {
				out[d] = column
				d++
			}
			continue
		}
		if d >= t.Dim() {
			fail(op, "%d indices for shape %v", len(indices), t.arr.Shape)
		}
		if index != nil {
			out[d] = t.wrapped(op, i, d, index)
		}
		d++
	}
	return out
}

// wrapped returns the positions in index, of dimension d, counted from the front: on t's device, or
// on the host, if they are there.
func (t *Tensor) wrapped(op string, i, d int, index *Tensor) *Tensor {
	if index.DType() != Int64 {
		fail(op, "index %d is of %s; positions are int64, and masks bool", i, index.DType())
	}
	shape := t.Shape()
	return check{op: op, n: shape[d], back: true, explain: func(_ []int, v int64) {
		fail(op, "index %d: position %d is outside of dimension %d of shape %v", i, v, d, shape)
	}}.of(index)
}

// masked returns the positions where a mask over the dimensions from d on is true.
func (t *Tensor) masked(op string, i, d int, mask *Tensor) []*Tensor {
	end := d + mask.Dim()
	if mask.Dim() == 0 {
		fail(op, "index %d is a bool without dimensions; use Where", i)
	}
	if end > t.Dim() || !equalInts(mask.arr.Shape, t.arr.Shape[d:end]) {
		fail(op, "index %d is a mask of shape %v, which does not fit shape %v from dimension %d on",
			i, mask.arr.Shape, t.arr.Shape, d)
	}
	return mask.To(CPU).Nonzero().Unbind(1)
}

// linear broadcasts the positions of the indexed axes, and returns their shape and, as a vector,
// their positions in the dimension that joins the axes.
func (t *Tensor) linear(op string, axes []int, given []*Tensor) (shape []int, flat *Tensor) {
	at := CPU
	for _, a := range axes {
		shape = broadcast(op, nil, shape, given[a].arr.Shape)
		if given[a].Device() != CPU {
			at = t.Device()
		}
	}
	checkShape(op, shape)
	composed(func() *Tensor {
		for _, a := range axes {
			index := given[a].To(at)
			if flat != nil {
				index = flat.Mul(t.arr.Shape[a]).Add(index)
			}
			flat = index
		}
		return nil
	})
	return shape, flat.Expand(shape...).Reshape(-1)
}
