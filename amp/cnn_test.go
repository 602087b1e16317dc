package amp_test

import (
	"fmt"
	"testing"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/data"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
	"halfnote/tensor/reference"
)

// images gives the 64 numbers of a digit the shape of a picture.
type images struct{}

func (images) Forward(x *tensor.Tensor) *tensor.Tensor { return x.Reshape(-1, 1, 8, 8) }

// newCNN returns a small network for the digits, and the same one for equal seeds.
func newCNN() *nn.Sequential {
	tensor.Seed(1)
	same := nn.ConvConfig{Padding: []int{1}, NoBias: true}
	return nn.NewSequential(images{},
		nn.NewConv2d(1, 16, 3, same), nn.NewBatchNorm2d(16), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewConv2d(16, 32, 3, same), nn.NewBatchNorm2d(32), nn.NewReLU(),
		nn.NewMaxPool2d(2), nn.NewFlatten(), nn.NewLinear(128, 10))
}

// trainCNN trains under autocast, and returns the network with its accuracy on the test set.
func trainCNN(config amp.Config, scaling amp.ScalerConfig, epochs int) (*nn.Sequential, float64) {
	train, test := data.Digits()
	model := newCNN()
	opt := optim.NewSGD(nn.Parameters(model), optim.SGDConfig{LR: 0.05, Momentum: 0.9})
	scaler := amp.NewGradScaler(scaling)
	for range epochs {
		for x, y := range train.Batches(64) {
			opt.ZeroGrad()
			var loss *tensor.Tensor
			amp.AutocastWith(config, func() { loss = nn.CrossEntropy(model.Forward(x), y) })
			scaler.Scale(loss).Backward()
			scaler.Step(opt)
			scaler.Update()
		}
	}
	nn.Train(model, false)
	return model, nn.Accuracy(model, test)
}

// A convolutional network: convolutions run in float16, batch normalisation keeps its weights and
// running moments in float32, and the loss is computed in float32.
func Example_convolutions() {
	model, accuracy := trainCNN(amp.Config{}, amp.ScalerConfig{}, 2)
	fmt.Println("accuracy above 0.9:", accuracy > 0.9)
	fmt.Println(model.Modules()[2].(*nn.BatchNorm2d).RunningMean.DType())
	amp.Autocast(func() {
		fmt.Println(model.Forward(tensor.Rand(1, 64)).DType())
	})
	// Output:
	// accuracy above 0.9: true
	// float32
	// float16
}

// TestCNN: 16-bit training is about as good as training in float32.
func TestCNN(t *testing.T) {
	if !reference.OnCPU() {
		return // the stand-in would train for an hour; install/gpu-check.sh trains on a GPU
	}
	_, want := trainCNN(amp.Config{Disabled: true}, amp.ScalerConfig{Disabled: true}, 2)
	if want < 0.92 {
		t.Errorf("accuracy %v in float32, want 0.92", want)
	}
	for _, d := range []tensor.DType{tensor.Float16, tensor.BFloat16} {
		_, got := trainCNN(amp.Config{DType: d}, amp.ScalerConfig{}, 2)
		if got < want-0.04 {
			t.Errorf("accuracy %v in %s, and %v in float32", got, d, want)
		}
	}
}
