package optim

import (
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// skipped is a StepResult by a pointer, as package amp's is.
type skipped struct{ yes bool }

func (s *skipped) Skipped() bool { return s.yes }

func TestNils(t *testing.T) {
	p := tensor.Ones(2).SetRequiresGrad(true)
	opt := NewSGD([]*tensor.Tensor{p}, SGDConfig{LR: 1})
	ema := NewEMA([]*tensor.Tensor{p}, EMAConfig{})
	schedule := NewStepLR(opt, StepLRConfig{StepSize: 1, Gamma: 0.5})
	const result = "the result of the step is nil: give what the scaler's Step returned"
	for _, c := range []struct {
		want string
		f    func()
	}{
		{"ema: " + result, func() { ema.UpdateAfter(nil) }},
		{"ema: " + result, func() { ema.UpdateAfter((*skipped)(nil)) }},
		{"ema: the function of Apply is nil", func() { ema.Apply(nil) }},
		{"schedule: " + result, func() { schedule.StepAfter(nil) }},
		{"schedule: " + result, func() { schedule.StepAfter((*skipped)(nil)) }},
		{"schedule: the optimizer is nil", func() { NewStepLR(nil, StepLRConfig{StepSize: 1}) }},
		{"schedule: the optimizer is nil", func() { NewPlateau(nil, PlateauConfig{}) }},
		{"sgd: 0 learning rates for 1 groups: give one for each", func() { opt.SetLRs() }},
	} {
		if got := reference.Mistake(c.f); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	schedule.StepAfter(&skipped{true})
	if schedule.Steps() != 0 {
		t.Error("a skipped step was counted")
	}
}
