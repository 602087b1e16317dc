package tensor

import "slices"

// Slice returns a view of the elements from … to-1 of dimension axis, with an optional step.
// Negative bounds count from the end, and bounds outside are cut off, as in Python.
func (t *Tensor) Slice(axis, from, to int, step ...int) *Tensor {
	axis = t.axis("slice", axis)
	n, by := t.arr.Shape[axis], 1
	if len(step) > 0 {
		by = one("slice", step)
	}
	if by < 1 {
		fail("slice", "step %d; steps are positive", by)
	}
	from, to = bound(from, n), bound(to, n)
	to = max(from, to)
	out := t.Detach()
	out.arr.Offset += from * t.arr.Strides[axis]
	out.arr.Shape[axis] = (to - from + by - 1) / by
	out.arr.Strides[axis] *= by
	if k := record("slice", out, sliceGrad, t); k != nil {
		k.ints = append([]int{axis, from, to, by}, t.arr.Shape...)
	}
	return out
}

func bound(i, n int) int {
	if i < 0 {
		i += n
	}
	return min(max(i, 0), n)
}

// sliceGrad puts the gradient at its place in zeros.
func sliceGrad(n *node, g *Tensor, _ int) *Tensor {
	return padded(g, n.ints[4:], n.ints[0], n.ints[1], n.ints[2], n.ints[3])
}

// padded returns zeros of that shape with t at the place that Slice would take it from.
func padded(t *Tensor, shape []int, axis, from, to, step int) *Tensor {
	out := empty("slice", t.Device(), t.DType(), shape)
	var at *Tensor
	NoGrad(func() { at = out.Slice(axis, from, to, step) })
	t.backend("slice").Copy(&at.arr, &t.arr)
	if n := record("slice_backward", out, paddedGrad, t); n != nil {
		n.ints = []int{axis, from, to, step}
	}
	return out
}

func paddedGrad(n *node, g *Tensor, _ int) *Tensor {
	return g.Slice(n.ints[0], n.ints[1], n.ints[2], n.ints[3])
}

// Narrow returns a view of n elements of dimension axis from start on.
func (t *Tensor) Narrow(axis, start, n int) *Tensor {
	size := t.Size(axis)
	if start < 0 || n < 0 || start+n > size {
		fail("narrow", "elements %d to %d are outside of dimension %d of shape %v",
			start, start+n, axis, t.arr.Shape)
	}
	return t.Slice(axis, start, start+n)
}

// Index returns a view of the part of t at these positions of its first dimensions. Negative
// positions count from the end.
func (t *Tensor) Index(at ...int) *Tensor {
	if len(at) > t.Dim() {
		fail("index", "%d positions given for shape %v", len(at), t.arr.Shape)
	}
	for _, i := range at {
		n := t.arr.Shape[0]
		if i < -n || i >= n {
			fail("index", "position %d is outside of the first dimension of shape %v",
				i, t.arr.Shape)
		}
		if i < 0 {
			i += n
		}
		t = t.Slice(0, i, i+1).Squeeze(0)
	}
	return t
}

// Gather returns out[i, j] = t[index[i, j], j] for axis 0, and so on for the others. index has
// Int64 elements and as many dimensions as t; it may be smaller than t in the other dimensions.
// The gradient adds up at positions that are named more than once.
func (t *Tensor) Gather(axis int, index *Tensor) *Tensor {
	axis = t.axis("gather", axis)
	t.checkIndex("gather", axis, index)
	out := empty("gather", t.Device(), t.DType(), index.arr.Shape)
	t.backend("gather").Gather(&out.arr, &t.arr, &index.arr, axis)
	if n := record("gather", out, gatherGrad, t); n != nil {
		n.keep(index)
		n.ints = append([]int{axis}, t.arr.Shape...)
	}
	return out
}

func gatherGrad(n *node, g *Tensor, _ int) *Tensor {
	zeros := empty("gather", g.Device(), wide(g.DType()), n.ints[1:])
	return zeros.ScatterAdd(n.ints[0], n.get(0), g)
}

// ScatterAdd returns a copy of t to which src[i, j] is added at [index[i, j], j] for axis 0, and so
// on for the others. index has Int64 elements and src's shape.
func (t *Tensor) ScatterAdd(axis int, index, src *Tensor) *Tensor {
	args := castAll("scatter_add", []*Tensor{t, index, src})
	t, index, src = args[0], args[1], args[2]
	axis = t.axis("scatter_add", axis)
	t.checkIndex("scatter_add", axis, index)
	if !equalInts(index.arr.Shape, src.arr.Shape) {
		fail("scatter_add", "index of shape %v and source of shape %v differ",
			index.arr.Shape, src.arr.Shape)
	}
	out := empty("scatter_add", t.Device(), t.DType(), t.arr.Shape)
	t.backend("scatter_add").Copy(&out.arr, &t.arr)
	t.backend("scatter_add").ScatterAdd(&out.arr, &index.arr, &src.arr, axis)
	if n := record("scatter_add", out, scatterAddGrad, t, src); n != nil {
		n.keep(index)
		n.ints = []int{axis}
	}
	return out
}

func scatterAddGrad(n *node, g *Tensor, i int) *Tensor {
	if i == 0 {
		return g
	}
	return g.Gather(n.ints[0], n.get(0))
}

// checkIndex panics unless index can pick from, or add to, dimension axis of t.
func (t *Tensor) checkIndex(op string, axis int, index *Tensor) {
	sameDevice(op, t, index)
	if index.DType() != Int64 {
		fail(op, "index of %s; positions are int64", index.DType())
	}
	if index.Dim() != t.Dim() {
		fail(op, "shape %v and index shape %v differ in the number of dimensions",
			t.arr.Shape, index.arr.Shape)
	}
	for d, s := range index.arr.Shape {
		if d != axis && s > t.arr.Shape[d] {
			fail(op, "index shape %v is larger than shape %v in dimension %d",
				index.arr.Shape, t.arr.Shape, d)
		}
	}
	for _, i := range index.Int64s() {
		if i < 0 || i >= int64(t.arr.Shape[axis]) {
			fail(op, "position %d is outside of dimension %d of shape %v", i, axis, t.arr.Shape)
		}
	}
}

// IndexSelect returns the parts of t at the positions in index, a vector of Int64, along axis.
func (t *Tensor) IndexSelect(axis int, index *Tensor) *Tensor {
	axis = t.axis("index_select", axis)
	if index.Dim() != 1 {
		fail("index_select", "index of shape %v; it has one dimension", index.arr.Shape)
	}
	shape := make([]int, t.Dim())
	for i := range shape {
		shape[i] = 1
	}
	shape[axis] = index.Numel()
	full := slices.Clone(t.arr.Shape)
	full[axis] = index.Numel()
	return t.Gather(axis, index.Reshape(shape...).Expand(full...))
}

// Cat joins tensors along an existing dimension. The result has the widest dtype.
func Cat(ts []*Tensor, axis int) *Tensor {
	if len(ts) == 0 {
		fail("cat", "no tensors given")
	}
	ts = castAll("cat", slices.Clone(ts))
	first := ts[0]
	axis = first.axis("cat", axis)
	shape, dtype := first.Shape(), first.DType()
	for _, t := range ts[1:] {
		sameDevice("cat", first, t)
		for d := range max(t.Dim(), len(shape)) {
			if t.Dim() != len(shape) || d != axis && t.arr.Shape[d] != shape[d] {
				fail("cat", "shapes %v and %v differ outside of dimension %d",
					first.arr.Shape, t.arr.Shape, axis)
			}
		}
		shape[axis] += t.arr.Shape[axis]
		dtype = promote(dtype, t.DType())
	}
	out := empty("cat", first.Device(), dtype, shape)
	at := 0
	starts := make([]int, 1, 2*len(ts)+1)
	starts[0] = axis
	for _, t := range ts {
		part := out.Narrow(axis, at, t.arr.Shape[axis])
		t.backend("cat").Copy(&part.arr, &t.arr)
		starts = append(starts, at, t.arr.Shape[axis])
		at += t.arr.Shape[axis]
	}
	if n := record("cat", out, catGrad, ts...); n != nil {
		n.ints = starts
	}
	return out
}

func catGrad(n *node, g *Tensor, i int) *Tensor {
	return g.Narrow(n.ints[0], n.ints[1+2*i], n.ints[2+2*i])
}

// Stack joins tensors of one shape along a new dimension.
func Stack(ts []*Tensor, axis int) *Tensor {
	if len(ts) == 0 {
		fail("stack", "no tensors given")
	}
	ts = castAll("stack", slices.Clone(ts))
	parts := make([]*Tensor, len(ts))
	for i, t := range ts {
		if !equalInts(t.arr.Shape, ts[0].arr.Shape) {
			fail("stack", "shapes %v and %v differ", ts[0].arr.Shape, t.arr.Shape)
		}
		parts[i] = t.Unsqueeze(axis)
	}
	axis = checkAxis("stack", axis, ts[0].Dim()+1, ts[0].arr.Shape)
	return composed(func() *Tensor { return Cat(parts, axis) })
}
