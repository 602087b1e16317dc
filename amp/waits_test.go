package amp_test

import (
	"runtime/debug"
	"testing"

	"halfnote/amp"
	"halfnote/internal/many"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// TestStepsDoNotWait: training in float16 with clipping never waits for a GPU, whatever the gradients
// hold, and what was found is there for who asks later.
func TestStepsDoNotWait(t *testing.T) {
	classes := func(n int) *tensor.Tensor { return tensor.Randint(0, 3, n) }
	same := nn.ConvConfig{Padding: []int{1}}
	for _, test := range []struct {
		name  string
		model nn.Module
		x     *tensor.Tensor
		loss  func(out *tensor.Tensor) *tensor.Tensor
		opt   func(ps []*tensor.Tensor) optim.Optimizer
	}{
		{
			"mlp", nn.NewSequential(nn.NewLinear(6, 8), nn.NewReLU(), nn.NewDropout(0.1), nn.NewLinear(8, 3)),
			tensor.Randn(4, 6), nil,
			func(ps []*tensor.Tensor) optim.Optimizer { return optim.NewAdam(ps, optim.AdamConfig{LR: 0.01}) },
		},
		{
			"cnn", nn.NewSequential(nn.NewConv2d(1, 4, 3, same), nn.NewBatchNorm2d(4), nn.NewReLU(),
				nn.NewMaxPool2d(2), nn.NewFlatten(), nn.NewLinear(16, 3)),
			tensor.Randn(4, 1, 4, 4), nil,
			func(ps []*tensor.Tensor) optim.Optimizer {
				return optim.NewSGD(ps, optim.SGDConfig{LR: 0.01, Momentum: 0.9})
			},
		},
		{
			"transformer", nn.NewTransformerEncoderLayer(8, 2, nn.TransformerEncoderConfig{FeedForward: 16}),
			tensor.Randn(2, 5, 8), func(out *tensor.Tensor) *tensor.Tensor { return out.Mean() },
			func(ps []*tensor.Tensor) optim.Optimizer {
				return optim.NewAdamW(ps, optim.AdamWConfig{LR: 0.01, WeightDecay: 0.1})
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			params := nn.Parameters(test.model)
			opt, y := test.opt(params), classes(test.x.Size(0))
			scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 1024, GrowthInterval: 2})
			var results []*amp.StepResult
			step := func(factor float64) {
				opt.ZeroGrad()
				var loss *tensor.Tensor
				amp.Autocast(func() {
					out := test.model.Forward(test.x)
					if test.loss != nil {
						loss = test.loss(out)
					} else {
						loss = nn.CrossEntropy(out, y)
					}
				})
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
