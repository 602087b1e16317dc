package tensor

import "halfnote/tensor/internal/device"

// This file implements the in-place forms of ops that have no write of their own on the device.

// The names under which they appear in messages about kept tensors.
var (
	nameNeg        = "NegInPlace"
	nameAbs        = "AbsInPlace"
	nameExp        = "ExpInPlace"
	nameLog        = "LogInPlace"
	nameSqrt       = "SqrtInPlace"
	nameRsqrt      = "RsqrtInPlace"
	nameReciprocal = "ReciprocalInPlace"
	nameSquare     = "SquareInPlace"
	nameSigmoid    = "SigmoidInPlace"
	nameTanh       = "TanhInPlace"
	nameReLU       = "ReLUInPlace"
	namePow        = "PowInPlace"
	nameClamp      = "ClampInPlace"
	nameMinimum    = "MinimumInPlace"
	nameLerp       = "LerpInPlace"
	nameMaskedFill = "MaskedFillInPlace"
)

// unaryInPlace computes t = f(t), on the device by code where nothing is recorded.
func (t *Tensor) unaryInPlace(name *string, code device.UnaryOp,
	f func(x *Tensor) *Tensor) *Tensor {
	if !t.DType().IsFloat() || t.byRewrite() {
		return t.rewrite(name, f)
	}
	t.writable(*name)
	t.backend(*name).Unary(code, &t.arr, &t.arr, 0)
	t.wrote(name)
	return t
}

// NegInPlace negates the elements of t and returns t.
func (t *Tensor) NegInPlace() *Tensor {
	return t.unaryInPlace(&nameNeg, device.Neg, (*Tensor).Neg)
}

// AbsInPlace drops the signs of the elements of t and returns t.
func (t *Tensor) AbsInPlace() *Tensor {
	return t.unaryInPlace(&nameAbs, device.Abs, (*Tensor).Abs)
}

// ExpInPlace replaces each element x of t by eˣ and returns t.
func (t *Tensor) ExpInPlace() *Tensor {
	return t.unaryInPlace(&nameExp, device.Exp, (*Tensor).Exp)
}

// LogInPlace takes the natural logarithm of the elements of t and returns t.
func (t *Tensor) LogInPlace() *Tensor {
	return t.unaryInPlace(&nameLog, device.Log, (*Tensor).Log)
}

// SqrtInPlace takes the square root of the elements of t and returns t.
func (t *Tensor) SqrtInPlace() *Tensor {
	return t.unaryInPlace(&nameSqrt, device.Sqrt, (*Tensor).Sqrt)
}

// RsqrtInPlace replaces each element x of t by 1/√x and returns t.
func (t *Tensor) RsqrtInPlace() *Tensor {
	return t.unaryInPlace(&nameRsqrt, device.Rsqrt, (*Tensor).Rsqrt)
}

// ReciprocalInPlace replaces each element x of t by 1/x and returns t.
func (t *Tensor) ReciprocalInPlace() *Tensor {
	return t.unaryInPlace(&nameReciprocal, device.Reciprocal, (*Tensor).Reciprocal)
}

// SquareInPlace squares the elements of t and returns t.
func (t *Tensor) SquareInPlace() *Tensor { return t.rewrite(&nameSquare, (*Tensor).Square) }

// SigmoidInPlace replaces each element x of t by 1/(1 + e⁻ˣ) and returns t.
func (t *Tensor) SigmoidInPlace() *Tensor {
	return t.unaryInPlace(&nameSigmoid, device.Sigmoid, (*Tensor).Sigmoid)
}

// TanhInPlace takes the hyperbolic tangent of the elements of t and returns t.
func (t *Tensor) TanhInPlace() *Tensor {
	return t.unaryInPlace(&nameTanh, device.Tanh, (*Tensor).Tanh)
}

// ReLUInPlace raises negative elements of t to zero and returns t.
func (t *Tensor) ReLUInPlace() *Tensor {
	return t.unaryInPlace(&nameReLU, device.ReLU, (*Tensor).ReLU)
}

// PowInPlace raises the elements of t to the power of other, a tensor or a number, and returns t.
func (t *Tensor) PowInPlace(other any) *Tensor {
	return t.rewrite(&namePow, func(x *Tensor) *Tensor { return x.Pow(other) })
}

// ClampInPlace limits the elements of t to low … high and returns t. NaN stays NaN.
func (t *Tensor) ClampInPlace(low, high float64) *Tensor {
	if !t.DType().IsFloat() || t.byRewrite() {
		return t.rewrite(&nameClamp, func(x *Tensor) *Tensor { return x.Clamp(low, high) })
	}
	t.writable(nameClamp)
	t.backend(nameClamp).Unary(device.MaxP, &t.arr, &t.arr, low)
	t.backend(nameClamp).Unary(device.MinP, &t.arr, &t.arr, high)
	t.wrote(&nameClamp)
	return t
}

// MinimumInPlace lowers the elements of t to those of other and returns t.
func (t *Tensor) MinimumInPlace(other *Tensor) *Tensor {
	return t.rewrite(&nameMinimum, func(x *Tensor) *Tensor { return x.Minimum(other) })
}

// LerpInPlace moves t towards end: it adds weight·(end − t) to t and returns t.
func (t *Tensor) LerpInPlace(end *Tensor, weight float64) *Tensor {
	return t.rewrite(&nameLerp, func(x *Tensor) *Tensor { return x.Lerp(end, weight) })
}

// MaskedFillInPlace sets the elements of t where mask, of Bool, is true to v, a number or a tensor
// without dimensions, and returns t. mask is broadcast.
func (t *Tensor) MaskedFillInPlace(mask *Tensor, v any) *Tensor {
	given(nameMaskedFill, t, mask)
	t.fits(nameMaskedFill, mask)
	return t.rewrite(&nameMaskedFill, func(x *Tensor) *Tensor { return x.MaskedFill(mask, v) })
}
