package optim

import (
	"testing"

	"halfnote/tensor"
)

// TestProfile: a step of each optimizer is one call a parameter in a profile, under its own name,
// which writes the parameter and what is kept for it.
func TestProfile(t *testing.T) {
	ops := map[string]string{"sgd": "SGDInPlace", "adam": "AdamInPlace", "adamw": "AdamInPlace",
		"rmsprop": "RMSpropInPlace", "adagrad": "AdagradInPlace"}
	for name, optimizer := range optimizers {
		a, b := tensor.Rand(40, 50).SetRequiresGrad(true), tensor.Rand(70).SetRequiresGrad(true)
		opt := optimizer(a, b)
		step(opt)
		kept := int64(4 * (a.Numel() + b.Numel()))
		for _, s := range opt.StateDict() {
			if s.Numel() >= b.Numel() { // not the number of the step
				kept += int64(4 * s.Numel())
			}
		}
		calls := 2
		if a.Device() != tensor.CPU { // where all are stepped at once
			calls = 1
		}
		p := tensor.Profile(opt.Step)
		if len(p.Ops) != 1 {
			t.Errorf("%s: want one line\n%s", name, p)
			continue
		}
		if o := p.Ops[0]; o.Op != ops[name] || o.Calls != calls || o.Written != kept || o.Allocated != 0 {
			t.Errorf("%s: %+v, want %d calls of %s that write %d bytes", name, o, calls, ops[name],
				kept)
		}
	}
}
