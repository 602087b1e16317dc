package optim

import (
	"errors"

	"halfnote/tensor"
)

// SGD is stochastic gradient descent with momentum.
type SGD struct{ base }

// SGDConfig holds the options of [NewSGD], with PyTorch's names and defaults. LR must be given.
type SGDConfig struct {
	LR          float64
	Momentum    float64 // μ
	Dampening   float64 // τ
	WeightDecay float64 // λ
	Nesterov    bool    // needs Momentum, and no Dampening
	Maximize    bool    // ascend
}

// NewSGD returns an optimizer that does, for each parameter θ with gradient g,
//
//	g ← g + λθ    b ← μb + (1-τ)g, at first b ← g    θ ← θ - LR·b, or θ - LR·(g + μb) for Nesterov
//
// in the parameters' dtype, as torch.optim.SGD does. It panics with a [*tensor.Error] if params is
// empty, holds a tensor twice, a non-float or one that is no leaf, or if an option is out of its
// range.
func NewSGD(params []*tensor.Tensor, config SGDConfig) *SGD {
	s := &SGD{base{op: "sgd"}}
	s.AddGroup(params, config)
	return s
}

// AddGroup adds parameters with options of their own, checked as in [NewSGD].
func (s *SGD) AddGroup(params []*tensor.Tensor, config SGDConfig) { s.add(params, &config) }

// Group returns the options of group i, counted from 0. Changes hold from the next step on.
func (s *SGD) Group(i int) *SGDConfig { return s.groups[i].config.(*SGDConfig) }

// Step updates every parameter that has a gradient.
func (s *SGD) Step() {
	s.each(func(options config, p, grad *tensor.Tensor, s *state) {
		c := options.(*SGDConfig)
		step := tensor.SGDStep{LR: c.LR, Momentum: c.Momentum, Dampening: c.Dampening,
			WeightDecay: c.WeightDecay, Nesterov: c.Nesterov, Maximize: c.Maximize}
		var buffer *tensor.Tensor
		if c.Momentum != 0 {
			step.First = s.slots["momentum_buffer"] == nil
			buffer = s.slot("momentum_buffer", p)
		}
		p.SGDInPlace(grad, buffer, step)
	})
}

// String shows the options that are not zero.
func (s *SGD) String() string { return s.describe("SGD") }

func (c *SGDConfig) lr() *float64 { return &c.LR }

func (c *SGDConfig) slots() map[string]bool {
	return map[string]bool{"momentum_buffer": c.Momentum != 0}
}

func (c *SGDConfig) check() error {
	if c.Nesterov && (c.Momentum <= 0 || c.Dampening != 0) {
		return errors.New("option Nesterov needs Momentum above 0 and Dampening 0")
	}
	return first(
		notNegative("LR", c.LR),
		notNegative("Momentum", c.Momentum),
		finite("Dampening", c.Dampening),
		notNegative("WeightDecay", c.WeightDecay),
	)
}
