package nn

import "halfnote/tensor"

// LossConfig holds the options of the losses.
type LossConfig = tensor.LossConfig

// CrossEntropy returns -log softmax(logits)[target], by default its mean over the samples, as a
// tensor without dimensions. logits are [n, classes] or [n, classes, ...]; target holds int64
// labels, [n] or [n, ...], or probabilities in the shape of logits. Under autocast it computes in
// float32. [LossConfig] has PyTorch's options. It panics with a [*tensor.Error] if shapes or dtypes
// do not fit or a label is no class.
func CrossEntropy(logits, target *tensor.Tensor, config ...LossConfig) *tensor.Tensor {
	return tensor.CrossEntropy(logits, target, config...)
}

// MSELoss returns (pred - target)², by default its mean over all elements, as a tensor without
// dimensions. Under autocast it computes in float32. It panics with a [*tensor.Error] if the shapes
// differ.
func MSELoss(pred, target *tensor.Tensor, config ...LossConfig) *tensor.Tensor {
	return tensor.MSELoss(pred, target, config...)
}
