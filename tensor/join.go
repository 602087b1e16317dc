package tensor

import "slices"

// This file implements the ops that join tensors and cut them into parts.

// Cat joins tensors along an existing dimension. The result has the widest dtype.
func Cat(ts []*Tensor, axis int) *Tensor {
	if len(ts) == 0 {
		fail("cat", "no tensors given")
	}
	ts = castAll("cat", len(ts), slices.Clone(ts))
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
	ts = castAll("stack", len(ts), slices.Clone(ts))
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

// Split cuts t along axis into views: of size elements each, where size is an int and the last part
// may be smaller, or of the sizes in a []int, which add up to the whole.
func (t *Tensor) Split(size any, axis int) []*Tensor {
	axis = t.axis("split", axis)
	n := t.arr.Shape[axis]
	switch size := size.(type) {
	case int:
		if size < 1 {
			fail("split", "size %d; parts have at least one element", size)
		}
		return t.parts(axis, size, max(1, (n+size-1)/size))
	case []int:
		sum := 0
		parts := make([]*Tensor, len(size))
		for i, s := range size {
			if s < 0 || s > n-sum {
				fail("split", "sizes %v do not add up to %d, the size of dimension %d of shape %v",
					size, n, axis, t.arr.Shape)
			}
			parts[i] = t.Slice(axis, sum, sum+s)
			sum += s
		}
		if sum != n {
			fail("split", "sizes %v do not add up to %d, the size of dimension %d of shape %v",
				size, n, axis, t.arr.Shape)
		}
		return parts
	}
	fail("split", "a %T is neither an int nor a []int of sizes", size)
	return nil
}

// parts returns count views of size elements each; the last one has what is left.
func (t *Tensor) parts(axis, size, count int) []*Tensor {
	parts := make([]*Tensor, count)
	for i := range parts {
		parts[i] = t.Slice(axis, i*size, min((i+1)*size, t.arr.Shape[axis]))
	}
	return parts
}

// Chunk cuts t along axis into at most n views of equal size; the last may be smaller. As in
// PyTorch there are fewer than n where the size does not divide.
func (t *Tensor) Chunk(n, axis int) []*Tensor {
	axis = t.axis("chunk", axis)
	if n < 1 {
		fail("chunk", "%d parts; there is at least one", n)
	}
	whole := t.arr.Shape[axis]
	if whole == 0 {
		return t.parts(axis, 0, n)
	}
	n = min(n, whole)
	size := (whole + n - 1) / n
	return t.parts(axis, size, (whole+size-1)/size)
}

// Unbind returns the views of t at each position of dimension axis, without that dimension.
func (t *Tensor) Unbind(axis int) []*Tensor {
	axis = t.axis("unbind", axis)
	parts := make([]*Tensor, t.arr.Shape[axis])
	for i := range parts {
		parts[i] = t.Slice(axis, i, i+1).Squeeze(axis)
	}
	return parts
}
