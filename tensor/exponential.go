package tensor

import (
	"math"

	"halfnote/tensor/internal/device"
)

// This file implements exponentials and logarithms.

// Exp returns eᵗ.
func (t *Tensor) Exp() *Tensor { return fromOutput("exp", device.Exp, expGrad, t) }

func expGrad(n *node, g *Tensor, _ int) *Tensor { return g.Mul(n.get(0)) }

// Log returns the natural logarithm.
func (t *Tensor) Log() *Tensor { return fromInput("log", device.Log, logGrad, t) }

func logGrad(n *node, g *Tensor, _ int) *Tensor { return g.Div(n.get(0)) }

// Expm1 returns eᵗ − 1, exactly also where t is small.
func (t *Tensor) Expm1() *Tensor { return fromOutput("expm1", device.Expm1, expm1Grad, t) }

func expm1Grad(n *node, g *Tensor, _ int) *Tensor { return g.widen().Mul(n.wide(0).Add(1)) }

// Log1p returns log(1 + t), exactly also where t is small.
func (t *Tensor) Log1p() *Tensor { return fromInput("log1p", device.Log1p, log1pGrad, t) }

func log1pGrad(n *node, g *Tensor, _ int) *Tensor { return g.widen().Div(n.wide(0).Add(1)) }

// Log2 returns the logarithm to the base 2.
func (t *Tensor) Log2() *Tensor { return fromInput("log2", device.Log2, log2Grad, t) }

func log2Grad(n *node, g *Tensor, _ int) *Tensor { return g.widen().Div(n.wide(0).Mul(math.Ln2)) }

// Log10 returns the logarithm to the base 10.
func (t *Tensor) Log10() *Tensor { return fromInput("log10", device.Log10, log10Grad, t) }

func log10Grad(n *node, g *Tensor, _ int) *Tensor {
	return g.widen().Div(n.wide(0).Mul(math.Ln10))
}
