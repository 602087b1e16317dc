package amp

import "halfnote/tensor"

// This file implements how the scale moves.

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
	checked := false
	for _, o := range s.optimizers {
		o.checkRecorded()
		checked = checked || len(o.checks) > 0
	}
	if !checked {
		panic(errorf("update", NoInfChecksUpdate, "no gradient was checked since the last Update: "+
			"call Step, with an optimizer whose parameters have gradients, before it"))
	}
	if s.live != nil {
		s.updateLive()
		return
	}
	before, found, collapsed := s.LossScale(), s.foundInf(), false
	if found {
		collapsed = s.backOff()
	} else {
		s.grow()
	}
	s.updated(before, found)
	if collapsed && s.onCollapse != nil {
		s.onCollapse(s)
	}
}

// updateLive is Update for a scale on a device.
func (s *GradScaler) updateLive() {
	found := s.flags()
	s.live.adapt(s, found)
	s.updatedLive(found)
	if s.onCollapse == nil {
		return
	}
	if n := s.live.collapses(); n > s.collapses {
		s.collapses = n
		s.onCollapse(s)
	}
}

// foundInf reports whether any optimizer found an inf or NaN; it reads the devices.
func (s *GradScaler) foundInf() (found bool) {
	for _, o := range s.optimizers {
		found = found || o.checks.foundInf()
	}
	return found
}

// flags returns what each optimizer found, on its device.
func (s *GradScaler) flags() (found []*tensor.Tensor) {
	for _, o := range s.optimizers {
		if len(o.checks) > 0 {
			found = append(found, o.checks.flag())
		}
	}
	return found
}

// PanicOnCollapse is for [ScalerConfig].OnCollapse: it panics with an [*Error] of kind [Collapsed].
// The update is complete by then, so that training can go on behind a recover.
func PanicOnCollapse(s *GradScaler) {
	panic(errorf("update", Collapsed, "the gradients overflow at the smallest scale, %g: the loss or "+
		"the weights are inf or NaN by themselves; look at the first skipped step", s.LossScale()))
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
	if s.live != nil {
		found := s.flags()
		s.live.now() // what this iteration ran with
		quietly(func() { s.live.scale.FillInPlace(scale) })
		s.live.moved(nil)
		s.updatedLive(found)
		return
	}
	before, found := s.LossScale(), s.foundInf()
	s.scale = float32(scale)
	s.updated(before, found)
}

// Reset gives up the iteration: every optimizer is ready for Unscale and Step again, and what was
// found is forgotten. Scale and growth tracker stay. It is for a batch that is dropped behind
// Unscale, where the next Unscale would else be an error; zero the gradients, too.
func (s *GradScaler) Reset() {
	s.forget()
	s.notify(Event{Kind: Dropped})
}

// forget makes every optimizer ready.
func (s *GradScaler) forget() { s.repeat(s.clear) }

func (s *GradScaler) clear() {
	clear(s.optimizers)
	clear(s.owners)
}

// backOff reports whether the scale should have gone down and could not.
func (s *GradScaler) backOff() (collapsed bool) {
	s.growthTracker = 0
	s.overflows++
	if s.overflows < s.hysteresis {
		return false
	}
	collapsed = float64(s.scale) <= s.minScale
	s.scale = float32(max(float64(s.scale)*s.backoffFactor, s.minScale))
	return collapsed
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
	s.forget()
	s.notify(Event{Kind: Updated, Scale: before, NewScale: s.LossScale(), FoundInf: found})
}

// updatedLive is updated for a scale on a device.
func (s *GradScaler) updatedLive(found []*tensor.Tensor) {
	before := s.live.current
	s.live.current = nil
	s.forget()
	s.notifyLive(before, found)
}
