package tensor

import "halfnote/tensor/internal/device"

// Dropout returns t with each element set to 0 with probability p and the others divided by 1 − p,
// so that the mean stays; with p = 1 all are 0. The numbers come from the default generator unless
// one is given. Elements are dropped by multiplication with 0, as in PyTorch: infinities and NaNs
// become NaN. The same elements are dropped of the gradient, which is computed from the
// generator's seed and offset again, so that no mask is kept. It panics with an [*Error] unless t
// is floating and p is from 0 to 1.
//
// For a layer that does this only in training, see nn.NewDropout.
// N. Srivastava et al., "Dropout", 2014, https://jmlr.org/papers/v15/srivastava14a.html.
func (t *Tensor) Dropout(p float64, generator ...*Generator) *Tensor {
	const op = "dropout"
	t.floats(op)
	d := chosen(op, generator).draw(keepDraw(op, p), t)
	return cast(op, t).dropped(d, keepScale(p))
}

// keepDraw is 1 for what stays, where the rest is dropped with probability p.
func keepDraw(op string, p float64) device.Draw {
	d := bernoulli(op, p)
	d.A = 1 - p
	return d
}

// keepMask draws, as Bool, what stays.
func keepMask(op string, dev Device, p float64, shape []int, g *Generator) *Tensor {
	mask := empty(op, dev, Bool, shape)
	mask.backend(op).Random(&mask.arr, g.draw(keepDraw(op, p), mask))
	return mask
}

// keepScale is what the elements that are kept are multiplied by.
func keepScale(p float64) float64 {
	if p == 1 {
		return 0
	}
	return 1 / (1 - p)
}

// dropped multiplies t with the mask of d and scale. The op is linear and its own transpose, hence
// its own gradient.
func (t *Tensor) dropped(d device.Draw, scale float64) *Tensor {
	out := empty("dropout", t.Device(), t.DType(), t.arr.Shape)
	t.backend("dropout").Dropout(&out.arr, &t.arr, d, scale)
	record("dropout", out, func(_ *node, g *Tensor, _ int) *Tensor {
		return g.dropped(d, scale)
	}, t)
	return out
}

// DropoutMask is Dropout of the elements where mask, which is broadcast to t's shape, is 0, and not
// of those where it is 1: t·mask / (1 − p). The mask has any dtype and takes no gradient.
func (t *Tensor) DropoutMask(mask *Tensor, p float64) *Tensor {
	const op = "dropout"
	given(op, t, mask)
	t.floats(op)
	bernoulli(op, p)
	var buf [device.MaxDims]int
	if !equalInts(broadcast(op, buf[:0], t.arr.Shape, mask.arr.Shape), t.arr.Shape) {
		fail(op, "the mask's shape %v does not broadcast to %v", mask.arr.Shape, t.arr.Shape)
	}
	t = cast(op, t)
	dtype := t.DType()
	return composed(func() *Tensor {
		m := mask.Detach().To(wide(dtype)).Mul(keepScale(p))
		return t.To(wide(dtype)).Mul(m).To(dtype)
	})
}

// Dropout2d is Dropout of whole channels: of t [N, C, ...] each t[n, c] is set to 0 with
// probability p or divided by 1 − p. Neighbouring pixels are alike, so that dropping single ones
// would change little. It panics with an [*Error] unless t has two dimensions and more.
func (t *Tensor) Dropout2d(p float64, generator ...*Generator) *Tensor {
	const op = "dropout2d"
	if t.Dim() < 2 {
		fail(op, "shape %v: at least two dimensions [N, C, ...] are needed", t.arr.Shape)
	}
	shape := make([]int, t.Dim())
	for d := range shape {
		shape[d] = 1
	}
	copy(shape, t.arr.Shape[:2])
	return t.DropoutMask(keepMask(op, t.Device(), p, shape, chosen(op, generator)), p)
}
