package amp_test

import (
	"fmt"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// The recipe: scale the loss, unscale to clip, step, update.
func Example() {
	tensor.Seed(1)
	x := tensor.Randn(64, 4)
	y := x.Argmax(1) // which of the four numbers is the largest
	model := nn.NewSequential(nn.NewLinear(4, 32), nn.NewReLU(), nn.NewLinear(32, 4))
	opt := optim.NewSGD(nn.Parameters(model), optim.SGDConfig{LR: 0.5})
	scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 0x1p20}) // high: watch it come down

	skipped := 0
	var loss *tensor.Tensor
	for range 100 {
		opt.ZeroGrad()
		amp.Autocast(func() {
			loss = nn.CrossEntropy(model.Forward(x), y)
		})
		scaler.Scale(loss).Backward()
		scaler.Unscale(opt)
		nn.ClipGradNorm(nn.Parameters(model), 1)
		if scaler.Step(opt).Skipped() {
			skipped++
		}
		scaler.Update()
	}
	fmt.Println("loss below 0.3:", loss.Item() < 0.3)
	fmt.Println("steps skipped:", skipped)
	fmt.Println("loss scale:", scaler.LossScale())
	// Output:
	// loss below 0.3: true
	// steps skipped: 2
	// loss scale: 262144
}

// A region inside another keeps the outer one's dtype, and a disabled one computes in float32.
func ExampleAutocastWith() {
	a, b := tensor.Rand(2, 3), tensor.Rand(3, 2)
	amp.Autocast(func() {
		fmt.Println(a.MatMul(b).DType())
		amp.AutocastWith(amp.Config{Disabled: true}, func() {
			fmt.Println(a.MatMul(b).DType())
		})
	})
	// Output:
	// float16
	// float32
}

// A policy is a table that can be asked.
func ExamplePolicy() {
	for _, op := range []string{"linear", "log_softmax", "mse_loss", "relu", "binary_cross_entropy"} {
		fmt.Println(op, "→", amp.CUDAPolicy().Rule(op))
	}
	// Output:
	// linear → low
	// log_softmax → float32 by dtype
	// mse_loss → float32
	// relu → untouched
	// binary_cross_entropy → refused
}

// Step says why it skipped.
func ExampleStepResult() {
	w := tensor.Ones(2).SetRequiresGrad(true).SetName("w")
	opt := optim.NewSGD([]*tensor.Tensor{w}, optim.SGDConfig{LR: 0.1})
	scaler := amp.NewGradScaler(amp.ScalerConfig{})
	scaler.Scale(w.Log().Sum().Mul(1e38)).Backward()
	fmt.Println(scaler.Step(opt))
	scaler.Update()
	fmt.Println(scaler.LossScale())
	// Output:
	// skipped: found inf: 2 inf and 0 NaN, first in w
	// 32768
}
