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
	out := composed(func() *Tensor { return matmul(a, b) })
	dropCasts([]*Tensor{t, other}, []*Tensor{a, b})
	return out
}

func matmul(a, b *Tensor) *Tensor { return matmulAs(a.DType(), a, b) }

// matmulAs is matmul with the dtype of the result given; those of a and b may differ.
func matmulAs(dtype DType, a, b *Tensor) *Tensor {
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
		lead := x.arr.Shape[:x.Dim()-1]
		shape := append(slices.Clone(lead), y.arr.Shape[1])
		out = productAs(dtype, x.Reshape(volume(lead), y.arr.Shape[0]), y).Reshape(shape...)
	} else {
		out = productAs(dtype, x, y)
	}
	if b.Dim() == 1 {
		out = out.Squeeze(-1)
	}
	if a.Dim() == 1 {
		out = out.Squeeze(out.Dim() - 1 - min(1, b.Dim()-1))
	}
	return out
}

// product multiplies tensors of at least two dimensions that have one dtype.
func product(a, b *Tensor) *Tensor { return productAs(a.DType(), a, b) }

// productAs is product with the dtype of the result given; those of a and b may differ.
func productAs(dtype DType, a, b *Tensor) *Tensor {
	var buf [device.MaxDims]int
	da, db := a.Dim(), b.Dim()
	shape := broadcastBut("matmul", 2, buf[:0], a.arr.Shape, b.arr.Shape)
	shape = append(shape, a.arr.Shape[da-2], b.arr.Shape[db-1])
	out := empty("matmul", a.Device(), dtype, shape)
	a.backend("matmul").MatMul(&out.arr, &a.arr, &b.arr, device.Epilogue{})
	if n := record("matmul", out, productGrad, a, b); n != nil {
		n.keep(n.unless(1, a), n.unless(0, b))
	}
	return out
}

// productGrad: ∂(A·B): dA = G·Bᵀ, dB = Aᵀ·G. Where the input was broadcast, the engine still has to
// sum, and rounds after that.
func productGrad(n *node, g *Tensor, i int) *Tensor {
	in := n.inputs[i]
	dtype, d := in.dtype, len(in.shape)
	if len(g.arr.Shape) != d || !equalInts(g.arr.Shape[:d-2], in.shape[:d-2]) {
		dtype = wide(dtype)
	}
	if i == 0 {
		return productAs(dtype, g, n.get(1).T())
	}
	return productAs(dtype, n.get(0).T(), g)
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
