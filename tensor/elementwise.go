package tensor

import "halfnote/tensor/internal/device"

// operand returns the second operand of an op: a tensor, or a number and whether it is a whole one
// by its Go type.
func operand(op string, v any) (t *Tensor, number float64, whole bool) {
	switch v := v.(type) {
	case *Tensor:
		if v == nil {
			fail(op, "the other tensor is nil")
		}
		return v, 0, false
	case float64:
		return nil, v, false
	case float32:
		return nil, float64(v), false
	case int:
		return nil, float64(v), true
	}
	number, whole, ok := numberOf(v)
	if !ok {
		fail(op, "a %T is neither a *tensor.Tensor nor a number", v)
	}
	return nil, number, whole
}

// sameDevice panics unless the tensors, of which some may be nil, live on one device.
func sameDevice(op string, a, b *Tensor) {
	if b != nil && a.store.device != b.store.device {
		fail(op, "devices %s and %s differ; move one with To", a.Device(), b.Device())
	}
}

// unary computes an op on one tensor; p is the op's parameter.
func unary(op string, code device.UnaryOp, t *Tensor, dtype DType, p float64) *Tensor {
	out := empty(op, t.Device(), dtype, t.arr.Shape)
	t.backend(op).Unary(code, &out.arr, &t.arr, p)
	return out
}

// binary computes an op on two tensors that are broadcast; dtype 0 means the promoted one.
func binary(op string, code device.BinaryOp, a, b *Tensor, dtype DType) *Tensor {
	sameDevice(op, a, b)
	if dtype == 0 {
		dtype = promoteTensors(a, b)
	}
	var buf [device.MaxDims]int
	shape := a.arr.Shape
	if !equalInts(shape, b.arr.Shape) {
		shape = broadcast(op, buf[:0], shape, b.arr.Shape)
	}
	out := empty(op, a.Device(), dtype, shape)
	a.backend(op).Binary(code, &out.arr, &a.arr, &b.arr)
	return out
}

// withNumber returns the dtype of an arithmetic op of t and a number.
func withNumber(t *Tensor, whole bool) DType {
	switch {
	case t.DType().IsFloat():
		return t.DType()
	case !whole:
		return Float32
	}
	return Int64
}

// Add returns t + other, a tensor or a number, with broadcasting.
func (t *Tensor) Add(other any) *Tensor {
	o, p, whole := operand("add", other)
	if o == nil {
		t = cast("add", t)
		out := unary("add", device.AddP, t, withNumber(t, whole), p)
		record("add", out, sameGrad, t)
		return out
	}
	t, o = cast2("add", t, o)
	out := binary("add", device.Add, t, o, 0)
	record("add", out, sameGrad, t, o)
	return out
}

// Sub returns t − other, a tensor or a number, with broadcasting.
func (t *Tensor) Sub(other any) *Tensor {
	o, p, whole := operand("sub", other)
	if o == nil {
		t = cast("sub", t)
		out := unary("sub", device.AddP, t, withNumber(t, whole), -p)
		record("sub", out, sameGrad, t)
		return out
	}
	t, o = cast2("sub", t, o)
	out := binary("sub", device.Sub, t, o, 0)
	record("sub", out, subGrad, t, o)
	return out
}

func subGrad(_ *node, g *Tensor, i int) *Tensor {
	if i == 0 {
		return g
	}
	return g.Neg()
}

// Mul returns t·other, a tensor or a number, with broadcasting.
func (t *Tensor) Mul(other any) *Tensor {
	o, p, whole := operand("mul", other)
	if o == nil {
		t = cast("mul", t)
		out := unary("mul", device.MulP, t, withNumber(t, whole), p)
		if n := record("mul", out, scaleGrad, t); n != nil {
			n.number = p
		}
		return out
	}
	t, o = cast2("mul", t, o)
	out := binary("mul", device.Mul, t, o, 0)
	if n := record("mul", out, mulGrad, t, o); n != nil {
		n.keep(n.unless(1, t), n.unless(0, o))
	}
	return out
}

// unless returns t where input i needs a gradient, for which t is kept, else nil.
func (n *node) unless(i int, t *Tensor) *Tensor {
	if n.needs(i) {
		return t
	}
	return nil
}

func scaleGrad(n *node, g *Tensor, _ int) *Tensor { return g.Mul(n.number) }

func mulGrad(n *node, g *Tensor, i int) *Tensor { return g.Mul(n.get(1 - i)) }

// Div returns t ÷ other, a tensor or a number, with broadcasting. Integers give Float32.
func (t *Tensor) Div(other any) *Tensor {
	o, p, _ := operand("div", other)
	if o == nil {
		t = cast("div", t)
		out := unary("div", device.DivP, t, floating(t.DType()), p)
		if n := record("div", out, unscaleGrad, t); n != nil {
			n.number = p
		}
		return out
	}
	t, o = cast2("div", t, o)
	out := binary("div", device.Div, t, o, floating(promoteTensors(t, o)))
	if n := record("div", out, divGrad, t, o); n != nil {
		n.keep(o, n.unless(1, out))
	}
	return out
}

func unscaleGrad(n *node, g *Tensor, _ int) *Tensor { return g.Div(n.number) }

// divGrad: ∂(a/b)/∂a = 1/b, ∂(a/b)/∂b = −(a/b)/b.
func divGrad(n *node, g *Tensor, i int) *Tensor {
	if i == 0 {
		return g.Div(n.get(0))
	}
	return g.Mul(n.get(1).Div(n.get(0))).Neg()
}

// Neg returns −t.
func (t *Tensor) Neg() *Tensor {
	t = cast("neg", t)
	out := unary("neg", device.Neg, t, t.DType(), 0)
	record("neg", out, negGrad, t)
	return out
}

func negGrad(_ *node, g *Tensor, _ int) *Tensor { return g.Neg() }

// Pow returns t to the power of a tensor or number.
func (t *Tensor) Pow(other any) *Tensor {
	o, p, whole := operand("pow", other)
	if o == nil {
		t = cast("pow", t)
		out := unary("pow", device.PowP, t, withNumber(t, whole), p)
		if n := record("pow", out, powerGrad, t); n != nil {
			n.number = p
			n.keep(t)
		}
		return out
	}
	t, o = cast2("pow", t, o)
	out := binary("pow", device.Pow, t, o, 0)
	if n := record("pow", out, powGrad, t, o); n != nil {
		n.keep(t, o, n.unless(1, out))
	}
	return out
}

// powerGrad: ∂(xᵖ)/∂x = p·xᵖ⁻¹, which is 0 for p = 0 at every x.
func powerGrad(n *node, g *Tensor, _ int) *Tensor {
	if n.number == 0 {
		return g.Mul(0.0)
	}
	return g.Mul(n.get(0).Pow(n.number - 1).Mul(n.number))
}

// powGrad: ∂(aᵇ)/∂a = b·aᵇ⁻¹, ∂(aᵇ)/∂b = aᵇ·log a, which is 0 at a = 0 for b ≥ 0.
func powGrad(n *node, g *Tensor, i int) *Tensor {
	a, b := n.get(0), n.get(1)
	if i == 0 {
		d := b.Mul(a.Pow(b.Sub(1)))
		return g.Mul(Where(b.Eq(0), full(d, 0), d))
	}
	d := n.get(2).Mul(a.To(g.DType()).Log())
	return g.Mul(Where(a.Eq(0).And(b.Ge(0)), full(d, 0), d))
}

// Maximum returns the larger of t and other, a tensor, element by element. Where they are equal,
// each receives half of the gradient. NaN wins.
func (t *Tensor) Maximum(other *Tensor) *Tensor {
	return extreme("maximum", device.Maximum, t, other)
}

// Minimum returns the smaller of t and other, element by element; see Maximum.
func (t *Tensor) Minimum(other *Tensor) *Tensor {
	return extreme("minimum", device.Minimum, t, other)
}

func extreme(op string, code device.BinaryOp, a, b *Tensor) *Tensor {
	a, b = cast2(op, a, b)
	out := binary(op, code, a, b, 0)
	if n := record(op, out, extremeGrad, a, b); n != nil {
		n.keep(a, b, out)
	}
	return out
}

func extremeGrad(n *node, g *Tensor, i int) *Tensor {
	mine, other, out := n.get(i), n.get(1-i), n.get(2)
	share := Where(mine.Eq(other), full(g, 0.5), mine.Eq(out).To(g.DType()))
	return g.Mul(share)
}

// full returns a tensor without dimensions, of like's dtype and device, that holds v.
func full(like *Tensor, v float64) *Tensor {
	out := empty("full", like.Device(), like.DType(), nil)
	out.backend("full").Fill(&out.arr, v)
	return out
}

// Clamp returns t with values below low raised to low and values above high lowered to high. The
// gradient is zero where a value was changed.
func (t *Tensor) Clamp(low, high float64) *Tensor {
	t = cast("clamp", t)
	out := unary("clamp", device.MaxP, t, t.DType(), low)
	t.backend("clamp").Unary(device.MinP, &out.arr, &out.arr, high)
	if n := record("clamp", out, clampGrad, t); n != nil {
		n.keep(t.Ge(low).And(t.Le(high)))
	}
	return out
}

func clampGrad(n *node, g *Tensor, _ int) *Tensor { return Where(n.get(0), g, full(g, 0)) }

// Abs returns |t|; its gradient at 0 is 0.
func (t *Tensor) Abs() *Tensor {
	t = cast("abs", t)
	out := unary("abs", device.Abs, t, t.DType(), 0)
	if n := record("abs", out, absGrad, t); n != nil {
		n.keep(t)
	}
	return out
}

func absGrad(n *node, g *Tensor, _ int) *Tensor { return g.Mul(n.get(0).Sign()) }

// Sign returns −1, 0 or 1; its gradient is 0.
func (t *Tensor) Sign() *Tensor {
	t = cast("sign", t)
	out := unary("sign", device.Sign, t, t.DType(), 0)
	if n := record("sign", out, scaleGrad, t); n != nil {
		n.number = 0
	}
	return out
}

// Exp returns eᵗ.
func (t *Tensor) Exp() *Tensor { return fromOutput("exp", device.Exp, expGrad, t) }

func expGrad(n *node, g *Tensor, _ int) *Tensor { return g.Mul(n.get(0)) }

// Log returns the natural logarithm.
func (t *Tensor) Log() *Tensor { return fromInput("log", device.Log, logGrad, t) }

func logGrad(n *node, g *Tensor, _ int) *Tensor { return g.Div(n.get(0)) }

// Sqrt returns the square root.
func (t *Tensor) Sqrt() *Tensor { return fromOutput("sqrt", device.Sqrt, sqrtGrad, t) }

func sqrtGrad(n *node, g *Tensor, _ int) *Tensor { return g.Div(n.get(0).Mul(2)) }

// Rsqrt returns 1/√t.
func (t *Tensor) Rsqrt() *Tensor { return fromOutput("rsqrt", device.Rsqrt, rsqrtGrad, t) }

func rsqrtGrad(n *node, g *Tensor, _ int) *Tensor { return g.Mul(n.get(0).Pow(3).Mul(-0.5)) }

// Reciprocal returns 1/t.
func (t *Tensor) Reciprocal() *Tensor {
	return fromOutput("reciprocal", device.Reciprocal, reciprocalGrad, t)
}

func reciprocalGrad(n *node, g *Tensor, _ int) *Tensor {
	y := n.get(0)
	return g.Mul(y.Mul(y)).Neg()
}

// Square returns t²; autocast treats it as Pow, as PyTorch does.
func (t *Tensor) Square() *Tensor { return t.Pow(2) }

// Tanh returns the hyperbolic tangent.
func (t *Tensor) Tanh() *Tensor { return fromOutput("tanh", device.Tanh, tanhGrad, t) }

// tanhGrad: g·(1 − y²), in one op so that 16-bit formats round once.
func tanhGrad(n *node, g *Tensor, _ int) *Tensor {
	return fused("tanh_backward", device.TanhGrad, n.get(0), g, tanhGradGrad)
}

func tanhGradGrad(n *node, gg *Tensor, i int) *Tensor {
	y, g := n.get(0), n.get(1)
	if i == 0 {
		return gg.Mul(g).Mul(y).Mul(-2)
	}
	return gg.Mul(y.Mul(y).Neg().Add(1))
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
	y, g := n.get(0), n.get(1)
	if i == 0 {
		return gg.Mul(g).Mul(y.Mul(-2).Add(1))
	}
	return gg.Mul(y).Mul(y.Neg().Add(1))
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
		return gg.Mul(0.0)
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

// fromOutput computes a function whose derivative is written with its own value.
func fromOutput(op string, code device.UnaryOp, r rule, t *Tensor) *Tensor {
	t = cast(op, t)
	out := unary(op, code, t, floating(t.DType()), 0)
	if n := record(op, out, r, t); n != nil {
		n.keep(out)
	}
	return out
}

// fromInput computes a function whose derivative is written with its argument.
func fromInput(op string, code device.UnaryOp, r rule, t *Tensor) *Tensor {
	t = cast(op, t)
	out := unary(op, code, t, floating(t.DType()), 0)
	if n := record(op, out, r, t); n != nil {
		n.keep(t)
	}
	return out
}

// Addcmul returns t + value·a·b.
func (t *Tensor) Addcmul(a, b *Tensor, value float64) *Tensor {
	args := castAll("addcmul", []*Tensor{t, a, b})
	t, a, b = args[0], args[1], args[2]
	return composed(func() *Tensor { return t.Add(a.Mul(b).Mul(value)) })
}

// Addcdiv returns t + value·a ÷ b.
func (t *Tensor) Addcdiv(a, b *Tensor, value float64) *Tensor {
	args := castAll("addcdiv", []*Tensor{t, a, b})
	t, a, b = args[0], args[1], args[2]
	return composed(func() *Tensor { return t.Add(a.Div(b).Mul(value)) })
}

// Lerp returns t + weight·(end − t).
func (t *Tensor) Lerp(end *Tensor, weight float64) *Tensor {
	args := castAll("lerp", []*Tensor{t, end})
	t, end = args[0], args[1]
	return composed(func() *Tensor { return t.Add(end.Sub(t).Mul(weight)) })
}

// wide returns the type in which sums over values of type d are kept.
func wide(d DType) DType {
	if d.isHalf() {
		return Float32
	}
	return d
}

// IsFinite reports element by element, as Bool, whether the values are neither infinite nor NaN.
func (t *Tensor) IsFinite() *Tensor { return unary("isfinite", device.IsFinite, t, Bool, 0) }

// IsNaN reports element by element, as Bool, whether the values are NaN.
func (t *Tensor) IsNaN() *Tensor { return unary("isnan", device.IsNaN, t, Bool, 0) }

// AllFinite reports whether no element is infinite or NaN; it waits for the device.
func (t *Tensor) AllFinite() bool {
	s := t.backend("isfinite").Stats(&t.arr, 1)
	return s.Infs == 0 && s.NaNs == 0
}
