package tensor

import "halfnote/tensor/internal/device"

// This file implements what all losses have in common, and the losses of a difference. Losses on
// 16-bit formats are computed in float32 and rounded once.

// A Reduction says what a loss does with the losses of the samples.
type Reduction string

// The reductions. The empty string is MeanLoss, PyTorch's default.
const (
	MeanLoss      Reduction = "mean"
	SumLoss       Reduction = "sum"
	NoneLoss      Reduction = "none"
	BatchMeanLoss Reduction = "batchmean" // KLDivLoss only: the sum divided by the first size
)

// A LossConfig changes how a loss is computed. The zero value is PyTorch's default.
type LossConfig struct {
	Reduction      Reduction // mean where empty
	Weight         *Tensor   // of each class, [C], for CrossEntropy, NLLLoss and MultiMarginLoss
	IgnoreIndex    []int     // CrossEntropy, NLLLoss: targets that do not count; nil means -100
	LabelSmoothing float64   // CrossEntropy only: the share spread evenly over all classes
}

// plain panics where an option is set that only losses on classes have.
func (c LossConfig) plain(op string) {
	if c.Weight != nil || c.IgnoreIndex != nil || c.LabelSmoothing != 0 {
		fail(op, "Weight, IgnoreIndex and LabelSmoothing belong to losses on classes, as CrossEntropy")
	}
}

// apply reduces losses that have equal weights.
func (r Reduction) apply(op string, losses *Tensor) *Tensor {
	switch r {
	case "", MeanLoss:
		return losses.Mean()
	case SumLoss:
		return losses.Sum()
	case NoneLoss:
		return losses
	case BatchMeanLoss:
		fail(op, "reduction %q belongs to KLDivLoss", string(r))
	}
	fail(op, "reduction %q; it is mean, sum or none", string(r))
	return nil
}

// sameShapes panics unless a prediction and a target have one shape and give a floating result.
func sameShapes(op string, pred, target *Tensor) {
	sameDevice(op, pred, target)
	if !equalInts(pred.arr.Shape, target.arr.Shape) {
		fail(op, "prediction of shape %v and target of shape %v differ",
			pred.arr.Shape, target.arr.Shape)
	}
	if d := promoteTensors(pred, target); !d.IsFloat() {
		fail(op, "values of %s; floating point is needed, which To gives", d)
	}
}

// difference computes a loss that is f of the difference of pred and target.
func difference(op string, pred, target *Tensor, config []LossConfig,
	f func(d *Tensor) *Tensor) *Tensor {
	c := one(op, config)
	c.plain(op)
	pred, target = cast2(op, pred, target)
	sameShapes(op, pred, target)
	return widely(promoteTensors(pred, target), func(x []*Tensor) *Tensor {
		return c.Reduction.apply(op, f(x[0].Sub(x[1])))
	}, pred, target)
}

// MSELoss returns the mean of (pred − target)², which have one shape.
func MSELoss(pred, target *Tensor, config ...LossConfig) *Tensor {
	return difference("mse_loss", pred, target, config, func(d *Tensor) *Tensor {
		return d.Mul(d)
	})
}

// L1Loss returns the mean of |pred − target|, which have one shape.
func L1Loss(pred, target *Tensor, config ...LossConfig) *Tensor {
	return difference("l1_loss", pred, target, config, (*Tensor).Abs)
}

// HuberLoss returns, with d = pred − target, the mean of ½d² where |d| ≤ delta, else of
// delta·(|d| − ½·delta). PyTorch's default is 1.
func HuberLoss(pred, target *Tensor, delta float64, config ...LossConfig) *Tensor {
	if !(delta > 0) {
		fail("huber_loss", "delta %v; it is above 0", delta)
	}
	a := activation{op: "huber_loss", code: device.Huber, p: delta}
	return difference("huber_loss", pred, target, config, a.of)
}

// SmoothL1Loss returns, with d = pred − target, the mean of ½d²/beta where |d| < beta, else of
// |d| − ½·beta. PyTorch's default is 1; a beta of 0 makes it L1Loss.
func SmoothL1Loss(pred, target *Tensor, beta float64, config ...LossConfig) *Tensor {
	if !(beta >= 0) {
		fail("smooth_l1_loss", "beta %v; it is not below 0", beta)
	}
	a := activation{op: "smooth_l1_loss", code: device.Huber, p: beta}
	return difference("smooth_l1_loss", pred, target, config, func(d *Tensor) *Tensor {
		if beta == 0 {
			return d.Abs()
		}
		return a.of(d).Div(beta)
	})
}
