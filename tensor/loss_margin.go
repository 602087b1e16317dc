package tensor

// This file implements the losses that ask for a margin, between the two sides that a target of 1
// and −1 names, or between distances.

// sided computes a loss f of tensors and a target of 1 or −1, which are broadcast.
func sided(op string, config []LossConfig, f func(x []*Tensor, y *Tensor) *Tensor, target *Tensor,
	xs ...*Tensor) *Tensor {
	c := one(op, config)
	c.plain(op)
	args := castAll(op, len(xs)+1, append(xs[:len(xs):len(xs)], target))
	dtype := args[0].DType()
	for _, t := range args[1:] {
		sameDevice(op, args[0], t)
		dtype = promote(dtype, t.DType())
	}
	if !dtype.IsFloat() {
		fail(op, "values of %s; floating point is needed, which To gives", dtype)
	}
	return widely(dtype, func(w []*Tensor) *Tensor {
		return c.Reduction.apply(op, f(w[:len(xs)], w[len(xs)]))
	}, args...)
}

// HingeEmbeddingLoss returns x where the target is 1, and max(0, margin − x) where it is −1.
// PyTorch's default is 1.
func HingeEmbeddingLoss(x, target *Tensor, margin float64, config ...LossConfig) *Tensor {
	return sided("hinge_embedding_loss", config, func(xs []*Tensor, y *Tensor) *Tensor {
		far := xs[0].Neg().Add(margin).ClampMin(0)
		zero := full(far, 0)
		return Where(y.Ne(1), far, zero).Add(Where(y.Ne(-1), xs[0], zero))
	}, target, x)
}

// MarginRankingLoss returns max(0, margin − target·(a − b)): a target of 1 asks for a above b, −1
// for b above a. PyTorch's default is 0.
func MarginRankingLoss(a, b, target *Tensor, margin float64, config ...LossConfig) *Tensor {
	return sided("margin_ranking_loss", config, func(xs []*Tensor, y *Tensor) *Tensor {
		return xs[1].Sub(xs[0]).Mul(y).Add(margin).ClampMin(0)
	}, target, a, b)
}

// SoftMarginLoss returns log(1 + e^(−target·x)) for targets of 1 and −1.
func SoftMarginLoss(x, target *Tensor, config ...LossConfig) *Tensor {
	return sided("soft_margin_loss", config, func(xs []*Tensor, y *Tensor) *Tensor {
		return xs[0].Mul(y).LogSigmoid().Neg()
	}, target, x)
}

// CosineEmbeddingLoss returns 1 − cos(a, b) where the target is 1, and max(0, cos(a, b) − margin)
// where it is −1, for vectors of shape [N, D] with targets of shape [N], or [D] and []. PyTorch's
// default is 0.
func CosineEmbeddingLoss(a, b, target *Tensor, margin float64, config ...LossConfig) *Tensor {
	const op = "cosine_embedding_loss"
	given(op, a, b, target)
	d := a.Dim()
	if d < 1 || d > 2 || !equalInts(a.arr.Shape, b.arr.Shape) || target.Dim() != d-1 {
		fail(op, "vectors of shapes %v and %v and target of shape %v; they are [N, D] and [N], or "+
			"[D] and []", a.arr.Shape, b.arr.Shape, target.arr.Shape)
	}
	return sided(op, config, func(xs []*Tensor, y *Tensor) *Tensor {
		const eps = 1e-12 // PyTorch's
		a, b := xs[0], xs[1]
		lengths := a.Square().Sum(-1).Add(eps).Mul(b.Square().Sum(-1).Add(eps)).Sqrt()
		cos := a.Mul(b).Sum(-1).Div(lengths)
		zero := full(cos, 0)
		return Where(y.Eq(1), cos.Neg().Add(1), zero).
			Add(Where(y.Eq(-1), cos.Sub(margin).ClampMin(0), zero))
	}, target, a, b)
}

// A TripletConfig changes how TripletMarginLoss is computed. Its zero value is PyTorch's default.
type TripletConfig struct {
	Reduction Reduction // mean where empty
	Margin    *float64  // nil means 1
	P         float64   // the order of the norm; 0 means 2
	Eps       float64   // added to each difference; 0 means 1e-6
	Swap      bool      // take the distance of positive and negative where that is smaller
}

// TripletMarginLoss returns max(0, ‖anchor − positive‖ − ‖anchor − negative‖ + margin), the norms
// being those of the last dimension.
func TripletMarginLoss(anchor, positive, negative *Tensor, config ...TripletConfig) *Tensor {
	const op = "triplet_margin_loss"
	c := one(op, config)
	margin := 1.0
	if c.Margin != nil {
		margin = *c.Margin
	}
	if c.P == 0 {
		c.P = 2
	}
	if c.Eps == 0 {
		c.Eps = 1e-6
	}
	args := castAll(op, 3, []*Tensor{anchor, positive, negative})
	sameShapes(op, args[0], args[1])
	sameShapes(op, args[0], args[2])
	if args[0].Dim() == 0 {
		fail(op, "inputs of shape []; they are vectors, [D] or [N, D]")
	}
	dtype := promote(promote(args[0].DType(), args[1].DType()), args[2].DType())
	return widely(dtype, func(x []*Tensor) *Tensor {
		distance := func(a, b *Tensor) *Tensor { return a.Sub(b).Add(c.Eps).Norm(c.P, -1) }
		far := distance(x[0], x[2])
		if c.Swap {
			far = far.Minimum(distance(x[1], x[2]))
		}
		return c.Reduction.apply(op, distance(x[0], x[1]).Sub(far).Add(margin).ClampMin(0))
	}, args...)
}
