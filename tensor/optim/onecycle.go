package optim

import (
	"cmp"
	"fmt"
	"math"

	"halfnote/tensor"
)

// OneCycleConfig is the curve of Smith's 1cycle policy, https://arxiv.org/abs/1708.07120: up from
// MaxLR/DivFactor to MaxLR, then down to MaxLR/(DivFactor·FinalDivFactor) at the last step.
type OneCycleConfig struct {
	TotalSteps     int     // must be given; the curve ends at step TotalSteps-1
	MaxLR          float64 // zero means the group's base rate
	PctStart       float64 // the share of the steps that go up; zero means 0.3
	DivFactor      float64 // zero means 25
	FinalDivFactor float64 // zero means 1e4
	Linear         bool    // straight lines instead of half cosines
	ThreePhase     bool    // down as slowly as up, and then to the end

	// CycleMomentum moves the momentum of SGD and RMSprop, and β₁ of Adam, the opposite way, between
	// MaxMomentum and BaseMomentum. PyTorch does so unless told otherwise.
	CycleMomentum bool
	MaxMomentum   float64 // zero means 0.95
	BaseMomentum  float64 // zero means 0.85
}

// NewOneCycle returns a schedule of one cycle, stepped after every batch: PyTorch's OneCycleLR.
// After the last step, where PyTorch fails, the rates stay. It panics with a [*tensor.Error] if an
// option is out of its range, or CycleMomentum is set and opt has neither momentum nor betas.
func NewOneCycle(opt Optimizer, config OneCycleConfig) *Schedule { return NewSchedule(opt, config) }

// LR returns the rate at a step.
func (c OneCycleConfig) LR(base float64, step int) float64 {
	high := cmp.Or(c.MaxLR, base)
	start := high / cmp.Or(c.DivFactor, 25)
	return c.at(step, start, high, start/cmp.Or(c.FinalDivFactor, 1e4))
}

// momentum returns the momentum at a step, if it moves.
func (c OneCycleConfig) momentum(step int) (momentum float64, moves bool) {
	high := cmp.Or(c.MaxMomentum, 0.95)
	return c.at(step, high, cmp.Or(c.BaseMomentum, 0.85), high), c.CycleMomentum
}

// at goes from start to peak, back to start where there are three phases, and to end.
func (c OneCycleConfig) at(step int, start, peak, end float64) float64 {
	last, share := float64(c.TotalSteps-1), cmp.Or(c.PctStart, 0.3)
	up := share*float64(c.TotalSteps) - 1
	x := min(float64(step), last)
	switch {
	case x <= up:
		return c.anneal(start, peak, x/up)
	case !c.ThreePhase:
		return c.anneal(peak, end, (x-up)/(last-up))
	}
	down := 2*share*float64(c.TotalSteps) - 2
	if x <= down {
		return c.anneal(peak, start, (x-up)/(down-up))
	}
	return c.anneal(start, end, (x-down)/(last-down))
}

func (c OneCycleConfig) anneal(from, to, x float64) float64 {
	if c.Linear {
		return from + (to-from)*x
	}
	return to + (from-to)/2*(1+math.Cos(math.Pi*x))
}

func (c OneCycleConfig) check() error {
	share := cmp.Or(c.PctStart, 0.3)
	if !(share > 0 && share < 1) {
		return fmt.Errorf("PctStart %v: must be above 0 and below 1", c.PctStart)
	}
	if up := share * float64(c.TotalSteps); c.TotalSteps < 2 || up <= 1 ||
		c.ThreePhase && 2*up-2 >= float64(c.TotalSteps-1) {
		return fmt.Errorf("PctStart %v of TotalSteps %d: leaves a part of the cycle without steps",
			share, c.TotalSteps)
	}
	return first(notNegative("MaxLR", c.MaxLR), given("DivFactor", cmp.Or(c.DivFactor, 25)),
		given("FinalDivFactor", cmp.Or(c.FinalDivFactor, 1e4)),
		fraction("MaxMomentum", c.MaxMomentum), fraction("BaseMomentum", c.BaseMomentum))
}

// A momentumCurve is a [Curve] that moves the momentum, too.
type momentumCurve interface {
	momentum(step int) (momentum float64, moves bool)
}

// momenta returns the momentum, or what stands for it, of each group; nil where there is none.
func (b *base) momenta() []*float64 {
	all := make([]*float64, len(b.groups))
	for i, g := range b.groups {
		switch c := g.config.(type) {
		case *SGDConfig:
			all[i] = &c.Momentum
		case *RMSpropConfig:
			all[i] = &c.Momentum
		case *AdamConfig:
			all[i] = &c.Betas[0]
		}
	}
	return all
}

// setMomentum sets the momentum of a group to that of its curve, if that moves it.
func setMomentum(opt Optimizer, group int, c Curve, step int) {
	m, ok := c.(momentumCurve)
	if !ok {
		return
	}
	momentum, moves := m.momentum(step)
	if !moves {
		return
	}
	with, ok := opt.(interface{ momenta() []*float64 })
	if !ok || with.momenta()[group] == nil {
		panic(&tensor.Error{Op: "schedule",
			Msg: fmt.Sprintf("CycleMomentum: %T has no momentum to move", opt)})
	}
	*with.momenta()[group] = momentum
}
