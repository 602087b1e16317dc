package tensor

import (
	"slices"

	"halfnote/tensor/internal/device"
)

// usualEps is what PyTorch adds to variances by default.
const usualEps = 1e-5

// A norm normalises the rows of a tensor with four dimensions: the first two number the rows, the
// last two the elements of a row.
type norm struct {
	device.Norm
	op       string
	rms      bool // no mean is subtracted
	weighted bool // there is a weight
}

// LayerNorm normalises x over its last dimensions, whose sizes are shape, to mean 0 and variance 1:
// y = (x − mean)/√(variance + eps)·weight + bias, with the biased variance. weight and bias have
// that shape, or are nil; eps is 1e-5 unless given. 16-bit floats are computed in float32 and
// rounded once; beside them weight and bias may be Float32. Rows whose variance float32 cannot hold
// are NaN.
func LayerNorm(x *Tensor, shape []int, weight, bias *Tensor, eps ...float64) *Tensor {
	const op = "layer_norm"
	before := [...]*Tensor{x, weight, bias}
	args := castAll(op, 1, before[:])
	x, weight, bias = args[0], args[1], args[2]
	m := &norm{op: op, Norm: device.Norm{Eps: epsilon(op, usualEps, eps)}}
	out := m.overLast(x, shape, weight, bias)
	dropCasts(before[:], args)
	return out
}

// RMSNorm divides x by the root of the mean square over its last dimensions, whose sizes are
// shape: y = x/√(mean x² + eps)·weight. weight has that shape, or is nil; eps is 2⁻⁵²
// for Float64 and else 2⁻²³ unless given. For 16-bit floats, and what overflows, see LayerNorm.
func RMSNorm(x *Tensor, shape []int, weight *Tensor, eps ...float64) *Tensor {
	const op = "rms_norm"
	before := [...]*Tensor{x, weight}
	args := castAll(op, 1, before[:])
	x, weight = args[0], args[1]
	usual := 0x1p-23
	if x.DType() == Float64 {
		usual = 0x1p-52
	}
	m := &norm{op: op, rms: true, Norm: device.Norm{Eps: epsilon(op, usual, eps)}}
	out := m.overLast(x, shape, weight, nil)
	dropCasts(before[:], args)
	return out
}

// GroupNorm normalises x, of shape [N, C, …], over groups of C/groups channels of each sample,
// and then scales every channel by weight and adds bias, both of shape [C] or nil; see LayerNorm.
func GroupNorm(x *Tensor, groups int, weight, bias *Tensor, eps ...float64) *Tensor {
	return groupNorm("group_norm", x, groups, weight, bias, eps)
}

// InstanceNorm normalises every channel of every sample of x, of shape [N, C, …], by itself:
// GroupNorm with groups of one channel. Autocast leaves it in its input's dtype.
func InstanceNorm(x, weight, bias *Tensor, eps ...float64) *Tensor {
	const op = "instance_norm"
	given(op, x)
	if x.Dim() < 2 {
		fail(op, "input of shape %v; it is [N, C, …]", x.arr.Shape)
	}
	if x.Numel() > 0 && x.Numel() == x.arr.Shape[0]*x.arr.Shape[1] {
		fail(op, "input of shape %v has one value per channel, whose variance is 0", x.arr.Shape)
	}
	return groupNorm(op, x, max(1, x.arr.Shape[1]), weight, bias, eps)
}

func groupNorm(op string, x *Tensor, groups int, weight, bias *Tensor, eps []float64) *Tensor {
	args := castAll(op, 1, []*Tensor{x, weight, bias})
	x, weight, bias = args[0], args[1], args[2]
	m := &norm{op: op, Norm: device.Norm{Eps: epsilon(op, usualEps, eps)}}
	if x.Dim() < 2 {
		fail(op, "input of shape %v; it is [N, C, …]", x.arr.Shape)
	}
	channels := x.arr.Shape[1]
	if groups < 1 || channels%groups != 0 {
		fail(op, "%d channels of input shape %v do not divide into %d groups",
			channels, x.arr.Shape, groups)
	}
	m.check(x, []int{channels}, weight, bias)
	return composed(func() *Tensor {
		rows := x.Reshape(x.arr.Shape[0], groups, channels/groups, volume(x.arr.Shape[2:]))
		mean, variance := m.moments(rows)
		out := m.apply(rows, mean, variance, view4(weight, 1, groups, channels/groups, 1),
			view4(bias, 1, groups, channels/groups, 1))
		return out.Reshape(slices.Clone(x.arr.Shape)...)
	})
}

// epsilon returns the eps that was given, or the usual one.
func epsilon(op string, usual float64, given []float64) float64 {
	if len(given) == 0 {
		return usual
	}
	eps := one(op, given)
	if !(eps >= 0) {
		fail(op, "eps %v; it is not negative", eps)
	}
	return eps
}

// overLast normalises over the last dimensions.
func (m *norm) overLast(x *Tensor, shape []int, weight, bias *Tensor) *Tensor {
	from := x.Dim() - len(shape)
	if len(shape) == 0 || from < 0 || !equalInts(x.arr.Shape[from:], shape) {
		fail(m.op, "input of shape %v does not end in the shape %v to normalise",
			x.arr.Shape, shape)
	}
	m.check(x, shape, weight, bias)
	return composed(func() *Tensor {
		rows, size := volume(x.arr.Shape[:from]), volume(shape)
		in := x.Reshape(rows, 1, 1, size)
		mean, variance := m.moments(in)
		out := m.apply(in, mean, variance, view4(weight, 1, 1, 1, size),
			view4(bias, 1, 1, 1, size))
		return out.Reshape(slices.Clone(x.arr.Shape)...)
	})
}

// check panics where weight and bias do not have that shape, or a dtype that goes with x.
func (m *norm) check(x *Tensor, shape []int, weight, bias *Tensor) {
	needFloat(m.op, x)
	m.checkOne("weight", x, shape, weight)
	m.checkOne("bias", x, shape, bias)
}

// checkOne checks t, which may be nil. As in PyTorch it has x's dtype, or Float32 beside 16 bits.
func (m *norm) checkOne(what string, x *Tensor, shape []int, t *Tensor) {
	if t == nil {
		return
	}
	sameDevice(m.op, x, t)
	if !equalInts(t.arr.Shape, shape) {
		fail(m.op, "%s of shape %v for input of shape %v; it is %v",
			what, t.arr.Shape, x.arr.Shape, shape)
	}
	if t.DType() != x.DType() && (t.DType() != Float32 || !x.DType().isHalf()) {
		fail(m.op, "%s of %s for input of %s; convert one with To%s",
			what, t.DType(), x.DType(), float64Hint(x, t))
	}
}

// view4 gives an optional tensor four dimensions.
func view4(t *Tensor, shape ...int) *Tensor {
	if t == nil {
		return nil
	}
	return t.Reshape(shape...)
}

// apply normalises rows. It fills mean and variance unless they are given.
func (m *norm) apply(x, mean, variance, weight, bias *Tensor) *Tensor {
	out := emptyAs(m.op, x)
	m.weighted = weight != nil
	x.backend(m.op).Normalize(&out.arr, &x.arr, mean.array(), variance.array(), weight.array(),
		bias.array(), m.Norm)
	if n := record(m.op, out, m.grad, x, weight, bias); n != nil {
		n.keep(x, weight, mean, variance)
	}
	return out
}

// moments makes room for mean and variance of the rows of x.
func (m *norm) moments(x *Tensor) (mean, variance *Tensor) {
	shape := []int{x.arr.Shape[0], x.arr.Shape[1], 1, 1}
	if !m.rms {
		mean = empty(m.op, x.Device(), wide(x.DType()), shape)
	}
	return mean, empty(m.op, x.Device(), wide(x.DType()), shape)
}

// emptyAs is empty in the shape and dtype of t, dense, with dimensions in the order that they
// have in t's memory.
func emptyAs(op string, t *Tensor) *Tensor {
	out := empty(op, t.Device(), t.DType(), t.arr.Shape)
	order := make([]int, t.Dim())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return t.arr.Strides[b] - t.arr.Strides[a] })
	by := 1
	for _, d := range slices.Backward(order) {
		out.arr.Strides[d] = by
		by *= max(1, t.arr.Shape[d])
	}
	return out
}

// grad is the gradient of x, weight or bias. A gradient that is itself recorded is composed of ops,
// because the fused ones have no gradients.
func (m *norm) grad(n *node, g *Tensor, i int) *Tensor {
	x, variance := n.get(0), n.get(3)
	var weight, mean *Tensor
	if m.weighted {
		weight = n.get(1)
	}
	if !m.rms {
		mean = n.get(2)
	}
	if GradEnabled() {
		return m.composedGrad(n, g, i, x, weight, mean, variance)
	}
	b := x.backend(m.op)
	if i == 0 {
		out := emptyAs(m.op, x)
		b.NormalizeGrad(&out.arr, &g.arr, &x.arr, mean.array(), variance.array(), weight.array(),
			m.Norm)
		return out
	}
	in := n.inputs[i]
	out := empty(m.op, in.device, in.dtype, in.shape)
	var dw, db *device.Array
	if dw = &out.arr; i == 2 {
		dw, db = nil, dw
	}
	b.NormalizeWeightGrad(dw, db, &g.arr, &x.arr, mean.array(), variance.array(), m.Norm)
	return out
}

// composedGrad is grad in ops that can be recorded; the moments are computed anew for that.
func (m *norm) composedGrad(n *node, g *Tensor, i int, x, weight, mean, variance *Tensor) *Tensor {
	d := wide(x.DType())
	g, x = g.To(d), x.To(d)
	if i == 2 {
		return g.sumTo(n.inputs[2].shape)
	}
	rows := []int{x.arr.Shape[0], x.arr.Shape[1], 1, 1}
	over := func(t *Tensor) *Tensor { return t.Mean(2, 3).Reshape(rows...) }
	switch {
	case m.Given:
		x = x.Sub(mean.To(d))
		variance = variance.To(d)
	case !m.rms:
		x = x.Sub(over(x))
		fallthrough
	default:
		variance = over(x.Mul(x))
	}
	scale := variance.Add(m.Eps).Rsqrt()
	z := x.Mul(scale)
	if i == 1 {
		return g.Mul(z).sumTo(n.inputs[1].shape)
	}
	if weight != nil {
		g = g.Mul(weight.To(d))
	}
	out := g
	if !m.Given {
		out = out.Sub(z.Mul(over(g.Mul(z))))
		if !m.rms {
			out = out.Sub(over(g))
		}
	}
	return out.Mul(scale)
}
