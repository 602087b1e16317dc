package tensor

import (
	"math"
	"reflect"

	"halfnote/tensor/internal/device"
)

// operand returns the second operand of an op: a tensor, or a number and whether it is a whole one
// by its Go type.
func (t *Tensor) operand(op string, v any) (o *Tensor, number float64, whole bool) {
	switch v := v.(type) {
	case *Tensor:
		if v == nil {
			fail(op, "argument 2 is nil")
		}
		return v, 0, false
	case float64:
		return nil, v, false
	case float32:
		return nil, float64(v), false
	case int:
		if v > 1<<53 || v < -1<<53 { // float64 may not hold it
			given(op, t)
			return t.Device().int64s([]int64{int64(v)}), 0, true
		}
		return nil, float64(v), true
	case int64:
		return t.operand(op, int(v))
	}
	number, whole, ok := numberOf(v)
	if !ok {
		msg := "a %T is neither a *tensor.Tensor nor a number"
		if reflect.TypeOf(v) != nil && reflect.TypeOf(v).Kind() == reflect.Func {
			msg += "; call it"
		}
		fail(op, msg, v)
	}
	return nil, number, whole
}

// sameDevice panics unless the tensors, of which some may be nil, live on one device.
func sameDevice(op string, a, b *Tensor) {
	if b != nil && b.store.gone() {
		b.failFreed(op)
	}
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
	if a == nil || b == nil || a.store == nil || b.store == nil || a.store.gone() || b.store.gone() {
		given(op, a, b)
	}
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
	o, p, whole := t.operand("add", other)
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
	o, p, whole := t.operand("sub", other)
	if o == nil {
		t = cast("sub", t)
		out := unary("sub", device.AddP, t, withNumber(t, whole), -p)
		record("sub", out, sameGrad, t)
		return out
	}
	t, o = cast2("sub", t, o)
	differ("sub", t, o)
	out := binary("sub", device.Sub, t, o, 0)
	record("sub", out, subGrad, t, o)
	return out
}

// differ panics where both are bools, whose differences are no bools.
func differ(op string, a, b *Tensor) {
	if a.DType() == Bool && b.DType() == Bool {
		fail(op, "bools have no difference; use Xor, or convert one with To(tensor.Int64)")
	}
}

func subGrad(_ *node, g *Tensor, i int) *Tensor {
	if i == 0 {
		return g
	}
	return g.Neg()
}

// Mul returns t·other, a tensor or a number, with broadcasting.
func (t *Tensor) Mul(other any) *Tensor {
	o, p, whole := t.operand("mul", other)
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
	o, p, _ := t.operand("div", other)
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
	return g.widen().Mul(n.wide(1).Div(n.wide(0))).Neg()
}

// Neg returns −t.
func (t *Tensor) Neg() *Tensor {
	t = cast("neg", t)
	if t.DType() == Bool {
		fail("neg", "bools have no sign; use Not, or convert them with To(tensor.Int64)")
	}
	out := unary("neg", device.Neg, t, t.DType(), 0)
	record("neg", out, negGrad, t)
	return out
}

func negGrad(_ *node, g *Tensor, _ int) *Tensor { return g.Neg() }

// Pow returns t to the power of a tensor or number. Integers wrap around; to a negative whole number
// they are an error, and to negative elements of a tensor they lose their fractions, as in PyTorch.
func (t *Tensor) Pow(other any) *Tensor {
	o, p, whole := t.operand("pow", other)
	if o == nil {
		t = cast("pow", t)
		dtype := withNumber(t, whole)
		if dtype == Int64 && p < 0 {
			fail("pow", "integers to the power of %v are fractions; convert them to floating point", p)
		}
		out := unary("pow", device.PowP, t, dtype, p)
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
		return ZerosLike(g)
	}
	return g.widen().Mul(n.wide(0).Pow(n.number - 1).Mul(n.number))
}

// powGrad: ∂(aᵇ)/∂a = b·aᵇ⁻¹, ∂(aᵇ)/∂b = aᵇ·log a, which is 0 at a = 0 for b ≥ 0.
func powGrad(n *node, g *Tensor, i int) *Tensor {
	a, b := n.wide(0), n.wide(1)
	g = g.widen()
	if i == 0 {
		d := b.Mul(a.Pow(b.Sub(1)))
		return g.Mul(Where(b.Eq(0), full(d, 0), d))
	}
	d := n.wide(2).Mul(a.To(g.DType()).Log())
	return g.Mul(Where(a.Eq(0).And(b.Ge(0)), full(d, 0), d))
}

// RSub returns number − t, which is what PyTorch's rsub and Python's number - t compute.
func (t *Tensor) RSub(number any) *Tensor {
	p, whole := t.onlyNumber("rsub", number)
	t = cast("rsub", t)
	dtype := withNumber(t, whole)
	return widely(dtype, func(x []*Tensor) *Tensor {
		minus := x[0].To(wide(dtype)).Neg() // of a bool, not false
		if whole {
			return minus.Add(int(p))
		}
		return minus.Add(p)
	}, t)
}

// RDiv returns number ÷ t. Integers give Float32. Autocast treats it as Reciprocal, as PyTorch
// does.
func (t *Tensor) RDiv(number any) *Tensor {
	p, _ := t.onlyNumber("rdiv", number)
	t = cast("reciprocal", t)
	return widely(floating(t.DType()), func(x []*Tensor) *Tensor {
		return x[0].Reciprocal().Mul(p)
	}, t)
}

// RPow returns number to the power of t. Autocast treats it as Pow, as PyTorch does.
func (t *Tensor) RPow(number any) *Tensor {
	p, whole := t.onlyNumber("rpow", number)
	t = cast("pow", t)
	return widely(withNumber(t, whole), func(x []*Tensor) *Tensor {
		base := empty("rpow", t.Device(), withNumber(x[0], whole), nil)
		base.backend("rpow").Fill(&base.arr, p)
		return base.Pow(x[0])
	}, t)
}

// onlyNumber is operand for ops that take a number and no tensor.
func (t *Tensor) onlyNumber(op string, v any) (number float64, whole bool) {
	o, number, whole := t.operand(op, v)
	if _, given := v.(*Tensor); given {
		fail(op, "it takes a number; call the method of the tensor on the left instead")
	}
	if o != nil {
		fail(op, "%v is beyond 2^53; call the method of tensor.New(%v) on the left instead", v, v)
	}
	return number, whole
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
// gradient is zero outside of the limits, and on them, as in PyTorch 2.15. Integers give Float32
// where a limit is no integer.
func (t *Tensor) Clamp(low, high float64) *Tensor {
	return t.clamp(low, high, func(t *Tensor) *Tensor { return t.Gt(low).And(t.Lt(high)) })
}

// ClampMin is [Tensor.Clamp] with a lower limit only.
func (t *Tensor) ClampMin(low float64) *Tensor {
	return t.clamp(low, math.Inf(1), func(t *Tensor) *Tensor { return t.Gt(low) })
}

// ClampMax is [Tensor.Clamp] with an upper limit only.
func (t *Tensor) ClampMax(high float64) *Tensor {
	return t.clamp(math.Inf(-1), high, func(t *Tensor) *Tensor { return t.Lt(high) })
}

// clamp applies the limits that are finite or NaN; kept tells where the gradient passes.
func (t *Tensor) clamp(low, high float64, kept func(*Tensor) *Tensor) *Tensor {
	t = cast("clamp", t)
	dtype := t.DType()
	for _, limit := range []float64{low, high} {
		if !dtype.IsFloat() && !math.IsInf(limit, 0) {
			dtype = withNumber(t, limit == math.Trunc(limit))
		}
	}
	out := empty("clamp", t.Device(), dtype, t.arr.Shape)
	t.backend("clamp").Copy(&out.arr, &t.arr)
	if !math.IsInf(low, -1) {
		t.backend("clamp").Unary(device.MaxP, &out.arr, &out.arr, low)
	}
	if !math.IsInf(high, 1) {
		t.backend("clamp").Unary(device.MinP, &out.arr, &out.arr, high)
	}
	if n := record("clamp", out, clampGrad, t); n != nil {
		n.keep(kept(t))
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
	record("sign", out, zeroGrad, t)
	return out
}

// zeroGrad is the rule of ops that are constant between their jumps.
func zeroGrad(_ *node, g *Tensor, _ int) *Tensor { return ZerosLike(g) }

// Sqrt returns the square root.
func (t *Tensor) Sqrt() *Tensor { return fromOutput("sqrt", device.Sqrt, sqrtGrad, t) }

func sqrtGrad(n *node, g *Tensor, _ int) *Tensor { return g.widen().Div(n.wide(0).Mul(2)) }

// Rsqrt returns 1/√t.
func (t *Tensor) Rsqrt() *Tensor { return fromOutput("rsqrt", device.Rsqrt, rsqrtGrad, t) }

func rsqrtGrad(n *node, g *Tensor, _ int) *Tensor {
	return g.widen().Mul(n.wide(0).Pow(3).Mul(-0.5))
}

// Reciprocal returns 1/t.
func (t *Tensor) Reciprocal() *Tensor {
	return fromOutput("reciprocal", device.Reciprocal, reciprocalGrad, t)
}

func reciprocalGrad(n *node, g *Tensor, _ int) *Tensor {
	y := n.wide(0)
	return g.widen().Mul(y.Mul(y)).Neg()
}

// Square returns t²; autocast treats it as Pow, as PyTorch does.
func (t *Tensor) Square() *Tensor { return t.Pow(2) }

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

// Addcmul returns t + value·a·b, with broadcasting. Under autocast all three take the widest dtype.
func (t *Tensor) Addcmul(a, b *Tensor, value float64) *Tensor {
	return ternary("addcmul", device.Addcmul, addcmulGrad, t, a, b, value)
}

func addcmulGrad(n *node, g *Tensor, i int) *Tensor {
	if i == 0 {
		return g
	}
	return g.widen().Mul(n.wide(2 - i)).Mul(n.number)
}

// Addcdiv returns t + value·a ÷ b, with broadcasting. Integers give Float32. Under autocast all
// three take the widest dtype.
func (t *Tensor) Addcdiv(a, b *Tensor, value float64) *Tensor {
	return ternary("addcdiv", device.Addcdiv, addcdivGrad, t, a, b, value)
}

// addcdivGrad: ∂(v·a/b)/∂a = v/b, ∂(v·a/b)/∂b = −v·a/b².
func addcdivGrad(n *node, g *Tensor, i int) *Tensor {
	if i == 0 {
		return g
	}
	g, b := g.widen().Mul(n.number), n.wide(1)
	if i == 1 {
		return g.Div(b)
	}
	return g.Mul(n.wide(0)).Div(b.Mul(b)).Neg()
}

// ternary computes an op of t, a, b and a number in one step.
func ternary(op string, code device.TernaryOp, r rule, t, a, b *Tensor, value float64) *Tensor {
	args := castAll(op, 3, []*Tensor{t, a, b})
	t, a, b = args[0], args[1], args[2]
	sameDevice(op, t, a)
	sameDevice(op, t, b)
	dtype := promote(promoteTensors(t, a), promoteTensors(a, b))
	if code == device.Addcdiv || value != math.Trunc(value) {
		dtype = floating(dtype)
	}
	var buf1, buf2 [device.MaxDims]int
	shape := broadcast(op, buf1[:0], a.arr.Shape, b.arr.Shape)
	shape = broadcast(op, buf2[:0], t.arr.Shape, shape)
	out := empty(op, t.Device(), dtype, shape)
	t.backend(op).Ternary(code, &out.arr, &t.arr, &a.arr, &b.arr, value)
	if n := record(op, out, r, t, a, b); n != nil {
		n.number = value
		n.keep(a, b)
	}
	return out
}

// Lerp returns t + weight·(end − t), with broadcasting. Integers give Float32.
func (t *Tensor) Lerp(end *Tensor, weight float64) *Tensor {
	args := castAll("lerp", 2, []*Tensor{t, end})
	t, end = args[0], args[1]
	return widely(floating(promoteTensors(t, end)), func(x []*Tensor) *Tensor {
		if weight < 0.5 {
			return x[0].Add(x[1].Sub(x[0]).Mul(weight))
		}
		return x[1].Sub(x[1].Sub(x[0]).Mul(1 - weight)) // exact at weight 1
	}, t, end)
}
