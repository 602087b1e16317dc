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

// softmaxGrad: y·(g − Σ g·y), in float32 for 16-bit formats.
func softmaxGrad(n *node, g *Tensor, _ int) *Tensor {
	y := n.get(0).To(wide(g.DType()))
	g = g.To(wide(g.DType()))
	return y.Mul(g.Sub(g.Mul(y).Sum(n.ints[0]).Unsqueeze(n.ints[0])))
}

// logSoftmaxGrad: g − eʸ·Σ g, in float32 for 16-bit formats.
func logSoftmaxGrad(n *node, g *Tensor, _ int) *Tensor {
	y := n.get(0).To(wide(g.DType()))
	g = g.To(wide(g.DType()))
	return g.Sub(y.Exp().Mul(g.Sum(n.ints[0]).Unsqueeze(n.ints[0])))
}
