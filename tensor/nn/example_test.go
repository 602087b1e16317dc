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

// With an example of an input, the summary shows what the layers make of it.
func ExampleSummary_input() {
	model := nn.NewSequential(
		nn.NewConv2d(1, 8, 3), nn.NewBatchNorm2d(8), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewFlatten(), nn.NewLinear(72, 10))
	fmt.Println(nn.Summary(model, tensor.Zeros(32, 1, 8, 8)))
	// Output:
	// layer  module                  output      shapes              dtype          parameters
	// 0      Conv2d(1, 8, kernel 3)  [32 8 6 6]  [8 1 3 3] [8]       float32        80
	// 1      BatchNorm2d(8)          [32 8 6 6]  [8] [8] [8] [8] []  float32 int64  16
	// 2      ReLU()                  [32 8 6 6]                                     0
	// 3      MaxPool2d(2)            [32 8 3 3]                                     0
	// 4      Flatten()               [32 72]                                        0
	// 5      Linear(72, 10)          [32 10]     [10 72] [10]        float32        730
	// [32 1 8 8] → [32 10]
	// 826 parameters, 17 values that need no gradient, 3,376 bytes
}

// Biases and the gains of normalisations go into a group without weight decay.
func ExampleSplitParameters() {
	model := nn.NewSequential(nn.NewLinear(4, 8), nn.NewLayerNorm(8), nn.NewLinear(8, 2))
	decayed, others := nn.SplitParameters(model, nn.Decays)
	opt := optim.NewAdamW(decayed, optim.AdamWConfig{LR: 1e-3, WeightDecay: 0.01})
	opt.AddGroup(others, optim.AdamWConfig{LR: 1e-3})
	for _, p := range others {
		fmt.Print(p.Name(), " ")
	}
	fmt.Println(opt.Group(1).WeightDecay)
	// Output: 0.bias 1.weight 1.bias 2.bias 0
}

// Freeze the body, train the head.
func ExampleSetRequiresGrad() {
	body, head := nn.NewLinear(4, 8), nn.NewLinear(8, 2)
	model := nn.NewSequential(body, nn.NewReLU(), head)
	nn.SetRequiresGrad(body, false)
	fmt.Println(nn.NumParameters(model), "numbers train")
	nn.SetRequiresGrad(body, true)
	fmt.Println(nn.NumParameters(model), "numbers train")
	// Output:
	// 18 numbers train
	// 58 numbers train
}

// A mask leaves out the padding of sequences that are shorter than the batch.
func ExampleMultiheadAttention_Attend() {
	tensor.Seed(1)
	attention := nn.NewMultiheadAttention(8, 2)
	x := tensor.Randn(2, 5, 8)
	lengths := tensor.New([][]int{{3}, {5}})
	real := tensor.Arange(5).To(tensor.Int64).Lt(lengths) // [2, 5]: true where there is a word
	mask := real.Unsqueeze(1)                             // [N, 1, S]: the same for each query

	y := attention.Attend(x, x, x, nn.AttentionConfig{Mask: mask})
	cut := attention.Forward(x.Index(0).Slice(0, 0, 3)) // the first sequence by itself
	fmt.Println(y.Shape(), y.Index(0).Slice(0, 0, 3).Sub(cut).Abs().Max().Item() < 1e-6)
	// Output: [2 5 8] true
}

// A stack of layers, and its tensors by PyTorch's names.
func ExampleTransformerEncoder() {
	encoder := nn.NewTransformerEncoder(2, 16, 4, nn.TransformerEncoderConfig{
		FeedForward: 64, NormFirst: true, Activation: nn.NewGELU(), Causal: true})
	fmt.Println(encoder.Forward(tensor.Randn(8, 10, 16)).Shape(), nn.NumParameters(encoder))
	for name := range nn.NamedParameters(encoder) {
		fmt.Println(name)
		if name == "layers.0.linear1.weight" {
			break
		}
	}
	// Output:
	// [8 10 16] 6560
	// layers.0.self_attn.in_proj_weight
	// layers.0.self_attn.in_proj_bias
	// layers.0.self_attn.out_proj.weight
	// layers.0.self_attn.out_proj.bias
	// layers.0.linear1.weight
}
