package nn

import (
	"fmt"
	"strings"
	"weak"

	"halfnote/tensor"
)

// A BatchNormConfig holds the options of batch normalisation.
type BatchNormConfig struct {
	Eps            float64 // added to the variance; 0 means 1e-5
	Momentum       float64 // the weight of a new batch in the running moments; 0 means 0.1
	Cumulative     bool    // running moments are means over all batches: PyTorch's momentum=None
	NoAffine       bool    // without weight and bias
	NoRunningStats bool    // the batch's own moments also in evaluation
}

// BatchNorm2d normalises every channel of x [N, C, H, W] over the batch and the plane: by the
// batch's moments in training, which move the running ones, and by the running ones in evaluation;
// see [Train] and [tensor.BatchNorm]. Autocast leaves its tensors in float32.
type BatchNorm2d struct {
	Weight *tensor.Tensor `nn:"weight"` // [C], or nil
	Bias   *tensor.Tensor `nn:"bias"`   // [C], or nil

	RunningMean *tensor.Tensor `nn:"running_mean"` // [C], or nil
	RunningVar  *tensor.Tensor `nn:"running_var"`  // [C], or nil
	// NumBatchesTracked counts the batches that have moved the running moments: int64 [], or nil.
	NumBatchesTracked *tensor.Tensor `nn:"num_batches_tracked"`

	evaluate bool
	config   BatchNormConfig
	known    batches
}

// batches is how many batches a NumBatchesTracked has counted, as long as nobody else has written to
// it: a GPU need not be asked.
type batches struct {
	of      weak.Pointer[tensor.Tensor]
	version uint64
	n       float64
}

// count returns how many t has counted.
func (b *batches) count(t *tensor.Tensor) float64 {
	if b.of.Value() == t && b.version == t.Version() {
		return b.n
	}
	return t.Item()
}

// add counts one more.
func (b *batches) add(t *tensor.Tensor) {
	n := b.count(t) + 1
	tensor.NoGrad(func() { t.AddInPlace(1) })
	*b = batches{weak.Make(t), t.Version(), n}
}

// BatchNorm1d normalises every channel of x [N, C] or [N, C, L] over the batch and the line; see
// [BatchNorm2d].
type BatchNorm1d BatchNorm2d

// NewBatchNorm2d returns a layer for that many channels in float32, with weight 1, bias 0, running
// mean 0 and running variance 1. It panics with a [*tensor.Error] if channels is less than 1.
func NewBatchNorm2d(channels int, config ...BatchNormConfig) *BatchNorm2d {
	l := newBatchNorm(channels, config)
	return &l
}

// NewBatchNorm1d returns a layer for that many channels; see [NewBatchNorm2d].
func NewBatchNorm1d(channels int, config ...BatchNormConfig) *BatchNorm1d {
	l := BatchNorm1d(newBatchNorm(channels, config))
	return &l
}

func newBatchNorm(channels int, config []BatchNormConfig) BatchNorm2d {
	c := option("batch_norm", config)
	if channels < 1 {
		fail("batch_norm", "%d channels: must be at least 1", channels)
	}
	if c.Cumulative && c.Momentum != 0 {
		fail("batch_norm", "momentum %v with Cumulative: give one of them", c.Momentum)
	}
	l := BatchNorm2d{config: c}
	if !c.NoAffine {
		l.Weight, l.Bias = affine(channels)
	}
	if !c.NoRunningStats {
		l.RunningMean, l.RunningVar = tensor.Zeros(channels), tensor.Ones(channels)
		l.NumBatchesTracked = tensor.New(0)
	}
	return l
}

// affine returns a weight of ones and a bias of zeros.
func affine(shape ...int) (weight, bias *tensor.Tensor) {
	return tensor.Ones(shape...).SetRequiresGrad(true),
		tensor.Zeros(shape...).SetRequiresGrad(true)
}

// Forward normalises x. In training it moves the running moments, also under NoGrad.
func (l *BatchNorm2d) Forward(x *tensor.Tensor) *tensor.Tensor {
	given("batch_norm", x)
	if x.Dim() != 4 {
		fail("batch_norm", "input of shape %v: BatchNorm2d takes [N, C, H, W]", x.Shape())
	}
	return ran(l, l.forward(x))
}

// Forward normalises x. In training it moves the running moments, also under NoGrad.
func (l *BatchNorm1d) Forward(x *tensor.Tensor) *tensor.Tensor {
	given("batch_norm", x)
	if x.Dim() != 2 && x.Dim() != 3 {
		fail("batch_norm", "input of shape %v: BatchNorm1d takes [N, C] or [N, C, L]", x.Shape())
	}
	return ran(l, (*BatchNorm2d)(l).forward(x))
}

func (l *BatchNorm2d) forward(x *tensor.Tensor) *tensor.Tensor {
	c := tensor.BatchNormConfig{RunningMean: l.RunningMean, RunningVar: l.RunningVar,
		Weight: l.Weight, Bias: l.Bias, Training: !l.evaluate, Eps: l.config.Eps,
		Momentum: l.config.Momentum}
	tracks := c.Training && l.NumBatchesTracked != nil
	cumulative := tracks && l.config.Cumulative
	if cumulative {
		c.Momentum = 1 / (l.known.count(l.NumBatchesTracked) + 1)
	}
	out := tensor.BatchNorm(x, c)
	switch {
	case cumulative:
		l.known.add(l.NumBatchesTracked)
	case tracks:
		tensor.NoGrad(func() { l.NumBatchesTracked.AddInPlace(1) })
	}
	return out
}

// Train says whether the layer trains, as [Train] tells it.
func (l *BatchNorm2d) Train(on bool) { l.evaluate = !on }

// Train says whether the layer trains, as [Train] tells it.
func (l *BatchNorm1d) Train(on bool) { l.evaluate = !on }

// Training reports whether the layer trains.
func (l *BatchNorm2d) Training() bool { return !l.evaluate }

// Training reports whether the layer trains.
func (l *BatchNorm1d) Training() bool { return !l.evaluate }

// RunningStats returns the running mean and variance, [C] each, or nils without them. A layer with
// this method is known as a batch norm, whose tensors mixed precision keeps in float32.
func (l *BatchNorm2d) RunningStats() (mean, variance *tensor.Tensor) {
	return l.RunningMean, l.RunningVar
}

// RunningStats returns the running mean and variance, [C] each, or nils without them.
func (l *BatchNorm1d) RunningStats() (mean, variance *tensor.Tensor) {
	return l.RunningMean, l.RunningVar
}

// String names the layer, its channels and what differs from the usual.
func (l *BatchNorm2d) String() string { return l.text("BatchNorm2d") }

// String names the layer, its channels and what differs from the usual.
func (l *BatchNorm1d) String() string { return (*BatchNorm2d)(l).text("BatchNorm1d") }

func (l *BatchNorm2d) text(name string) string {
	var b strings.Builder
	b.WriteString(name + "(")
	switch {
	case l.Weight != nil:
		fmt.Fprintf(&b, "%d", l.Weight.Numel())
	case l.RunningMean != nil:
		fmt.Fprintf(&b, "%d, no affine", l.RunningMean.Numel())
	default:
		b.WriteString("no affine")
	}
	if l.RunningMean == nil {
		b.WriteString(", no running stats")
	}
	if l.config.Cumulative {
		b.WriteString(", cumulative")
	}
	if l.config.Momentum != 0 {
		fmt.Fprintf(&b, ", momentum %v", l.config.Momentum)
	}
	writeEps(&b, l.config.Eps)
	return b.String() + ")"
}

// writeEps writes an eps that was given.
func writeEps(b *strings.Builder, eps float64) {
	if eps != 0 {
		fmt.Fprintf(b, ", eps %v", eps)
	}
}
