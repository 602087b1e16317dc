package tensor

import (
	"slices"

	"halfnote/tensor/internal/device"
)

// A BatchNormConfig holds what BatchNorm needs beside its input. Tensors have shape [C].
type BatchNormConfig struct {
	RunningMean, RunningVar *Tensor // read in evaluation and moved in training; both or neither
	Weight, Bias            *Tensor // of each channel, or nil

	Training bool    // normalise by the moments of the batch; always so without running ones
	Momentum float64 // the weight of a new batch in the running moments; 0 means 0.1
	Eps      float64 // added to the variance; 0 means 1e-5
}

// BatchNorm normalises every channel of x, of shape [N, C, …], to mean 0 and variance 1 over the
// other dimensions, scales it by the weight and adds the bias. In training it uses the batch's own
// moments, with the biased variance, and moves the running ones in place towards them, with the
// unbiased variance; in evaluation it uses the running ones. For 16-bit floats the moments are
// computed in float32, the result is rounded once, and the config's tensors may be Float32, as
// autocast leaves them.
//
// A batch's own moments need more than one value per channel. An empty batch moves nothing.
func BatchNorm(x *Tensor, config BatchNormConfig) *Tensor {
	const op = "batch_norm"
	c := config
	args := castAll(op, 1, []*Tensor{x, c.Weight, c.Bias})
	x, c.Weight, c.Bias = args[0], args[1], args[2]
	m := &norm{op: op, Norm: device.Norm{Eps: c.Eps}}
	m.checkBatch(x, &c)
	channels := x.arr.Shape[1]
	weight, bias := c.Weight, c.Bias
	return composed(func() *Tensor {
		rows := byChannel(x)
		weight, bias = view4(weight, 1, channels, 1, 1), view4(bias, 1, channels, 1, 1)
		var out *Tensor
		if m.Given = !c.Training && c.RunningMean != nil; m.Given {
			// Copies, because a later batch may move the running moments before Backward.
			mean, variance := c.RunningMean.Detach().Clone(), c.RunningVar.Detach().Clone()
			out = m.apply(rows, view4(mean, 1, channels, 1, 1),
				view4(variance, 1, channels, 1, 1), weight, bias)
		} else {
			mean, variance := m.moments(rows)
			out = m.apply(rows, mean, variance, weight, bias)
			if c.RunningMean != nil && x.Numel() > 0 {
				c.move(mean, variance, float64(x.Numel()/channels))
			}
		}
		return fromChannels(out, x.arr.Shape)
	})
}

// checkBatch panics where the arguments do not fit, and fills in the usual numbers.
func (m *norm) checkBatch(x *Tensor, c *BatchNormConfig) {
	if x.Dim() < 2 {
		fail(m.op, "input of shape %v; it is [N, C, …]", x.arr.Shape)
	}
	shape := []int{x.arr.Shape[1]}
	m.check(x, shape, c.Weight, c.Bias)
	if (c.RunningMean == nil) != (c.RunningVar == nil) {
		fail(m.op, "one of the running mean and variance is nil; give both or neither")
	}
	m.checkOne("running mean", x, shape, c.RunningMean)
	m.checkOne("running variance", x, shape, c.RunningVar)
	own := c.Training || c.RunningMean == nil
	if own && x.Numel() > 0 && x.Numel() == shape[0] {
		fail(m.op, "input of shape %v has one value per channel, whose variance is 0: give larger "+
			"batches, or evaluate with running moments", x.arr.Shape)
	}
	if c.Momentum == 0 {
		c.Momentum = 0.1 // PyTorch's default
	}
	if !(c.Momentum > 0 && c.Momentum <= 1) {
		fail(m.op, "momentum %v; it lies between 0 and 1", c.Momentum)
	}
	if c.Eps == 0 {
		c.Eps = usualEps
	}
	m.Eps = epsilon(m.op, usualEps, []float64{c.Eps})
}

// byChannel returns x, [N, C, …], as rows of a channel each: [1, C, N, places], or [1, C, 1, N]
// where there is one place, so that rows are long.
func byChannel(x *Tensor) *Tensor {
	n, c, places := x.arr.Shape[0], x.arr.Shape[1], volume(x.arr.Shape[2:])
	if places == 1 {
		return x.Reshape(n, c).T().Unsqueeze(1).Unsqueeze(0)
	}
	return x.Reshape(n, c, places).Permute(1, 0, 2).Unsqueeze(0)
}

// fromChannels undoes byChannel.
func fromChannels(out *Tensor, shape []int) *Tensor {
	if out = out.Squeeze(0); out.arr.Shape[1] == 1 && shape[0] != 1 {
		out = out.Squeeze(1).T()
	} else {
		out = out.Permute(1, 0, 2)
	}
	return out.Reshape(slices.Clone(shape)...)
}

// move moves the running moments towards those of a batch of n values per channel.
func (c *BatchNormConfig) move(mean, variance *Tensor, n float64) {
	NoGrad(func() {
		for _, r := range []struct {
			running, batch *Tensor
			factor         float64
		}{
			{c.RunningMean, mean, 1},
			{c.RunningVar, variance, n / max(1, n-1)}, // the unbiased one
		} {
			old := r.running.To(r.batch.DType()).Mul(1 - c.Momentum)
			batch := r.batch.Reshape(r.running.arr.Shape...).Mul(r.factor * c.Momentum)
			r.running.CopyFrom(old.Add(batch))
		}
	})
}
