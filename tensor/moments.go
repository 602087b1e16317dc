package tensor

import (
	"math"

	"halfnote/tensor/internal/device"
)

// This file implements the reductions that are made of powers of the elements.

// folded is reductionBy in the type that is wide for dtype, which is a floating one.
func (t *Tensor) folded(op string, code device.ReduceOp, dtype DType, p float64, axes []int) (
	out *Tensor, kept []int) {
	if !dtype.IsFloat() {
		fail(op, "values of %s; floating point is needed, which To gives", t.DType())
	}
	return t.reductionBy(op, code, wide(dtype), p, axes)
}

// A VarConfig changes how a variance is computed.
type VarConfig struct {
	Correction *float64 // what is taken from the number of elements to divide by; nil means 1
}

func (c VarConfig) correction() float64 {
	if c.Correction == nil {
		return 1
	}
	return *c.Correction
}

// Var returns the variance over axes, or of all elements: the squared distances from the mean,
// added and divided by one less than their number. Of one element it is NaN.
func (t *Tensor) Var(axes ...int) *Tensor { return t.VarWith(VarConfig{}, axes...) }

// VarWith is Var with another divisor: the number of elements less c.Correction, or 0 where that is
// negative. A correction of 0 gives the mean of the squared distances.
func (t *Tensor) VarWith(c VarConfig, axes ...int) *Tensor {
	t = cast("var", t)
	return t.variance("var", c.correction(), axes).To(t.DType())
}

// variance computes it in the wide type.
func (t *Tensor) variance(op string, correction float64, axes []int) *Tensor {
	out, kept := t.folded(op, device.Var, t.DType(), correction, axes)
	if n := record(op, out, varGrad, t); n != nil {
		n.keep(t)
		n.ints, n.number = kept, correction
	}
	return out
}

// varGrad: 2·(x − mean)/(n − correction).
func varGrad(n *node, g *Tensor, _ int) *Tensor {
	x := n.wide(0)
	count := float64(x.Numel()) / float64(max(1, g.Numel()))
	mean := x.sumTo(n.ints).Div(count)
	return x.Sub(mean).Mul(g.Reshape(n.ints...).Mul(2 / max(0, count-n.number)))
}

// Std returns the standard deviation over axes, or of all elements: the root of [Tensor.Var]. Where
// it is 0, so is the gradient.
func (t *Tensor) Std(axes ...int) *Tensor { return t.StdWith(VarConfig{}, axes...) }

// StdWith is Std with another divisor; see VarWith.
func (t *Tensor) StdWith(c VarConfig, axes ...int) *Tensor {
	t = cast("std", t)
	return composed(func() *Tensor {
		return t.variance("std", c.correction(), axes).safeSqrt().To(t.DType())
	})
}

// safeSqrt is the square root with a gradient of 0 at 0.
func (t *Tensor) safeSqrt() *Tensor {
	out := unary("sqrt", device.Sqrt, t, t.DType(), 0)
	if n := record("sqrt", out, rootGrad, t); n != nil {
		n.keep(out)
	}
	return out
}

func rootGrad(n *node, g *Tensor, _ int) *Tensor {
	y := n.wide(0)
	flat := y.Eq(0)
	y = Where(flat, full(y, 1), y)
	return Where(flat, full(g, 0), g.Div(y.Mul(2)))
}

// VarMean returns the variance, as [Tensor.Var], and the mean.
func (t *Tensor) VarMean(axes ...int) (variance, mean *Tensor) {
	return t.Var(axes...), t.Mean(axes...)
}

// Norm returns (Σ|t|ᵖ)^(1/p) over axes, or of all elements. An infinite p gives the largest |t|, or
// with −∞ the smallest; p = 0 counts the elements that are not 0. Sums are kept in float64, so that
// no float32 overflows on the way. The gradient at 0 is 0.
func (t *Tensor) Norm(p float64, axes ...int) *Tensor { return t.NormAs(0, p, axes...) }

// NormAs is Norm with the dtype of the result given; zero means t's, and Float32 where autocast
// says so.
func (t *Tensor) NormAs(dtype DType, p float64, axes ...int) *Tensor {
	t, dtype = castDType("norm", t, dtype)
	if dtype == 0 {
		dtype = t.DType()
	}
	return t.norm(dtype, p, axes).To(dtype)
}

// norm computes it in the type that is wide for dtype.
func (t *Tensor) norm(dtype DType, p float64, axes []int) *Tensor {
	if p != p {
		fail("norm", "the order is NaN")
	}
	if p < 0 || math.IsInf(p, 1) {
		kept, _ := t.reduceShape("norm", axes)
		t.mustHave("norm", kept)
	}
	out, kept := t.folded("norm", device.PNorm, dtype, p, axes)
	if n := record("norm", out, normGrad, t); n != nil {
		n.keep(t, out)
		n.ints, n.number = kept, p
	}
	return out
}

// normGrad: sign(x)·(|x|/norm)^(p−1), and 0 where the norm is 0. A largest element shares with its
// equals.
func normGrad(n *node, g *Tensor, _ int) *Tensor {
	x, y, p := n.wide(0), n.wide(1).Reshape(n.ints...), n.number
	g = g.widen().Reshape(n.ints...)
	switch {
	case p == 0:
		return ZerosLike(x)
	case p == 1:
		return g.Mul(x.Sign())
	case math.IsInf(p, 0):
		chosen := x.Abs().Eq(y).To(x.DType())
		return g.Mul(x.Sign()).Mul(chosen).Div(chosen.sumTo(n.ints))
	}
	flat := y.Eq(0)
	safe := Where(flat, full(y, 1), y)
	if p == 2 {
		return Where(flat, full(y, 0), g.Div(safe)).Mul(x)
	}
	if p < 2 {
		flat = flat.Or(x.Eq(0)) // where the power would be infinite
		x = Where(flat, full(x, 1), x)
	}
	d := x.Sign().Mul(x.Abs().Div(safe).Pow(p - 1))
	return Where(flat, full(g, 0), g.Mul(d))
}

// Logsumexp returns log Σeᵗ over axes, or of all elements, computed so that nothing overflows. Of
// elements that are all −∞ it is −∞, with a gradient of 0.
func (t *Tensor) Logsumexp(axes ...int) *Tensor {
	t = cast("logsumexp", t)
	if !t.DType().IsFloat() {
		t = t.To(Float32)
	}
	out, kept := t.folded("logsumexp", device.LogSumExp, t.DType(), 0, axes)
	if n := record("logsumexp", out, logSumExpGrad, t); n != nil {
		n.keep(t, out)
		n.ints = kept
	}
	return out.To(t.DType())
}

func logSumExpGrad(n *node, g *Tensor, _ int) *Tensor {
	y := n.wide(1).Reshape(n.ints...)
	y = Where(y.Eq(math.Inf(-1)), full(y, 0), y)
	return n.wide(0).Sub(y).Exp().Mul(g.widen().Reshape(n.ints...))
}

// Normalize returns t divided by its norm of order p along axis, or by eps where the norm is
// smaller. PyTorch's defaults are 2, 1 and 1e-12.
func (t *Tensor) Normalize(p float64, axis int, eps ...float64) *Tensor {
	least := one("normalize", eps)
	if len(eps) == 0 {
		least = 1e-12
	}
	kept, _ := t.reduceShape("normalize", []int{axis})
	_, dtype := castDType("norm", t, 0)
	if dtype == 0 {
		dtype = t.DType()
	}
	dtype = promote(t.DType(), dtype)
	return widely(dtype, func(x []*Tensor) *Tensor {
		return x[0].Div(x[0].norm(x[0].DType(), p, []int{axis}).Reshape(kept...).ClampMin(least))
	}, t)
}

// CosineSimilarity returns a·b/(‖a‖·‖b‖) along axis, with broadcasting; each norm is eps where it
// is smaller. PyTorch's defaults are axis 1 and 1e-8.
func CosineSimilarity(a, b *Tensor, axis int, eps ...float64) *Tensor {
	least := one("cosine_similarity", eps)
	if len(eps) == 0 {
		least = 1e-8
	}
	a, b = cast2("cosine_similarity", a, b)
	return widely(floating(promoteTensors(a, b)), func(x []*Tensor) *Tensor {
		a, b := x[0], x[1]
		shape := broadcast("cosine_similarity", nil, a.arr.Shape, b.arr.Shape)
		axis := checkAxis("cosine_similarity", axis, max(1, len(shape)), shape)
		if len(shape) == 0 {
			shape = []int{1}
		}
		a, b = a.Expand(shape...), b.Expand(shape...)
		unit := func(x *Tensor) *Tensor {
			return x.Div(x.norm(x.DType(), 2, []int{axis}).ClampMin(least).Unsqueeze(axis))
		}
		return unit(a).Mul(unit(b)).Sum(axis)
	}, a, b)
}
