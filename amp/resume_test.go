package amp_test

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/data"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// A training is a run in float16 with all that has a state: dropout and the order of the data draw
// random numbers, Adam keeps moments and the scaler its scale.
type training struct {
	train     *data.Dataset
	model     *nn.Sequential
	opt       optim.Optimizer
	scaler    *amp.GradScaler
	generator *tensor.Generator
	epoch     int
	ownOrder  bool // the data set is seeded for each epoch; else the default generator is saved

	losses  []uint32 // bits
	skipped []int    // steps
}

func newTraining(seed uint64, ownOrder bool, optimizer string) *training {
	tensor.Seed(seed)
	r := &training{generator: tensor.NewGenerator(seed), ownOrder: ownOrder}
	r.train, _ = data.Digits()
	r.model = nn.NewSequential(nn.NewLinear(64, 32), nn.NewBatchNorm1d(32), nn.NewReLU(),
		nn.NewDropout(0.3, r.generator), nn.NewLinear(32, 10), nn.NewDropout(0.05))
	switch params := nn.Parameters(r.model); optimizer {
	case "adam":
		r.opt = optim.NewAdam(params, optim.AdamConfig{LR: 2e-3, AMSGrad: true})
	case "adamw":
		r.opt = optim.NewAdamW(params, optim.AdamWConfig{LR: 2e-3, WeightDecay: 0.01})
	case "rmsprop":
		r.opt = optim.NewRMSprop(params, optim.RMSpropConfig{LR: 2e-3, Momentum: 0.5, Centered: true})
	case "adagrad":
		r.opt = optim.NewAdagrad(params, optim.AdagradConfig{LR: 0.02, LRDecay: 0.01})
	default:
		r.opt = optim.NewSGD(params, optim.SGDConfig{LR: 0.02, Momentum: 0.9})
	}
	// A scale that grows until it overflows, several times in each epoch.
	r.scaler = amp.NewGradScaler(amp.ScalerConfig{InitScale: 0x1p20, GrowthInterval: 4})
	return r
}

func (r *training) parts() nn.Checkpoint {
	return nn.Checkpoint{
		"model": r.model, "optimizer": r.opt, "scaler": r.scaler, "epoch": &r.epoch,
		"dropout": r.generator, "generator": tensor.DefaultGenerator(),
	}
}

func (r *training) run(epochs int) {
	for range epochs {
		if r.ownOrder {
			r.train.Seed(uint64(r.epoch))
		}
		for x, y := range r.train.Batches(200) {
			r.opt.ZeroGrad()
			var loss *tensor.Tensor
			amp.Autocast(func() { loss = nn.CrossEntropy(r.model.Forward(x), y) })
			r.scaler.Scale(loss).Backward()
			if r.scaler.Step(r.opt).Skipped() {
				r.skipped = append(r.skipped, len(r.losses))
			}
			r.scaler.Update()
			r.losses = append(r.losses, math.Float32bits(loss.Float32s()[0]))
		}
		r.epoch++
		r.opt.SetLR(r.opt.LR() * 0.9)
	}
}

// TestResume: a run that was saved in the middle and resumed by another one is equal to one that
// was not cut, bit for bit: losses, weights, moments, scale, random numbers and skipped steps.
func TestResume(t *testing.T) {
	for _, optimizer := range []string{"adam", "adamw", "rmsprop", "adagrad", "sgd"} {
		for _, ownOrder := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/own_order=%v", optimizer, ownOrder), func(t *testing.T) {
				whole := newTraining(1, ownOrder, optimizer)
				whole.run(2)
				cut := len(whole.losses)
				whole.run(2)
				wantState := bits(whole.parts().StateDict())

				path := filepath.Join(t.TempDir(), "run.safetensors")
				first := newTraining(1, ownOrder, optimizer)
				first.run(2)
				if err := first.parts().Save(path); err != nil {
					t.Fatal(err)
				}
				tensor.Randn(100) // whatever happens in between

				second := newTraining(99, ownOrder, optimizer)
				if err := second.parts().Load(path); err != nil {
					t.Fatal(err)
				}
				second.run(2)

				if diff := cmp.Diff(whole.losses[:cut], first.losses); diff != "" {
					t.Errorf("losses before the cut:\n%s", diff)
				}
				if diff := cmp.Diff(whole.losses[cut:], second.losses); diff != "" {
					t.Errorf("losses after the cut:\n%s", diff)
				}
				if diff := cmp.Diff(wantState, bits(second.parts().StateDict())); diff != "" {
					t.Errorf("state at the end:\n%s", diff)
				}
				var skipped []int
				for _, step := range second.skipped {
					skipped = append(skipped, step+cut)
				}
				if diff := cmp.Diff(whole.skipped, append(first.skipped, skipped...)); diff != "" {
					t.Errorf("skipped steps:\n%s", diff)
				}
				if len(first.skipped) == 0 || len(second.skipped) == 0 {
					t.Error("want overflows before and after the cut")
				}
				if second.epoch != 4 {
					t.Errorf("epoch %d, want 4", second.epoch)
				}
			})
		}
	}
}

// bits returns the elements of all tensors, float64s as their bits.
func bits(state map[string]*tensor.Tensor) map[string][]uint64 {
	out := map[string][]uint64{}
	for name, t := range state {
		for _, v := range t.Float64s() {
			out[name] = append(out[name], math.Float64bits(v))
		}
		if t.DType() == tensor.Int64 {
			for _, v := range t.Int64s() {
				out[name] = append(out[name], uint64(v))
			}
		}
	}
	return out
}

// TestResumeScaler: a scaler's state goes through a file whole, and a disabled one has none.
func TestResumeScaler(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scaler.safetensors")
	from := amp.NewGradScaler(amp.ScalerConfig{InitScale: 3, GrowthFactor: 1.7, Hysteresis: 2})
	if err := (nn.Checkpoint{"scaler": from}).Save(path); err != nil {
		t.Fatal(err)
	}
	to := amp.NewGradScaler(amp.ScalerConfig{Hysteresis: 2})
	if err := (nn.Checkpoint{"scaler": to}).Load(path); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(from.StateDict(), to.StateDict()); diff != "" {
		t.Error(diff)
	}
	off := amp.NewGradScaler(amp.ScalerConfig{Disabled: true})
	if err := (nn.Checkpoint{"scaler": off}).Load(path); err != nil {
		t.Errorf("a disabled scaler takes no state: %v", err)
	}
	if err := (nn.Checkpoint{"scaler": off}).Save(path); err != nil {
		t.Fatal(err)
	}
	if err := (nn.Checkpoint{"scaler": to}).Load(path); err == nil {
		t.Error("an enabled scaler was loaded from a file without a scale")
	}
}
