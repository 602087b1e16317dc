package apex_test

import (
	"errors"
	"testing"

	"halfnote/amp"
	"halfnote/amp/apex"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// mistake runs f and returns the text of the *amp.Error that it panics with, "" when it does not.
func mistake(t *testing.T, f func()) (text string) {
	t.Helper()
	defer func() {
		if e := recover(); e != nil {
			var mistake *amp.Error
			if err, ok := e.(error); !ok || !errors.As(err, &mistake) {
				t.Fatalf("panic with %v (%T), not an *amp.Error", e, e)
			}
			text = mistake.Error()
		}
	}()
	f()
	return ""
}

// Blocks in an order that would leave wrong gradients behind are errors, after which all is as it
// was before them.
func TestBlockOrder(t *testing.T) {
	none := apex.ScaleLossConfig{}
	for _, test := range []struct {
		name, want string
		f          func(s *setup, scaled *tensor.Tensor)
	}{
		{"nested", "apex: scale loss: optimizer 0 is in another ScaleLoss block: blocks follow each " +
			"other, one for each loss", func(s *setup, scaled *tensor.Tensor) { s.block(none, 1) }},
		{"step_inside", "apex: step: inside of a ScaleLoss block, whose end unscales the gradients: " +
			"call Step behind it", func(s *setup, scaled *tensor.Tensor) { s.Optimizers[0].Step() }},
	} {
		for _, level := range []apex.Level{apex.O0, apex.O1, apex.O2, apex.O3} {
			s := start(apex.Config{OptLevel: level, LossScale: 16})
			s.block(none, 0.5)
			got := mistake(t, func() {
				loss := s.Models[0].Forward(tensor.Ones(1, 2)).Sum()
				apex.ScaleLoss(loss, s.Optimizers, none, func(scaled *tensor.Tensor) {
					scaled.Backward()
					test.f(s, scaled)
				})
			})
			if got != test.want {
				t.Errorf("%s, %s: %q, want %q", test.name, level, got, test.want)
			}
			if g := apex.MasterParams(s.Optimizers[0])[0].Grad().Float32s()[0]; g != 0.5 {
				t.Errorf("%s, %s: gradient %g, want 0.5", test.name, level, g)
			}
			s.block(none, 0.25) // and the loop can go on
			s.Optimizers[0].Step()
			if w := s.linear.Weight.Float32s()[0]; w != 0.25 {
				t.Errorf("%s, %s: weight %g, want 0.25", test.name, level, w)
			}
		}
	}
}

// Gradients of two scales do not meet before they are unscaled.
func TestDelayedByAnotherLoss(t *testing.T) {
	s := start(apex.Config{NumLosses: 2})
	s.block(apex.ScaleLossConfig{DelayUnscale: true}, 0.25)
	want := "apex: scale loss: optimizer 0 has gradients that a block with DelayUnscale left scaled " +
		"by another loss's scale: unscale them with that LossID first"
	if got := mistake(t, func() { s.block(apex.ScaleLossConfig{LossID: 1}, 0.25) }); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.Optimizers[0].ZeroGrad() // what was scaled is gone
	s.block(apex.ScaleLossConfig{LossID: 1}, 0.25)
	s.Optimizers[0].Step()
	if w := s.linear.Weight.Float32s()[0]; w != 0.75 {
		t.Errorf("weight %g, want 0.75", w)
	}
}

func TestOptimizerMistakes(t *testing.T) {
	s := start(apex.Config{})
	shared := nn.NewLinear(2, 2)
	sgd := func(params ...*tensor.Tensor) optim.Optimizer {
		return optim.NewSGD(params, optim.SGDConfig{LR: 1})
	}
	initialize := func(opts ...optim.Optimizer) func() {
		return func() {
			apex.Initialize([]nn.Module{shared}, opts, apex.Config{OptLevel: apex.O2})
		}
	}
	scale := func(opts ...*apex.Optimizer) func() {
		return func() {
			apex.ScaleLoss(tensor.Ones(), opts, apex.ScaleLossConfig{}, func(*tensor.Tensor) {})
		}
	}
	for want, f := range map[string]func(){
		"apex: initialize: optimizer 0 is nil":                 initialize(nil),
		"apex: initialize: optimizer 0 is initialized already": initialize(s.Optimizers[0]),
		"apex: scale loss: optimizer 0 is nil":                 scale(nil),
		"apex: scale loss: optimizer 1 is given twice, and would unscale twice": scale(s.Optimizers[0],
			s.Optimizers[0]),
		"apex: initialize: parameter 1 of optimizer 1 belongs to optimizer 0, too, and would be " +
			"unscaled twice: give it to one of them": initialize(sgd(shared.Weight),
			sgd(shared.Bias, shared.Weight)),
	} {
		if got := mistake(t, f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := shared.Weight.DType(); got != tensor.Float32 {
		t.Errorf("after errors the weight is %v, want float32", got)
	}
}

// Parameters that are added to the wrapped optimizer later are unscaled, too.
func TestAddGroup(t *testing.T) {
	first, second := nn.NewLinear(2, 2), nn.NewLinear(2, 2)
	sgd := optim.NewSGD(nn.Parameters(first), optim.SGDConfig{LR: 1})
	a := apex.Initialize([]nn.Module{nn.NewSequential(first, second)}, []optim.Optimizer{sgd},
		apex.Config{OptLevel: apex.O2, LossScale: 64})
	sgd.AddGroup(nn.Parameters(second), optim.SGDConfig{LR: 0.5})
	loss := a.Models[0].Forward(tensor.Ones(1, 2)).Sum()
	apex.ScaleLoss(loss, a.Optimizers, apex.ScaleLossConfig{}, func(l *tensor.Tensor) { l.Backward() })
	masters := apex.MasterParams(a.Optimizers[0])
	if len(masters) != 4 || masters[3].Grad().Float32s()[0] != 1 {
		t.Fatalf("masters %v: want four, the last with the gradient 1", masters)
	}
	before := masters[3].Float32s()[0]
	a.Optimizers[0].Step()
	if got := masters[3].Float32s()[0]; got != before-0.5 {
		t.Errorf("bias %g, want %g", got, before-0.5)
	}
}
