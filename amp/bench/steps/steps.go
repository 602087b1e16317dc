// Package steps has the training steps that speed is measured with: three networks, each in float32
// or under autocast, in float16 with a GradScaler.
//
//	call := steps.New("mlp", tensor.Float16)
//	call() // forward, backward and the optimizer's step
package steps

import (
	"fmt"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// DTypes are those that steps are measured in.
var DTypes = []tensor.DType{tensor.Float32, tensor.BFloat16, tensor.Float16}

// Networks are the names that New takes: an MLP 784-512-256-10 with a batch of 128; a CNN of two
// 3×3 convolutions with 16 and 32 channels, pools and a linear map, on 64 pictures of 28×28; and a
// Transformer's encoder layer of 256 features and 4 heads, on 16 sequences of 128.
var Networks = []string{"mlp", "cnn", "transformer"}

type network struct {
	model func() nn.Module
	input []int
	loss  func(out, classes *tensor.Tensor) *tensor.Tensor
}

var networks = map[string]network{
	"mlp": {func() nn.Module {
		return nn.NewSequential(nn.NewLinear(784, 512), nn.NewReLU(), nn.NewLinear(512, 256),
			nn.NewReLU(), nn.NewLinear(256, 10))
	}, []int{128, 784}, crossEntropy},
	"cnn": {func() nn.Module {
		same := nn.ConvConfig{Padding: []int{1}}
		return nn.NewSequential(nn.NewConv2d(1, 16, 3, same), nn.NewReLU(), nn.NewMaxPool2d(2),
			nn.NewConv2d(16, 32, 3, same), nn.NewReLU(), nn.NewMaxPool2d(2), nn.NewFlatten(),
			nn.NewLinear(32*7*7, 10))
	}, []int{64, 1, 28, 28}, crossEntropy},
	"transformer": {func() nn.Module {
		return nn.NewTransformerEncoderLayer(256, 4, nn.TransformerEncoderConfig{FeedForward: 1024})
	}, []int{16, 128, 256}, func(out, _ *tensor.Tensor) *tensor.Tensor { return out.Mean() }},
}

func crossEntropy(out, classes *tensor.Tensor) *tensor.Tensor {
	return nn.CrossEntropy(out, classes)
}

// New makes a network and returns what does one training step of it. It panics for a name that is
// not one of [Networks].
func New(name string, dtype tensor.DType) (step func()) {
	n, ok := networks[name]
	if !ok {
		panic(fmt.Sprintf("steps: no network is called %q", name))
	}
	x := tensor.Randn(n.input...)
	classes := tensor.Rand(n.input[0]).Mul(10).To(tensor.Int64)
	model := n.model()
	opt := optim.NewSGD(nn.Parameters(model), optim.SGDConfig{LR: 0.01})
	scaler := amp.NewGradScaler(amp.ScalerConfig{Disabled: dtype != tensor.Float16})
	autocast := amp.Config{DType: dtype}
	if dtype == tensor.Float32 {
		autocast = amp.Config{Disabled: true}
	}
	return func() {
		opt.ZeroGrad()
		var loss *tensor.Tensor
		amp.AutocastWith(autocast, func() { loss = n.loss(model.Forward(x), classes) })
		scaler.Scale(loss).Backward()
		scaler.Step(opt)
		scaler.Update()
	}
}
