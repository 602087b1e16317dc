package amp_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/data"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// A course is a run with all that has a state, which can be cut after any iteration.
type course struct {
	model    *nn.Sequential
	opt      optim.Optimizer
	schedule *optim.Schedule
	ema      *optim.EMA
	scaler   *amp.GradScaler
	loader   *data.Loader
	losses   []uint32 // bits
}

func newCourse(seed uint64, opt func(params []*tensor.Tensor) optim.Optimizer) *course {
	tensor.Seed(seed)
	train, _ := data.Digits()
	c := &course{model: nn.NewSequential(nn.NewLinear(64, 16), nn.NewBatchNorm1d(16), nn.NewReLU(),
		nn.NewDropout(0.2), nn.NewLinear(16, 10))}
	c.opt = opt(nn.Parameters(c.model))
	c.schedule = optim.NewOneCycle(c.opt, optim.OneCycleConfig{MaxLR: 0.01, TotalSteps: 30})
	c.ema = optim.NewEMA(nn.Parameters(c.model), optim.EMAConfig{
		Decay: 0.9, BiasCorrection: true, Buffers: nn.Buffers(c.model)})
	c.scaler = amp.NewGradScaler(amp.ScalerConfig{InitScale: 0x1p20, GrowthInterval: 2})
	c.loader = data.NewLoader(train, data.LoaderConfig{BatchSize: 200, Shuffle: true, Prefetch: 3,
		Workers: 2, Transform: func(x, y *tensor.Tensor, r *rand.Rand) (a, b *tensor.Tensor) {
			return data.Noise(0.1)(x, y, r)
		}})
	return c
}

func (c *course) parts() nn.Checkpoint {
	return nn.Checkpoint{"model": c.model, "opt": c.opt, "schedule": c.schedule, "ema": c.ema,
		"scaler": c.scaler, "loader": c.loader, "random": tensor.DefaultGenerator()}
}

// run makes as many iterations and then calls end, still in the loop.
func (c *course) run(iterations int, end func()) {
	for {
		for x, y := range c.loader.Batches() {
			c.opt.ZeroGrad()
			var loss *tensor.Tensor
			amp.Autocast(func() { loss = nn.CrossEntropy(c.model.Forward(x), y) })
			c.scaler.Scale(loss).Backward()
			c.ema.UpdateAfter(c.scaler.Step(c.opt))
			c.scaler.Update()
			c.schedule.Step()
			c.losses = append(c.losses, math.Float32bits(loss.Float32s()[0]))
			if iterations--; iterations == 0 {
				end()
				return
			}
		}
	}
}

// TestResumeInEpoch: a run that is saved inside an epoch goes on bit for bit in another process,
// with the rest of the epoch.
func TestResumeInEpoch(t *testing.T) {
	for name, opt := range map[string]func(p []*tensor.Tensor) optim.Optimizer{
		"adam": func(p []*tensor.Tensor) optim.Optimizer {
			return optim.NewAdam(p, optim.AdamConfig{LR: 1e-3})
		},
		"rmsprop": func(p []*tensor.Tensor) optim.Optimizer {
			return optim.NewRMSprop(p, optim.RMSpropConfig{LR: 1e-3, Momentum: 0.5, Centered: true})
		},
		"adagrad": func(p []*tensor.Tensor) optim.Optimizer {
			return optim.NewAdagrad(p, optim.AdagradConfig{LR: 1e-3})
		},
	} {
		for _, cut := range []int{1, 8, 9, 13} { // an epoch has 8 iterations
			path := filepath.Join(t.TempDir(), "run.safetensors")
			var want, got map[string][]uint64
			whole := newCourse(1, opt)
			whole.run(18, func() { want = bits(whole.parts().StateDict()) })

			first := newCourse(1, opt)
			first.run(cut, func() {
				if err := first.parts().Save(path); err != nil {
					t.Fatal(err)
				}
			})
			second := newCourse(7, opt)
			if err := second.parts().Load(path); err != nil {
				t.Fatal(err)
			}
			second.run(18-cut, func() { got = bits(second.parts().StateDict()) })

			if diff := cmp.Diff(whole.losses, append(first.losses, second.losses...)); diff != "" {
				t.Errorf("%s cut after %d: losses:\n%s", name, cut, diff)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s cut after %d: state at the end:\n%s", name, cut, diff)
			}
		}
	}
}
