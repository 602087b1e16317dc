package tensor

import (
	"math"
	"slices"

	"halfnote/tensor/internal/device"
)

// checkShape returns the number of elements of a shape, or panics.
func checkShape(op string, shape []int) int {
	n, others := 1, 1 // others leaves out sizes of zero: strides and indices are that large anyway
	for _, s := range shape {
		if s < 0 || s > 0 && others > math.MaxInt/8/s {
			badShape(op, shape)
		}
		n *= s
		others *= max(1, s)
	}
	if len(shape) > device.MaxDims {
		badShape(op, shape)
	}
	return n
}

// badShape panics and says what is wrong. It takes a copy, so that shapes need not lie on the heap.
func badShape(op string, shape []int) {
	text := slices.Clone(shape)
	switch {
	case len(text) > device.MaxDims:
		fail(op, "shape %v has %d dimensions; %d is the most", text, len(text), device.MaxDims)
	case slices.Min(text) < 0:
		fail(op, "shape %v has a negative size", text)
	}
	fail(op, "shape %v has more elements than memory can hold", text)
}

// volume returns the product of sizes.
func volume(sizes []int) int {
	n := 1
	for _, s := range sizes {
		n *= s
	}
	return n
}

// unravel returns the position of the i-th element in row-major order.
func unravel(i int, shape []int) []int {
	at := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d] = i % shape[d]
		i /= shape[d]
	}
	return at
}

// rowMajor sets the strides of a dense array of that shape.
func rowMajor(strides, shape []int) {
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = step
		step *= shape[i]
	}
}

// axis returns axis counted from the front, or panics when t has no such dimension.
func (t *Tensor) axis(op string, axis int) int {
	return checkAxis(op, axis, len(t.arr.Shape), t.arr.Shape)
}

func checkAxis(op string, axis, dims int, shape []int) int {
	if axis < -dims || axis >= dims {
		fail(op, "shape %v has no dimension %d", slices.Clone(shape), axis)
	}
	if axis < 0 {
		axis += dims
	}
	return axis
}

// broadcast appends to buf the shape that a and b are stretched to: sizes are compared from the
// last dimension on, and a size of 1 fits any other.
func broadcast(op string, buf, a, b []int) []int { return broadcastBut(op, 0, buf, a, b) }

// broadcastBut is broadcast without the last dimensions, last in number.
func broadcastBut(op string, last int, buf, a, b []int) []int {
	n := max(len(a), len(b)) - last
	for i := range n {
		x, y := 1, 1
		if j := i - n + len(a) - last; j >= 0 {
			x = a[j]
		}
		if j := i - n + len(b) - last; j >= 0 {
			y = b[j]
		}
		switch {
		case x == y || y == 1:
			buf = append(buf, x)
		case x == 1:
			buf = append(buf, y)
		default:
			fail(op, "shapes %v and %v do not broadcast: sizes %d and %d differ", slices.Clone(a),
				slices.Clone(b), x, y) // copies, so that shapes need not lie on the heap
		}
	}
	return buf
}

func equalInts(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i, x := range a {
		if x != b[i] {
			return false
		}
	}
	return true
}
