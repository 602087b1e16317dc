package tensor

import (
	"math"

	"halfnote/tensor/internal/device"
)

// This file implements the functions of angles, circular and hyperbolic, and the error function.
// Integers give Float32.

// Sin returns the sine of radians.
func (t *Tensor) Sin() *Tensor { return fromInput("sin", device.Sin, sinGrad, t) }

func sinGrad(n *node, g *Tensor, _ int) *Tensor { return g.widen().Mul(n.wide(0).Cos()) }

// Cos returns the cosine of radians.
func (t *Tensor) Cos() *Tensor { return fromInput("cos", device.Cos, cosGrad, t) }

func cosGrad(n *node, g *Tensor, _ int) *Tensor { return g.widen().Mul(n.wide(0).Sin()).Neg() }

// Tan returns the tangent of radians.
func (t *Tensor) Tan() *Tensor { return fromOutput("tan", device.Tan, tanGrad, t) }

func tanGrad(n *node, g *Tensor, _ int) *Tensor {
	return g.widen().Mul(n.wide(0).Square().Add(1))
}

// Asin returns the angle between −π/2 and π/2 whose sine is t; NaN outside of −1 … 1.
func (t *Tensor) Asin() *Tensor { return fromInput("asin", device.Asin, asinGrad, t) }

// asinGrad: 1/√(1 − x²).
func asinGrad(n *node, g *Tensor, _ int) *Tensor {
	return g.widen().Mul(n.wide(0).Square().Neg().Add(1).Rsqrt())
}

// Acos returns the angle between 0 and π whose cosine is t; NaN outside of −1 … 1.
func (t *Tensor) Acos() *Tensor { return fromInput("acos", device.Acos, acosGrad, t) }

func acosGrad(n *node, g *Tensor, i int) *Tensor { return asinGrad(n, g, i).Neg() }

// Atan returns the angle between −π/2 and π/2 whose tangent is t.
func (t *Tensor) Atan() *Tensor { return fromInput("atan", device.Atan, atanGrad, t) }

func atanGrad(n *node, g *Tensor, _ int) *Tensor {
	return g.widen().Div(n.wide(0).Square().Add(1))
}

// Atan2 returns the angle of the point (other, t), between −π and π, with broadcasting. Under
// autocast both take the wider dtype.
func (t *Tensor) Atan2(other *Tensor) *Tensor {
	t, other = cast2("atan2", t, other)
	out := binary("atan2", device.Atan2, t, other, floating(promoteTensors(t, other)))
	if n := record("atan2", out, atan2Grad, t, other); n != nil {
		n.keep(t, other)
	}
	return out
}

// atan2Grad: ∂/∂y = x/(x² + y²), ∂/∂x = −y/(x² + y²), and 0 where both are 0.
func atan2Grad(n *node, g *Tensor, i int) *Tensor {
	y, x := n.wide(0), n.wide(1)
	square := x.Square().Add(y.Square())
	g = g.widen().Div(square.MaskedFill(square.Eq(0), math.Inf(1)))
	if i == 0 {
		return g.Mul(x)
	}
	return g.Mul(y).Neg()
}

// Sinh returns the hyperbolic sine.
func (t *Tensor) Sinh() *Tensor { return fromInput("sinh", device.Sinh, sinhGrad, t) }

func sinhGrad(n *node, g *Tensor, _ int) *Tensor { return g.widen().Mul(n.wide(0).Cosh()) }

// Cosh returns the hyperbolic cosine.
func (t *Tensor) Cosh() *Tensor { return fromInput("cosh", device.Cosh, coshGrad, t) }

func coshGrad(n *node, g *Tensor, _ int) *Tensor { return g.widen().Mul(n.wide(0).Sinh()) }

// Erf returns the error function, 2/√π times the integral of e^(−x²) from 0 to t.
func (t *Tensor) Erf() *Tensor { return fromInput("erf", device.Erf, erfGrad, t) }

func erfGrad(n *node, g *Tensor, _ int) *Tensor {
	return g.widen().Mul(n.wide(0).Square().Neg().Exp().Mul(2 / math.SqrtPi))
}

// Erfinv returns the number whose error function is t; ±∞ at ±1 and NaN outside of them.
func (t *Tensor) Erfinv() *Tensor { return fromOutput("erfinv", device.Erfinv, erfinvGrad, t) }

// erfinvGrad: ½√π·e^(y²).
func erfinvGrad(n *node, g *Tensor, _ int) *Tensor {
	return g.widen().Mul(n.wide(0).Square().Exp().Mul(math.SqrtPi / 2))
}
