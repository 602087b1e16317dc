package amp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// A run is all that has a state in a training loop.
type run struct {
	model  *nn.Sequential
	opt    *optim.Adam
	sched  *optim.Schedule
	ema    *optim.EMA
	scaler *amp.GradScaler
	random *tensor.Generator
}

func newRun(seed uint64) *run {
	tensor.Seed(seed)
	r := &run{random: tensor.NewGenerator(seed),
		scaler: amp.NewGradScaler(amp.ScalerConfig{InitScale: 1 << 24, GrowthInterval: 3})}
	r.model = nn.NewSequential(nn.NewLinear(6, 16), nn.NewBatchNorm1d(16), nn.NewGELU(),
		nn.NewDropout(0.2, r.random), nn.NewLinear(16, 6))
	decayed, others := nn.SplitParameters(r.model, nn.Decays)
	r.opt = optim.NewAdamW(decayed, optim.AdamWConfig{LR: 0.01, WeightDecay: 0.1, AMSGrad: true})
	r.opt.AddGroup(others, optim.AdamWConfig{LR: 0.02})
	r.sched = optim.NewWarmup(r.opt, optim.WarmupConfig{TotalIters: 3,
		Then: optim.CosineLRConfig{TMax: 12}})
	r.ema = optim.NewEMA(nn.Parameters(r.model), optim.EMAConfig{Decay: 0.9, Warmup: true,
		Buffers: nn.Buffers(r.model)})
	return r
}

// steps trains on batches that the run's generator draws.
func (r *run) steps(n int) {
	for range n {
		x := r.random.Randn(32, 6)
		r.opt.ZeroGrad()
		var loss *tensor.Tensor
		amp.Autocast(func() { loss = nn.CrossEntropy(r.model.Forward(x), x.Argmax(1)) })
		r.scaler.Scale(loss).Backward()
		result := r.scaler.Step(r.opt)
		r.scaler.Update()
		r.sched.StepAfter(result)
		r.ema.UpdateAfter(result)
	}
}

// TestResume: a run that was saved in the middle and resumed by other objects ends with the same
// bits as one that was not. The scale starts high, so that there are skipped steps before and
// after.
func TestResumeSchedule(t *testing.T) {
	whole := newRun(1)
	whole.steps(10)

	first := newRun(1)
	first.steps(5)
	resumed := newRun(2)
	resumed.steps(1)
	for name, err := range map[string]error{
		"model":     nn.LoadStateDict(resumed.model, nn.StateDict(first.model)),
		"optimizer": resumed.opt.LoadStateDict(first.opt.StateDict()),
		"schedule":  resumed.sched.LoadStateDict(first.sched.StateDict()),
		"ema":       resumed.ema.LoadStateDict(first.ema.StateDict()),
		"scaler":    resumed.scaler.LoadStateDict(first.scaler.StateDict()),
		"generator": resumed.random.LoadStateDict(first.random.StateDict()),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	resumed.steps(5)

	if n := whole.sched.Steps(); n == 0 || n == 10 {
		t.Errorf("%d of 10 steps were made: want some to be skipped", n)
	}
	values := func(state map[string]*tensor.Tensor) map[string][]float64 {
		all := map[string][]float64{}
		for name, x := range state {
			all[name] = x.Float64s()
		}
		return all
	}
	for name, pair := range map[string][2]map[string]*tensor.Tensor{
		"model":     {nn.StateDict(whole.model), nn.StateDict(resumed.model)},
		"optimizer": {whole.opt.StateDict(), resumed.opt.StateDict()},
		"schedule":  {whole.sched.StateDict(), resumed.sched.StateDict()},
		"ema":       {whole.ema.StateDict(), resumed.ema.StateDict()},
		"generator": {whole.random.StateDict(), resumed.random.StateDict()},
	} {
		if diff := cmp.Diff(values(pair[0]), values(pair[1])); diff != "" {
			t.Errorf("%s (-whole +resumed):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(whole.scaler.StateDict(), resumed.scaler.StateDict()); diff != "" {
		t.Errorf("scaler (-whole +resumed):\n%s", diff)
	}
}
