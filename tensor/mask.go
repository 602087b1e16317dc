package tensor

import (
	"slices"

	"halfnote/tensor/internal/device"
)

// MaskedFill returns t with v, a number or a tensor without dimensions, wherever mask, of Bool, is
// true. t and mask are broadcast; the result keeps t's dtype.
func (t *Tensor) MaskedFill(mask *Tensor, v any) *Tensor {
	const op = "masked_fill"
	given(op, t, mask)
	t = cast(op, t)
	if mask.DType() != Bool {
		fail(op, "mask of %s; it is bool", mask.DType())
	}
	sameDevice(op, t, mask)
	value := t.fillValue(op, v)
	return composed(func() *Tensor { return Where(mask, value, t) })
}

// MaskedSelect returns, as a vector, the elements of t where mask, of Bool, is true. Both are
// broadcast. It waits for the device.
func (t *Tensor) MaskedSelect(mask *Tensor) *Tensor {
	const op = "masked_select"
	given(op, t, mask)
	if mask.DType() != Bool {
		fail(op, "mask of %s; it is bool", mask.DType())
	}
	sameDevice(op, t, mask)
	var buf [device.MaxDims]int
	shape := slices.Clone(broadcast(op, buf[:0], t.arr.Shape, mask.arr.Shape))
	var at []int64
	for i, on := range mask.Expand(shape...).Bools() {
		if on {
			at = append(at, int64(i))
		}
	}
	index := t.Device().int64s(at, len(at))
	return t.Expand(shape...).Reshape(-1).gather(op, 0, index)
}

// Nonzero returns the positions of the elements that are not zero, in row-major order: one row of
// Int64 for each, with one column for each dimension. It waits for the device.
func (t *Tensor) Nonzero() *Tensor {
	var rows []int64
	count := 0
	shape := t.arr.Shape
	for i, on := range t.Bools() {
		if !on {
			continue
		}
		count++
		for _, k := range unravel(i, shape) {
			rows = append(rows, int64(k))
		}
	}
	return t.Device().int64s(rows, count, len(shape))
}

// OneHot returns for classes, which are Int64 of any shape, rows of Int64 along a new last
// dimension: 1 at the class and 0 elsewhere. Without a number of classes there are as many as the
// largest class needs, for which it waits for the device.
func (t *Tensor) OneHot(classes ...int) *Tensor {
	const op = "one_hot"
	if t.DType() != Int64 {
		fail(op, "classes of %s; they are int64", t.DType())
	}
	n := one(op, classes)
	if len(classes) == 0 {
		if t.Numel() == 0 {
			fail(op, "no classes to count in shape %v; give their number", t.arr.Shape)
		}
		n = int(slices.Max(t.Int64s())) + 1
	}
	ids := check{op: op, n: n, explain: func(at []int, id int64) {
		fail(op, "class %d at %v; there are %d classes", id, at, n)
	}}.of(t)
	return ids.Unsqueeze(-1).Eq(countTo(t.Device(), n)).To(Int64)
}

// Tril returns the lower triangle of the matrices in the last two dimensions, with zeros above the
// diagonal; the diagonal given lies so many columns to the right of the main one.
func (t *Tensor) Tril(diagonal ...int) *Tensor {
	return t.triangle("tril", one("tril", diagonal), (*Tensor).Le)
}

// Triu returns the upper triangle of the matrices in the last two dimensions, with zeros below the
// diagonal; the diagonal given lies so many columns to the right of the main one.
func (t *Tensor) Triu(diagonal ...int) *Tensor {
	return t.triangle("triu", one("triu", diagonal), (*Tensor).Ge)
}

// triangle keeps the elements whose column compares so with their row moved by diagonal.
func (t *Tensor) triangle(op string, diagonal int, keep func(*Tensor, any) *Tensor) *Tensor {
	d := t.Dim()
	if d < 2 {
		fail(op, "shape %v has fewer than two dimensions", t.arr.Shape)
	}
	rows := countTo(t.Device(), t.arr.Shape[d-2]).Add(diagonal).Unsqueeze(1)
	inside := keep(countTo(t.Device(), t.arr.Shape[d-1]), rows)
	return composed(func() *Tensor { return Where(inside, t, full(t, 0)) })
}
