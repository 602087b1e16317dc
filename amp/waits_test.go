package amp_test

import (
	"runtime/debug"
	"testing"

	"halfnote/amp"
	"halfnote/amp/bench/steps"
	"halfnote/internal/many"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// TestStepsDoNotWait: training in float16 with clipping never waits for a GPU, whatever the gradients
// hold, and what was found is there for who asks later.
func TestStepsDoNotWait(t *testing.T) {
	for _, test := range []struct {
		name  string
		first nn.Module // before the network, one that no network has
		opt   func(ps []*tensor.Tensor) optim.Optimizer
	}{
		{"mlp", nn.NewDropout(0.1), func(ps []*tensor.Tensor) optim.Optimizer {
			return optim.NewAdam(ps, optim.AdamConfig{LR: 0.01})
		}},
		{"cnn", nn.NewBatchNorm2d(1), func(ps []*tensor.Tensor) optim.Optimizer {
			return optim.NewSGD(ps, optim.SGDConfig{LR: 0.01, Momentum: 0.9})
		}},
		{"transformer", nn.NewGELU(), func(ps []*tensor.Tensor) optim.Optimizer {
			return optim.NewAdamW(ps, optim.AdamWConfig{LR: 0.01, WeightDecay: 0.1})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			network := steps.Tiny(test.name)
			network.Model = nn.NewSequential(test.first, network.Model)
			params := nn.Parameters(network.Model)
			opt := test.opt(params)
			scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 1024, GrowthInterval: 2})
			var results []*amp.StepResult
			step := func(factor float64) {
				opt.ZeroGrad()
				var loss *tensor.Tensor
				amp.Autocast(func() { loss = network.Loss() })
				scaler.Scale(loss.Mul(factor)).Backward()
				scaler.Unscale(opt)
				nn.ClipGradNorm(params, 1)
				results = append(results, scaler.Step(opt))
				scaler.Update()
			}
			step(1) // where what is kept is made
			waited := 0
			many.OnWait(func() {
				if waited++; waited < 4 {
					t.Errorf("waits:\n%s", debug.Stack())
				}
			})
			for _, factor := range []float64{1, 1e38, 1, 1, 1e38, 1} {
				step(factor)
			}
			many.OnWait(nil)
			for i, want := range []bool{false, false, true, false, false, true, false} {
				if got := results[i].Skipped(); got != want {
					t.Errorf("step %d: skipped is %v, want %v: %v", i, got, want, results[i])
				}
			}
			// 1024 grows after two steps, backs off, grows after two, and backs off
			if got := scaler.LossScale(); got != 1024 || scaler.GrowthTracker() != 1 {
				t.Errorf("the scale is %v with tracker %d, want 1024 and 1", got, scaler.GrowthTracker())
			}
			if got := opt.StateDict()["0.step"].Item(); got != 5 {
				t.Errorf("%v steps were done, want 5", got)
			}
		})
	}
}

// TestOptimizersDoNotWait: no optimizer waits for a GPU in a step with a scale, nor do layers that
// count or look something up, moving averages and clipping by value.
func TestOptimizersDoNotWait(t *testing.T) {
	optimizers := map[string]func(ps []*tensor.Tensor) optim.Optimizer{
		"sgd": func(ps []*tensor.Tensor) optim.Optimizer {
			return optim.NewSGD(ps, optim.SGDConfig{LR: 0.01, Momentum: 0.9, Nesterov: true, WeightDecay: 0.1})
		},
		"adam": func(ps []*tensor.Tensor) optim.Optimizer {
			return optim.NewAdam(ps, optim.AdamConfig{LR: 0.01, AMSGrad: true, WeightDecay: 0.1})
		},
		"adagrad": func(ps []*tensor.Tensor) optim.Optimizer {
			return optim.NewAdagrad(ps, optim.AdagradConfig{LR: 0.01, LRDecay: 0.1})
		},
		"rmsprop": func(ps []*tensor.Tensor) optim.Optimizer {
			return optim.NewRMSprop(ps, optim.RMSpropConfig{LR: 0.01, Momentum: 0.9, Centered: true})
		},
	}
	for name, newOptimizer := range optimizers {
		t.Run(name, func(t *testing.T) {
			words := nn.NewEmbedding(5, 6)
			body := nn.NewSequential(nn.NewLinear(6, 6), nn.NewBatchNorm1d(6, nn.BatchNormConfig{Cumulative: true}),
				nn.NewGroupNorm(2, 6), nn.NewPReLU(), nn.NewLinear(6, 3))
			params := append(nn.Parameters(words), nn.Parameters(body)...)
			opt := newOptimizer(params)
			rates := optim.NewCosineLR(opt, optim.CosineLRConfig{TMax: 9})
			mean := optim.NewEMA(params, optim.EMAConfig{Decay: 0.9})
			ids, y := tensor.Randint(0, 5, 4), tensor.Randint(0, 3, 4)
			scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 1024})
			step := func(factor float64) {
				opt.ZeroGrad()
				var loss *tensor.Tensor
				amp.Autocast(func() { loss = nn.CrossEntropy(body.Forward(words.Forward(ids)), y) })
				scaler.Scale(loss.Mul(factor)).Backward()
				scaler.Unscale(opt)
				nn.ClipGradValue(params, 0.5)
				scaler.Step(opt)
				scaler.Update()
				rates.Step()
				mean.Update()
			}
			step(1) // where what is kept is made
			many.OnWait(func() { t.Errorf("waits:\n%s", debug.Stack()) })
			for _, factor := range []float64{1, 1e38, 1} {
				step(factor)
			}
			many.OnWait(nil)
			tensor.Synchronize()
		})
	}
}
