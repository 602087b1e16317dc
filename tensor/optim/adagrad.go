package optim

import (
	"halfnote/internal/many"
	"halfnote/tensor"
)

// Adagrad divides the gradient by the root of the sum of all its squares so far, see
// https://jmlr.org/papers/v12/duchi11a.html.
type Adagrad struct{ base }

// AdagradConfig holds the options of [NewAdagrad], with PyTorch's names and defaults. LR must be
// given.
type AdagradConfig struct {
	LR                      float64
	LRDecay                 float64 // η
	WeightDecay             float64 // λ
	InitialAccumulatorValue float64 // where the sums of squares start
	Eps                     float64 // ε; zero means 1e-10
	Maximize                bool    // ascend
}

// NewAdagrad returns an optimizer that does at its step t, for each parameter θ with gradient g,
//
//	g ← g + λθ    v ← v + g²    θ ← θ - LR/(1 + (t-1)η) · g/(√v + ε)
//
// in the parameters' dtype, as torch.optim.Adagrad does. It panics with a [*tensor.Error] if params
// is empty, holds a tensor twice, a non-float or one that is no leaf, or if an option is out of its
// range.
func NewAdagrad(params []*tensor.Tensor, config AdagradConfig) *Adagrad {
	a := &Adagrad{base{op: "adagrad"}}
	a.AddGroup(params, config)
	return a
}

// AddGroup adds parameters with options of their own, checked as in [NewAdagrad].
func (a *Adagrad) AddGroup(params []*tensor.Tensor, config AdagradConfig) {
	if config.Eps == 0 {
		config.Eps = 1e-10
	}
	a.add(params, &config)
}

// Group returns the options of group i, counted from 0. Changes hold from the next step on.
func (a *Adagrad) Group(i int) *AdagradConfig { return a.groups[i].config.(*AdagradConfig) }

// Step updates every parameter that has a gradient.
func (a *Adagrad) Step() { a.each(nil, adagradRule) }

// StepUnless does what Step does unless found, a float32 without dimensions, is not 0. Parameters of a
// GPU are left out there, without the host's waiting for it. It reports false, and does nothing,
// where opt is not the optimizer itself but one that embeds it, whose Step may do more.
func (a *Adagrad) StepUnless(opt any, found *tensor.Tensor) bool {
	if opt != any(a) {
		return false
	}
	a.each(found, adagradRule)
	return true
}

var adagradRule = rule{
	one: func(options config, p, grad *tensor.Tensor, s *state) {
		c := options.(*AdagradConfig)
		p.AdagradInPlace(grad, c.sum(p, s), tensor.AdagradStep{
			LR:          c.LR / (1 + float64(s.steps-1)*c.LRDecay),
			WeightDecay: c.WeightDecay, Eps: c.Eps, Maximize: c.Maximize})
	},
	together: func(options config) (how any, kept func(p *tensor.Tensor, s *state) [3]any) {
		c := options.(*AdagradConfig)
		how = many.RMSprop{LR: c.LR, Keep: 1, Add: 1, Eps: c.Eps, Decay: c.LRDecay,
			WeightDecay: c.WeightDecay, Maximize: c.Maximize}
		return how, func(p *tensor.Tensor, s *state) [3]any { return [3]any{c.sum(p, s)} }
	},
}

// sum returns the sum of squares kept for p.
func (c *AdagradConfig) sum(p *tensor.Tensor, s *state) *tensor.Tensor {
	if sum := s.slots["sum"]; sum != nil {
		return sum
	}
	return s.slot("sum", p).FillInPlace(c.InitialAccumulatorValue)
}

// String shows the options that are not zero.
func (a *Adagrad) String() string { return a.describe("Adagrad") }

func (c *AdagradConfig) lr() *float64 { return &c.LR }

func (c *AdagradConfig) slots() map[string]bool { return map[string]bool{"sum": true} }

func (c *AdagradConfig) check() error {
	return first(
		notNegative("LR", c.LR),
		notNegative("LRDecay", c.LRDecay),
		notNegative("WeightDecay", c.WeightDecay),
		notNegative("InitialAccumulatorValue", c.InitialAccumulatorValue),
		notNegative("Eps", c.Eps),
	)
}
