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

// A Network is a model with a batch of what it learns from.
type Network struct {
	Model      nn.Module
	X, Classes *tensor.Tensor
	loss       func(out, classes *tensor.Tensor) *tensor.Tensor
}

// Loss computes the loss of the batch.
func (n *Network) Loss() *tensor.Tensor { return n.loss(n.Model.Forward(n.X), n.Classes) }

func mlp(batch int, sizes ...int) *Network {
	var layers []nn.Module
	for i := range len(sizes) - 1 {
		if i > 0 {
			layers = append(layers, nn.NewReLU())
		}
		layers = append(layers, nn.NewLinear(sizes[i], sizes[i+1]))
	}
	return network(nn.NewSequential(layers...), crossEntropy, batch, sizes[0])
}

// cnn has pictures of side×side, where side is a multiple of 4.
func cnn(batch, side, channels int) *Network {
	same := nn.ConvConfig{Padding: []int{1}}
	return network(nn.NewSequential(nn.NewConv2d(1, channels, 3, same), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewConv2d(channels, 2*channels, 3, same), nn.NewReLU(), nn.NewMaxPool2d(2), nn.NewFlatten(),
		nn.NewLinear(2*channels*(side/4)*(side/4), 10)), crossEntropy, batch, 1, side, side)
}

func transformer(batch, length, features, heads int) *Network {
	model := nn.NewTransformerEncoderLayer(features, heads, nn.TransformerEncoderConfig{FeedForward: 4 * features})
	mean := func(out, _ *tensor.Tensor) *tensor.Tensor { return out.Mean() }
	return network(model, mean, batch, length, features)
}

func crossEntropy(out, classes *tensor.Tensor) *tensor.Tensor { return nn.CrossEntropy(out, classes) }

// network has random inputs of that shape.
func network(model nn.Module, loss func(out, classes *tensor.Tensor) *tensor.Tensor, shape ...int) *Network {
	return &Network{model, tensor.Randn(shape...), tensor.Randint(0, 10, shape[0]), loss}
}

// networks are as large as they are measured, and of a few numbers.
var networks = map[string]struct{ whole, tiny func() *Network }{
	"mlp": {
		func() *Network { return mlp(128, 784, 512, 256, 10) },
		func() *Network { return mlp(4, 6, 8, 10) },
	},
	"cnn": {
		func() *Network { return cnn(64, 28, 16) },
		func() *Network { return cnn(4, 4, 4) },
	},
	"transformer": {
		func() *Network { return transformer(16, 128, 256, 4) },
		func() *Network { return transformer(2, 5, 8, 2) },
	},
}

// New makes a network and returns what does one training step of it. It panics for a name that is
// not one of [Networks].
func New(name string, dtype tensor.DType) (step func()) {
	n, ok := networks[name]
	if !ok {
		panic(fmt.Sprintf("steps: no network is called %q", name))
	}
	return n.whole().step(dtype)
}

// Tiny returns the network of that name with a few numbers in it, to see whether all runs.
func Tiny(name string) *Network { return networks[name].tiny() }

// NewTiny is New with such a network.
func NewTiny(name string, dtype tensor.DType) (step func()) { return Tiny(name).step(dtype) }

// step returns what does one training step.
func (n *Network) step(dtype tensor.DType) func() {
	opt := optim.NewSGD(nn.Parameters(n.Model), optim.SGDConfig{LR: 0.01})
	scaler := amp.NewGradScaler(amp.ScalerConfig{Disabled: dtype != tensor.Float16})
	autocast := amp.Config{DType: dtype}
	if dtype == tensor.Float32 {
		autocast = amp.Config{Disabled: true}
	}
	return func() {
		opt.ZeroGrad()
		var loss *tensor.Tensor
		amp.AutocastWith(autocast, func() { loss = n.Loss() })
		scaler.Scale(loss).Backward()
		scaler.Step(opt)
		scaler.Update()
	}
}
