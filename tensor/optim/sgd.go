package optim

import (
	"errors"

	"halfnote/internal/many"
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
func (s *SGD) Step() { s.each(nil, sgdRule) }

// StepUnless does what Step does unless found, a float32 without dimensions, is not 0. Parameters of a
// GPU are left out there, without the host's waiting for it. It reports false, and does nothing,
// where opt is not the optimizer itself but one that embeds it, whose Step may do more.
func (s *SGD) StepUnless(opt any, found *tensor.Tensor) bool {
	if opt != any(s) {
		return false
	}
	s.each(found, sgdRule)
	return true
}

var sgdRule = rule{
	one: func(options config, p, grad *tensor.Tensor, s *state) {
		c := options.(*SGDConfig)
		step := tensor.SGDStep{LR: c.LR, Momentum: c.Momentum, Dampening: c.Dampening,
			WeightDecay: c.WeightDecay, Nesterov: c.Nesterov, Maximize: c.Maximize}
		var buffer *tensor.Tensor
		if c.Momentum != 0 {
			step.First = s.slots["momentum_buffer"] == nil
			buffer = s.slot("momentum_buffer", p)
		}
		p.SGDInPlace(grad, buffer, step)
	},
	together: func(options config) (how any, kept func(p *tensor.Tensor, s *state) [3]any) {
		c := options.(*SGDConfig)
		how = many.SGD{LR: c.LR, Momentum: c.Momentum, Dampening: c.Dampening,
			WeightDecay: c.WeightDecay, Nesterov: c.Nesterov, Maximize: c.Maximize}
		return how, func(p *tensor.Tensor, s *state) (kept [3]any) {
			if c.Momentum != 0 {
				s.count() // before there is a buffer, which is new then
				kept[0] = s.slot("momentum_buffer", p)
			}
			return kept
		}
	},
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
