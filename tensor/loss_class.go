package tensor

import (
	"slices"

	"halfnote/tensor/internal/device"
)

// This file implements the losses whose targets are classes.

// CrossEntropy returns −log softmax(logits)[target] for logits of shape [N, C], [N, C, …] or [C].
// The target holds classes as Int64 in the shape [N, …] or [], or probabilities in the shape of the
// logits. Autocast sees it as log_softmax and nll_loss, as in PyTorch, or under the CPU policy as
// cross_entropy_loss, all of which is then computed in float32.
func CrossEntropy(logits, target *Tensor, config ...LossConfig) *Tensor {
	c := one("cross_entropy", config)
	given("cross_entropy", logits, target)
	if logits.Dim() == 0 {
		fail("cross_entropy", "logits of shape %v; they are [N, C] or [C]", logits.arr.Shape)
	}
	if hasRule("cross_entropy_loss") {
		args := castAll("cross_entropy_loss", 2, []*Tensor{logits, target, c.Weight})
		logits, target, c.Weight = args[0], args[1], args[2]
	}
	axis := min(1, logits.Dim()-1)
	var logp *Tensor
	dtype := DType(0)
	if logits.DType().isHalf() && !hasRule("log_softmax") {
		dtype = logits.DType()
		logp = logits.LogSoftmax(axis, Float32)
		if c.Weight != nil {
			sameDType("cross_entropy", logits, c.Weight)
			c.Weight = c.Weight.widen()
		}
	} else {
		logp = logits.LogSoftmax(axis)
		dtype = logp.DType()
	}
	if target.DType().IsFloat() {
		return logp.soft(target, axis, c).To(dtype)
	}
	loss := nll("cross_entropy", logp, target, c, dtype)
	logp.drop()
	return loss
}

// NLLLoss returns −logp[target] for log-probabilities of shape [N, C], [N, C, …] or [C] and classes
// as Int64 in the shape [N, …] or [].
func NLLLoss(logp, target *Tensor, config ...LossConfig) *Tensor {
	c := one("nll_loss", config)
	given("nll_loss", logp, target)
	if c.LabelSmoothing != 0 {
		fail("nll_loss", "label smoothing belongs to CrossEntropy")
	}
	return nll("nll_loss", logp, target, c, logp.DType())
}

// nll computes both losses on classes; op is the one that was called, and dtype the result's unless
// autocast decides another.
func nll(op string, logp, target *Tensor, c LossConfig, dtype DType) *Tensor {
	args := castAll("nll_loss", 2, []*Tensor{logp, target, c.Weight})
	if args[0] != logp {
		dtype = args[0].DType()
	}
	logp, target, c.Weight = args[0], args[1], args[2]
	if target.DType() != Int64 {
		fail(op, "target of %s; classes are int64", target.DType())
	}
	if logp.Dim() == 0 || !equalInts(target.arr.Shape, withoutClass(logp.arr.Shape)) {
		fail(op, "input of shape %v and target of shape %v; they are [N, C, …] and [N, …]",
			logp.arr.Shape, target.arr.Shape)
	}
	sameDevice(op, logp, target)
	return composed(func() *Tensor { return c.nll(op, logp, target).To(dtype) })
}

// withoutClass drops the dimension of the classes.
func withoutClass(shape []int) []int {
	axis := min(1, len(shape)-1)
	return append(slices.Clone(shape[:axis]), shape[axis+1:]...)
}

// nll computes the loss in the wide type. The targets are read once, for the check and for the sum
// of their weights.
func (c LossConfig) nll(op string, logp, target *Tensor) *Tensor {
	axis := min(1, logp.Dim()-1)
	classes := logp.arr.Shape[axis]
	var weight *Tensor
	if c.Weight != nil {
		c.checkWeight(op, logp, classes)
		sameDType(op, logp, c.Weight)
		weight = c.Weight
	}
	counting, total := c.counting(op, target, classes, weight)
	// [N, C, …] becomes [N, C, S], and [N, …] becomes [N, S].
	batch, inner := 1, 1
	if axis == 1 {
		batch = logp.arr.Shape[0]
	}
	for _, s := range logp.arr.Shape[axis+1:] {
		inner *= s
	}
	losses := nllOf(logp.Reshape(batch, classes, inner), counting.Reshape(batch, inner), weight,
		c.LabelSmoothing).Reshape(target.arr.Shape...)
	switch {
	case c.Reduction != "" && c.Reduction != MeanLoss:
		return c.Reduction.apply(op, losses)
	case losses.Device() != CPU: // the GPU knows the total, and need not be waited for
		return losses.SumAs(Float64).Div(total).To(losses.DType())
	}
	if total := total.Item(); total != float64(losses.Numel()) || total == 0 {
		return losses.Sum().Div(total)
	}
	return losses.Mean()
}

// counting returns the targets with −1 for those that do not count, and the sum of the weights of
// those that do. A target that is no class is an error. weight may be nil for ones.
func (c LossConfig) counting(op string, target *Tensor, classes int, weight *Tensor) (counting,
	total *Tensor) {
	skip := []int64{-100} // PyTorch's default
	if c.IgnoreIndex != nil {
		skip = nil
	}
	for _, s := range c.IgnoreIndex {
		skip = append(skip, int64(s))
	}
	for len(skip) > device.MaxSkip { // what there is besides is replaced
		last := float64(skip[len(skip)-1])
		skip = skip[:len(skip)-1]
		target = Where(target.Eq(last), full(target, float64(skip[0])), target)
	}
	return classCheck(op, classes, skip).weighed(target, weight)
}

// classCheck says which targets are classes.
func classCheck(op string, classes int, skip []int64) check {
	return check{op: op, n: classes, skip: skip, explain: func(_ []int, class int64) {
		fail(op, "target %d is no class; there are %d", class, classes)
	}}
}

func (c LossConfig) checkWeight(op string, logp *Tensor, classes int) {
	if c.Weight.Dim() != 1 || c.Weight.Numel() != classes {
		fail(op, "weight of shape %v for %d classes", c.Weight.arr.Shape, classes)
	}
	if c.Weight.RequiresGrad() && GradEnabled() {
		fail(op, "the weight of the classes requires a gradient, which it does not get; Detach it")
	}
	sameDevice(op, logp, c.Weight)
}

// nllOf computes the losses of [N, C, S] in one step, as the device's NLL does.
func nllOf(logp, classes, weight *Tensor, smooth float64) *Tensor {
	shape := logp.arr.Shape
	out := empty("nll_loss", logp.Device(), wide(logp.DType()), []int{shape[0], shape[2]})
	out.backend("nll_loss").NLL(&out.arr, &logp.arr, &classes.arr, weight.array(), smooth)
	if n := record("nll_loss", out, nllGrad, logp); n != nil {
		n.keep(classes, weight)
		n.number = smooth
		n.ints = []int{shape[1]}
	}
	return out
}

func nllGrad(n *node, g *Tensor, _ int) *Tensor {
	classes, weight := n.get(0), n.getOrNil(1)
	shape := []int{g.arr.Shape[0], n.ints[0], g.arr.Shape[1]}
	out := zeros("nll_loss_backward", g.Device(), g.DType(), shape)
	out.backend("nll_loss_backward").NLLGrad(&out.arr, &g.arr, &classes.arr, weight.array(),
		n.number)
	if m := record("nll_loss_backward", out, nllGradGrad, g); m != nil {
		m.keep(classes, weight)
		m.number = n.number
	}
	return out
}

// nllGradGrad: the losses are linear in logp, so this is the loss itself.
func nllGradGrad(n *node, gg *Tensor, _ int) *Tensor {
	return nllOf(gg, n.get(0), n.getOrNil(1), n.number)
}

// soft is cross entropy with probabilities as targets: t is their logarithm, on the tape already.
func (t *Tensor) soft(target *Tensor, axis int, c LossConfig) *Tensor {
	if !equalInts(t.arr.Shape, target.arr.Shape) {
		fail("cross_entropy", "input of shape %v and probabilities of shape %v differ",
			t.arr.Shape, target.arr.Shape)
	}
	classes := t.arr.Shape[axis]
	if c.Weight != nil {
		c.checkWeight("cross_entropy", t, classes)
	}
	return widely(t.DType(), func(x []*Tensor) *Tensor {
		logp, target := x[0], x[1]
		if s := c.LabelSmoothing; s != 0 {
			target = target.Mul(1 - s).Add(s / float64(classes))
		}
		products := logp.Mul(target)
		if c.Weight != nil {
			products = products.Mul(alongAxis(c.Weight.widen(), axis, t.Dim()))
		}
		losses := products.Sum(axis).Neg()
		return c.Reduction.apply("cross_entropy", losses)
	}, t, target)
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

// MultiMarginLoss returns Σ max(0, margin − x[target] + x[c])ᵖ/C over the classes c but the target,
// for scores x of shape [N, C] or [C] and classes as Int64 in the shape [N] or []. p is 1 or 2;
// with a Weight the summands are multiplied by the target's. PyTorch's defaults are 1 and 1.
func MultiMarginLoss(x, target *Tensor, p int, margin float64, config ...LossConfig) *Tensor {
	const op = "multi_margin_loss"
	c := one(op, config)
	if c.IgnoreIndex != nil || c.LabelSmoothing != 0 {
		fail(op, "IgnoreIndex and LabelSmoothing belong to CrossEntropy")
	}
	if p != 1 && p != 2 {
		fail(op, "p is %d; it is 1 or 2", p)
	}
	args := castAll(op, 2, []*Tensor{x, target, c.Weight})
	x, target, c.Weight = args[0], args[1], args[2]
	classes := checkScores(op, x, target, withoutClass(x.arr.Shape))
	target = classCheck(op, classes, nil).of(target)
	if c.Weight != nil {
		c.checkWeight(op, x, classes)
	}
	return widely(x.DType(), func(w []*Tensor) *Tensor {
		x, picked, last := w[0], target.Unsqueeze(-1), w[0].Dim()-1
		d := x.Sub(x.gather("gather", last, picked)).Add(margin).ClampMin(0)
		if p == 2 {
			d = d.Square()
		}
		if c.Weight != nil {
			d = d.Mul(w[1].selected(0, target.Reshape(-1)).Reshape(picked.arr.Shape...))
		}
		others := full(x, 1).Expand(x.arr.Shape...)
		minus := full(x, -1).Expand(picked.arr.Shape...)
		d = d.Mul(others.scatter("scatter_add", device.ScatterAdd, last, picked, minus))
		return c.Reduction.apply(op, d.Sum(-1).Div(float64(classes)))
	}, x, c.Weight)
}

// checkScores checks scores of shape [N, C] or [C] with classes in a shape, and returns C.
func checkScores(op string, x, target *Tensor, shape []int) int {
	sameDevice(op, x, target)
	if target.DType() != Int64 {
		fail(op, "target of %s; classes are int64", target.DType())
	}
	if !x.DType().IsFloat() {
		fail(op, "values of %s; floating point is needed, which To gives", x.DType())
	}
	if d := x.Dim(); d < 1 || d > 2 || !equalInts(target.arr.Shape, shape) {
		fail(op, "input of shape %v, which is [N, C] or [C], and target of shape %v",
			x.arr.Shape, target.arr.Shape)
	}
	return x.arr.Shape[x.Dim()-1]
}

// MultilabelMarginLoss returns Σ max(0, 1 − (x[t] − x[c]))/C over the target's classes t and all
// classes c but these, for scores x of shape [N, C] or [C]. target has x's shape and holds classes
// as Int64: those in front of the first negative number count.
func MultilabelMarginLoss(x, target *Tensor, config ...LossConfig) *Tensor {
	const op = "multilabel_margin_loss"
	c := one(op, config)
	c.plain(op)
	x, target = cast2(op, x, target)
	classes := checkScores(op, x, target, x.arr.Shape)
	last := x.Dim() - 1
	labels, labelled := labelsOf(op, target, classes)
	return widely(x.DType(), func(w []*Tensor) *Tensor {
		x := w[0]
		picked := x.gather("gather", last, labels.ClampMin(0))
		d := x.Unsqueeze(-2).Sub(picked.Unsqueeze(-1)).Add(1).ClampMin(0)
		counts := labels.Ge(0).Unsqueeze(-1).And(labelled.Not().Unsqueeze(-2))
		d = Where(counts, d, full(d, 0))
		return c.Reduction.apply(op, d.Sum(-1, -2).Div(float64(classes)))
	}, x)
}

// labelsOf returns the labels of each sample, −1 behind the last, and where in [N, C] they are.
func labelsOf(op string, target *Tensor, classes int) (labels, labelled *Tensor) {
	composed(func() *Tensor {
		behind := target.Lt(0).To(Int64).Cumsum(-1).Gt(0)
		labels = Where(behind, full(target, -1), target)
		labels = classCheck(op, classes, []int64{-1}).of(labels)
		// What is behind the last label adds nothing to the first class.
		labelled = full(target, 0).Expand(target.arr.Shape...).scatter(op, device.ScatterAdd,
			target.Dim()-1, labels.ClampMin(0), labels.Ge(0).To(Int64)).Gt(0)
		return nil
	})
	return labels, labelled
}
