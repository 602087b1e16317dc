package apex_test

import (
	"fmt"

	"halfnote/amp/apex"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// The recipe, at each level: the same program, and what it keeps in memory.
func Example() {
	x := tensor.Arange(-1, 1, 0.25).Reshape(8, 1)
	y := x.Mul(2).Add(1)
	for _, level := range []apex.Level{apex.O0, apex.O1, apex.O2, apex.O3} {
		net := nn.NewLinear(1, 1)
		sgd := optim.NewSGD(nn.Parameters(net), optim.SGDConfig{LR: 0.2, Momentum: 0.5})
		a := apex.Initialize([]nn.Module{net}, []optim.Optimizer{sgd},
			apex.Config{OptLevel: level, Quiet: true})
		model, opt := a.Models[0], a.Optimizers[0]

		var loss *tensor.Tensor
		for range 100 {
			opt.ZeroGrad()
			loss = nn.MSELoss(model.Forward(x), y)
			apex.ScaleLoss(loss, a.Optimizers, apex.ScaleLossConfig{}, func(scaled *tensor.Tensor) {
				scaled.Backward()
			})
			nn.ClipGradNorm(apex.MasterParams(opt), 10)
			opt.Step()
		}
		fmt.Println(level, "loss below 0.001:", loss.Item() < 0.001,
			"weights in", net.Weight.DType(), "updated in", apex.MasterParams(opt)[0].DType())
	}
	// Output:
	// O0 loss below 0.001: true weights in float32 updated in float32
	// O1 loss below 0.001: true weights in float32 updated in float32
	// O2 loss below 0.001: true weights in float16 updated in float32
	// O3 loss below 0.001: true weights in float16 updated in float16
}
