package amp

import (
	"reflect"

	"halfnote/internal/many"
	"halfnote/internal/own"
	"halfnote/tensor"
)

// This file implements what happens to an optimizer between two updates: Unscale and Step.

type stage uint8

const (
	ready stage = iota
	unscaled
	stepped
)

// optimizerState is what happened to an optimizer since the last Update.
type optimizerState struct {
	stage     stage
	checks    checks
	clippedBy string // what clipped the gradients before they were unscaled
	by        any    // what has recorded it for a tensor.Graph, or nil
}

// A SelfScaling optimizer unscales its gradients and skips its step by itself, as a fused kernel
// does that goes through the elements once (PyTorch's flag _step_supports_amp_scaling).
// [GradScaler.Step] calls StepScaled in place of Step, at an overflow too, and reads nothing back
// from the device. Its gradients may be float16.
//
// The gradients are not checked behind the optimizer's own unscaling.
type SelfScaling interface {
	Optimizer

	// StepScaled updates the parameters by their gradients divided by scale, or as they are where
	// scale is nil because [GradScaler.Unscale] was called. foundInf is 1 where a gradient is inf or
	// NaN, in which case nothing may change, and else 0. Both are float32 without dimensions.
	StepScaled(scale, foundInf *tensor.Tensor)
}

// A Conditional optimizer can leave out a step by itself. [GradScaler.Step] calls StepUnless in place
// of Step where the loss scale is on a GPU, and reads nothing back. All of package optim's are
// conditional.
type Conditional interface {
	Optimizer

	// StepUnless does what Step does unless found, a float32 without dimensions, is not 0. It
	// reports false, and does nothing, where opt is not the optimizer itself but one that embeds
	// it: its Step may do more. Step is called then, or not, after a look at found.
	StepUnless(opt any, found *tensor.Tensor) bool
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
			"gradients of this optimizer are already unscaled since the last Update: call Update "+
				"at the end of each iteration, or Reset where one is given up"))
	case stepped:
		panic(errorf("unscale", UnscaleAfterStep,
			"this optimizer has already stepped since the last Update: call Unscale before Step"))
	}
	s.unscale("unscale", opt)
}

func (s *GradScaler) unscale(op string, opt Optimizer) {
	s.check(op, opt, true)
	s.notify(Event{Kind: Unscaled, Optimizer: opt})
}

// check counts the infs and NaNs of opt's gradients and unscales them, or leaves them scaled.
// Everything that can be refused is, before anything changes: float16 gradients unless they are left
// scaled.
func (s *GradScaler) check(op string, opt Optimizer, unscale bool) {
	var found checks
	seen := map[*tensor.Tensor]bool{}
	for i, p := range opt.Params() {
		g := own.Grad(p)
		if g == nil || seen[p] {
			continue
		}
		seen[p] = true
		if g.DType() == tensor.Float16 && unscale {
			panic(errorf(op, Float16Gradient, "the gradient of %s is float16, since the parameter "+
				"itself is: keep parameters in float32 and let Autocast cast them",
				paramName(p, i)))
		}
		if owner, ok := s.owners[p]; ok && owner != opt {
			panic(errorf(op, SharedParameter, "%s belongs to two optimizers and would be unscaled "+
				"twice: give it to one of them", paramName(p, i)))
		}
		found.add(i, p)
	}
	state := s.state(opt)
	if s.live != nil || s.scale != 1 {
		state.clippedBy = clippedBy(opt)
	}
	switch {
	case !unscale:
		found.count(1, nil)
	case s.live != nil:
		found.count(0, s.live.now())
	default:
		found.count(float32(1/float64(s.scale)), nil) // PyTorch too rounds the inverse
	}
	state.checks = found
	s.reach(opt, state, unscaled)
	s.repeat(func() {
		for p := range seen {
			s.owners[p] = opt
		}
	})
}

// reach notes at which stage opt is.
func (s *GradScaler) reach(opt Optimizer, state *optimizerState, at stage) {
	state.by = s.repeat(func() {
		state.stage = at
		s.optimizers[opt] = state
	})
}

// repeat calls f, and calls it again after each run of a graph that records the goroutine's ops. Where
// the recording fails the iteration was not begun.
func (s *GradScaler) repeat(f func()) (by any) {
	f()
	return many.Recorded(nil, func(done bool) {
		if done {
			f()
		} else {
			s.clear()
		}
	})
}

// Step calls opt.Step unless a gradient is inf or NaN, after Unscale if that was not called. A
// skipped step changes nothing in the optimizer: no momentum, no weight decay, no step count; a
// learning rate schedule should not advance either. The result tells what happened. A step without
// any gradient is a skipped one that records nothing. A [SelfScaling] optimizer is always called.
//
// It panics with an [*Error]: [NotInitialized] before any Scale, [AlreadyStepped] when called twice
// since the last Update, [NoInfChecksOptimizer] when the gradients came after Unscale had found
// none, and as [GradScaler.Unscale] does. A disabled scaler always calls opt.Step.
func (s *GradScaler) Step(opt Optimizer) *StepResult {
	if s.disabled {
		s.noteUnscaled(opt)
		opt.Step()
		delete(s.optimizers, opt)
		return s.stepped(opt, &StepResult{disabled: true})
	}
	s.checkInitialized("step")
	state := s.state(opt)
	begun := state.stage
	self, selfScaling := opt.(SelfScaling)
	var scale *tensor.Tensor // for an optimizer that has to unscale
	switch {
	case state.stage == stepped:
		panic(errorf("step", AlreadyStepped,
			"this optimizer has already stepped since the last Update: call Update once after "+
				"all steps of an iteration"))
	case state.stage == ready && selfScaling:
		s.check("step", opt, false)
		s.notify(Event{Kind: Unscaled, Optimizer: opt, StillScaled: true})
		if s.live != nil {
			scale = s.live.now()
		} else {
			scale = tensor.Full(float64(s.scale))
		}
	case state.stage == ready:
		s.unscale("step", opt)
	}
	result := &StepResult{checks: state.checks, clippedBy: state.clippedBy, scale: s.scaleNow()}
	switch {
	case len(state.checks) == 0:
		for _, p := range opt.Params() {
			if own.Grad(p) != nil {
				panic(errorf("step", NoInfChecksOptimizer, "no gradient of this optimizer was "+
					"checked: they came after Unscale; call it behind Backward"))
			}
		}
		if begun == ready {
			state.stage = ready // gradients may still come
		}
		return s.stepped(opt, result)
	case selfScaling:
		self.StepScaled(scale, state.checks.flag())
	case s.live != nil && stepUnless(opt, state.checks):
	case !state.checks.foundInf():
		opt.Step()
	}
	s.reach(opt, state, stepped)
	return s.stepped(opt, result)
}

func (s *GradScaler) stepped(opt Optimizer, result *StepResult) *StepResult {
	s.notify(Event{Kind: Stepped, Optimizer: opt, Result: result})
	return result
}

// stepUnless has a Conditional optimizer look by itself whether to step.
func stepUnless(opt Optimizer, found checks) bool {
	c, ok := opt.(Conditional)
	return ok && c.StepUnless(opt, found.flag())
}

// state returns what is known of opt. It panics where opt could not be found again.
func (s *GradScaler) state(opt Optimizer) *optimizerState {
	if opt == nil {
		panic(errorf("gradscaler", BadOptimizer, "the optimizer is nil"))
	}
	if !reflect.ValueOf(opt).Comparable() {
		panic(errorf("gradscaler", BadOptimizer, "an optimizer of type %T cannot be told from "+
			"others: its methods must be those of a pointer", opt))
	}
	state, ok := s.optimizers[opt]
	if !ok {
		state = &optimizerState{}
		s.optimizers[opt] = state
	}
	state.checkRecorded()
	return state
}

// checkRecorded panics where a graph records the end of what was begun outside of it.
func (o *optimizerState) checkRecorded() {
	if by := many.Recorded(nil, nil); o.stage != ready && by != nil && o.by != by {
		panic(errorf("gradscaler", BadOptimizer, "a Graph records a part of an iteration that was begun outside of "+
			"it: Unscale, Step and Update belong into its function together, or behind Run"))
	}
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
		s.notify(Event{Kind: Unscaled, Optimizer: opt})
	}
}
