package tensor

import (
	"math"

	"halfnote/tensor/internal/device"
)

// ScatterReduce returns a copy of t in which the elements of src that index sends to one position,
// as ScatterAdd does, are reduced: by sum, prod, mean, amax or amin, together with what t holds
// there if includeSelf is set. Equal extremes share the gradient.
func (t *Tensor) ScatterReduce(axis int, index, src *Tensor, reduce string,
	includeSelf bool) *Tensor {
	const op = "scatter_reduce"
	code, start := device.ScatterAdd, 0.0
	switch reduce {
	case "sum", "mean":
	case "prod":
		code, start = device.ScatterMul, 1
	case "amax":
		code, start = device.ScatterMax, math.Inf(-1)
	case "amin":
		code, start = device.ScatterMin, math.Inf(1)
	default:
		fail(op, "reduction %q; it is sum, prod, mean, amax or amin", reduce)
	}
	if !t.DType().IsFloat() {
		fail(op, "elements of %s; floating point is needed", t.DType())
	}
	if t.Dim() == 0 {
		return t.Reshape(1).ScatterReduce(axis, index.Reshape(-1), src.Reshape(-1), reduce,
			includeSelf).Reshape()
	}
	axis = t.axis(op, axis)
	index = t.checkIndex(op, axis, index)
	sameDType(op, t, src)
	src = src.coveredBy(op, index)
	return composed(func() *Tensor {
		dtype := t.DType()
		x, src := t.To(wide(dtype)), src.To(wide(dtype))
		if !includeSelf {
			zeros := full(x, start).Expand(index.arr.Shape...)
			x = x.scatter(op, device.ScatterPut, axis, index, zeros)
		}
		switch reduce {
		case "sum":
			x = x.scatter(op, code, axis, index, src)
		case "mean":
			x = x.scatter(op, code, axis, index, src).Div(counts(x, axis, index, includeSelf))
		default:
			x = x.scatterFold(op, code, axis, index, src)
		}
		return x.To(dtype)
	})
}

// counts returns how many elements come together at each position of t.
func counts(t *Tensor, axis int, index *Tensor, self bool) *Tensor {
	ones := full(t, 1).Expand(index.arr.Shape...)
	n := zeros("scatter_reduce", t.Device(), t.DType(), t.arr.Shape)
	if self {
		n.backend("scatter_reduce").Fill(&n.arr, 1)
	}
	n = n.scattered("scatter_reduce", device.ScatterAdd, axis, index, ones)
	if !self {
		n.ClampInPlace(1, math.Inf(1)) // where nothing came, t's element stays
	}
	return n
}

// scatterFold computes products and extremes.
func (t *Tensor) scatterFold(op string, code device.ScatterOp, axis int,
	index, src *Tensor) *Tensor {
	out := t.scattered(op, code, axis, index, src)
	r := scatterBestGrad
	if code == device.ScatterMul {
		r = scatterProdGrad
	}
	if n := record(op, out, r, t, src); n != nil {
		n.ints = []int{axis}
		n.keep(index, t, src, out)
	}
	return out
}

// scatterBestGrad shares the gradient among the elements that are the extreme of their position.
func scatterBestGrad(n *node, g *Tensor, i int) *Tensor {
	index, t, src, out := n.get(0), n.get(1), n.get(2), n.get(3)
	axis := n.ints[0]
	self, other := t.Eq(out), src.Eq(out.gather("gather", axis, index))
	d := wide(g.DType())
	share := g.Div(self.To(d).scatter("scatter_add", device.ScatterAdd, axis, index, other.To(d)))
	if i == 0 {
		return Where(self, share, full(share, 0))
	}
	return Where(other, share.gather("gather", axis, index), full(share, 0))
}

// scatterProdGrad multiplies the gradient by the product of all elements of a position but one.
func scatterProdGrad(n *node, g *Tensor, i int) *Tensor {
	const op = "scatter_reduce"
	index, x, out := n.get(0), n.get(1+i), n.get(3)
	axis := n.ints[0]
	t, src := n.get(1).Detach(), n.get(2).Detach()
	d := wide(g.DType())
	zeros := t.Eq(0).To(d).scatter(op, device.ScatterAdd, axis, index, src.Eq(0).To(d))
	if GradEnabled() {
		refuse(op, zeros, "the gradient of a product with a factor of zero has no gradient itself "+
			"here; use CreateGraph only where no factor is zero")
		if i == 1 {
			g, out = g.gather(op, axis, index), out.gather(op, axis, index)
		}
		return g.Mul(out.Div(x))
	}
	one := full(t, 1)
	rest := Where(t.Eq(0), one, t).scattered(op, device.ScatterMul, axis, index,
		Where(src.Eq(0), one, src))
	if i == 1 {
		g, zeros = g.gather(op, axis, index), zeros.gather(op, axis, index)
		rest = rest.gather(op, axis, index)
	}
	others := Where(x.Eq(0), rest, rest.Div(x))
	left := zeros.Sub(x.Eq(0).To(d)) // factors of zero among the others
	return g.Mul(Where(left.Eq(0), others, full(others, 0)))
}
