package nn_test

import (
	"fmt"

	"halfnote/tensor"
	"halfnote/tensor/data"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

func Example() {
	tensor.Seed(1)
	train, test := data.Digits()
	model := nn.NewSequential(nn.NewLinear(64, 32), nn.NewReLU(), nn.NewLinear(32, 10))
	opt := optim.NewSGD(nn.Parameters(model), optim.SGDConfig{LR: 0.1, Momentum: 0.9})
	for range 3 {
		for x, y := range train.Batches(128) {
			opt.ZeroGrad()
			nn.CrossEntropy(model.Forward(x), y).Backward()
			nn.ClipGradNorm(nn.Parameters(model), 1.0)
			opt.Step()
		}
	}
	fmt.Println(nn.Accuracy(model, test) > 0.7)
	// Output: true
}

// Net is a module because it has a Forward method.
type Net struct {
	hidden, out *nn.Linear
	scale       *tensor.Tensor
}

func (n *Net) Forward(x *tensor.Tensor) *tensor.Tensor {
	return n.out.Forward(n.hidden.Forward(x).ReLU()).Mul(n.scale)
}

func ExampleNamedParameters() {
	net := &Net{
		hidden: nn.NewLinear(64, 16),
		out:    nn.NewLinear(16, 10),
		scale:  tensor.Ones(1).SetRequiresGrad(true),
	}
	for name, p := range nn.NamedParameters(net) {
		fmt.Println(name, p.Shape())
	}
	// Output:
	// hidden.weight [16 64]
	// hidden.bias [16]
	// out.weight [10 16]
	// out.bias [10]
	// scale [1]
}

func ExampleSummary() {
	model := nn.NewSequential(nn.NewLinear(64, 128), nn.NewReLU(), nn.NewLinear(128, 10))
	fmt.Println(nn.Summary(model))
	// Output:
	// layer  module           shapes          dtype    parameters
	// 0      Linear(64, 128)  [128 64] [128]  float32  8,320
	// 1      ReLU()                                    0
	// 2      Linear(128, 10)  [10 128] [10]   float32  1,290
	// 9,610 parameters, 38,440 bytes
}
