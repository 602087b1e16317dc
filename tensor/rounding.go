package tensor

import "halfnote/tensor/internal/device"

// Floor returns the largest integers not above t, in t's dtype; its gradient is 0.
func (t *Tensor) Floor() *Tensor { return t.rounded("floor", device.Floor) }

// Ceil returns the smallest integers not below t, in t's dtype; its gradient is 0.
func (t *Tensor) Ceil() *Tensor { return t.rounded("ceil", device.Ceil) }

// Round returns the nearest integers, the even one of two, in t's dtype; its gradient is 0.
func (t *Tensor) Round() *Tensor { return t.rounded("round", device.Round) }

// Trunc returns t without its fraction, in t's dtype; its gradient is 0.
func (t *Tensor) Trunc() *Tensor { return t.rounded("trunc", device.Trunc) }

func (t *Tensor) rounded(op string, code device.UnaryOp) *Tensor {
	t = cast(op, t)
	if !t.DType().IsFloat() {
		return t.Clone()
	}
	out := unary(op, code, t, t.DType(), 0)
	record(op, out, zeroGrad, t)
	return out
}

// Fmod returns what is left of t when other, a tensor or a number, is taken away as often as it
// goes in, with the sign of t. A zero in other gives NaN, and of integers an error, which a GPU tells
// when a value is read.
func (t *Tensor) Fmod(other any) *Tensor { return t.modulo("fmod", device.Fmod, other) }

// Remainder is [Tensor.Fmod] with the sign of other, like Python's %.
func (t *Tensor) Remainder(other any) *Tensor {
	return t.modulo("remainder", device.Remainder, other)
}

func (t *Tensor) modulo(op string, code device.BinaryOp, other any) *Tensor {
	o, p, whole := t.operand(op, other)
	var dtype DType
	const zero = "integers are divided by zero; convert them to floating point, which gives NaN"
	if o == nil {
		t = cast(op, t)
		dtype = withNumber(t, whole)
		if !dtype.IsFloat() && t.Numel() > 0 && p == 0 {
			fail(op, zero)
		}
		o = empty(op, t.Device(), wide(dtype), nil)
		o.backend(op).Fill(&o.arr, p)
	} else {
		t, o = cast2(op, t, o)
		dtype = promoteTensors(t, o)
		if !dtype.IsFloat() && t.Numel() > 0 {
			refuse(op, o.Eq(0), zero)
		}
	}
	out := binary(op, code, t, o, dtype)
	rule := fmodGrad
	if code == device.Remainder {
		rule = remainderGrad
	}
	if n := record(op, out, rule, t, o); n != nil {
		n.keep(n.unless(1, t), n.unless(1, o))
	}
	return out
}

// fmodGrad: t − trunc(t/o)·o, where trunc is constant.
func fmodGrad(n *node, g *Tensor, i int) *Tensor {
	if i == 0 {
		return g
	}
	return g.widen().Mul(n.wide(0).Div(n.wide(1)).Trunc()).Neg()
}

func remainderGrad(n *node, g *Tensor, i int) *Tensor {
	if i == 0 {
		return g
	}
	return g.widen().Mul(n.wide(0).Div(n.wide(1)).Floor()).Neg()
}
