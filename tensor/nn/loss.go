package nn

import "halfnote/tensor"

// LossConfig holds the options of the losses.
type LossConfig = tensor.LossConfig

// The options of the losses that have others.
type (
	BCEConfig        = tensor.BCEConfig
	KLDivConfig      = tensor.KLDivConfig
	PoissonNLLConfig = tensor.PoissonNLLConfig
	TripletConfig    = tensor.TripletConfig
)

// CrossEntropy returns -log softmax(logits)[target], by default its mean over the samples, as a
// tensor without dimensions. logits are [n, classes] or [n, classes, ...]; target holds int64
// labels, [n] or [n, ...], or probabilities in the shape of logits. Under autocast it computes in
// float32. [LossConfig] has PyTorch's options. It panics with a [*tensor.Error] if shapes or dtypes
// do not fit or a label is no class.
func CrossEntropy(logits, target *tensor.Tensor, config ...LossConfig) *tensor.Tensor {
	return tensor.CrossEntropy(logits, target, config...)
}

// NLLLoss returns -logp[target] for log-probabilities, as [tensor.Tensor.LogSoftmax] gives them, by
// default its mean over the samples, as a tensor without dimensions. logp is [n, classes] or
// [n, classes, ...] and target holds int64 labels, [n] or [n, ...]. Under autocast it computes in
// float32. It panics with a [*tensor.Error] if shapes or dtypes do not fit or a label is no class.
func NLLLoss(logp, target *tensor.Tensor, config ...LossConfig) *tensor.Tensor {
	return tensor.NLLLoss(logp, target, config...)
}

// MSELoss returns (pred - target)², by default its mean over all elements, as a tensor without
// dimensions. Under autocast it computes in float32. It panics with a [*tensor.Error] if the shapes
// differ.
func MSELoss(pred, target *tensor.Tensor, config ...LossConfig) *tensor.Tensor {
	return tensor.MSELoss(pred, target, config...)
}

// L1Loss returns |pred - target|, by default its mean over all elements, as a tensor without
// dimensions. Its gradient at 0 is 0. Under autocast it computes in float32. It panics with a
// [*tensor.Error] if the shapes differ.
func L1Loss(pred, target *tensor.Tensor, config ...LossConfig) *tensor.Tensor {
	return tensor.L1Loss(pred, target, config...)
}

// SmoothL1Loss returns d²/(2·beta) where the difference d of pred and target is smaller than beta,
// else |d| - beta/2; by default its mean over all elements, as a tensor without dimensions.
// PyTorch's default for beta is 1. Under autocast it computes in float32. It panics with a
// [*tensor.Error] if the shapes differ or beta is negative.
func SmoothL1Loss(pred, target *tensor.Tensor, beta float64, config ...LossConfig) *tensor.Tensor {
	return tensor.SmoothL1Loss(pred, target, beta, config...)
}

// HuberLoss returns d²/2 where the difference d of pred and target is at most delta, else
// delta·(|d| - delta/2); by default its mean over all elements, as a tensor without dimensions.
// PyTorch's default for delta is 1. Under autocast it computes in float32. It panics with a
// [*tensor.Error] if the shapes differ or delta is not above 0.
func HuberLoss(pred, target *tensor.Tensor, delta float64, config ...LossConfig) *tensor.Tensor {
	return tensor.HuberLoss(pred, target, delta, config...)
}

// BCELoss returns -(target·log pred + (1 - target)·log(1 - pred)) for probabilities pred, both
// logarithms at least -100; by default its mean over all elements, as a tensor without dimensions.
// Autocast refuses it, as its gradient can leave float16's range: [BCEWithLogitsLoss] is the form
// to use there. It panics with a [*tensor.Error] if the shapes or dtypes differ or pred leaves
// 0 ... 1.
func BCELoss(pred, target *tensor.Tensor, config ...BCEConfig) *tensor.Tensor {
	return tensor.BCELoss(pred, target, config...)
}

// BCEWithLogitsLoss is BCELoss of the sigmoid of x, computed so that nothing overflows; by default
// its mean over all elements, as a tensor without dimensions. A PosWeight multiplies the positive
// side. Under autocast it computes in float32. It panics with a [*tensor.Error] if the shapes
// differ.
func BCEWithLogitsLoss(x, target *tensor.Tensor, config ...BCEConfig) *tensor.Tensor {
	return tensor.BCEWithLogitsLoss(x, target, config...)
}

// KLDivLoss returns target·(log target - logp), the divergence of the distribution whose logarithm
// is logp from the target; by default its mean over all elements, as a tensor without dimensions.
// The reduction [tensor.BatchMeanLoss] divides by the number of samples, as the definition does.
// Under autocast it computes in float32. It panics with a [*tensor.Error] if the shapes differ.
func KLDivLoss(logp, target *tensor.Tensor, config ...KLDivConfig) *tensor.Tensor {
	return tensor.KLDivLoss(logp, target, config...)
}

// PoissonNLLLoss returns eˣ - target·x for counts in target and the logarithms x of their rates; by
// default its mean over all elements, as a tensor without dimensions. Under autocast it computes in
// float32. It panics with a [*tensor.Error] if the shapes differ.
func PoissonNLLLoss(x, target *tensor.Tensor, config ...PoissonNLLConfig) *tensor.Tensor {
	return tensor.PoissonNLLLoss(x, target, config...)
}

// CosineSimilarity returns a·b/(‖a‖·‖b‖) along axis, with broadcasting; each norm is at least 1e-8,
// or the eps given. Under autocast it computes in float32.
func CosineSimilarity(a, b *tensor.Tensor, axis int, eps ...float64) *tensor.Tensor {
	return tensor.CosineSimilarity(a, b, axis, eps...)
}

// CosineEmbeddingLoss returns 1 - cos(a, b) where the target is 1, and max(0, cos(a, b) - margin)
// where it is -1; by default its mean, as a tensor without dimensions. a and b are [n, d] and
// target [n], or [d] and []. PyTorch's default for margin is 0. Under autocast it computes in
// float32. It panics with a [*tensor.Error] if the shapes do not fit.
func CosineEmbeddingLoss(a, b, target *tensor.Tensor, margin float64,
	config ...LossConfig) *tensor.Tensor {
	return tensor.CosineEmbeddingLoss(a, b, target, margin, config...)
}

// HingeEmbeddingLoss returns x where the target is 1, and max(0, margin - x) where it is -1; by
// default its mean over all elements, as a tensor without dimensions. PyTorch's default for margin
// is 1. Under autocast it computes in float32.
func HingeEmbeddingLoss(x, target *tensor.Tensor, margin float64,
	config ...LossConfig) *tensor.Tensor {
	return tensor.HingeEmbeddingLoss(x, target, margin, config...)
}

// MarginRankingLoss returns max(0, margin - target·(a - b)): a target of 1 asks for a above b, -1
// for b above a. By default it is the mean over all elements, as a tensor without dimensions.
// PyTorch's default for margin is 0. Under autocast it computes in float32.
func MarginRankingLoss(a, b, target *tensor.Tensor, margin float64,
	config ...LossConfig) *tensor.Tensor {
	return tensor.MarginRankingLoss(a, b, target, margin, config...)
}

// SoftMarginLoss returns log(1 + e^(-target·x)) for targets of 1 and -1; by default its mean over
// all elements, as a tensor without dimensions. Under autocast it computes in float32.
func SoftMarginLoss(x, target *tensor.Tensor, config ...LossConfig) *tensor.Tensor {
	return tensor.SoftMarginLoss(x, target, config...)
}

// MultiMarginLoss returns the sum of max(0, margin - x[target] + x[c])ᵖ over the other classes c,
// divided by the number of all classes; by default its mean over the samples, as a tensor without
// dimensions. x holds scores, [n, classes], and target int64 labels, [n]. p is 1 or 2; PyTorch's
// defaults are 1 and a margin of 1. Under autocast it computes in float32. It panics with a
// [*tensor.Error] if shapes do not fit or a label is no class.
func MultiMarginLoss(x, target *tensor.Tensor, p int, margin float64,
	config ...LossConfig) *tensor.Tensor {
	return tensor.MultiMarginLoss(x, target, p, margin, config...)
}

// MultilabelMarginLoss returns the sum of max(0, 1 - (x[t] - x[c])) over the labels t of a sample
// and all classes c but these, divided by the number of classes; by default its mean over the
// samples, as a tensor without dimensions. x holds scores, [n, classes], and target, of the same
// shape, int64 labels, of which those in front of the first negative number count. Under autocast
// it computes in float32. It panics with a [*tensor.Error] if shapes do not fit or a label is no
// class.
func MultilabelMarginLoss(x, target *tensor.Tensor, config ...LossConfig) *tensor.Tensor {
	return tensor.MultilabelMarginLoss(x, target, config...)
}

// TripletMarginLoss returns max(0, ‖anchor - positive‖ - ‖anchor - negative‖ + margin) for vectors
// in the last dimension; by default its mean over them, as a tensor without dimensions. Under
// autocast it computes in float32. It panics with a [*tensor.Error] if the shapes differ.
func TripletMarginLoss(anchor, positive, negative *tensor.Tensor,
	config ...TripletConfig) *tensor.Tensor {
	return tensor.TripletMarginLoss(anchor, positive, negative, config...)
}
