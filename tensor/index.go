package tensor

import (
	"slices"

	"halfnote/tensor/internal/device"
)

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
	to, by = max(from, to), min(by, max(1, n)) // a longer step leads out of the dimension, too
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
	return placed("slice_backward", g, n.ints[4:], func(t *Tensor) *Tensor { return sliced(n, t) })
}

// sliced returns the slice of t that n took.
func sliced(n *node, t *Tensor) *Tensor {
	return t.Slice(n.ints[0], n.ints[1], n.ints[2], n.ints[3])
}

// placed returns zeros of that shape in which the elements that view selects are those of t. Its
// gradient is the view of the gradient. view gives each element once.
func placed(op string, t *Tensor, shape []int, view func(*Tensor) *Tensor) *Tensor {
	out := zeros(op, t.Device(), t.DType(), shape)
	var at *Tensor
	NoGrad(func() { at = view(out) })
	t.backend(op).Copy(&at.arr, &t.arr)
	record(op, out, func(_ *node, g *Tensor, _ int) *Tensor { return view(g) }, t)
	return out
}

// Narrow returns a view of n elements of dimension axis from start on.
func (t *Tensor) Narrow(axis, start, n int) *Tensor {
	size := t.Size(axis)
	if start < 0 || n < 0 || n > size-start {
		fail("narrow", "%d elements from %d on are outside of dimension %d of shape %v",
			n, start, axis, t.arr.Shape)
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
	given("gather", t, index)
	if t.Dim() == 0 {
		return t.Reshape(1).Gather(axis, index.Reshape(-1)).Reshape(index.arr.Shape...)
	}
	axis = t.axis("gather", axis)
	return t.gather("gather", axis, t.checkIndex("gather", axis, index))
}

// gather is Gather for an index that has been checked.
func (t *Tensor) gather(op string, axis int, index *Tensor) *Tensor {
	out := empty(op, t.Device(), t.DType(), index.arr.Shape)
	t.backend(op).Gather(&out.arr, &t.arr, &index.arr, axis)
	if n := record(op, out, gatherGrad, t); n != nil {
		n.keep(index)
		n.ints = append([]int{axis}, t.arr.Shape...)
	}
	return out
}

func gatherGrad(n *node, g *Tensor, _ int) *Tensor {
	sums := zeros("gather", g.Device(), wide(g.DType()), n.ints[1:])
	return sums.scatter("scatter_add", device.ScatterAdd, n.ints[0], n.get(0), g)
}

// TakeAlongDim is Gather with t and index broadcast against each other outside of axis: with an
// index that Argmax or Argsort gave, it picks those elements (PyTorch's take_along_dim).
func (t *Tensor) TakeAlongDim(index *Tensor, axis int) *Tensor {
	const op = "take_along_dim"
	given(op, t, index)
	axis = t.axis(op, axis)
	if index.Dim() != t.Dim() {
		fail(op, "shape %v and index shape %v differ in the number of dimensions",
			t.arr.Shape, index.arr.Shape)
	}
	tall, wanted := t.Shape(), index.Shape()
	tall[axis], wanted[axis] = 1, 1
	var buf [device.MaxDims]int
	shape := broadcast(op, buf[:0], tall, wanted)
	tall, wanted = slices.Clone(shape), slices.Clone(shape)
	tall[axis], wanted[axis] = t.arr.Shape[axis], index.arr.Shape[axis]
	t, index = t.Expand(tall...), index.Expand(wanted...)
	return t.gather(op, axis, t.checkIndex(op, axis, index))
}

// checkIndex panics unless index can pick from, or add to, dimension axis of t. It returns the
// positions to use.
func (t *Tensor) checkIndex(op string, axis int, index *Tensor) *Tensor {
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
	return t.checkPositions(op, axis, index)
}

// checkPositions panics unless index holds positions of dimension axis of t, and returns them.
func (t *Tensor) checkPositions(op string, axis int, index *Tensor) *Tensor {
	sameDevice(op, t, index)
	if index.DType() != Int64 {
		fail(op, "index of %s; positions are int64", index.DType())
	}
	shape := t.Shape()
	return check{op: op, n: shape[axis], explain: func(_ []int, i int64) {
		fail(op, "position %d is outside of dimension %d of shape %v", i, axis, shape)
	}}.of(index)
}

// checkVector is checkPositions for an index of one dimension, or of none.
func (t *Tensor) checkVector(op string, axis int, index *Tensor) *Tensor {
	if index.Dim() > 1 {
		fail(op, "index of shape %v; it has one dimension", index.arr.Shape)
	}
	return t.checkPositions(op, axis, index)
}

// along returns a view of a vector of positions that serves for all elements of t beside axis.
func (t *Tensor) along(axis int, index *Tensor) *Tensor {
	shape := t.Shape()
	shape[axis] = index.Numel()
	return alongAxis(index, axis, t.Dim()).Expand(shape...)
}

// IndexSelect returns the parts of t at the positions in index, a vector of Int64, along axis. The
// gradient adds up at positions that are named more than once.
func (t *Tensor) IndexSelect(axis int, index *Tensor) *Tensor {
	given("index_select", t, index)
	if t.Dim() == 0 {
		return t.Reshape(1).IndexSelect(axis, index).Reshape()
	}
	axis = t.axis("index_select", axis)
	return t.selected(axis, t.checkVector("index_select", axis, index))
}

// selected is IndexSelect for positions that have been checked.
func (t *Tensor) selected(axis int, index *Tensor) *Tensor {
	return t.gather("index_select", axis, t.along(axis, index))
}
