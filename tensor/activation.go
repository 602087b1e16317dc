package tensor

import "halfnote/tensor/internal/device"

// This file implements the activations: the functions between the layers of a network.

// An activation is a function f of one tensor, or a derivative of it, in one step on the device:
// f(x) for order 0, else g·f⁽ᵒʳᵈᵉʳ⁾(x). p and q are parameters of f.
type activation struct {
	op    string
	code  device.Activation
	order int
	p, q  float64
}

// of computes the function of x. Autocast has been asked.
func (a activation) of(x *Tensor) *Tensor {
	if !x.DType().IsFloat() {
		fail(a.op, "values of %s; floating point is needed, which To gives", x.DType())
	}
	out := empty(a.op, x.Device(), x.DType(), x.arr.Shape)
	x.backend(a.op).Activate(a.code, 0, &out.arr, &x.arr, nil, a.p, a.q)
	if n := record(a.op, out, a.grad, x); n != nil {
		n.keep(x)
	}
	return out
}

// grad is the rule of the function itself.
func (a activation) grad(n *node, g *Tensor, _ int) *Tensor {
	a.order = 1
	return a.times(n.get(0), g)
}

// times computes g times the derivative at x.
func (a activation) times(x, g *Tensor) *Tensor {
	if a.order > device.MaxOrder {
		fail(a.op, "its derivatives go up to order %d", device.MaxOrder)
	}
	op := a.op + "_backward"
	out := empty(op, x.Device(), promoteTensors(x, g), x.arr.Shape)
	x.backend(op).Activate(a.code, a.order, &out.arr, &x.arr, &g.arr, a.p, a.q)
	if n := record(op, out, a.timesGrad, x, g); n != nil {
		n.keep(x, n.unless(0, g))
	}
	return out
}

// timesGrad: g·f⁽ᵏ⁾(x) has the derivatives g·f⁽ᵏ⁺¹⁾(x) and f⁽ᵏ⁾(x).
func (a activation) timesGrad(n *node, gg *Tensor, i int) *Tensor {
	if i == 0 {
		a.order++
		gg = gg.widen().Mul(n.wide(1))
	}
	return a.times(n.get(0), gg)
}

// GELU returns t·Φ(t), where Φ is the distribution of the normal distribution; or with "tanh" the
// approximation ½t·(1 + tanh(√(2/π)·(t + 0.044715·t³))).
func (t *Tensor) GELU(approximate ...string) *Tensor {
	a := activation{op: "gelu", code: device.GELU}
	switch how := one("gelu", approximate); how {
	case "", "none":
	case "tanh":
		a.code = device.GELUTanh
	default:
		fail("gelu", "approximation %q; it is tanh or none", how)
	}
	return a.of(cast("gelu", t))
}

// SiLU returns t·σ(t), σ being the logistic function; it is also known as swish.
func (t *Tensor) SiLU() *Tensor {
	return activation{op: "silu", code: device.SiLU}.of(cast("silu", t))
}

// Softplus returns log(1 + e^(beta·t))/beta, and t itself where beta·t > threshold. PyTorch's
// defaults are 1 and 20.
func (t *Tensor) Softplus(beta, threshold float64) *Tensor {
	a := activation{op: "softplus", code: device.Softplus, p: beta, q: threshold}
	return a.of(cast("softplus", t))
}

// LogSigmoid returns log σ(t), computed so that nothing overflows.
func (t *Tensor) LogSigmoid() *Tensor {
	return activation{op: "logsigmoid", code: device.LogSigmoid}.of(cast("log_sigmoid", t))
}

// Mish returns t·tanh(log(1 + eᵗ)).
func (t *Tensor) Mish() *Tensor {
	return activation{op: "mish", code: device.Mish}.of(cast("mish", t))
}

// ELU returns t where t > 0, else alpha·(eᵗ − 1). PyTorch's default is 1.
func (t *Tensor) ELU(alpha float64) *Tensor {
	return activation{op: "elu", code: device.ELU, p: alpha}.of(cast("elu", t))
}

// LeakyReLU returns t where t > 0, else slope·t; its gradient at 0 is slope. PyTorch's default is
// 0.01.
func (t *Tensor) LeakyReLU(slope float64) *Tensor {
	a := activation{op: "leaky_relu", code: device.LeakyReLU, p: slope}
	return a.of(cast("leaky_relu", t))
}

// Hardtanh returns t limited to low … high; its gradient is 0 at both and outside. PyTorch's
// defaults are −1 and 1.
func (t *Tensor) Hardtanh(low, high float64) *Tensor {
	if low > high {
		fail("hardtanh", "the lower limit %v is above the upper limit %v", low, high)
	}
	a := activation{op: "hardtanh", code: device.Hardtanh, p: low, q: high}
	return a.of(cast("hardtanh", t))
}

// Hardswish returns t·min(max(t + 3, 0), 6)/6.
func (t *Tensor) Hardswish() *Tensor {
	return activation{op: "hardswish", code: device.Hardswish}.of(cast("hardswish", t))
}

// Hardsigmoid returns min(max(t + 3, 0), 6)/6.
func (t *Tensor) Hardsigmoid() *Tensor {
	return activation{op: "hardsigmoid", code: device.Hardsigmoid}.of(cast("hardsigmoid", t))
}

// PReLU returns t where t > 0, else weight·t. weight has one element, or one for each channel: each
// position of dimension 1. Autocast computes it in the region's dtype.
func (t *Tensor) PReLU(weight *Tensor) *Tensor {
	args := castAll("prelu", 2, []*Tensor{t, weight})
	t, weight = args[0], args[1]
	sameDType("prelu", t, weight)
	if n := weight.Numel(); n != 1 {
		if weight.Dim() != 1 || t.Dim() < 2 || t.Size(1) != n {
			fail("prelu", "weight of shape %v for an input of shape %v; it has one element, or "+
				"one for each position of dimension 1", weight.arr.Shape, t.arr.Shape)
		}
	}
	return composed(func() *Tensor {
		x, w := t.widen(), weight.widen()
		if w.Numel() == 1 {
			w = w.Reshape()
		} else {
			w = alongAxis(w, 1, x.Dim())
		}
		positive := x.Gt(0)
		rest := Where(positive, full(x, 0), x) // an infinite x gives the weight no NaN
		return Where(positive, x, rest.Mul(w)).To(t.DType())
	})
}

// Tanh returns the hyperbolic tangent.
func (t *Tensor) Tanh() *Tensor { return fromOutput("tanh", device.Tanh, tanhGrad, t) }

// tanhGrad: g·(1 − y²), in one op so that 16-bit formats round once.
func tanhGrad(n *node, g *Tensor, _ int) *Tensor {
	return fused("tanh_backward", device.TanhGrad, n.get(0), g, tanhGradGrad)
}

func tanhGradGrad(n *node, gg *Tensor, i int) *Tensor {
	if i == 1 {
		return fused("tanh_backward", device.TanhGrad, n.get(0), gg, tanhGradGrad)
	}
	return gg.widen().Mul(n.wide(1)).Mul(n.wide(0)).Mul(-2)
}

// Sigmoid returns 1/(1 + e⁻ᵗ).
func (t *Tensor) Sigmoid() *Tensor {
	return fromOutput("sigmoid", device.Sigmoid, sigmoidGrad, t)
}

// sigmoidGrad: g·y·(1 − y), in one op so that 16-bit formats round once.
func sigmoidGrad(n *node, g *Tensor, _ int) *Tensor {
	return fused("sigmoid_backward", device.SigmoidGrad, n.get(0), g, sigmoidGradGrad)
}

func sigmoidGradGrad(n *node, gg *Tensor, i int) *Tensor {
	if i == 1 {
		return fused("sigmoid_backward", device.SigmoidGrad, n.get(0), gg, sigmoidGradGrad)
	}
	return gg.widen().Mul(n.wide(1)).Mul(n.wide(0).Mul(-2).Add(1))
}

// ReLU returns max(t, 0); its gradient at 0 is 0.
func (t *Tensor) ReLU() *Tensor {
	t = cast("relu", t)
	out := unary("relu", device.ReLU, t, t.DType(), 0)
	if n := record("relu", out, reluGrad, t); n != nil {
		n.keep(out)
	}
	return out
}

func reluGrad(n *node, g *Tensor, _ int) *Tensor {
	return fused("relu_backward", device.ReLUGrad, n.get(0), g, reluGradGrad)
}

func reluGradGrad(n *node, gg *Tensor, i int) *Tensor {
	if i == 0 {
		return ZerosLike(n.get(0))
	}
	return fused("relu_backward", device.ReLUGrad, n.get(0), gg, reluGradGrad)
}

// fused computes an activation's gradient of the output y and the gradient g.
func fused(op string, code device.BinaryOp, y, g *Tensor, r rule) *Tensor {
	out := binary(op, code, y, g, 0)
	if n := record(op, out, r, y, g); n != nil {
		n.keep(y, g)
	}
	return out
}
