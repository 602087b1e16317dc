package amp

import (
	"cmp"
	"fmt"
	"iter"
	"math"

	"halfnote/tensor"
)

// PyTorch's defaults, and the floor that keeps 1/scale finite in float32.
const (
	defaultInitScale      = 65536 // 2^16, the order of float16's largest value
	defaultGrowthFactor   = 2
	defaultBackoffFactor  = 0.5
	defaultGrowthInterval = 2000
	smallestScale         = 0x1p-126 // smallest normal float32; 1/2^-128 would be +Inf
)

// ScalerConfig sets up a [GradScaler]. Zero fields mean PyTorch's defaults.
type ScalerConfig struct {
	InitScale      float64 // the first loss scale, 65536; rounded to float32
	GrowthFactor   float64 // more than 1; 2
	BackoffFactor  float64 // between 0 and 1; 0.5
	GrowthInterval int     // clean updates in a row before growth; 2000
	NoGrowth       bool    // the scale only ever backs off (PyTorch: interval 0)
	Disabled       bool    // Scale, Unscale and Update do nothing, Step always steps

	MinScale   float64 // backing off stops here; 2^-126, so that the scale never becomes 0
	MaxScale   float64 // a growth beyond it is not made; the largest finite float32
	Hysteresis int     // overflows in a row that it takes to back off; 1: each one does

	// OnCollapse is called at the end of an Update that should have backed off and could not, since
	// the scale sits at MinScale: the gradients overflow for another reason than the scale. Nil
	// keeps the scale there and goes on; [PanicOnCollapse] ends the training with an error.
	OnCollapse func(s *GradScaler)
}

// Optimizer is what a [GradScaler] needs of an optimizer. All of package optim's have it.
type Optimizer interface {
	Step()
	Params() []*tensor.Tensor
}

// GradScaler multiplies losses by a scale so that gradients do not underflow in float16, divides
// the gradients by it before the optimizer steps, skips steps whose gradients overflowed, and
// adapts the scale: down at an overflow, up after GrowthInterval updates without one.
//
// An iteration calls [GradScaler.Scale] for each loss, [GradScaler.Unscale] where gradients are
// read or clipped, [GradScaler.Step] for each optimizer, then [GradScaler.Update] once. A call out
// of order panics with an [*Error] and changes nothing.
//
// Differences from PyTorch:
//   - the constructor and the setters refuse values that give nonsense: a scale that is negative,
//     not finite or so small that its inverse is not, a growth factor up to 1, a backoff factor
//     outside 0 to 1, an interval below 1 or above 2^31 - 1, and so does LoadStateDict;
//   - gradients are checked after unscaling too, for those that overflow in the division;
//   - the scale stops at MinScale and MaxScale, Hysteresis can delay backing off, and OnCollapse
//     says what happens when it cannot back off further;
//   - a parameter that two optimizers would both unscale is an error;
//   - Step of an optimizer without any gradient is a skipped step with reason "no gradients", after
//     which it may be called again, and Update fails only when no optimizer had one;
//   - Step takes no closure in any form, since what it computes would not be scaled;
//   - Scale takes one tensor, which is floating; [GradScaler.ScaleAll] and [GradScaler.ScaleSeq]
//     take several;
//   - UpdateTo takes a number, which Update does in PyTorch;
//   - the getters of a disabled scaler return what it was made with;
//   - [GradScaler.Reset] gives up an iteration.
//
// The scale moves to the GPU of the first loss of one. From then on an iteration does not wait for
// the GPU, whatever it finds, as long as its optimizers are [Conditional] or [SelfScaling] and nobody
// asks: LossScale, String, GrowthTracker, StateDict and the methods of a StepResult read the device,
// so does each event for the observers of [GradScaler.Observe], and each Update where OnCollapse is
// set.
//
// A GradScaler is for one goroutine at a time.
type GradScaler struct {
	scale          float32
	growthFactor   float64
	backoffFactor  float64
	growthInterval int // 0: never grow
	growthTracker  int
	minScale       float64
	maxScale       float64
	hysteresis     int
	overflows      int // in a row
	disabled       bool
	onCollapse     func(*GradScaler)

	live      *live // the scale on a device; scale and the trackers are then copies
	collapses int64 // that OnCollapse was called for

	initialized bool // Scale was called
	optimizers  map[Optimizer]*optimizerState
	owners      map[*tensor.Tensor]Optimizer // who unscaled a parameter since the last Update
	observers   []*observer
}

// NewGradScaler returns a scaler for cfg. It panics with an [*Error] of kind [BadConfig] when the
// scale, a factor, the interval or a limit is out of its range.
func NewGradScaler(cfg ScalerConfig) *GradScaler {
	s := &GradScaler{
		growthFactor:   cmp.Or(cfg.GrowthFactor, defaultGrowthFactor),
		backoffFactor:  cmp.Or(cfg.BackoffFactor, defaultBackoffFactor),
		growthInterval: cmp.Or(cfg.GrowthInterval, defaultGrowthInterval),
		minScale:       float64(float32(cmp.Or(cfg.MinScale, smallestScale))), // the scale is a float32
		maxScale:       float64(float32(cmp.Or(cfg.MaxScale, math.MaxFloat32))),
		hysteresis:     cmp.Or(cfg.Hysteresis, 1),
		disabled:       cfg.Disabled,
		onCollapse:     cfg.OnCollapse,
		optimizers:     map[Optimizer]*optimizerState{},
		owners:         map[*tensor.Tensor]Optimizer{},
	}
	const op = "gradscaler"
	must(checkGrowthFactor(op, BadConfig, s.growthFactor))
	must(checkBackoffFactor(op, BadConfig, s.backoffFactor))
	must(checkGrowthInterval(op, BadConfig, s.growthInterval))
	if !(s.minScale >= smallestScale && s.minScale <= s.maxScale && s.maxScale <= math.MaxFloat32) {
		panic(errorf(op, BadConfig, "limits of the scale %g and %g: need 2^-126 ≤ MinScale ≤ "+
			"MaxScale ≤ %g", s.minScale, s.maxScale, math.MaxFloat32))
	}
	if s.hysteresis < 1 {
		panic(errorf(op, BadConfig, "hysteresis %d is less than 1", s.hysteresis))
	}
	initScale := cmp.Or(cfg.InitScale, defaultInitScale)
	must(s.checkScale(op, BadConfig, initScale))
	s.scale = float32(initScale)
	if cfg.NoGrowth {
		s.growthInterval = 0
	}
	return s
}

// Scale returns loss × scale, recorded by autograd, and notes the loss for observers. Call it on
// every loss. A float16 loss without dimensions becomes float32, as in PyTorch; one with dimensions
// stays float16 and overflows at 65504, so reduce it first. It panics with an [*Error] of kind
// [BadLoss] when loss is nil or not floating. A disabled scaler returns loss itself.
func (s *GradScaler) Scale(loss *tensor.Tensor) *tensor.Tensor {
	if !s.disabled {
		checkLoss("scale", "the loss", loss)
	}
	return s.scaled(loss)
}

// ScaleAll returns each loss × scale, as [GradScaler.Scale] does for one. It panics with an
// [*Error] of kind [BadLoss], before anything is scaled, when one is nil or not floating. A
// disabled scaler returns losses itself.
func (s *GradScaler) ScaleAll(losses []*tensor.Tensor) []*tensor.Tensor {
	if s.disabled {
		for _, loss := range losses {
			s.scaled(loss)
		}
		return losses
	}
	for i, loss := range losses {
		checkLoss("scale", fmt.Sprintf("loss %d", i), loss)
	}
	scaled := make([]*tensor.Tensor, len(losses))
	for i, loss := range losses {
		scaled[i] = s.scaled(loss)
	}
	return scaled
}

// ScaleSeq returns the sequence of each loss × scale. A loss is taken and scaled, by the scale of
// that moment, when the loop over the sequence comes to it.
func (s *GradScaler) ScaleSeq(losses iter.Seq[*tensor.Tensor]) iter.Seq[*tensor.Tensor] {
	return func(yield func(*tensor.Tensor) bool) {
		for loss := range losses {
			if !yield(s.Scale(loss)) {
				return
			}
		}
	}
}

func checkLoss(op, what string, loss *tensor.Tensor) {
	if loss == nil {
		panic(errorf(op, BadLoss, "%s is nil", what))
	}
	if !loss.DType().IsFloat() {
		panic(errorf(op, BadLoss, "%s is %v: only floating tensors have gradients",
			what, loss.DType()))
	}
}

func (s *GradScaler) scaled(loss *tensor.Tensor) *tensor.Tensor {
	s.notify(Event{Kind: Scaled, Loss: loss})
	if s.disabled {
		return loss
	}
	s.initialized = true
	if loss.Dim() == 0 && loss.DType().Size() == 2 {
		loss = loss.To(tensor.Float32)
	}
	if s.goLive(loss); s.live != nil {
		return loss.Mul(s.live.now().To(loss.Device()))
	}
	return loss.Mul(float64(s.scale))
}

func must(err *Error) {
	if err != nil {
		panic(err)
	}
}
