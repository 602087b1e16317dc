package optim

import (
	"cmp"
	"fmt"
)

// This file implements the curves that are made of others.

// WarmupConfig is a straight line from base · StartFactor at step 0 to base at step TotalIters,
// where Then begins, at its own step 0.
type WarmupConfig struct {
	TotalIters  int     // must be given
	StartFactor float64 // zero means 1/TotalIters
	Then        Curve   // nil keeps the base rate
}

// NewWarmup returns a schedule that warms up before it follows another:
//
//	optim.NewWarmup(opt, optim.WarmupConfig{TotalIters: 100, Then: optim.CosineLRConfig{TMax: 900}})
func NewWarmup(opt Optimizer, config WarmupConfig) *Schedule { return NewSchedule(opt, config) }

// LR returns the rate at a step.
func (c WarmupConfig) LR(base float64, step int) float64 {
	if step < c.TotalIters {
		start := cmp.Or(c.StartFactor, 1/float64(c.TotalIters))
		return LinearLRConfig{StartFactor: start, TotalIters: c.TotalIters}.LR(base, step)
	}
	if c.Then == nil {
		return base
	}
	return c.Then.LR(base, step-c.TotalIters)
}

func (c WarmupConfig) check() error {
	if err := first(positive("TotalIters", c.TotalIters),
		notNegative("StartFactor", c.StartFactor)); err != nil || c.Then == nil {
		return err
	}
	return checkCurve(c.Then)
}

// SequentialLRConfig follows one curve after the other: curve i+1 begins, at its own step 0, at
// milestone i.
type SequentialLRConfig struct {
	Curves     []Curve
	Milestones []int // in rising order, one fewer than curves
}

// NewSequentialLR returns a schedule along several curves, one after the other.
func NewSequentialLR(opt Optimizer, config SequentialLRConfig) *Schedule {
	return NewSchedule(opt, config)
}

// LR returns the rate at a step.
func (c SequentialLRConfig) LR(base float64, step int) float64 {
	i := passed(c.Milestones, step)
	if i > 0 {
		step -= c.Milestones[i-1]
	}
	return c.Curves[i].LR(base, step)
}

func (c SequentialLRConfig) check() error {
	if len(c.Milestones) != len(c.Curves)-1 {
		return fmt.Errorf("%d milestones between %d curves: give one fewer than curves",
			len(c.Milestones), len(c.Curves))
	}
	return first(rising("Milestones", c.Milestones), checkCurves(c.Curves))
}

// ChainedLRConfig applies each curve to the rate that the one before it gives: those that multiply
// the base rate by a factor multiply it by all their factors.
type ChainedLRConfig struct {
	Curves []Curve
}

// NewChainedLR returns a schedule along several curves at once: PyTorch's ChainedScheduler.
func NewChainedLR(opt Optimizer, config ChainedLRConfig) *Schedule {
	return NewSchedule(opt, config)
}

// LR returns the rate at a step.
func (c ChainedLRConfig) LR(base float64, step int) float64 {
	for _, curve := range c.Curves {
		base = curve.LR(base, step)
	}
	return base
}

func (c ChainedLRConfig) check() error { return checkCurves(c.Curves) }

func checkCurves(curves []Curve) error {
	for i, curve := range curves {
		if err := checkCurve(curve); err != nil {
			return fmt.Errorf("curve %d: %w", i, err)
		}
	}
	return nil
}
