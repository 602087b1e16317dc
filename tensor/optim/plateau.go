package optim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"halfnote/tensor"
)

// Plateau lowers the learning rates of an optimizer when a metric has stopped improving: PyTorch's
// ReduceLROnPlateau.
type Plateau struct {
	opt    Optimizer
	config PlateauConfig

	best     float64
	bad      int // steps without an improvement
	cooldown int // steps for which bad ones do not count
	step     int
}

// PlateauConfig holds the options of [NewPlateau], with PyTorch's names and defaults.
type PlateauConfig struct {
	Max       bool    // the metric is better when it is larger, such as an accuracy
	Factor    float64 // what the rates are multiplied by; zero means 0.1
	Patience  int     // so many steps in a row may bring nothing; zero means 10, -1 none
	Threshold float64 // an improvement is larger than this share of the best; zero means 1e-4
	Absolute  bool    // Threshold is a difference, not a share: PyTorch's threshold_mode "abs"
	Cooldown  int     // so many steps after a reduction do not count
	MinLR     float64 // no rate falls below it
	Eps       float64 // a fall by no more than this is not made; zero means 1e-8
}

// NewPlateau returns a schedule that waits for a metric. It panics with a [*tensor.Error] if an
// option is out of its range.
func NewPlateau(opt Optimizer, config PlateauConfig) *Plateau {
	if opt == nil {
		failSchedule("the optimizer is nil")
	}
	config.Factor = cmp.Or(config.Factor, 0.1)
	config.Patience = max(cmp.Or(config.Patience, 10), 0)
	config.Threshold = cmp.Or(config.Threshold, 1e-4)
	config.Eps = cmp.Or(config.Eps, 1e-8)
	if !(config.Factor > 0 && config.Factor < 1) {
		failSchedule("Factor %v: must be above 0 and below 1", config.Factor)
	}
	if config.Cooldown < 0 {
		failSchedule("Cooldown %d: must be at least 0", config.Cooldown)
	}
	if err := first(notNegative("Threshold", config.Threshold), notNegative("MinLR", config.MinLR),
		notNegative("Eps", config.Eps)); err != nil {
		failSchedule("%v", err)
	}
	p := &Plateau{opt: opt, config: config, best: math.Inf(1)}
	if config.Max {
		p.best = math.Inf(-1)
	}
	return p
}

// Step takes the metric in, usually the loss of an epoch on held-out data, and multiplies the rates
// by Factor when it has not improved for more than Patience steps. NaN is no improvement.
func (p *Plateau) Step(metric float64) {
	p.step++
	if p.better(metric) {
		p.best, p.bad = metric, 0
	} else {
		p.bad++
	}
	if p.cooldown > 0 {
		p.cooldown--
		p.bad = 0
	}
	if p.bad > p.config.Patience {
		p.reduce()
		p.cooldown, p.bad = p.config.Cooldown, 0
	}
}

func (p *Plateau) better(metric float64) bool {
	t := p.config.Threshold
	switch {
	case p.config.Max && p.config.Absolute:
		return metric > p.best+t
	case p.config.Max:
		return metric > p.best*(1+t)
	case p.config.Absolute:
		return metric < p.best-t
	}
	return metric < p.best*(1-t)
}

func (p *Plateau) reduce() {
	lrs := p.opt.LRs()
	for i, lr := range lrs {
		if lower := max(lr*p.config.Factor, p.config.MinLR); lr-lower > p.config.Eps {
			lrs[i] = lower
		}
	}
	p.opt.SetLRs(lrs...)
}

// Steps returns how many metrics were taken in.
func (p *Plateau) Steps() int { return p.step }

// Best returns the best metric so far; before any it is +Inf, or -Inf with Max.
func (p *Plateau) Best() float64 { return p.best }

// LRs returns the learning rates of the groups as they are now.
func (p *Plateau) LRs() []float64 { return p.opt.LRs() }

// StateDict returns what a resumed run needs: the counts and the best metric, by PyTorch's names,
// and the learning rates.
func (p *Plateau) StateDict() map[string]*tensor.Tensor {
	return map[string]*tensor.Tensor{
		"step":             tensor.New(int64(p.step)),
		"best":             tensor.New(p.best),
		"num_bad_epochs":   tensor.New(int64(p.bad)),
		"cooldown_counter": tensor.New(int64(p.cooldown)),
		"lrs":              tensor.New(p.opt.LRs()),
	}
}

// LoadStateDict takes what StateDict returned and sets the optimizer's learning rates. After an
// error nothing has changed.
func (p *Plateau) LoadStateDict(state map[string]*tensor.Tensor) error {
	var counts [3]int
	for i, name := range []string{"step", "num_bad_epochs", "cooldown_counter"} {
		n, err := loadCount(state, name)
		if err != nil {
			return fmt.Errorf("plateau: load state dict: %w", err)
		}
		counts[i] = n
	}
	lrs, err := loadRates(state, "lrs", len(p.opt.LRs()))
	if err != nil {
		return fmt.Errorf("plateau: load state dict: %w", err)
	}
	best := state["best"]
	if best == nil || best.Numel() != 1 {
		return fmt.Errorf("plateau: load state dict: best must be there and one number")
	}
	p.step, p.bad, p.cooldown, p.best = counts[0], counts[1], counts[2], best.Item()
	p.opt.SetLRs(lrs...)
	return nil
}

// String shows the state: "Plateau{Factor: 0.1}, step 4: best 0.25, 2 without an improvement,
// LR 0.05".
func (p *Plateau) String() string {
	return fmt.Sprintf("Plateau{Factor: %v}, step %d: best %v, %d without an improvement, LR %s",
		p.config.Factor, p.step, p.best, p.bad, rates(slices.Clone(p.LRs())))
}
