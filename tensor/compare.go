package tensor

import (
	"cmp"
	"math"
	"slices"

	"halfnote/tensor/internal/device"
)

// compareTo computes a comparison with a tensor or a number, both in the dtype that they promote to:
// a float16 that was rounded from 0.1 equals 0.1. Integers and numbers are compared as they are.
// Comparisons have no gradient.
func (t *Tensor) compareTo(op string, with device.BinaryOp, number device.UnaryOp,
	other any) *Tensor {
	o, p, _ := t.operand(op, other)
	if o == nil {
		switch t.DType() {
		case Float16:
			p = float64(ToHalf(float32(p)).Float32())
		case BFloat16:
			p = float64(ToBFloat(float32(p)).Float32())
		}
		return unary(op, number, t, Bool, p)
	}
	if t.DType() != o.DType() {
		dtype := promoteTensors(t, o)
		t, o = t.Detach().To(dtype), o.Detach().To(dtype)
	}
	return binary(op, with, t, o, Bool)
}

// Eq reports element by element, as Bool, where t equals other, a tensor or a number.
func (t *Tensor) Eq(other any) *Tensor { return t.compareTo("eq", device.Eq, device.EqP, other) }

// Ne reports element by element, as Bool, where t differs from other, a tensor or a number.
func (t *Tensor) Ne(other any) *Tensor { return t.compareTo("ne", device.Ne, device.NeP, other) }

// Lt reports element by element, as Bool, where t < other, a tensor or a number.
func (t *Tensor) Lt(other any) *Tensor { return t.compareTo("lt", device.Lt, device.LtP, other) }

// Le reports element by element, as Bool, where t ≤ other, a tensor or a number.
func (t *Tensor) Le(other any) *Tensor { return t.compareTo("le", device.Le, device.LeP, other) }

// Gt reports element by element, as Bool, where t > other, a tensor or a number.
func (t *Tensor) Gt(other any) *Tensor { return t.compareTo("gt", device.Gt, device.GtP, other) }

// Ge reports element by element, as Bool, where t ≥ other, a tensor or a number.
func (t *Tensor) Ge(other any) *Tensor { return t.compareTo("ge", device.Ge, device.GeP, other) }

// Equal reports whether other has t's shape and the same elements; NaN equals nothing. Both are
// read from their device.
func (t *Tensor) Equal(other *Tensor) bool {
	given("equal", t, other)
	return slices.Equal(t.Shape(), other.Shape()) && t.Eq(other).All().Item() == 1
}

// An AllCloseConfig says how far apart elements may be. Zero fields mean PyTorch's defaults.
type AllCloseConfig struct {
	RTol     float64 // of the other tensor's element; 0 means 1e-5
	ATol     float64 // 0 means 1e-8
	EqualNaN bool    // NaN is close to NaN
}

// AllClose reports whether |t - other| ≤ ATol + RTol·|other| for all elements, computed in float64;
// infinities are close to themselves alone. Other than in PyTorch it panics with an [*Error] where
// the shapes differ. Both are read from their device.
func (t *Tensor) AllClose(other *Tensor, config ...AllCloseConfig) bool {
	given("allclose", t, other)
	c := AllCloseConfig{}
	if len(config) > 0 {
		c = config[0]
	}
	c.RTol, c.ATol = cmp.Or(c.RTol, 1e-5), cmp.Or(c.ATol, 1e-8)
	if !slices.Equal(t.Shape(), other.Shape()) {
		fail("allclose", "shapes %v and %v differ", t.Shape(), other.Shape())
	}
	theirs := other.Float64s()
	for i, a := range t.Float64s() {
		b := theirs[i]
		switch {
		case a == b, c.EqualNaN && math.IsNaN(a) && math.IsNaN(b):
		case math.IsInf(a, 0) || math.IsInf(b, 0) || !(math.Abs(a-b) <= c.ATol+c.RTol*math.Abs(b)):
			return false
		}
	}
	return true
}

// And reports element by element, as Bool, where both t and other differ from zero.
func (t *Tensor) And(other *Tensor) *Tensor {
	return binary("logical_and", device.And, t, other, Bool)
}

// Or reports element by element, as Bool, where t or other differs from zero.
func (t *Tensor) Or(other *Tensor) *Tensor {
	return binary("logical_or", device.Or, t, other, Bool)
}

// Xor reports element by element, as Bool, where one of t and other differs from zero and the other
// does not.
func (t *Tensor) Xor(other *Tensor) *Tensor {
	return binary("logical_xor", device.Xor, t, other, Bool)
}

// Not reports element by element, as Bool, where t is zero.
func (t *Tensor) Not() *Tensor { return unary("logical_not", device.Not, t, Bool, 0) }

// Where returns a where condition, of Bool, is true and b elsewhere, with broadcasting. Each
// receives the gradient of the elements that were taken from it.
func Where(condition, a, b *Tensor) *Tensor {
	given("where", condition, a, b)
	if condition.DType() != Bool {
		fail("where", "condition of %s; it is bool", condition.DType())
	}
	args := castAll("where", 3, []*Tensor{condition, a, b})
	condition, a, b = args[0], args[1], args[2]
	sameDevice("where", condition, a)
	sameDevice("where", condition, b)
	var buf1, buf2 [device.MaxDims]int
	shape := broadcast("where", buf1[:0], a.arr.Shape, b.arr.Shape)
	shape = broadcast("where", buf2[:0], shape, condition.arr.Shape)
	out := empty("where", a.Device(), promoteTensors(a, b), shape)
	out.backend("where").Ternary(device.Where, &out.arr, &condition.arr, &a.arr, &b.arr, 0)
	if n := record("where", out, whereGrad, a, b); n != nil {
		n.keep(condition)
	}
	return out
}

func whereGrad(n *node, g *Tensor, i int) *Tensor {
	if i == 0 {
		return Where(n.get(0), g, full(g, 0))
	}
	return Where(n.get(0), full(g, 0), g)
}

// IsFinite reports element by element, as Bool, whether the values are neither infinite nor NaN.
func (t *Tensor) IsFinite() *Tensor { return unary("isfinite", device.IsFinite, t, Bool, 0) }

// IsInf reports element by element, as Bool, whether the values are infinite.
func (t *Tensor) IsInf() *Tensor { return unary("isinf", device.IsInf, t, Bool, 0) }

// IsNaN reports element by element, as Bool, whether the values are NaN.
func (t *Tensor) IsNaN() *Tensor { return unary("isnan", device.IsNaN, t, Bool, 0) }

// AllFinite reports whether no element is infinite or NaN; it waits for the device.
func (t *Tensor) AllFinite() bool {
	s := t.stats()
	return s.Infs == 0 && s.NaNs == 0
}
