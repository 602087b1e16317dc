package optim_test

import (
	"math"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// TestOptimizersFollow: what optimizers and averages keep goes where nn.To moves the parameters.
func TestOptimizersFollow(t *testing.T) {
	home := tensor.Ones(1).Device()
	for name, make := range map[string]func(ps []*tensor.Tensor) optim.Optimizer{
		"sgd": func(ps []*tensor.Tensor) optim.Optimizer {
			return optim.NewSGD(ps, optim.SGDConfig{LR: 0.1, Momentum: 0.9})
		},
		"adam": func(ps []*tensor.Tensor) optim.Optimizer {
			return optim.NewAdam(ps, optim.AdamConfig{LR: 0.1, AMSGrad: true})
		},
		"rmsprop": func(ps []*tensor.Tensor) optim.Optimizer {
			return optim.NewRMSprop(ps, optim.RMSpropConfig{LR: 0.1, Momentum: 0.9, Centered: true})
		},
		"adagrad": func(ps []*tensor.Tensor) optim.Optimizer {
			return optim.NewAdagrad(ps, optim.AdagradConfig{LR: 0.1})
		},
	} {
		trained := func(places ...tensor.Device) []float64 {
			w := tensor.New([]float64{1, -2, 3}).SetRequiresGrad(true)
			nn.To(w, places[0])
			opt := make([]*tensor.Tensor{w})
			average := optim.NewEMA([]*tensor.Tensor{w}, optim.EMAConfig{Decay: 0.5})
			for _, d := range places {
				nn.To(w, d)
				w.Square().Sum().Backward()
				opt.Step()
				opt.ZeroGrad()
				average.Update()
			}
			return append(w.Float64s(), average.Averages()[0].Float64s()...)
		}
		want := trained(tensor.CPU, tensor.CPU, tensor.CPU, tensor.CPU, tensor.CPU)
		got := trained(home, home, tensor.CPU, tensor.CPU, home)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-6*(1+math.Abs(want[i])) {
				t.Errorf("%s: %v after moves, %v without", name, got, want)
				break
			}
		}
	}
}
