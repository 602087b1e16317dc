package tensor

import (
	"slices"

	"halfnote/tensor/internal/device"
)

// MatMul returns the matrix product of t and other. Vectors count as one row or one column, whose
// dimension is dropped again; dimensions before the last two are broadcast. Sums over float16 and
// bfloat16 are kept in float32 and rounded once.
func (t *Tensor) MatMul(other *Tensor) *Tensor {
	a, b := cast2("matmul", t, other)
	if a.Dim() == 0 || b.Dim() == 0 {
		fail("matmul", "shapes %v and %v: both need at least one dimension",
			a.arr.Shape, b.arr.Shape)
	}
	sameDType("matmul", a, b)
	return composed(func() *Tensor { return matmul(a, b) })
}

func matmul(a, b *Tensor) *Tensor {
	x, y := a, b
	if a.Dim() == 1 {
		x = a.Unsqueeze(0)
	}
	if b.Dim() == 1 {
		y = b.Unsqueeze(1)
	}
	if m, n := x.arr.Shape[x.Dim()-1], y.arr.Shape[y.Dim()-2]; m != n {
		fail("matmul", "shapes %v and %v: inner sizes %d and %d differ",
			a.arr.Shape, b.arr.Shape, m, n)
	}
	var out *Tensor
	if x.Dim() > 2 && y.Dim() == 2 {
		// One tall product: the gradient of y is then summed before it is rounded.
		shape := append(slices.Clone(x.arr.Shape[:x.Dim()-1]), y.arr.Shape[1])
		out = product(x.Reshape(-1, x.arr.Shape[x.Dim()-1]), y).Reshape(shape...)
	} else {
		out = product(x, y)
	}
	if b.Dim() == 1 {
		out = out.Squeeze(-1)
	}
	if a.Dim() == 1 {
		out = out.Squeeze(out.Dim() - 1 - min(1, b.Dim()-1))
	}
	return out
}

// product multiplies tensors of at least two dimensions.
func product(a, b *Tensor) *Tensor {
	var buf [device.MaxDims]int
	da, db := a.Dim(), b.Dim()
	shape := broadcastBut("matmul", 2, buf[:0], a.arr.Shape, b.arr.Shape)
	shape = append(shape, a.arr.Shape[da-2], b.arr.Shape[db-1])
	out := empty("matmul", a.Device(), a.DType(), shape)
	a.backend("matmul").MatMul(&out.arr, &a.arr, &b.arr, nil)
	if n := record("matmul", out, productGrad, a, b); n != nil {
		n.keep(n.unless(1, a), n.unless(0, b))
	}
	return out
}

// productGrad: ∂(A·B): dA = G·Bᵀ, dB = Aᵀ·G.
func productGrad(n *node, g *Tensor, i int) *Tensor {
	if i == 0 {
		return product(g, n.get(1).T())
	}
	return product(n.get(0).T(), g)
}

// sameDType panics unless the tensors have one dtype and device; there is no promotion in products.
func sameDType(op string, a, b *Tensor) {
	if b == nil {
		return
	}
	sameDevice(op, a, b)
	if a.DType() != b.DType() {
		fail(op, "dtypes %s and %s differ; convert one with To%s", a.DType(), b.DType(),
			float64Hint(a, b))
	}
}

// float64Hint explains the one mismatch that autocast leaves.
func float64Hint(a, b *Tensor) string {
	if (a.DType() == Float64 || b.DType() == Float64) && CurrentCastState() != nil {
		return " (autocast never casts float64)"
	}
	return ""
}

// Linear returns x·Wᵀ + b for x of shape […, in], w of shape [out, in] and b of shape [out] or nil.
// For 16-bit floats the bias is added in float32, before the one rounding.
func Linear(x, w, b *Tensor) *Tensor {
	args := castAll("linear", []*Tensor{x, w, b})
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
	if x.Dim() == 2 {
		return linear(x, w, b)
	}
	shape := append(slices.Clone(x.arr.Shape[:x.Dim()-1]), w.arr.Shape[0])
	return linear(x.Reshape(-1, w.arr.Shape[1]), w, b).Reshape(shape...)
}

func linear(x, w, b *Tensor) *Tensor {
	out := empty("linear", x.Device(), x.DType(), []int{x.arr.Shape[0], w.arr.Shape[0]})
	transposed := device.Array{Data: w.arr.Data, DType: w.arr.DType, Offset: w.arr.Offset,
		Shape:   []int{w.arr.Shape[1], w.arr.Shape[0]},
		Strides: []int{w.arr.Strides[1], w.arr.Strides[0]}}
	var bias *device.Array
	if b != nil {
		bias = &b.arr
	}
	x.backend("linear").MatMul(&out.arr, &x.arr, &transposed, bias)
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
