package tensor

// Softmax returns eᵗ divided by its sum along axis. A dtype given is that of the result.
func (t *Tensor) Softmax(axis int, dtype ...DType) *Tensor {
	return t.softmax("softmax", false, softmaxGrad, axis, oneDType("softmax", dtype))
}

// LogSoftmax returns the logarithm of Softmax, computed so that nothing overflows.
func (t *Tensor) LogSoftmax(axis int, dtype ...DType) *Tensor {
	return t.softmax("log_softmax", true, logSoftmaxGrad, axis, oneDType("log_softmax", dtype))
}

func (t *Tensor) softmax(op string, log bool, r rule, axis int, dtype DType) *Tensor {
	t, dtype = castDType(op, t, dtype)
	if dtype == 0 {
		dtype = t.DType()
	}
	if !dtype.IsFloat() {
		fail(op, "values of %s; floating point is needed", dtype)
	}
	if t.Dim() == 0 {
		return composed(func() *Tensor {
			return t.Unsqueeze(0).softmax(op, log, r, 0, dtype).Squeeze(0)
		})
	}
	axis = t.axis(op, axis)
	out := empty(op, t.Device(), dtype, t.arr.Shape)
	t.backend(op).Softmax(log, &out.arr, &t.arr, axis)
	if n := record(op, out, r, t); n != nil {
		n.ints = []int{axis}
		n.keep(out)
	}
	return out
}

// softmaxGrad: y·(g − Σ g·y), in one op so that 16-bit formats round once.
func softmaxGrad(n *node, g *Tensor, _ int) *Tensor {
	return softmaxBackward(false, softmaxGradGrad, n.get(0), g, n.ints[0])
}

// logSoftmaxGrad: g − eʸ·Σ g.
func logSoftmaxGrad(n *node, g *Tensor, _ int) *Tensor {
	return softmaxBackward(true, logSoftmaxGradGrad, n.get(0), g, n.ints[0])
}

func softmaxBackward(log bool, r rule, y, g *Tensor, axis int) *Tensor {
	const op = "softmax_backward"
	out := empty(op, y.Device(), promote(y.DType(), g.DType()), y.arr.Shape)
	y.backend(op).SoftmaxGrad(log, &out.arr, &y.arr, &g.arr, axis)
	if n := record(op, out, r, y, g); n != nil {
		n.ints = []int{axis}
		n.keep(y, g)
	}
	return out
}

// softmaxGradGrad: the matrix that g is multiplied with is symmetric; for y the gradient is
// gg·(g − Σ g·y) − g·Σ gg·y.
func softmaxGradGrad(n *node, gg *Tensor, i int) *Tensor {
	if i == 1 {
		return softmaxGrad(n, gg, 0)
	}
	axis, y, g := n.ints[0], n.wide(0), n.wide(1)
	over := func(t *Tensor) *Tensor { return t.Mul(y).Sum(axis).Unsqueeze(axis) }
	gg = gg.widen()
	return gg.Mul(g.Sub(over(g))).Sub(g.Mul(over(gg)))
}

// logSoftmaxGradGrad: gg − Σ gg·eʸ, and for y −gg·eʸ·Σ g.
func logSoftmaxGradGrad(n *node, gg *Tensor, i int) *Tensor {
	axis := n.ints[0]
	gg = gg.widen()
	weighted := gg.Mul(n.wide(0).Exp())
	if i == 1 {
		return gg.Sub(weighted.Sum(axis).Unsqueeze(axis))
	}
	return weighted.Mul(n.wide(1).Sum(axis).Unsqueeze(axis)).Neg()
}
