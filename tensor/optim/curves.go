package optim

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// This file implements the curves that are a formula of the step, and the constructors of their
// schedules. With PyTorch's schedulers they have names, options and values in common; beyond its
// last step a curve keeps its last value.

// StepLRConfig is the curve base · Gamma^⌊step / StepSize⌋.
type StepLRConfig struct {
	StepSize int     // must be given
	Gamma    float64 // zero means 0.1
}

// NewStepLR returns a schedule that multiplies the rates by Gamma every StepSize steps. It panics
// with a [*tensor.Error] if an option is out of its range, as all these constructors do.
func NewStepLR(opt Optimizer, config StepLRConfig) *Schedule { return NewSchedule(opt, config) }

// LR returns the rate at a step.
func (c StepLRConfig) LR(base float64, step int) float64 {
	return base * math.Pow(cmp.Or(c.Gamma, 0.1), float64(step/c.StepSize))
}

func (c StepLRConfig) check() error {
	return first(positive("StepSize", c.StepSize), notNegative("Gamma", c.Gamma))
}

// MultiStepLRConfig is the curve base · Gamma^n with n milestones passed.
type MultiStepLRConfig struct {
	Milestones []int   // in rising order; the rate falls at these steps
	Gamma      float64 // zero means 0.1
}

// NewMultiStepLR returns a schedule that multiplies the rates by Gamma at each milestone.
func NewMultiStepLR(opt Optimizer, config MultiStepLRConfig) *Schedule {
	return NewSchedule(opt, config)
}

// LR returns the rate at a step.
func (c MultiStepLRConfig) LR(base float64, step int) float64 {
	return base * math.Pow(cmp.Or(c.Gamma, 0.1), float64(passed(c.Milestones, step)))
}

func (c MultiStepLRConfig) check() error {
	return first(rising("Milestones", c.Milestones), notNegative("Gamma", c.Gamma))
}

// ExponentialLRConfig is the curve base · Gammaˢᵗᵉᵖ.
type ExponentialLRConfig struct {
	Gamma float64 // must be given
}

// NewExponentialLR returns a schedule that multiplies the rates by Gamma at each step.
func NewExponentialLR(opt Optimizer, config ExponentialLRConfig) *Schedule {
	return NewSchedule(opt, config)
}

// LR returns the rate at a step.
func (c ExponentialLRConfig) LR(base float64, step int) float64 {
	return base * math.Pow(c.Gamma, float64(step))
}

func (c ExponentialLRConfig) check() error { return given("Gamma", c.Gamma) }

// CosineLRConfig is half a cosine from base at step 0 down to EtaMin at step TMax, and back up
// after it: EtaMin + (base - EtaMin) · (1 + cos(π · step / TMax)) / 2.
type CosineLRConfig struct {
	TMax   int // must be given
	EtaMin float64
}

// NewCosineLR returns a schedule along half a cosine: PyTorch's CosineAnnealingLR, see
// https://arxiv.org/abs/1608.03983.
func NewCosineLR(opt Optimizer, config CosineLRConfig) *Schedule { return NewSchedule(opt, config) }

// LR returns the rate at a step.
func (c CosineLRConfig) LR(base float64, step int) float64 {
	return cosine(base, c.EtaMin, float64(step)/float64(c.TMax))
}

func (c CosineLRConfig) check() error {
	return first(positive("TMax", c.TMax), notNegative("EtaMin", c.EtaMin))
}

// CosineWarmRestartsConfig is [CosineLRConfig] over and over: T0 steps long at first, each time
// TMult times longer.
type CosineWarmRestartsConfig struct {
	T0     int // must be given
	TMult  int // zero means 1
	EtaMin float64
}

// NewCosineWarmRestarts returns a schedule along cosines with restarts: PyTorch's
// CosineAnnealingWarmRestarts, see https://arxiv.org/abs/1608.03983.
func NewCosineWarmRestarts(opt Optimizer, config CosineWarmRestartsConfig) *Schedule {
	return NewSchedule(opt, config)
}

// LR returns the rate at a step.
func (c CosineWarmRestartsConfig) LR(base float64, step int) float64 {
	length := c.T0
	if c.TMult <= 1 {
		step %= length
	}
	for ; step >= length; length *= c.TMult {
		step -= length
	}
	return cosine(base, c.EtaMin, float64(step)/float64(length))
}

func (c CosineWarmRestartsConfig) check() error {
	return first(positive("T0", c.T0), positive("TMult", cmp.Or(c.TMult, 1)),
		notNegative("EtaMin", c.EtaMin))
}

// cosine goes from high to low while x goes from 0 to 1.
func cosine(high, low, x float64) float64 {
	return low + (high-low)*(1+math.Cos(math.Pi*x))/2
}

// LinearLRConfig is a straight line from base · StartFactor at step 0 to base · EndFactor at step
// TotalIters.
type LinearLRConfig struct {
	StartFactor float64 // zero means 1/3
	EndFactor   float64 // zero means 1; to end at zero, see PolynomialLRConfig
	TotalIters  int     // zero means 5
}

// NewLinearLR returns a schedule along a straight line.
func NewLinearLR(opt Optimizer, config LinearLRConfig) *Schedule { return NewSchedule(opt, config) }

// LR returns the rate at a step.
func (c LinearLRConfig) LR(base float64, step int) float64 {
	start, end := cmp.Or(c.StartFactor, 1./3), cmp.Or(c.EndFactor, 1)
	total := cmp.Or(c.TotalIters, 5)
	return base * (start + (end-start)*float64(min(step, total))/float64(total))
}

func (c LinearLRConfig) check() error {
	return first(notNegative("StartFactor", c.StartFactor), notNegative("EndFactor", c.EndFactor),
		positive("TotalIters", cmp.Or(c.TotalIters, 5)))
}

// PolynomialLRConfig is the curve base · (1 - step/TotalIters)^Power, which ends at zero.
type PolynomialLRConfig struct {
	TotalIters int     // zero means 5
	Power      float64 // zero means 1, a straight line
}

// NewPolynomialLR returns a schedule that falls to zero.
func NewPolynomialLR(opt Optimizer, config PolynomialLRConfig) *Schedule {
	return NewSchedule(opt, config)
}

// LR returns the rate at a step.
func (c PolynomialLRConfig) LR(base float64, step int) float64 {
	total := cmp.Or(c.TotalIters, 5)
	left := 1 - float64(min(step, total))/float64(total)
	return base * math.Pow(left, cmp.Or(c.Power, 1))
}

func (c PolynomialLRConfig) check() error {
	return first(positive("TotalIters", cmp.Or(c.TotalIters, 5)), notNegative("Power", c.Power))
}

// LambdaLRConfig is the curve base · Lambda(step).
type LambdaLRConfig struct {
	Lambda func(step int) float64
}

// NewLambdaLR returns a schedule that multiplies the base rates by what a function says. For a
// function for each group, give [NewSchedule] several configs.
func NewLambdaLR(opt Optimizer, config LambdaLRConfig) *Schedule { return NewSchedule(opt, config) }

// LR returns the rate at a step.
func (c LambdaLRConfig) LR(base float64, step int) float64 { return base * c.Lambda(step) }

func (c LambdaLRConfig) check() error {
	if c.Lambda == nil {
		return fmt.Errorf("no Lambda: it is a function of the step")
	}
	return nil
}

// passed counts the milestones up to a step.
func passed(milestones []int, step int) int {
	n := 0
	for n < len(milestones) && step >= milestones[n] {
		n++
	}
	return n
}

func positive(name string, n int) error {
	if n >= 1 {
		return nil
	}
	return fmt.Errorf("%s %d: must be at least 1", name, n)
}

// given checks an option that has no default.
func given(name string, v float64) error {
	if v == 0 {
		return fmt.Errorf("%s 0: must be given and above 0", name)
	}
	return notNegative(name, v)
}

// rising checks that steps come one after the other.
func rising(name string, steps []int) error {
	if !slices.IsSorted(steps) || len(slices.Compact(slices.Clone(steps))) != len(steps) ||
		len(steps) > 0 && steps[0] < 0 {
		return fmt.Errorf("%s %v: must rise from 0 or more", name, steps)
	}
	return nil
}
