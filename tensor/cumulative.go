package tensor

import "halfnote/tensor/internal/device"

// This file implements what goes along one dimension in order, and products, whose gradients do.

// Cumsum returns, along axis, the sums of all elements up to each. Integers and bools give Int64.
func (t *Tensor) Cumsum(axis int) *Tensor { return t.CumsumAs(0, axis) }

// CumsumAs is Cumsum with the dtype of the result given; zero means the usual one.
func (t *Tensor) CumsumAs(dtype DType, axis int) *Tensor {
	t, dtype = castDType("cumsum", t, dtype)
	return cumulative("cumsum", t, dtype, axis, func(x *Tensor, axis int) *Tensor {
		return scan{axis: axis}.of(nil, x)
	})
}

// Cumprod returns, along axis, the products of all elements up to each. Integers and bools give
// Int64. The gradient is right with zeros, too.
func (t *Tensor) Cumprod(axis int) *Tensor { return t.CumprodAs(0, axis) }

// CumprodAs is Cumprod with the dtype of the result given; zero means the usual one.
func (t *Tensor) CumprodAs(dtype DType, axis int) *Tensor {
	t, dtype = castDType("cumprod", t, dtype)
	return cumulative("cumprod", t, dtype, axis, func(x *Tensor, axis int) *Tensor {
		return scan{axis: axis, ScanConfig: device.ScanConfig{Start: 1}}.of(x, nil)
	})
}

// cumulative computes f in the type that is wide for dtype.
func cumulative(op string, t *Tensor, dtype DType, axis int,
	f func(x *Tensor, axis int) *Tensor) *Tensor {
	if dtype == 0 {
		dtype = sumType(t.DType())
	}
	return composed(func() *Tensor {
		if t.Dim() == 0 {
			checkAxis(op, axis, 1, t.arr.Shape)
			return t.To(dtype).Clone()
		}
		return f(t.To(wide(dtype)), t.axis(op, axis)).To(dtype)
	})
}

// Prod returns the product over axes, or of all elements. Integers and bools give Int64. The
// gradient is right with zeros, too. The product of no elements is 1.
func (t *Tensor) Prod(axes ...int) *Tensor { return t.ProdAs(0, axes...) }

// ProdAs is Prod with the dtype of the result given; zero means the usual one.
func (t *Tensor) ProdAs(dtype DType, axes ...int) *Tensor {
	t, dtype = castDType("prod", t, dtype)
	if dtype == 0 {
		dtype = sumType(t.DType())
	}
	out, kept := t.reduction("prod", device.Prod, dtype, axes)
	if n := record("prod", out, prodGrad, t); n != nil {
		n.keep(t)
		n.ints = kept
	}
	return out
}

// prodGrad: the product of all the others, which is that of those before times that of those
// behind.
func prodGrad(n *node, g *Tensor, _ int) *Tensor {
	x := n.wide(0)
	g = g.widen().Reshape(n.ints...)
	var order, axes []int // the reduced dimensions are made the last one
	for d, s := range n.ints {
		if s == 1 && x.arr.Shape[d] != 1 {
			axes = append(axes, d)
			continue
		}
		order = append(order, d)
	}
	if len(axes) == 0 {
		return g.Expand(x.arr.Shape...)
	}
	rest := len(order)
	order = append(order, axes...)
	moved := x.Permute(order...)
	rows := moved.Flatten(rest)
	c := device.ScanConfig{Start: 1, Lag: true}
	before := scan{axis: rest, ScanConfig: c}.of(rows, nil)
	c.Reverse = true
	behind := scan{axis: rest, ScanConfig: c}.of(rows, nil)
	back := make([]int, len(order))
	for i, d := range order {
		back[d] = i
	}
	others := before.Mul(behind).Reshape(moved.Shape()...).Permute(back...)
	return others.Mul(g)
}

// A scan is the device's Scan, as a recorded op: the step out[i] = a[i]·out[i−1] + b[i], or with
// Lag out[i] = a[i−1]·out[i−1] + b[i].
type scan struct {
	axis int
	device.ScanConfig
}

// of computes the scan. A nil a stands for ones, a nil b for zeros; one of them is given.
func (s scan) of(a, b *Tensor) *Tensor {
	like := a
	if a == nil {
		like = b
	}
	out := empty("scan", like.Device(), like.DType(), like.arr.Shape)
	out.backend("scan").Scan(&out.arr, a.array(), b.array(), s.axis, s.ScanConfig)
	if n := record("scan", out, s.grad, a, b); n != nil {
		n.keep(a, n.unless(0, out))
	}
	return out
}

// grad: a change of b[i] grows on its way as the sums do, so its gradient is the scan of g that
// goes the other way. That of a[i] is this times the number that a[i] was multiplied with.
func (s scan) grad(n *node, g *Tensor, i int) *Tensor {
	adjoint := scan{s.axis, device.ScanConfig{Reverse: !s.Reverse, Lag: !s.Lag}}
	d := adjoint.of(n.getOrNil(0), g)
	switch {
	case i == 1:
		return d
	case s.Lag:
		return shift(d, s.axis, s.Reverse, 0).Mul(n.get(1))
	}
	return d.Mul(shift(n.get(1), s.axis, !s.Reverse, s.Start))
}

// shift moves the elements one place on along axis, or back, and puts v into the place that is
// free.
func shift(t *Tensor, axis int, forward bool, v float64) *Tensor {
	n := t.arr.Shape[axis]
	if n == 0 {
		return t
	}
	free := full(t, v).Expand(t.Narrow(axis, 0, 1).Shape()...)
	if forward {
		return Cat([]*Tensor{free, t.Narrow(axis, 0, n-1)}, axis)
	}
	return Cat([]*Tensor{t.Narrow(axis, 1, n-1), free}, axis)
}
