package tensor

import (
	"slices"

	"halfnote/tensor/internal/device"
)

// Linear returns x·Wᵀ + b for x of shape […, in], w of shape [out, in] and b of shape [out] or nil.
// For 16-bit floats the bias is added in float32, before the one rounding.
func Linear(x, w, b *Tensor) *Tensor {
	before := [...]*Tensor{x, w, b}
	args := castAll("linear", 2, before[:])
	x, w, b = args[0], args[1], args[2]
	switch {
	case x.Dim() == 0 || w.Dim() != 2:
		fail("linear", "input of shape %v and weight of shape %v; they are […, in] and [out, in]",
			x.arr.Shape, w.arr.Shape)
	case x.arr.Shape[x.Dim()-1] != w.arr.Shape[1]:
		fail("linear", "input of shape %v and weight of shape %v: inner sizes %d and %d differ",
			x.arr.Shape, w.arr.Shape, x.arr.Shape[x.Dim()-1], w.arr.Shape[1])
	case b != nil && (b.Dim() != 1 || b.arr.Shape[0] != w.arr.Shape[0]):
		fail("linear", "bias of shape %v for weight of shape %v; it is [%d]",
			b.arr.Shape, w.arr.Shape, w.arr.Shape[0])
	}
	sameDType("linear", x, w)
	sameDType("linear", x, b)
	var out *Tensor
	if x.Dim() == 2 {
		out = linear(x, w, b)
	} else {
		lead := x.arr.Shape[:x.Dim()-1]
		shape := append(slices.Clone(lead), w.arr.Shape[0])
		rows := x.Reshape(volume(lead), w.arr.Shape[1])
		out = linear(rows, w, b).Reshape(shape...)
		if rows.store != x.store {
			rows.drop()
		}
	}
	dropCasts(before[:], args)
	return out
}

func linear(x, w, b *Tensor) *Tensor {
	out := empty("linear", x.Device(), x.DType(), []int{x.arr.Shape[0], w.arr.Shape[0]})
	transposed := device.Array{Data: w.arr.Data, DType: w.arr.DType, Offset: w.arr.Offset,
		Shape:   []int{w.arr.Shape[1], w.arr.Shape[0]},
		Strides: []int{w.arr.Strides[1], w.arr.Strides[0]}}
	x.backend("linear").MatMul(&out.arr, &x.arr, &transposed, device.Epilogue{Bias: b.array()})
	if n := record("linear", out, linearGrad, x, w, b); n != nil {
		n.keep(n.unless(1, x), n.unless(0, w))
	}
	return out
}

// linearGrad: dX = G·W, dW = Gᵀ·X, db = Σ G.
func linearGrad(n *node, g *Tensor, i int) *Tensor {
	switch i {
	case 0:
		return product(g, n.get(1))
	case 1:
		return product(g.T(), n.get(0))
	}
	return g.Sum(0)
}

// addWeight adds the gradient of the weight of n to that of the float32 tensor that it was cast from,
// in one go: rounded to the weight's 16 bits, but not written in them. It reports false where that
// cannot be, since somebody may look at the gradient in between.
func (b *backward) addWeight(n *node, input int, g *Tensor) bool {
	if n.op != "linear" || input != 1 || b.wanted != nil || b.create || b.detect {
		return false
	}
	w := n.inputs[input]
	if w.op != "to" || !w.dtype.isHalf() || w.hooks != nil || b.state(w).shared ||
		w.inputs[0] == nil || w.inputs[0].dtype != Float32 || g.DType() != w.dtype {
		return false
	}
	part := empty("linear", g.Device(), Float32, w.shape)
	g.backend("linear").MatMul(&part.arr, &g.T().arr, &n.get(0).arr,
		device.Epilogue{Via: device.DType(w.dtype)})
	b.add(w.inputs[0], part, g)
	return true
}
