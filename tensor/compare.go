package tensor

import "halfnote/tensor/internal/device"

// compareTo computes a comparison with a tensor or a number. Comparisons have no gradient.
func (t *Tensor) compareTo(op string, with device.BinaryOp, number device.UnaryOp,
	other any) *Tensor {
	o, p, _ := operand(op, other)
	if o == nil {
		return unary(op, number, t, Bool, p)
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

// And reports element by element, as Bool, where both t and other differ from zero.
func (t *Tensor) And(other *Tensor) *Tensor {
	return binary("logical_and", device.And, t, other, Bool)
}

// Or reports element by element, as Bool, where t or other differs from zero.
func (t *Tensor) Or(other *Tensor) *Tensor {
	return binary("logical_or", device.Or, t, other, Bool)
}

// Not reports element by element, as Bool, where t is zero.
func (t *Tensor) Not() *Tensor { return unary("logical_not", device.Not, t, Bool, 0) }

// Where returns a where condition, of Bool, is true and b elsewhere, with broadcasting. Each
// receives the gradient of the elements that were taken from it.
func Where(condition, a, b *Tensor) *Tensor {
	if condition.DType() != Bool {
		fail("where", "condition of %s; it is bool", condition.DType())
	}
	args := castAll("where", []*Tensor{condition, a, b})
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
