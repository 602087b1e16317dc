package tensor

import (
	"math"

	"halfnote/tensor/internal/device"
)

// This file implements the losses between probabilities.

// A BCEConfig changes how a binary cross entropy is computed. Its zero value is PyTorch's default.
type BCEConfig struct {
	Reduction Reduction // mean where empty
	Weight    *Tensor   // of each loss, broadcast to its shape
	PosWeight *Tensor   // BCEWithLogitsLoss only: of the positive side, broadcast likewise
}

// check panics unless weight is nil or can be broadcast to the losses.
func (c BCEConfig) check(op string, pred, weight *Tensor) {
	if weight == nil {
		return
	}
	sameDevice(op, pred, weight)
	var buf [device.MaxDims]int
	if !equalInts(broadcast(op, buf[:0], pred.arr.Shape, weight.arr.Shape), pred.arr.Shape) {
		fail(op, "weight of shape %v does not broadcast to %v", weight.arr.Shape, pred.arr.Shape)
	}
}

// apply weights the losses and reduces them. weight may be nil.
func (c BCEConfig) apply(op string, losses, weight *Tensor) *Tensor {
	if weight != nil {
		losses = losses.Mul(weight)
	}
	return c.Reduction.apply(op, losses)
}

// BCELoss returns −(target·log pred + (1 − target)·log(1 − pred)) for probabilities, both
// logarithms not below −100. pred, target and the weight have one dtype. Autocast refuses it: its
// gradient can leave float16's range. [BCEWithLogitsLoss] is the form to use.
func BCELoss(pred, target *Tensor, config ...BCEConfig) *Tensor {
	const op = "binary_cross_entropy"
	c := one(op, config)
	if c.PosWeight != nil {
		fail(op, "PosWeight belongs to BCEWithLogitsLoss")
	}
	args := castAll(op, 2, []*Tensor{pred, target, c.Weight})
	pred, target, c.Weight = args[0], args[1], args[2]
	sameShapes(op, pred, target)
	sameDType(op, pred, target)
	sameDType(op, pred, c.Weight)
	c.check(op, pred, c.Weight)
	refuse(op, pred.Ge(0).And(pred.Le(1)).Not(), "a prediction is no probability between 0 and 1; "+
		"put a Sigmoid before it, or use BCEWithLogitsLoss")
	return widely(pred.DType(), func(x []*Tensor) *Tensor {
		return c.apply(op, bce(x[0], x[1]), x[2])
	}, pred, target, c.Weight)
}

// bce computes the losses, of which the gradient is written by hand: that of log would be infinite
// at 0, where the limit of −100 makes it 0.
func bce(p, y *Tensor) (out *Tensor) {
	quietly(func() {
		yes, no := p.Log().ClampMin(-100), p.Neg().Log1p().ClampMin(-100)
		out = y.Mul(yes).Add(y.Neg().Add(1).Mul(no)).Neg()
	})
	if n := record("binary_cross_entropy", out, bceGrad, p, y); n != nil {
		n.keep(p, n.unless(0, y))
	}
	return out
}

// bceGrad: (p − y)/(p·(1 − p)), the divisor not below 1e-12, as in PyTorch; and for the target
// log(1 − p) − log p.
func bceGrad(n *node, g *Tensor, i int) *Tensor {
	p := n.get(0)
	if i == 1 {
		return g.Mul(p.Neg().Log1p().ClampMin(-100).Sub(p.Log().ClampMin(-100)))
	}
	return g.Mul(p.Sub(n.get(1)).Div(p.Sub(p.Mul(p)).ClampMin(1e-12)))
}

// BCEWithLogitsLoss returns −(w·target·log σ(x) + (1 − target)·log(1 − σ(x))) for logits x, w being
// the PosWeight, computed so that nothing overflows. The result has target's dtype, as in PyTorch,
// which is x's except under autocast with float64.
func BCEWithLogitsLoss(x, target *Tensor, config ...BCEConfig) *Tensor {
	const op = "binary_cross_entropy_with_logits"
	c := one(op, config)
	args := castAll(op, 2, []*Tensor{x, target, c.Weight, c.PosWeight})
	x, target, c.Weight, c.PosWeight = args[0], args[1], args[2], args[3]
	sameShapes(op, x, target)
	if !target.DType().IsFloat() {
		fail(op, "target of %s; it holds probabilities, which are floating point", target.DType())
	}
	c.check(op, x, c.Weight)
	c.check(op, x, c.PosWeight)
	return widely(target.DType(), func(w []*Tensor) *Tensor {
		x, y := w[0], w[1]
		yes := activation{op: op, code: device.LogSigmoid}.of(x).Neg() // −log σ(x)
		if w[3] != nil {
			yes = yes.Mul(w[3].Sub(1).Mul(y).Add(1))
		}
		return c.apply(op, y.Neg().Add(1).Mul(x).Add(yes), w[2])
	}, x, target, c.Weight, c.PosWeight)
}

// A KLDivConfig changes how a divergence is computed. Its zero value is PyTorch's default.
type KLDivConfig struct {
	Reduction Reduction // mean where empty; batchmean is the one that the definition has
	LogTarget bool      // the target is given by its logarithm
}

// KLDivLoss returns target·(log target − logp), the divergence of the distribution whose logarithm
// is logp from the target, by default its mean over all elements. Where the target is 0, so is the
// loss.
func KLDivLoss(logp, target *Tensor, config ...KLDivConfig) *Tensor {
	const op = "kl_div"
	c := one(op, config)
	logp, target = cast2(op, logp, target)
	sameShapes(op, logp, target)
	return widely(promoteTensors(logp, target), func(x []*Tensor) *Tensor {
		losses := divergence(x[0], x[1], c.LogTarget)
		if c.Reduction != BatchMeanLoss {
			return c.Reduction.apply(op, losses)
		}
		batch := 1
		if logp.Dim() > 0 {
			batch = logp.arr.Shape[0]
		}
		return losses.Sum().Div(float64(batch))
	}, logp, target)
}

func divergence(logp, target *Tensor, logTarget bool) *Tensor {
	if logTarget {
		return target.Exp().Mul(target.Sub(logp))
	}
	return xlogx(target).Sub(target.Mul(logp))
}

// xlogx is x·log x, which is 0 at 0.
func xlogx(x *Tensor) *Tensor {
	return x.Mul(Where(x.Eq(0), full(x, 1), x).Log())
}

// A PoissonNLLConfig changes how PoissonNLLLoss is computed. Its zero value is PyTorch's default.
type PoissonNLLConfig struct {
	Reduction Reduction // mean where empty
	Rate      bool      // the input is the rate itself, not its logarithm (log_input=False)
	Full      bool      // add Stirling's formula for log(target!)
	Eps       float64   // added to the rate under the logarithm; 0 means 1e-8
}

// PoissonNLLLoss returns eˣ − target·x, the negative logarithm of the probability of the counts in
// target under the rates eˣ, less a term that has no x in it.
func PoissonNLLLoss(x, target *Tensor, config ...PoissonNLLConfig) *Tensor {
	const op = "poisson_nll_loss"
	c := one(op, config)
	if c.Eps == 0 {
		c.Eps = 1e-8
	}
	x, target = cast2(op, x, target)
	sameShapes(op, x, target)
	return widely(promoteTensors(x, target), func(w []*Tensor) *Tensor {
		x, y := w[0], w[1]
		var losses *Tensor
		if c.Rate {
			losses = x.Sub(y.Mul(x.Add(c.Eps).Log()))
		} else {
			losses = x.Exp().Sub(y.Mul(x))
		}
		if c.Full {
			large := y.Gt(1)
			safe := Where(large, y, full(y, 1))
			stirling := xlogx(safe).Sub(safe).Add(safe.Mul(2 * math.Pi).Log().Mul(0.5))
			losses = losses.Add(Where(large, stirling, full(stirling, 0)))
		}
		return c.Reduction.apply(op, losses)
	}, x, target)
}
