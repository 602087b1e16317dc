package optim

import (
	"halfnote/internal/many"
	"halfnote/tensor"
)

// Adam is the optimizer of Kingma and Ba, https://arxiv.org/abs/1412.6980, with the variants
// AMSGrad and, by [NewAdamW], decoupled weight decay.
type Adam struct {
	base
	name string
}

// AdamConfig holds the options of [NewAdam], with PyTorch's names and defaults. LR must be given.
type AdamConfig struct {
	LR          float64
	Betas       [2]float64 // β₁, β₂; both zero mean 0.9 and 0.999
	Eps         float64    // ε; zero means 1e-8
	WeightDecay float64    // λ
	AMSGrad     bool       // divide by the largest v so far, https://arxiv.org/abs/1904.09237
	Maximize    bool       // ascend

	// DecoupledWeightDecay shrinks parameters by LR·λ instead of adding λθ to the gradient.
	DecoupledWeightDecay bool
}

// AdamWConfig holds the options of [NewAdamW]. PyTorch's weight decay of 0.01 must be given.
type AdamWConfig = AdamConfig

// NewAdam returns an optimizer that does at its step t, for each parameter θ with gradient g,
//
//	g ← g + λθ    m ← β₁m + (1-β₁)g    v ← β₂v + (1-β₂)g²
//	θ ← θ - LR · m/(1-β₁ᵗ) / (√(v/(1-β₂ᵗ)) + ε)
//
// in the parameters' dtype, as torch.optim.Adam does. It panics with a [*tensor.Error] if params is
// empty, holds a tensor twice, a non-float or one that is no leaf, or if an option is out of its
// range.
func NewAdam(params []*tensor.Tensor, config AdamConfig) *Adam {
	a := &Adam{base{op: "adam"}, "Adam"}
	a.AddGroup(params, config)
	return a
}

// NewAdamW returns [NewAdam]'s optimizer with decoupled weight decay: θ ← θ - LR·λ·θ before each
// step, and no λθ in the gradient, see https://arxiv.org/abs/1711.05101.
func NewAdamW(params []*tensor.Tensor, config AdamWConfig) *Adam {
	a := &Adam{base{op: "adamw"}, "AdamW"}
	a.AddGroup(params, config)
	return a
}

// AddGroup adds parameters with options of their own, checked as in [NewAdam].
func (a *Adam) AddGroup(params []*tensor.Tensor, config AdamConfig) {
	if config.Betas == [2]float64{} {
		config.Betas = [2]float64{0.9, 0.999}
	}
	if config.Eps == 0 {
		config.Eps = 1e-8
	}
	if a.op == "adamw" {
		config.DecoupledWeightDecay = true
	}
	a.add(params, &config)
}

// Group returns the options of group i, counted from 0. Changes hold from the next step on.
func (a *Adam) Group(i int) *AdamConfig { return a.groups[i].config.(*AdamConfig) }

// Step updates every parameter that has a gradient.
func (a *Adam) Step() { a.each(nil, adamRule) }

// StepUnless does what Step does unless found, a float32 without dimensions, is not 0. Parameters of a
// GPU are left out there, without the host's waiting for it. It reports false, and does nothing,
// where opt is not the optimizer itself but one that embeds it, whose Step may do more.
func (a *Adam) StepUnless(opt any, found *tensor.Tensor) bool {
	if opt != any(a) {
		return false
	}
	a.each(found, adamRule)
	return true
}

var adamRule = rule{
	one: func(options config, p, grad *tensor.Tensor, s *state) {
		c := options.(*AdamConfig)
		mean, square := s.slot("exp_avg", p), s.slot("exp_avg_sq", p)
		var largest *tensor.Tensor
		if c.AMSGrad {
			largest = s.slot("max_exp_avg_sq", p)
		}
		p.AdamInPlace(grad, mean, square, largest, tensor.AdamStep{LR: c.LR, Betas: c.Betas,
			Eps: c.Eps, WeightDecay: c.WeightDecay, Step: s.steps,
			Decoupled: c.DecoupledWeightDecay, Maximize: c.Maximize})
	},
	together: func(options config) (how any, kept func(p *tensor.Tensor, s *state) [3]any) {
		c := options.(*AdamConfig)
		how = many.Adam{LR: c.LR, Betas: c.Betas, Eps: c.Eps, WeightDecay: c.WeightDecay,
			Decoupled: c.DecoupledWeightDecay, Maximize: c.Maximize}
		return how, func(p *tensor.Tensor, s *state) [3]any {
			kept := [3]any{s.slot("exp_avg", p), s.slot("exp_avg_sq", p)}
			if c.AMSGrad {
				kept[2] = s.slot("max_exp_avg_sq", p)
			}
			return kept
		}
	},
}

// String shows the options that are not zero.
func (a *Adam) String() string { return a.describe(a.name) }

func (c *AdamConfig) lr() *float64 { return &c.LR }

func (c *AdamConfig) slots() map[string]bool {
	return map[string]bool{"exp_avg": true, "exp_avg_sq": true, "max_exp_avg_sq": c.AMSGrad}
}

func (c *AdamConfig) check() error {
	return first(
		notNegative("LR", c.LR),
		fraction("Betas[0]", c.Betas[0]),
		fraction("Betas[1]", c.Betas[1]),
		notNegative("Eps", c.Eps),
		notNegative("WeightDecay", c.WeightDecay),
	)
}
