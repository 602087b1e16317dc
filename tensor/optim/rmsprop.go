package optim

import (
	"halfnote/internal/many"
	"halfnote/tensor"
)

// RMSprop divides the gradient by a running average of its size, as Hinton's lecture 6e of
// "Neural Networks for Machine Learning" proposed.
type RMSprop struct{ base }

// RMSpropConfig holds the options of [NewRMSprop], with PyTorch's names and defaults. LR must be
// given.
type RMSpropConfig struct {
	LR          float64
	Alpha       float64 // α, the weight of what was before; zero means 0.99
	Eps         float64 // ε; zero means 1e-8
	WeightDecay float64 // λ
	Momentum    float64 // μ
	Centered    bool    // divide by the deviation from the mean gradient instead
	Maximize    bool    // ascend
}

// NewRMSprop returns an optimizer that does, for each parameter θ with gradient g,
//
//	g ← g + λθ    v ← αv + (1-α)g²    b ← μb + g/(√v + ε)    θ ← θ - LR·b
//
// in the parameters' dtype, as torch.optim.RMSprop does. Centered puts v - ḡ² under the root, with
// ḡ ← αḡ + (1-α)g. It panics with a [*tensor.Error] if params is empty, holds a tensor twice, a
// non-float or one that is no leaf, or if an option is out of its range.
func NewRMSprop(params []*tensor.Tensor, config RMSpropConfig) *RMSprop {
	r := &RMSprop{base{op: "rmsprop"}}
	r.AddGroup(params, config)
	return r
}

// AddGroup adds parameters with options of their own, checked as in [NewRMSprop].
func (r *RMSprop) AddGroup(params []*tensor.Tensor, config RMSpropConfig) {
	if config.Alpha == 0 {
		config.Alpha = 0.99
	}
	if config.Eps == 0 {
		config.Eps = 1e-8
	}
	r.add(params, &config)
}

// Group returns the options of group i, counted from 0. Changes hold from the next step on.
func (r *RMSprop) Group(i int) *RMSpropConfig { return r.groups[i].config.(*RMSpropConfig) }

// Step updates every parameter that has a gradient.
func (r *RMSprop) Step() { r.each(nil, rmspropRule) }

// StepUnless does what Step does unless found, a float32 without dimensions, is not 0. Parameters of a
// GPU are left out there, without the host's waiting for it. It reports false, and does nothing,
// where opt is not the optimizer itself but one that embeds it, whose Step may do more.
func (r *RMSprop) StepUnless(opt any, found *tensor.Tensor) bool {
	if opt != any(r) {
		return false
	}
	r.each(found, rmspropRule)
	return true
}

var rmspropRule = rule{
	one: func(options config, p, grad *tensor.Tensor, s *state) {
		c := options.(*RMSpropConfig)
		square := s.slot("square_avg", p)
		var mean, buffer *tensor.Tensor
		if c.Centered {
			mean = s.slot("grad_avg", p)
		}
		if c.Momentum != 0 {
			buffer = s.slot("momentum_buffer", p)
		}
		p.RMSpropInPlace(grad, square, mean, buffer, tensor.RMSpropStep{
			LR: c.LR, Alpha: c.Alpha, Eps: c.Eps,
			Momentum: c.Momentum, WeightDecay: c.WeightDecay, Maximize: c.Maximize})
	},
	together: func(options config) (how any, kept func(p *tensor.Tensor, s *state) [3]any) {
		c := options.(*RMSpropConfig)
		how = many.RMSprop{LR: c.LR, Keep: c.Alpha, Add: 1 - c.Alpha, Eps: c.Eps,
			Momentum: c.Momentum, WeightDecay: c.WeightDecay, Maximize: c.Maximize}
		return how, func(p *tensor.Tensor, s *state) [3]any {
			kept := [3]any{s.slot("square_avg", p)}
			if c.Centered {
				kept[1] = s.slot("grad_avg", p)
			}
			if c.Momentum != 0 {
				kept[2] = s.slot("momentum_buffer", p)
			}
			return kept
		}
	},
}

// String shows the options that are not zero.
func (r *RMSprop) String() string { return r.describe("RMSprop") }

func (c *RMSpropConfig) lr() *float64 { return &c.LR }

func (c *RMSpropConfig) slots() map[string]bool {
	return map[string]bool{
		"square_avg": true, "grad_avg": c.Centered, "momentum_buffer": c.Momentum != 0,
	}
}

func (c *RMSpropConfig) check() error {
	return first(
		notNegative("LR", c.LR),
		fraction("Alpha", c.Alpha),
		notNegative("Eps", c.Eps),
		notNegative("WeightDecay", c.WeightDecay),
		notNegative("Momentum", c.Momentum),
	)
}
