package amp

import (
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
//     outside 0 to 1, an interval below 1;
//   - gradients are checked after unscaling too, for those that overflow in the division;
//   - the scale stops at MinScale and MaxScale, and Hysteresis can delay backing off;
//   - a parameter that two optimizers would both unscale is an error;
//   - Step of an optimizer without any gradient is a skipped step with reason "no gradients";
//   - Step takes no closure, and Scale one tensor and no container.
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

	initialized bool // Scale was called
	optimizers  map[Optimizer]*optimizerState
	owners      map[*tensor.Tensor]Optimizer // who unscaled a parameter since the last Update
	observers   []*observer
}

type stage uint8

const (
	ready stage = iota
	unscaled
	stepped
)

// optimizerState is what happened to an optimizer since the last Update.
type optimizerState struct {
	stage  stage
	params []*tensor.Tensor // that had a gradient when it was unscaled
	counts *tensor.Tensor   // [len(params), 2]: infs and NaNs; nil when no gradient was checked
}

func (o *optimizerState) foundInf() bool { return o.counts != nil && sum(o.counts.Int64s()) > 0 }

// NewGradScaler returns a scaler for cfg. It panics with an [*Error] of kind [BadConfig] when the
// scale, a factor, the interval or a limit is out of its range.
func NewGradScaler(cfg ScalerConfig) *GradScaler {
	s := &GradScaler{
		growthFactor:   or(cfg.GrowthFactor, defaultGrowthFactor),
		backoffFactor:  or(cfg.BackoffFactor, defaultBackoffFactor),
		growthInterval: or(cfg.GrowthInterval, defaultGrowthInterval),
		minScale:       or(cfg.MinScale, smallestScale),
		maxScale:       or(cfg.MaxScale, math.MaxFloat32),
		hysteresis:     or(cfg.Hysteresis, 1),
		disabled:       cfg.Disabled,
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
	initScale := or(cfg.InitScale, defaultInitScale)
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
	if s.disabled {
		s.notify(Event{Kind: Scaled, Loss: loss})
		return loss
	}
	if loss == nil {
		panic(errorf("scale", BadLoss, "the loss is nil"))
	}
	if !loss.DType().IsFloat() {
		panic(errorf("scale", BadLoss, "the loss is %v: only floating tensors have gradients",
			loss.DType()))
	}
	s.initialized = true
	s.notify(Event{Kind: Scaled, Loss: loss})
	if loss.Dim() == 0 && loss.DType().Size() == 2 {
		loss = loss.To(tensor.Float32)
	}
	return loss.Mul(float64(s.scale))
}

// Unscale multiplies each gradient of opt by 1/scale in place, and looks for infs and NaNs before
// and after. It is for code that reads or changes gradients between Backward and Step (clipping,
// norms); Step does the same when it was not called. Parameters without a gradient are ignored.
//
// It panics with an [*Error]: [NotInitialized] before any Scale, [AlreadyUnscaled] and
// [UnscaleAfterStep] for a call out of order, [Float16Gradient], [SharedParameter].
func (s *GradScaler) Unscale(opt Optimizer) {
	if s.disabled {
		s.noteUnscaled(opt)
		return
	}
	s.checkInitialized("unscale")
	switch s.state(opt).stage {
	case unscaled:
		panic(errorf("unscale", AlreadyUnscaled,
			"gradients of this optimizer are already unscaled since the last Update"))
	case stepped:
		panic(errorf("unscale", UnscaleAfterStep,
			"this optimizer has already stepped since the last Update: call Unscale before Step"))
	}
	s.unscale("unscale", opt)
}

func (s *GradScaler) unscale(op string, opt Optimizer) {
	var params, grads []*tensor.Tensor
	seen := map[*tensor.Tensor]bool{}
	for i, p := range opt.Params() {
		g := p.Grad()
		if g == nil || seen[p] {
			continue
		}
		seen[p] = true
		if g.DType() == tensor.Float16 {
			panic(errorf(op, Float16Gradient, "the gradient of %s is float16, since the parameter "+
				"itself is: keep parameters in float32 and let Autocast cast them",
				paramName(p, i)))
		}
		if owner, ok := s.owners[p]; ok && owner != opt {
			panic(errorf(op, SharedParameter, "%s belongs to two optimizers and would be unscaled "+
				"twice: give it to one of them", paramName(p, i)))
		}
		params, grads = append(params, p), append(grads, g)
	}
	state := s.state(opt)
	state.stage, state.params = unscaled, params
	if len(grads) > 0 {
		inv := float32(1 / float64(s.scale)) // PyTorch multiplies by the rounded inverse too
		state.counts = tensor.UnscaleInPlace(grads, inv)
	}
	for _, p := range params {
		s.owners[p] = opt
	}
	s.notify(Event{Kind: Unscaled, Optimizer: opt, Scale: s.LossScale()})
}

// Step calls opt.Step unless a gradient is inf or NaN, after Unscale if that was not called. A
// skipped step changes nothing in the optimizer: no momentum, no weight decay, no step count; a
// learning rate schedule should not advance either. The result tells what happened.
//
// It panics with an [*Error]: [NotInitialized] before any Scale, [AlreadyStepped] when called twice
// since the last Update, [NoInfChecksOptimizer] when the gradients came after Unscale had found
// none, and as [GradScaler.Unscale] does. A disabled scaler always calls opt.Step.
func (s *GradScaler) Step(opt Optimizer) *StepResult {
	if s.disabled {
		s.noteUnscaled(opt)
		opt.Step()
		delete(s.optimizers, opt)
		return s.stepped(opt, &StepResult{})
	}
	s.checkInitialized("step")
	state := s.state(opt)
	switch state.stage {
	case stepped:
		panic(errorf("step", AlreadyStepped,
			"this optimizer has already stepped since the last Update: call Update once after "+
				"all steps of an iteration"))
	case ready:
		s.unscale("step", opt)
	}
	result := &StepResult{params: state.params, counts: state.counts}
	switch {
	case state.counts == nil:
		for _, p := range opt.Params() {
			if p.Grad() != nil {
				panic(errorf("step", NoInfChecksOptimizer, "no gradient of this optimizer was "+
					"checked: they came after Unscale; call it behind Backward"))
			}
		}
		result.reason = NoGradients
		return s.stepped(opt, result)
	case state.foundInf():
		result.reason = FoundInf
	default:
		opt.Step()
	}
	state.stage = stepped
	return s.stepped(opt, result)
}

func (s *GradScaler) stepped(opt Optimizer, result *StepResult) *StepResult {
	s.notify(Event{Kind: Stepped, Optimizer: opt, Scale: s.LossScale(), Result: result})
	return result
}

// Update adapts the scale. Call it once per iteration, after all steps. If any optimizer's
// gradients had an inf or NaN, the scale is multiplied by BackoffFactor, once however many had, and
// the growth tracker starts again. Otherwise the tracker counts one up, and when it equals
// GrowthInterval the scale is multiplied by GrowthFactor. Optimizers that were only unscaled count.
//
// It panics with an [*Error]: [NotInitialized] before any Scale, [NoInfChecksUpdate] when no
// gradient was checked since the last Update.
func (s *GradScaler) Update() {
	if s.disabled {
		s.updated(s.LossScale(), false)
		return
	}
	s.checkInitialized("update")
	var checked, found bool
	for _, o := range s.optimizers {
		checked = checked || o.counts != nil
		found = found || o.foundInf()
	}
	if !checked {
		panic(errorf("update", NoInfChecksUpdate, "no gradient was checked since the last Update: "+
			"call Step, with an optimizer whose parameters have gradients, before it"))
	}
	before := s.LossScale()
	if found {
		s.backOff()
	} else {
		s.grow()
	}
	s.updated(before, found)
}

// UpdateTo sets the scale in place of [GradScaler.Update]: nothing grows or backs off, the growth
// tracker stays, and what was found since the last Update is forgotten. It panics with an [*Error]:
// [NotInitialized] before any Scale, [BadConfig] when scale is not between MinScale and MaxScale.
func (s *GradScaler) UpdateTo(scale float64) {
	if s.disabled {
		s.updated(s.LossScale(), false)
		return
	}
	s.checkInitialized("update")
	must(s.checkScale("update", BadConfig, scale))
	before, found := s.LossScale(), false
	for _, o := range s.optimizers {
		found = found || o.foundInf()
	}
	s.scale = float32(scale)
	s.updated(before, found)
}

func (s *GradScaler) backOff() {
	s.growthTracker = 0
	s.overflows++
	if s.overflows >= s.hysteresis {
		s.scale = float32(max(float64(s.scale)*s.backoffFactor, s.minScale))
	}
}

// grow compares the tracker for equality: with the interval lowered below the tracker, nothing
// grows until the next overflow, as in PyTorch. A growth past the limit is not made.
func (s *GradScaler) grow() {
	s.overflows = 0
	s.growthTracker++
	if s.growthTracker != s.growthInterval {
		return
	}
	s.growthTracker = 0
	grown := float32(float64(s.scale) * s.growthFactor)
	if float64(grown) <= s.maxScale {
		s.scale = grown
	}
}

// updated ends the iteration: every optimizer is ready again.
func (s *GradScaler) updated(before float64, found bool) {
	clear(s.optimizers)
	clear(s.owners)
	s.notify(Event{Kind: Updated, Scale: before, NewScale: s.LossScale(), FoundInf: found})
}

func (s *GradScaler) state(opt Optimizer) *optimizerState {
	state, ok := s.optimizers[opt]
	if !ok {
		state = &optimizerState{}
		s.optimizers[opt] = state
	}
	return state
}

func (s *GradScaler) checkInitialized(op string) {
	if !s.initialized {
		panic(errorf(op, NotInitialized, "the scaler has scaled nothing yet: call "+
			"scaler.Scale(loss).Backward() first"))
	}
}

// noteUnscaled tells observers of a disabled scaler, once per iteration, that opt's gradients are
// as the optimizer will see them.
func (s *GradScaler) noteUnscaled(opt Optimizer) {
	if state := s.state(opt); state.stage == ready {
		state.stage = unscaled
		s.notify(Event{Kind: Unscaled, Optimizer: opt, Scale: s.LossScale()})
	}
}

func must(err *Error) {
	if err != nil {
		panic(err)
	}
}

// or returns v, or the default when v is zero.
func or[T int | float64](v, zero T) T {
	if v == 0 {
		return zero
	}
	return v
}

func sum(counts []int64) (n int64) {
	for _, c := range counts {
		n += c
	}
	return n
}
