package main

import (
	"fmt"
	"time"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

const batch = 128

func main() {
	tensor.Seed(1)
	model := nn.NewSequential(nn.NewLinear(784, 512), nn.NewReLU(),
		nn.NewLinear(512, 256), nn.NewReLU(), nn.NewLinear(256, 10))
	opt := optim.NewSGD(nn.Parameters(model), optim.SGDConfig{LR: 0.1, Momentum: 0.9})
	scaler := amp.NewGradScaler(amp.ScalerConfig{})
	x, y := tensor.Randn(batch, 784), tensor.Zeros(batch).To(tensor.Int64)
	best := time.Hour // of a step: the machine does other work too
	for range 50 {
		start := time.Now()
		opt.ZeroGrad()
		var loss *tensor.Tensor
		amp.Autocast(func() {
			loss = nn.CrossEntropy(model.Forward(x), y)
		})
		scaler.Scale(loss).Backward()
		scaler.Unscale(opt)
		nn.ClipGradNorm(nn.Parameters(model), 1.0)
		scaler.Step(opt)
		scaler.Update()
		best = min(best, time.Since(start))
	}
	fmt.Println(model.Forward(x).Argmax(1).Sum().Item(), best.Seconds())
}
