package tensor

// This file implements distances, and products of vectors that lie along one dimension.

// distant computes an op on two floating tensors in the type that is wide for both.
func distant(op string, a, b *Tensor, f func(a, b *Tensor) *Tensor) *Tensor {
	sameDevice(op, a, b)
	dtype := promoteTensors(a, b)
	if !dtype.IsFloat() {
		fail(op, "elements of %s; floating point is needed", dtype)
	}
	return widely(dtype, func(x []*Tensor) *Tensor { return f(x[0], x[1]) }, a, b)
}

// Dist returns the norm of order p of t − other, with broadcasting; see Norm.
func (t *Tensor) Dist(other *Tensor, p float64) *Tensor {
	a, b := cast2("dist", t, other)
	return distant("dist", a, b, func(a, b *Tensor) *Tensor { return a.Sub(b).Norm(p) })
}

// CDist returns the norms of order p of the differences of all rows of a, of shape [..., P, M], and
// all rows of b, of shape [..., R, M]: a tensor of shape [..., P, R]. The gradient at a distance of
// 0 is 0. All differences are in memory at once.
func CDist(a, b *Tensor, p float64) *Tensor {
	const op = "cdist"
	a, b = cast2(op, a, b)
	if a.Dim() < 2 || b.Dim() < 2 || a.Size(-1) != b.Size(-1) {
		fail(op, "shapes %v and %v; they are [..., P, M] and [..., R, M]", a.arr.Shape, b.arr.Shape)
	}
	return distant(op, a, b, func(a, b *Tensor) *Tensor {
		return a.Unsqueeze(-2).Sub(b.Unsqueeze(-3)).Norm(p, -1)
	})
}

// PDist returns the distances of order p between the rows of t, of shape [N, M], each pair once:
// a vector of N·(N − 1)/2, the pairs of row 0 first.
func (t *Tensor) PDist(p float64) *Tensor {
	const op = "pdist"
	t = cast(op, t)
	if t.Dim() != 2 {
		fail(op, "shape %v; it is [N, M]", t.arr.Shape)
	}
	var first, second []int64
	for i := range t.Size(0) {
		for j := i + 1; j < t.Size(0); j++ {
			first, second = append(first, int64(i)), append(second, int64(j))
		}
	}
	at := func(x *Tensor, rows []int64) *Tensor {
		return x.selected(0, t.Device().int64s(rows, len(rows)))
	}
	return distant(op, t, t, func(x, _ *Tensor) *Tensor {
		return at(x, first).Sub(at(x, second)).Norm(p, -1)
	})
}

// Renorm returns t with each part along axis whose norm of order p is above most shrunk to that
// norm.
func (t *Tensor) Renorm(p float64, axis int, most float64) *Tensor {
	const op = "renorm"
	t = cast(op, t)
	if p <= 0 || most < 0 || t.Dim() < 2 {
		fail(op, "order %v, norm %v and shape %v; the order is positive, the norm not negative, "+
			"and there are two dimensions or more", p, most, t.arr.Shape)
	}
	axis = t.axis(op, axis)
	return distant(op, t, t, func(x, _ *Tensor) *Tensor {
		x = x.Movedim(axis, 0)
		shape := x.Shape()
		x = x.Reshape(shape[0], t.Numel()/max(1, shape[0]))
		norm := x.Norm(p, 1).Unsqueeze(1)
		shrunk := norm.Add(1e-7).RDiv(most)
		return x.Mul(Where(norm.Gt(most), shrunk, full(norm, 1))).Reshape(shape...).Movedim(0, axis)
	})
}

// Cross returns the vector products of t and other along axis, which has three elements in both;
// the others are broadcast.
func (t *Tensor) Cross(other *Tensor, axis int) *Tensor {
	const op = "cross"
	a, b := cast2(op, t, other)
	sameDevice(op, a, b)
	shape := broadcast(op, nil, a.arr.Shape, b.arr.Shape)
	axis = checkAxis(op, axis, len(shape), shape)
	back := axis - len(shape) // counted from the end, it is the same for both
	for _, x := range []*Tensor{a, b} {
		if x.Dim() < -back || x.Size(back) != 3 {
			fail(op, "shapes %v and %v do not have 3 elements in dimension %d", a.arr.Shape,
				b.arr.Shape, axis)
		}
	}
	return widely(promoteTensors(a, b), func(x []*Tensor) *Tensor {
		a1, a2 := x[0].Roll(-1, back), x[0].Roll(-2, back)
		b1, b2 := x[1].Roll(-1, back), x[1].Roll(-2, back)
		return a1.Mul(b2).Sub(a2.Mul(b1))
	}, a, b)
}

// Vecdot returns Σ t·other along axis, with broadcasting (PyTorch's linalg.vecdot).
func (t *Tensor) Vecdot(other *Tensor, axis int) *Tensor {
	const op = "linalg_vecdot"
	a, b := cast2(op, t, other)
	sameDevice(op, a, b)
	sameDType(op, a, b)
	shape := broadcast(op, nil, a.arr.Shape, b.arr.Shape)
	checkAxis(op, axis, max(1, len(shape)), shape)
	return widely(a.DType(), func(x []*Tensor) *Tensor { return x[0].Mul(x[1]).Sum(axis) }, a, b)
}

// Bilinear returns y with y[..., k] = aᵀ·w[k]·b + bias[k], for a of shape [..., I], b of shape
// [..., J], w of shape [K, I, J] and bias of shape [K], or nil.
func Bilinear(a, b, w, bias *Tensor) *Tensor {
	const op = "bilinear"
	args := castAll(op, 3, []*Tensor{a, b, w, bias})
	a, b, w, bias = args[0], args[1], args[2], args[3]
	n := a.Dim() - 1
	if w.Dim() != 3 || n < 0 || b.Dim() != n+1 || !equalInts(a.arr.Shape[:n], b.arr.Shape[:n]) ||
		a.Size(-1) != w.Size(1) || b.Size(-1) != w.Size(2) {
		fail(op, "inputs of shapes %v and %v and weight of shape %v; they are [..., I], [..., J] "+
			"and [K, I, J]", a.arr.Shape, b.arr.Shape, w.arr.Shape)
	}
	if bias != nil && !equalInts(bias.arr.Shape, w.arr.Shape[:1]) {
		fail(op, "bias of shape %v for weight of shape %v; it is [K]", bias.arr.Shape, w.arr.Shape)
	}
	for _, x := range []*Tensor{b, w, bias} {
		if x != nil {
			sameDType(op, a, x)
		}
	}
	return widely(a.DType(), func(x []*Tensor) *Tensor {
		y := Einsum("...i,kij,...j->...k", x[0], x[2], x[1])
		if x[3] != nil {
			y = y.Add(x[3])
		}
		return y
	}, a, b, w, bias)
}
