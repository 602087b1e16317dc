package optim

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// param returns a float32 parameter.
func param(v ...float32) *tensor.Tensor { return tensor.New(v).SetRequiresGrad(true) }

// optimizers makes one of each kind, with all options in use.
var optimizers = map[string]func(params ...*tensor.Tensor) Optimizer{
	"sgd": func(p ...*tensor.Tensor) Optimizer {
		return NewSGD(p, SGDConfig{LR: 0.1, Momentum: 0.9, WeightDecay: 0.01, Nesterov: true})
	},
	"adam": func(p ...*tensor.Tensor) Optimizer {
		return NewAdam(p, AdamConfig{LR: 0.1, WeightDecay: 0.01, AMSGrad: true})
	},
	"adamw": func(p ...*tensor.Tensor) Optimizer {
		return NewAdamW(p, AdamWConfig{LR: 0.1, WeightDecay: 0.01, Maximize: true})
	},
	"rmsprop": func(p ...*tensor.Tensor) Optimizer {
		return NewRMSprop(p, RMSpropConfig{LR: 0.1, Momentum: 0.9, Centered: true, WeightDecay: 0.01})
	},
	"adagrad": func(p ...*tensor.Tensor) Optimizer {
		return NewAdagrad(p, AdagradConfig{LR: 0.1, LRDecay: 0.1, InitialAccumulatorValue: 0.5})
	},
}

// step updates with the gradient of ½w².
func step(opt Optimizer) {
	for _, p := range opt.Params() {
		p.SetGrad(p.Detach().Clone())
	}
	opt.Step()
}

func TestStepWithoutGradient(t *testing.T) {
	for name, optimizer := range optimizers {
		t.Run(name, func(t *testing.T) {
			p, idle := param(1, 2), param(3)
			opt := optimizer(p, idle)
			step(opt)
			opt.ZeroGrad()
			after, state := p.Float32s(), opt.StateDict()
			version := p.Version()
			opt.Step()
			if p.Version() != version || !slices.Equal(after, p.Float32s()) {
				t.Errorf("a step without gradients: from %v to %v", after, p.Float32s())
			}
			if diff := cmp.Diff(values(state), values(opt.StateDict())); diff != "" {
				t.Errorf("a step without gradients changed the state:\n%s", diff)
			}
		})
	}
}

// TestStepKeepsGradient: the gradient belongs to the user, who may accumulate into it.
func TestStepKeepsGradient(t *testing.T) {
	for name, optimizer := range optimizers {
		p := param(1, 2)
		p.SetGrad(tensor.New([]float32{3, 4}))
		opt := optimizer(p)
		opt.Step()
		opt.Step()
		if diff := cmp.Diff([]float32{3, 4}, p.Grad().Float32s()); diff != "" {
			t.Errorf("%s changed the gradient:\n%s", name, diff)
		}
	}
}

func values(state map[string]*tensor.Tensor) map[string][]float64 {
	all := map[string][]float64{}
	for name, t := range state {
		all[name] = t.Float64s()
	}
	return all
}

// TestStateDict goes on from a saved state and from the optimizer itself, to the same place.
func TestStateDict(t *testing.T) {
	for name, optimizer := range optimizers {
		t.Run(name, func(t *testing.T) {
			p, q := param(1, -2), param(3)
			opt := optimizer(p, q)
			step(opt)
			opt.SetLR(0.05)
			step(opt)
			state := opt.StateDict()
			p2, q2 := param(p.Float32s()...), param(q.Float32s()...)
			step(opt)

			opt2 := optimizer(p2, q2)
			if err := opt2.LoadStateDict(state); err != nil {
				t.Fatal(err)
			}
			if opt2.LR() != 0.05 {
				t.Errorf("loaded LR %v, want 0.05", opt2.LR())
			}
			step(opt2)
			step(opt) // a loaded dict must not be shared
			step(opt2)
			for i, want := range opt.Params() {
				got := opt2.Params()[i]
				if diff := cmp.Diff(want.Float32s(), got.Float32s()); diff != "" {
					t.Errorf("parameter %d (-want +got):\n%s", i, diff)
				}
			}
			if diff := cmp.Diff(values(opt.StateDict()), values(opt2.StateDict())); diff != "" {
				t.Errorf("state (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStateDictPaths(t *testing.T) {
	opt := NewAdam([]*tensor.Tensor{param(1), param(2)},
		AdamConfig{LR: 0.5, Betas: [2]float64{0, 0.5}})
	opt.AddGroup([]*tensor.Tensor{param(3)}, AdamConfig{LR: 0.25, Maximize: true})
	opt.Params()[1].SetGrad(tensor.New([]float32{2}))
	opt.Step()
	want := map[string][]float64{
		"1.step": {1}, "1.exp_avg": {2}, "1.exp_avg_sq": {2},
		"group.0.LR": {0.5}, "group.0.Betas": {0, 0.5}, "group.0.Eps": {1e-8},
		"group.0.WeightDecay": {0}, "group.0.AMSGrad": {0}, "group.0.Maximize": {0},
		"group.0.DecoupledWeightDecay": {0},

		"group.1.LR": {0.25}, "group.1.Betas": {0.9, 0.999}, "group.1.Eps": {1e-8},
		"group.1.WeightDecay": {0}, "group.1.AMSGrad": {0}, "group.1.Maximize": {1},
		"group.1.DecoupledWeightDecay": {0},
	}
	if diff := cmp.Diff(want, values(opt.StateDict())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLoadStateDictErrors(t *testing.T) {
	trained := func() *SGD {
		opt := NewSGD([]*tensor.Tensor{param(1, 2)}, SGDConfig{LR: 0.1, Momentum: 0.9})
		step(opt)
		return opt
	}
	good := trained().StateDict()
	with := func(path string, t *tensor.Tensor) map[string]*tensor.Tensor {
		state := maps.Clone(good)
		state[path] = t
		if t == nil {
			delete(state, path)
		}
		return state
	}
	tests := []struct {
		want  string
		state map[string]*tensor.Tensor
	}{
		{"group.0.Momentum is missing", with("group.0.Momentum", nil)},
		{"group.0.LR: 2 values, want 1", with("group.0.LR", tensor.Zeros(2))},
		{"group.0: LR NaN: must be finite and not negative",
			with("group.0.LR", tensor.New(math.NaN()))},
		{"group.1.LR belongs to none of the 1 parameters", with("group.1.LR", tensor.New(0.1))},
		{"1.step belongs to none of the 1 parameters", with("1.step", tensor.New(1.0))},
		{"0.step is missing", with("0.step", nil)},
		{"0.step is 0: what is kept begins with step 1", with("0.step", tensor.New(0.0))},
		{"0.momentum_buffer has shape [3], the parameter has [2]",
			with("0.momentum_buffer", tensor.Zeros(3))},
		{"0.momentum_buffer is missing", with("0.momentum_buffer", nil)},
		{"0.step is [1.5]: must be one whole number from 0", with("0.step", tensor.New(1.5))},
		{"0.momentum is none of what is kept for a parameter: momentum_buffer",
			with("0.momentum", tensor.Zeros(2))},
		{"00.step belongs to none of the 1 parameters", with("00.step", tensor.New(2.0))},
		{"0.momentum_buffer  is none of what is kept for a parameter: momentum_buffer",
			with("0.momentum_buffer ", tensor.Zeros(2))},
	}
	for _, test := range tests {
		opt := trained()
		err := opt.LoadStateDict(test.state)
		if want := "sgd: load state dict: " + test.want; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if diff := cmp.Diff(values(good), values(opt.StateDict())); diff != "" {
			t.Errorf("%s: the optimizer changed:\n%s", test.want, diff)
		}
	}
}

// TestLoadStateDictWhole: a count of steps without what was kept at them is no state to go on from.
func TestLoadStateDictWhole(t *testing.T) {
	for kind, build := range map[string]func(p []*tensor.Tensor) Optimizer{
		"sgd": func(p []*tensor.Tensor) Optimizer {
			return NewSGD(p, SGDConfig{LR: 0.1, Momentum: 0.9})
		},
		"adam": func(p []*tensor.Tensor) Optimizer {
			return NewAdam(p, AdamConfig{LR: 0.1, AMSGrad: true})
		},
		"adamw":   func(p []*tensor.Tensor) Optimizer { return NewAdamW(p, AdamWConfig{LR: 0.1}) },
		"adagrad": func(p []*tensor.Tensor) Optimizer { return NewAdagrad(p, AdagradConfig{LR: 1}) },
		"rmsprop": func(p []*tensor.Tensor) Optimizer {
			return NewRMSprop(p, RMSpropConfig{LR: 0.1, Momentum: 0.9, Centered: true})
		},
	} {
		opt := build([]*tensor.Tensor{param(1, 2), param(3)})
		step(opt)
		good := opt.StateDict()
		for path := range good {
			state := maps.Clone(good)
			delete(state, path)
			err := opt.LoadStateDict(state)
			want := kind + ": load state dict: " + path + " is missing"
			if err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	}
}

// TestStateDictOptionTurnedOn: an option set between two steps is in the state of between them.
func TestStateDictOptionTurnedOn(t *testing.T) {
	build := func() *RMSprop {
		return NewRMSprop([]*tensor.Tensor{param(1, 2)}, RMSpropConfig{LR: 0.1})
	}
	opt, opt2 := build(), build()
	step(opt)
	opt.Group(0).Momentum, opt.Group(0).Centered = 0.9, true
	if err := opt2.LoadStateDict(opt.StateDict()); err != nil {
		t.Fatal(err)
	}
	tensor.NoGrad(func() { opt2.Params()[0].CopyFrom(opt.Params()[0]) })
	step(opt)
	step(opt2)
	if diff := cmp.Diff(values(opt.StateDict()), values(opt2.StateDict())); diff != "" {
		t.Errorf("(-never saved +resumed):\n%s", diff)
	}
}

func TestGroups(t *testing.T) {
	a, b := param(1), param(1)
	opt := NewSGD([]*tensor.Tensor{a}, SGDConfig{LR: 0.5})
	opt.AddGroup([]*tensor.Tensor{b}, SGDConfig{LR: 0.25})
	step(opt)
	if a.Item() != 0.5 || b.Item() != 0.75 {
		t.Errorf("got %v and %v, want 0.5 and 0.75", a.Item(), b.Item())
	}
	opt.Group(1).LR = 1
	step(opt)
	if a.Item() != 0.25 || b.Item() != 0 {
		t.Errorf("got %v and %v, want 0.25 and 0", a.Item(), b.Item())
	}
	opt.SetLR(0)
	step(opt)
	if a.Item() != 0.25 || opt.LR() != 0 || opt.Group(1).LR != 0 {
		t.Errorf("LR 0 moved the parameter to %v", a.Item())
	}
}

func TestErrors(t *testing.T) {
	p := param(1)
	sgd := func(c SGDConfig, params ...*tensor.Tensor) func() {
		return func() { NewSGD(params, c) }
	}
	adam := func(c AdamConfig) func() {
		return func() { NewAdam([]*tensor.Tensor{p}, c) }
	}
	ok := SGDConfig{LR: 1}
	tests := []struct {
		want string
		f    func()
	}{
		{"sgd: LR 0: must be given and above 0; SetLR(0) can stop the training later",
			sgd(SGDConfig{}, p)},
		{"sgd: LR -1: must be finite and not negative", sgd(SGDConfig{LR: -1}, p)},
		{"sgd: LR +Inf: must be finite and not negative", sgd(SGDConfig{LR: math.Inf(1)}, p)},
		{"sgd: Momentum -0.5: must be finite and not negative",
			sgd(SGDConfig{LR: 1, Momentum: -0.5}, p)},
		{"sgd: Dampening NaN: must be finite", sgd(SGDConfig{LR: 1, Dampening: math.NaN()}, p)},
		{"sgd: WeightDecay -1: must be finite and not negative",
			sgd(SGDConfig{LR: 1, WeightDecay: -1}, p)},
		{"sgd: option Nesterov needs Momentum above 0 and Dampening 0",
			sgd(SGDConfig{LR: 1, Nesterov: true}, p)},
		{"sgd: no parameters: does the model have tensors that require a gradient?", sgd(ok)},
		{"sgd: parameter 1 is nil", sgd(ok, p, nil)},
		{"sgd: parameters 0 and 2 are the same tensor", sgd(ok, p, param(1), p)},
		{"sgd: parameter 0 is int64: must be a float dtype", sgd(ok, tensor.New([]int64{1}))},
		{"sgd: parameter 0 is the result of an op: give a leaf (made by New, Zeros, Detach …)",
			sgd(ok, p.Mul(2))},
		{"sgd: LR NaN: must be finite and not negative",
			func() { NewSGD([]*tensor.Tensor{p}, ok).SetLR(math.NaN()) }},
		{"sgd: parameters 0 and 1 are the same tensor", func() {
			NewSGD([]*tensor.Tensor{p}, ok).AddGroup([]*tensor.Tensor{p}, ok)
		}},
		{"adam: Betas[0] 1: must be at least 0 and below 1",
			adam(AdamConfig{LR: 1, Betas: [2]float64{1, 0.9}})},
		{"adam: Betas[1] -1: must be at least 0 and below 1",
			adam(AdamConfig{LR: 1, Betas: [2]float64{0, -1}})},
		{"adam: Eps -1: must be finite and not negative", adam(AdamConfig{LR: 1, Eps: -1})},
		{"adamw: LR -1: must be finite and not negative",
			func() { NewAdamW([]*tensor.Tensor{p}, AdamWConfig{LR: -1}) }},
		{"rmsprop: Alpha 1: must be at least 0 and below 1",
			func() { NewRMSprop([]*tensor.Tensor{p}, RMSpropConfig{LR: 1, Alpha: 1}) }},
		{"adagrad: LRDecay -1: must be finite and not negative",
			func() { NewAdagrad([]*tensor.Tensor{p}, AdagradConfig{LR: 1, LRDecay: -1}) }},
	}
	for _, test := range tests {
		if got := reference.Mistake(test.f); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// TestHalf trains float16 parameters as PyTorch does: the state has their dtype.
func TestHalf(t *testing.T) {
	p := tensor.New([]float32{1}).To(tensor.Float16).Detach().SetRequiresGrad(true)
	opt := NewSGD([]*tensor.Tensor{p}, SGDConfig{LR: 0.5, Momentum: 0.5})
	step(opt)
	buffer := opt.StateDict()["0.momentum_buffer"]
	if buffer.DType() != tensor.Float16 || p.Item() != 0.5 {
		t.Errorf("got momentum in %v and %v, want float16 and 0.5", buffer.DType(), p.Item())
	}
}

// TestOtherShape: what SetData does to a parameter under an optimizer is named.
func TestOtherShape(t *testing.T) {
	for name, make := range map[string]func(ps []*tensor.Tensor) Optimizer{
		"sgd": func(ps []*tensor.Tensor) Optimizer {
			return NewSGD(ps, SGDConfig{LR: 1, Momentum: 0.9})
		},
		"adam":    func(ps []*tensor.Tensor) Optimizer { return NewAdam(ps, AdamConfig{LR: 1}) },
		"rmsprop": func(ps []*tensor.Tensor) Optimizer { return NewRMSprop(ps, RMSpropConfig{LR: 1}) },
		"adagrad": func(ps []*tensor.Tensor) Optimizer { return NewAdagrad(ps, AdagradConfig{LR: 1}) },
	} {
		p := tensor.Ones(4).SetRequiresGrad(true)
		opt := make([]*tensor.Tensor{tensor.Ones(1).SetRequiresGrad(true), p})
		p.Sum().Backward()
		opt.Step()
		p.SetData(tensor.Ones(7))
		p.SetGrad(tensor.Ones(7))
		const where = " has shape [7], and its state belongs to shape [4]: make a new optimizer " +
			"after SetData"
		if got, want := reference.Mistake(opt.Step), name+": parameter 1"+where; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		p.SetName("weight")
		if got, want := reference.Mistake(opt.Step), name+": weight"+where; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
