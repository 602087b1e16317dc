package amp_test

import (
	"fmt"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// A skipped step must not use up a step of the schedule, nor go into the averages of the weights.
func ExampleGradScaler_Step_schedule() {
	tensor.Seed(1)
	x := tensor.Randn(64, 4)
	y := x.Argmax(1)
	model := nn.NewSequential(nn.NewLinear(4, 32), nn.NewReLU(), nn.NewLinear(32, 4))
	opt := optim.NewAdamW(nn.Parameters(model), optim.AdamWConfig{LR: 0.01})
	sched := optim.NewWarmup(opt, optim.WarmupConfig{
		TotalIters: 5, Then: optim.CosineLRConfig{TMax: 15}})
	ema := optim.NewEMA(nn.Parameters(model), optim.EMAConfig{Decay: 0.9, BiasCorrection: true})
	scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 0x1p24}) // high: skips at first

	var loss *tensor.Tensor
	for range 15 {
		opt.ZeroGrad()
		amp.Autocast(func() { loss = nn.CrossEntropy(model.Forward(x), y) })
		scaler.Scale(loss).Backward()
		result := scaler.Step(opt)
		scaler.Update()
		sched.StepAfter(result)
		ema.UpdateAfter(result)
	}
	fmt.Println("steps of 15:", sched.Steps(), ema.Updates())
	fmt.Printf("LR %.4f\n", opt.LR())
	// Output:
	// steps of 15: 9 9
	// LR 0.0083
}
