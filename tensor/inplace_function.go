package tensor

import "halfnote/tensor/internal/device"

// This file implements the in-place forms of functions, activations and what goes along one
// dimension.

// The names under which they appear in messages about kept tensors.
var (
	nameSin         = "SinInPlace"
	nameCos         = "CosInPlace"
	nameTan         = "TanInPlace"
	nameAsin        = "AsinInPlace"
	nameAcos        = "AcosInPlace"
	nameAtan        = "AtanInPlace"
	nameSinh        = "SinhInPlace"
	nameCosh        = "CoshInPlace"
	nameErf         = "ErfInPlace"
	nameErfinv      = "ErfinvInPlace"
	nameExpm1       = "Expm1InPlace"
	nameLog1p       = "Log1pInPlace"
	nameLog2        = "Log2InPlace"
	nameLog10       = "Log10InPlace"
	nameFloor       = "FloorInPlace"
	nameCeil        = "CeilInPlace"
	nameRound       = "RoundInPlace"
	nameTrunc       = "TruncInPlace"
	nameSiLU        = "SiLUInPlace"
	nameMish        = "MishInPlace"
	nameHardswish   = "HardswishInPlace"
	nameHardsigmoid = "HardsigmoidInPlace"
	nameELU         = "ELUInPlace"
	nameLeakyReLU   = "LeakyReLUInPlace"
	nameHardtanh    = "HardtanhInPlace"
	nameClampMin    = "ClampMinInPlace"
	nameClampMax    = "ClampMaxInPlace"
	nameAtan2       = "Atan2InPlace"
	nameFmod        = "FmodInPlace"
	nameRemainder   = "RemainderInPlace"
	nameCumsum      = "CumsumInPlace"
	nameCumprod     = "CumprodInPlace"
)

// SinInPlace takes the sine of the elements of t and returns t.
func (t *Tensor) SinInPlace() *Tensor {
	return t.unaryInPlace(&nameSin, device.Sin, (*Tensor).Sin)
}

// CosInPlace takes the cosine of the elements of t and returns t.
func (t *Tensor) CosInPlace() *Tensor {
	return t.unaryInPlace(&nameCos, device.Cos, (*Tensor).Cos)
}

// TanInPlace takes the tangent of the elements of t and returns t.
func (t *Tensor) TanInPlace() *Tensor {
	return t.unaryInPlace(&nameTan, device.Tan, (*Tensor).Tan)
}

// AsinInPlace takes the arc sine of the elements of t and returns t.
func (t *Tensor) AsinInPlace() *Tensor {
	return t.unaryInPlace(&nameAsin, device.Asin, (*Tensor).Asin)
}

// AcosInPlace takes the arc cosine of the elements of t and returns t.
func (t *Tensor) AcosInPlace() *Tensor {
	return t.unaryInPlace(&nameAcos, device.Acos, (*Tensor).Acos)
}

// AtanInPlace takes the arc tangent of the elements of t and returns t.
func (t *Tensor) AtanInPlace() *Tensor {
	return t.unaryInPlace(&nameAtan, device.Atan, (*Tensor).Atan)
}

// SinhInPlace takes the hyperbolic sine of the elements of t and returns t.
func (t *Tensor) SinhInPlace() *Tensor {
	return t.unaryInPlace(&nameSinh, device.Sinh, (*Tensor).Sinh)
}

// CoshInPlace takes the hyperbolic cosine of the elements of t and returns t.
func (t *Tensor) CoshInPlace() *Tensor {
	return t.unaryInPlace(&nameCosh, device.Cosh, (*Tensor).Cosh)
}

// ErfInPlace takes the error function of the elements of t and returns t.
func (t *Tensor) ErfInPlace() *Tensor {
	return t.unaryInPlace(&nameErf, device.Erf, (*Tensor).Erf)
}

// ErfinvInPlace takes the inverse error function of the elements of t and returns t.
func (t *Tensor) ErfinvInPlace() *Tensor {
	return t.unaryInPlace(&nameErfinv, device.Erfinv, (*Tensor).Erfinv)
}

// Expm1InPlace replaces each element x of t by eˣ − 1 and returns t.
func (t *Tensor) Expm1InPlace() *Tensor {
	return t.unaryInPlace(&nameExpm1, device.Expm1, (*Tensor).Expm1)
}

// Log1pInPlace replaces each element x of t by log(1 + x) and returns t.
func (t *Tensor) Log1pInPlace() *Tensor {
	return t.unaryInPlace(&nameLog1p, device.Log1p, (*Tensor).Log1p)
}

// Log2InPlace takes the logarithm to the base 2 of the elements of t and returns t.
func (t *Tensor) Log2InPlace() *Tensor {
	return t.unaryInPlace(&nameLog2, device.Log2, (*Tensor).Log2)
}

// Log10InPlace takes the logarithm to the base 10 of the elements of t and returns t.
func (t *Tensor) Log10InPlace() *Tensor {
	return t.unaryInPlace(&nameLog10, device.Log10, (*Tensor).Log10)
}

// FloorInPlace rounds the elements of t down and returns t.
func (t *Tensor) FloorInPlace() *Tensor {
	return t.unaryInPlace(&nameFloor, device.Floor, (*Tensor).Floor)
}

// CeilInPlace rounds the elements of t up and returns t.
func (t *Tensor) CeilInPlace() *Tensor {
	return t.unaryInPlace(&nameCeil, device.Ceil, (*Tensor).Ceil)
}

// RoundInPlace rounds the elements of t to the nearest integers, of two to the even one, and
// returns t.
func (t *Tensor) RoundInPlace() *Tensor {
	return t.unaryInPlace(&nameRound, device.Round, (*Tensor).Round)
}

// TruncInPlace cuts the fractions of the elements of t off and returns t.
func (t *Tensor) TruncInPlace() *Tensor {
	return t.unaryInPlace(&nameTrunc, device.Trunc, (*Tensor).Trunc)
}

// SiLUInPlace replaces each element x of t by x·σ(x) and returns t.
func (t *Tensor) SiLUInPlace() *Tensor { return t.rewrite(&nameSiLU, (*Tensor).SiLU) }

// MishInPlace replaces each element x of t by x·tanh(log(1 + eˣ)) and returns t.
func (t *Tensor) MishInPlace() *Tensor { return t.rewrite(&nameMish, (*Tensor).Mish) }

// HardswishInPlace replaces each element x of t by x·min(max(x + 3, 0), 6)/6 and returns t.
func (t *Tensor) HardswishInPlace() *Tensor {
	return t.rewrite(&nameHardswish, (*Tensor).Hardswish)
}

// HardsigmoidInPlace replaces each element x of t by min(max(x + 3, 0), 6)/6 and returns t.
func (t *Tensor) HardsigmoidInPlace() *Tensor {
	return t.rewrite(&nameHardsigmoid, (*Tensor).Hardsigmoid)
}

// ELUInPlace replaces each element x ≤ 0 of t by alpha·(eˣ − 1) and returns t.
func (t *Tensor) ELUInPlace(alpha float64) *Tensor {
	return t.rewrite(&nameELU, func(x *Tensor) *Tensor { return x.ELU(alpha) })
}

// LeakyReLUInPlace multiplies the negative elements of t by slope and returns t.
func (t *Tensor) LeakyReLUInPlace(slope float64) *Tensor {
	return t.rewrite(&nameLeakyReLU, func(x *Tensor) *Tensor { return x.LeakyReLU(slope) })
}

// HardtanhInPlace limits the elements of t to low … high and returns t.
func (t *Tensor) HardtanhInPlace(low, high float64) *Tensor {
	return t.rewrite(&nameHardtanh, func(x *Tensor) *Tensor { return x.Hardtanh(low, high) })
}

// ClampMinInPlace raises the elements of t below low to it and returns t.
func (t *Tensor) ClampMinInPlace(low float64) *Tensor {
	return t.rewrite(&nameClampMin, func(x *Tensor) *Tensor { return x.ClampMin(low) })
}

// ClampMaxInPlace lowers the elements of t above high to it and returns t.
func (t *Tensor) ClampMaxInPlace(high float64) *Tensor {
	return t.rewrite(&nameClampMax, func(x *Tensor) *Tensor { return x.ClampMax(high) })
}

// Atan2InPlace replaces each element y of t by the angle of the point (other, y) and returns t.
func (t *Tensor) Atan2InPlace(other *Tensor) *Tensor {
	return t.rewrite(&nameAtan2, func(x *Tensor) *Tensor { return x.Atan2(other) })
}

// FmodInPlace replaces the elements of t by what [Tensor.Fmod] leaves of them and returns t.
func (t *Tensor) FmodInPlace(other any) *Tensor {
	return t.rewrite(&nameFmod, func(x *Tensor) *Tensor { return x.Fmod(other) })
}

// RemainderInPlace replaces the elements of t by what [Tensor.Remainder] leaves of them and returns
// t.
func (t *Tensor) RemainderInPlace(other any) *Tensor {
	return t.rewrite(&nameRemainder, func(x *Tensor) *Tensor { return x.Remainder(other) })
}

// CumsumInPlace replaces the elements of t by the sums up to each along axis and returns t.
func (t *Tensor) CumsumInPlace(axis int) *Tensor {
	return t.rewrite(&nameCumsum, func(x *Tensor) *Tensor { return x.Cumsum(axis) })
}

// CumprodInPlace replaces the elements of t by the products up to each along axis and returns t.
func (t *Tensor) CumprodInPlace(axis int) *Tensor {
	return t.rewrite(&nameCumprod, func(x *Tensor) *Tensor { return x.Cumprod(axis) })
}
