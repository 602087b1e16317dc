package dist_test

import (
	"fmt"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/dist"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// The recipe: the model is called in the region, the optimizer has the parameters of the net
// itself.
func Example() {
	x := tensor.Arange(-1, 1, 0.25).Reshape(8, 1)
	y := x.Mul(2).Add(1)
	net := nn.NewLinear(1, 1)
	model := dist.DataParallel(net, tensor.CPU, tensor.CPU)
	opt := optim.NewSGD(nn.Parameters(net), optim.SGDConfig{LR: 0.2})
	scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 1024})

	var loss *tensor.Tensor
	for range 100 {
		opt.ZeroGrad()
		amp.Autocast(func() { loss = nn.MSELoss(model.Forward(x), y) })
		scaler.Scale(loss).Backward()
		scaler.Step(opt)
		scaler.Update()
	}
	fmt.Println("loss below 0.001:", loss.Item() < 0.001)
	// Output: loss below 0.001: true
}

// layer says in which dtype its replica computes.
type layer struct{ *nn.Linear }

func (l layer) Forward(x *tensor.Tensor) *tensor.Tensor {
	y := l.Linear.Forward(x)
	fmt.Println("   ", y.DType())
	return y
}

// What replicas got of the autocast state: nothing in PyTorch's first releases, then all but the
// dtype, and here the whole of it.
func ExampleDataParallelWith() {
	for _, trap := range []struct {
		name  string
		state dist.StateCopy
	}{{"nothing", dist.DropState}, {"no dtype", dist.DropDType}, {"all", dist.CopyState}} {
		fmt.Println(trap.name)
		model := dist.DataParallelWith(layer{nn.NewLinear(4, 2)}, dist.Config{
			Devices: []tensor.Device{tensor.CPU, tensor.CPU}, State: trap.state})
		amp.AutocastWith(amp.Config{DType: tensor.BFloat16}, func() {
			model.Forward(tensor.Ones(6, 4))
		})
	}
	// Output:
	// nothing
	//     float32
	//     float32
	// no dtype
	//     float16
	//     float16
	// all
	//     bfloat16
	//     bfloat16
}
