package tensor

import "slices"

// A Reduction says what a loss does with the losses of the samples.
type Reduction string

// The reductions. The empty string is MeanLoss, PyTorch's default.
const (
	MeanLoss Reduction = "mean"
	SumLoss  Reduction = "sum"
	NoneLoss Reduction = "none"
)

// A LossConfig changes how a loss is computed. The zero value is PyTorch's default.
type LossConfig struct {
	Reduction      Reduction // mean where empty
	Weight         *Tensor   // of each class, [C]; the mean is then the weighted one
	IgnoreIndex    []int     // targets that count for nothing; nil means -100
	LabelSmoothing float64   // CrossEntropy only: the share spread evenly over all classes
}

// apply reduces losses that have equal weights.
func (c LossConfig) apply(op string, losses *Tensor) *Tensor {
	switch c.Reduction {
	case "", MeanLoss:
		return losses.Mean()
	case SumLoss:
		return losses.Sum()
	case NoneLoss:
		return losses
	}
	fail(op, "reduction %q; it is mean, sum or none", string(c.Reduction))
	return nil
}

// MSELoss returns the mean of the squared differences of pred and target, which have one shape.
func MSELoss(pred, target *Tensor, config ...LossConfig) *Tensor {
	c := one("mse_loss", config)
	pred, target = cast2("mse_loss", pred, target)
	if !equalInts(pred.arr.Shape, target.arr.Shape) {
		fail("mse_loss", "prediction of shape %v and target of shape %v differ",
			pred.arr.Shape, target.arr.Shape)
	}
	return composed(func() *Tensor {
		d := pred.Sub(target)
		return c.apply("mse_loss", d.Mul(d))
	})
}

// CrossEntropy returns −log softmax(logits)[target] for logits of shape [N, C] or [N, C, …]. The
// target holds classes as Int64 in the shape [N, …], or probabilities in the shape of the logits.
// Autocast sees it as log_softmax and nll_loss, as in PyTorch.
func CrossEntropy(logits, target *Tensor, config ...LossConfig) *Tensor {
	c := one("cross_entropy", config)
	axis := min(1, logits.Dim()-1)
	if axis < 0 {
		fail("cross_entropy", "logits of shape %v; they are [N, C] or [C]", logits.arr.Shape)
	}
	logp := logits.LogSoftmax(axis)
	if target.DType().IsFloat() {
		return logp.soft(target, axis, c)
	}
	return nll("cross_entropy", logp, target, c)
}

// NLLLoss returns −logp[target] for log-probabilities of shape [N, C], [N, C, …] or [C] and classes
// as Int64 in the shape [N, …] or [].
func NLLLoss(logp, target *Tensor, config ...LossConfig) *Tensor {
	c := one("nll_loss", config)
	if c.LabelSmoothing != 0 {
		fail("nll_loss", "label smoothing belongs to CrossEntropy")
	}
	return nll("nll_loss", logp, target, c)
}

// nll computes both losses on classes; op is the one that was called.
func nll(op string, logp, target *Tensor, c LossConfig) *Tensor {
	args := castAll("nll_loss", []*Tensor{logp, target, c.Weight})
	logp, target, c.Weight = args[0], args[1], args[2]
	if target.DType() != Int64 {
		fail(op, "target of %s; classes are int64", target.DType())
	}
	if logp.Dim() == 0 || !equalInts(target.arr.Shape, withoutClass(logp.arr.Shape)) {
		fail(op, "input of shape %v and target of shape %v; they are [N, C, …] and [N, …]",
			logp.arr.Shape, target.arr.Shape)
	}
	return composed(func() *Tensor { return c.nll(op, logp, target) })
}

// withoutClass drops the dimension of the classes.
func withoutClass(shape []int) []int {
	axis := min(1, len(shape)-1)
	return append(slices.Clone(shape[:axis]), shape[axis+1:]...)
}

func (c LossConfig) nll(op string, logp, target *Tensor) *Tensor {
	axis := min(1, logp.Dim()-1)
	classes := logp.arr.Shape[axis]
	ignored := c.ignored(op, target, classes)
	picked := target
	if ignored != nil {
		picked = Where(ignored, full(target, 0), target)
	}
	losses := logp.Gather(axis, picked.Unsqueeze(axis)).Squeeze(axis).Neg()
	var weights *Tensor // of each sample, where they are not all 1
	if c.Weight != nil {
		c.checkWeight(op, logp, classes)
		weights = c.Weight.Gather(0, picked.Reshape(-1)).Reshape(picked.arr.Shape...)
		losses = losses.Mul(weights)
	}
	if c.LabelSmoothing != 0 {
		share := c.LabelSmoothing / float64(classes)
		losses = losses.Mul(1 - c.LabelSmoothing).Add(c.overClasses(logp, axis).Mul(share))
	}
	if ignored == nil && weights == nil {
		return c.apply(op, losses)
	}
	if weights == nil {
		weights = OnesLike(losses)
	}
	if ignored != nil {
		losses = Where(ignored, full(losses, 0), losses)
		weights = Where(ignored, full(weights, 0), weights)
	}
	if c.Reduction == "" || c.Reduction == MeanLoss {
		return losses.Sum().Div(weights.Sum())
	}
	return c.apply(op, losses)
}

// overClasses sums −logp over the classes, with their weights.
func (c LossConfig) overClasses(logp *Tensor, axis int) *Tensor {
	if c.Weight != nil {
		logp = logp.Mul(alongAxis(c.Weight, axis, logp.Dim()))
	}
	return logp.Sum(axis).Neg()
}

// alongAxis returns a vector as a tensor that broadcasts along axis of dims dimensions.
func alongAxis(v *Tensor, axis, dims int) *Tensor {
	shape := make([]int, dims)
	for i := range shape {
		shape[i] = 1
	}
	shape[axis] = v.Numel()
	return v.Reshape(shape...)
}

func (c LossConfig) checkWeight(op string, logp *Tensor, classes int) {
	if c.Weight.Dim() != 1 || c.Weight.Numel() != classes {
		fail(op, "weight of shape %v for %d classes", c.Weight.arr.Shape, classes)
	}
	sameDType(op, logp, c.Weight)
}

// ignored returns a mask of the targets that count for nothing, or nil where all count. It panics
// where a target is no class.
func (c LossConfig) ignored(op string, target *Tensor, classes int) *Tensor {
	skip := c.IgnoreIndex
	if skip == nil {
		skip = []int{-100} // PyTorch's default
	}
	found := false
	mask := make([]bool, target.Numel())
	for i, class := range target.Int64s() {
		if slices.Contains(skip, int(class)) {
			mask[i], found = true, true
			continue
		}
		if class < 0 || class >= int64(classes) {
			fail(op, "target %d is no class; there are %d", class, classes)
		}
	}
	if !found {
		return nil
	}
	return FromBool(mask, target.arr.Shape...).To(target.Device())
}

// soft is cross entropy with probabilities as targets: logp is on the tape already.
func (t *Tensor) soft(target *Tensor, axis int, c LossConfig) *Tensor {
	if !equalInts(t.arr.Shape, target.arr.Shape) {
		fail("cross_entropy", "input of shape %v and probabilities of shape %v differ",
			t.arr.Shape, target.arr.Shape)
	}
	classes := t.arr.Shape[axis]
	return composed(func() *Tensor {
		if s := c.LabelSmoothing; s != 0 {
			target = target.Mul(1 - s).Add(s / float64(classes))
		}
		products := t.Mul(target)
		if c.Weight != nil {
			c.checkWeight("cross_entropy", t, classes)
			products = products.Mul(alongAxis(c.Weight, axis, t.Dim()))
		}
		losses := products.Sum(axis).Neg()
		if c.Reduction == "" || c.Reduction == MeanLoss {
			return losses.Sum().Div(max(1, losses.Numel()))
		}
		return c.apply("cross_entropy", losses)
	})
}
