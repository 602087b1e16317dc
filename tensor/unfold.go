package tensor

import (
	"slices"

	"halfnote/tensor/internal/device"
)

// Unfold returns a view of the windows of size elements along axis, of which each begins step after
// the one before: the windows are counted along axis, and a new last dimension holds the elements
// of each. Windows may overlap; the gradient adds up.
func (t *Tensor) Unfold(axis, size, step int) *Tensor {
	const op = "unfold"
	if t.Dim() == 0 {
		return t.Reshape(1).Unfold(axis, size, step).Reshape(size)
	}
	axis = t.axis(op, axis)
	n := t.arr.Shape[axis]
	if size < 0 || size > n || step < 1 {
		fail(op, "windows of %d elements, %d apart, in dimension %d of shape %v; they fit into it, "+
			"and steps are positive", size, step, axis, t.arr.Shape)
	}
	out := t.alias(t.Dim() + 1)
	copy(out.arr.Shape, t.arr.Shape)
	copy(out.arr.Strides, t.arr.Strides)
	last := t.Dim()
	out.arr.Shape[axis], out.arr.Shape[last] = (n-size)/step+1, size
	out.arr.Strides[axis], out.arr.Strides[last] = t.arr.Strides[axis]*step, t.arr.Strides[axis]
	checkShape(op, out.arr.Shape)
	if k := record(op, out, unfoldGrad, t); k != nil {
		k.ints = append([]int{axis, step}, t.arr.Shape...)
	}
	return out
}

// unfoldGrad adds each window to its place.
func unfoldGrad(n *node, g *Tensor, _ int) *Tensor {
	axis, step, shape := n.ints[0], n.ints[1], n.ints[2:]
	windows, size := g.arr.Shape[axis], g.arr.Shape[g.Dim()-1]
	joined := slices.Clone(shape)
	joined[axis] = windows * size
	g = g.Movedim(-1, axis+1).Reshape(joined...)
	sums := zeros("unfold", g.Device(), wide(g.DType()), shape)
	at := vectorOf("unfold", g.Device(), windows*size, func(i int) int {
		return i/size*step + i%size
	})
	return sums.scatter("unfold_backward", device.ScatterAdd, axis, g.along(axis, at), g)
}
