package tensor

import "halfnote/tensor/internal/device"

// This file implements the ops that write into their receiver. They never ask autocast. Where a
// gradient takes part they are recorded by way of rewrite; elsewhere they write directly.

// The names under which in-place ops appear in messages about kept tensors.
var (
	nameAdd     = "AddInPlace"
	nameSub     = "SubInPlace"
	nameMul     = "MulInPlace"
	nameDiv     = "DivInPlace"
	nameZero    = "ZeroInPlace"
	nameFill    = "FillInPlace"
	nameCopy    = "CopyFrom"
	nameMaximum = "MaximumInPlace"
	nameAddcmul = "AddcmulInPlace"
	nameAddcdiv = "AddcdivInPlace"
	nameUnscale = "UnscaleInPlace"
)

// writable panics where t repeats elements, or lives on another device than others, of which some
// may be nil.
func (t *Tensor) writable(op string, others ...*Tensor) {
	if t.store.gone() {
		t.failFreed(op)
	}
	for _, o := range others {
		sameDevice(op, t, o)
	}
	if !t.arr.Contiguous() && !disjoint(&t.arr) {
		fail(op, "the tensor repeats its elements (strides %v); write to a Clone",
			t.arr.Strides)
	}
}

// fits panics unless other can be broadcast to t's shape.
func (t *Tensor) fits(op string, other *Tensor) {
	var buf [device.MaxDims]int
	if !equalInts(broadcast(op, buf[:0], t.arr.Shape, other.arr.Shape), t.arr.Shape) {
		fail(op, "shape %v does not broadcast to %v, which is written in place",
			other.arr.Shape, t.arr.Shape)
	}
}

// inPlace computes t = f(t, other), by the op number with the parameter sign·other where other is
// a number. The result keeps t's dtype.
func (t *Tensor) inPlace(name *string, f func(t *Tensor, other any) *Tensor, with device.BinaryOp,
	number device.UnaryOp, other any, sign float64) *Tensor {
	o, p, whole := t.operand(*name, other)
	t.writable(*name, o)
	t.holds(*name, o, whole, with)
	if o != nil {
		t.fits(*name, o)
		if with == device.Sub {
			differ(*name, t, o)
		}
	}
	if t.byRewrite(o) {
		return t.rewrite(name, func(x *Tensor) *Tensor {
			if o == t {
				other = x
			}
			return f(x, other)
		})
	}
	if o == nil {
		t.backend(*name).Unary(number, &t.arr, &t.arr, sign*p)
	} else {
		o = o.overlapFree(t)
		t.backend(*name).Binary(with, &t.arr, &t.arr, &o.arr)
	}
	t.wrote(name)
	return t
}

// holds panics where the result has a fraction and t holds integers.
func (t *Tensor) holds(op string, other *Tensor, whole bool, code device.BinaryOp) {
	if t.DType().IsFloat() {
		return
	}
	result := withNumber(t, whole)
	if other != nil {
		result = promoteTensors(t, other)
	}
	if code == device.Div {
		result = floating(result)
	}
	mustHold(op, result, t.DType())
}

// mustHold panics where a tensor of dtype d loses the fractions, or the numbers, of a result.
func mustHold(op string, result, d DType) {
	if category(result) > category(d) {
		fail(op, "the result is %s, which a tensor of %s does not hold; use the op that returns "+
			"a new tensor", result, d)
	}
}

// overlapFree returns t, or a copy where t is another window on the elements of dst, so that no
// element is read after it was written.
func (t *Tensor) overlapFree(dst *Tensor) *Tensor {
	if t.store != dst.store {
		return t
	}
	same := t.arr.Offset == dst.arr.Offset && equalInts(t.arr.Shape, dst.arr.Shape) &&
		equalInts(t.arr.Strides, dst.arr.Strides)
	if same {
		return t
	}
	out := empty("copy", t.Device(), t.DType(), t.arr.Shape)
	t.backend("copy").Copy(&out.arr, &t.arr)
	return out
}

// AddInPlace adds other, a tensor or a number, to t and returns t.
func (t *Tensor) AddInPlace(other any) *Tensor {
	return t.inPlace(&nameAdd, (*Tensor).Add, device.Add, device.AddP, other, 1)
}

// SubInPlace subtracts other, a tensor or a number, from t and returns t.
func (t *Tensor) SubInPlace(other any) *Tensor {
	return t.inPlace(&nameSub, (*Tensor).Sub, device.Sub, device.AddP, other, -1)
}

// MulInPlace multiplies t by other, a tensor or a number, and returns t.
func (t *Tensor) MulInPlace(other any) *Tensor {
	return t.inPlace(&nameMul, (*Tensor).Mul, device.Mul, device.MulP, other, 1)
}

// DivInPlace divides t by other, a tensor or a number, and returns t.
func (t *Tensor) DivInPlace(other any) *Tensor {
	return t.inPlace(&nameDiv, (*Tensor).Div, device.Div, device.DivP, other, 1)
}

// MaximumInPlace raises the elements of t to those of other and returns t.
func (t *Tensor) MaximumInPlace(other *Tensor) *Tensor {
	f := func(t *Tensor, other any) *Tensor { return t.Maximum(other.(*Tensor)) }
	return t.inPlace(&nameMaximum, f, device.Maximum, device.MaxP, other, 1)
}

// AddcmulInPlace adds value·a·b to t and returns t. a and b are broadcast.
func (t *Tensor) AddcmulInPlace(a, b *Tensor, value float64) *Tensor {
	return t.ternaryInPlace(&nameAddcmul, (*Tensor).Addcmul, device.Addcmul, a, b, value)
}

// AddcdivInPlace adds value·a ÷ b to t and returns t. a and b are broadcast.
func (t *Tensor) AddcdivInPlace(a, b *Tensor, value float64) *Tensor {
	return t.ternaryInPlace(&nameAddcdiv, (*Tensor).Addcdiv, device.Addcdiv, a, b, value)
}

func (t *Tensor) ternaryInPlace(name *string, f func(t, a, b *Tensor, value float64) *Tensor,
	code device.TernaryOp, a, b *Tensor, value float64) *Tensor {
	given(*name, t, a, b)
	t.writable(*name, a, b)
	t.fits(*name, a)
	t.fits(*name, b)
	if !t.DType().IsFloat() || t.byRewrite(a, b) {
		return t.rewrite(name, func(x *Tensor) *Tensor { return f(x, a, b, value) })
	}
	a, b = a.overlapFree(t), b.overlapFree(t)
	t.backend(*name).Ternary(code, &t.arr, &t.arr, &a.arr, &b.arr, value)
	t.wrote(name)
	return t
}

// AddScaledInPlace adds value·other to t and returns t: PyTorch's add_(other, alpha=value).
func (t *Tensor) AddScaledInPlace(other *Tensor, value float64) *Tensor {
	given(nameAddcmul, t, other)
	return t.AddcmulInPlace(other, full(other, 1), value)
}

// ZeroInPlace sets all elements of t to zero and returns t.
func (t *Tensor) ZeroInPlace() *Tensor { return t.fillInPlace(&nameZero, 0) }

// FillInPlace sets all elements of t to v and returns t.
func (t *Tensor) FillInPlace(v float64) *Tensor { return t.fillInPlace(&nameFill, v) }

func (t *Tensor) fillInPlace(name *string, v float64) *Tensor {
	if t.byRewrite() {
		return t.rewrite(name, func(x *Tensor) *Tensor { return full(x, v).Expand(x.Shape()...) })
	}
	t.writable(*name)
	t.backend(*name).Fill(&t.arr, v)
	t.wrote(name)
	return t
}

// SetData makes t, a leaf, hold src's elements, with their shape, dtype and device; they are then
// shared with src. It drops the gradient. Optimizers and modules go on with t itself, so this is
// how a model changes its dtype or device (PyTorch's t.data = src).
func (t *Tensor) SetData(src *Tensor) *Tensor {
	given("setdata", t, src)
	requires := t.RequiresGrad()
	switch {
	case !t.IsLeaf():
		fail("setdata", "the tensor is a result of %s; only a leaf can hold other data",
			t.gradNode().op)
	case requires && !src.DType().IsFloat():
		fail("setdata", "a tensor that requires a gradient cannot hold %s", src.DType())
	}
	if t.Device() != CPU {
		dataSet.Add(1)
	}
	fresh, before := src.Detach(), t.Version()
	fresh.hold() // t may be a gradient, which SetGrad drops
	t.init(fresh.store, len(fresh.arr.Shape))
	copy(t.arr.Shape, fresh.arr.Shape)
	copy(t.arr.Strides, fresh.arr.Strides)
	t.arr.Data, t.arr.DType, t.arr.Offset = fresh.arr.Data, fresh.arr.DType, fresh.arr.Offset
	t.SetRequiresGrad(false).base, t.view, t.sealed = nil, false, false
	x := t.more()
	x.since = before + 1 - min(before+1, t.store.version.Load())
	t.touchGrad(false)
	x.grad, x.written = nil, nil
	return t.SetRequiresGrad(requires)
}

// CopyFrom overwrites the elements of t with those of src, converted to t's dtype, moved to its device
// and broadcast, and returns t.
func (t *Tensor) CopyFrom(src *Tensor) *Tensor {
	given(nameCopy, t, src)
	src = src.toDevice(t.Device())
	t.writable(nameCopy, src)
	t.fits(nameCopy, src)
	if t.byRewrite(src) {
		return t.rewrite(&nameCopy, func(x *Tensor) *Tensor { return replaced(nameCopy, x, src) })
	}
	src = src.overlapFree(t)
	t.backend(nameCopy).Copy(&t.arr, &src.arr)
	t.wrote(&nameCopy)
	return t
}
