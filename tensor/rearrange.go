package tensor

import "slices"

// This file implements the ops that put a tensor's elements into another order or repeat them.

// Flip returns t with the order of the elements along the axes turned around.
func (t *Tensor) Flip(axes ...int) *Tensor {
	if t.Dim() == 0 {
		return t.Reshape(1).Flip(axes...).Reshape()
	}
	indices := make([]*Tensor, len(axes))
	places := make([]int, len(axes))
	for i, a := range axes {
		places[i] = t.axis("flip", a)
		if slices.Contains(places[:i], places[i]) {
			fail("flip", "dimension %d is given twice", places[i])
		}
		n := t.arr.Shape[places[i]]
		indices[i] = vectorOf("flip", t.Device(), n, func(j int) int { return n - 1 - j })
	}
	return t.permuted("flip", places, indices, indices)
}

// permuted is picked where each vector names every position once, and back undoes it: the gradient
// then needs no sums.
func (t *Tensor) permuted(op string, axes []int, indices, back []*Tensor) *Tensor {
	var out *Tensor
	NoGrad(func() { out = t.picked(op, axes, indices) })
	record(op, out, func(_ *node, g *Tensor, _ int) *Tensor {
		return g.permuted(op, axes, back, indices)
	}, t)
	return out
}

// Roll returns t with the elements along axis moved on by shift; those that leave at the end come
// in again at the front.
func (t *Tensor) Roll(shift, axis int) *Tensor {
	axis = t.axis("roll", axis)
	n := t.arr.Shape[axis]
	moved := func(shift int) []*Tensor {
		return []*Tensor{vectorOf("roll", t.Device(), n, func(i int) int {
			return ((i-shift)%n + n) % n
		})}
	}
	return t.permuted("roll", []int{axis}, moved(shift%max(1, n)), moved(-shift%max(1, n)))
}

// Repeat returns t laid end to end as often as the counts say, one for each dimension; counts for
// more dimensions than t has add dimensions in front (PyTorch's repeat).
func (t *Tensor) Repeat(counts ...int) *Tensor {
	const op = "repeat"
	extra := len(counts) - t.Dim()
	if extra < 0 {
		fail(op, "%d counts for shape %v; there is one for each dimension", len(counts),
			t.arr.Shape)
	}
	shape := slices.Clone(counts)
	for d, s := range t.arr.Shape {
		if c := counts[extra+d]; c < 0 || c > 0 && s > maxElements/c {
			fail(op, "shape %v cannot be repeated %v times", t.arr.Shape, counts)
		}
		shape[extra+d] *= s
	}
	checkShape(op, shape)
	ones := slices.Repeat([]int{1}, extra)
	t = t.Reshape(slices.Concat(ones, t.arr.Shape)...)
	var axes []int
	var indices []*Tensor
	for d, n := range shape {
		if counts[d] == 1 {
			continue
		}
		once := t.arr.Shape[d]
		axes = append(axes, d)
		indices = append(indices, vectorOf(op, t.Device(), n, func(i int) int { return i % once }))
	}
	return t.picked(op, axes, indices)
}

const maxElements = 1 << 60 // more than any device holds, and safe to multiply by an element's size

// RepeatInterleave returns t with each part along axis repeated: as often as repeats says where it
// is an int, or each part as often as its own number in a []int. Without an axis t counts as a
// vector.
func (t *Tensor) RepeatInterleave(repeats any, axis ...int) *Tensor {
	const op = "repeat_interleave"
	if len(axis) == 0 {
		t = t.Reshape(-1)
	}
	d := t.axis(op, one(op, axis))
	n := t.arr.Shape[d]
	var counts []int
	switch v := repeats.(type) {
	case int:
		counts = slices.Repeat([]int{v}, n)
	case []int:
		counts = v
	default:
		fail(op, "a %T is neither an int nor a []int", repeats)
	}
	if len(counts) != n {
		fail(op, "%d counts for the %d parts in dimension %d of shape %v", len(counts), n, d,
			t.arr.Shape)
	}
	shape := t.Shape()
	shape[d] = 0
	for _, c := range counts {
		if c < 0 {
			fail(op, "a part cannot be repeated %d times", c)
		}
		shape[d] += min(c, maxElements)
		checkShape(op, shape)
	}
	part, end := -1, 0 // the part that is repeated, and the place behind its last repetition
	index := vectorOf(op, t.Device(), shape[d], func(i int) int {
		for i >= end {
			part++
			end += counts[part]
		}
		return part
	})
	return t.gather(op, d, t.along(d, index))
}

// Meshgrid returns tensors of one shape, that of all vectors together: number i holds the elements
// of vector i along dimension i, and repeats them along the others (PyTorch's indexing="ij").
func Meshgrid(vectors ...*Tensor) []*Tensor {
	given("meshgrid", vectors...)
	shape := make([]int, len(vectors))
	for i, v := range vectors {
		if v.Dim() > 1 {
			fail("meshgrid", "tensor %d has shape %v; it has one dimension", i, v.arr.Shape)
		}
		shape[i] = v.Numel()
	}
	out := make([]*Tensor, len(vectors))
	for i, v := range vectors {
		out[i] = alongAxis(v, i, len(vectors)).Expand(shape...)
	}
	return out
}
