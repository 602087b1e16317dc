package amp_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/data"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// digitsCNN is a small convolutional network for pictures of 28×28.
type digitsCNN struct {
	conv1, conv2 *nn.Conv2d
	pool         *nn.MaxPool2d
	fc           *nn.Linear
}

func newDigitsCNN() *digitsCNN {
	padded := nn.ConvConfig{Padding: []int{1}}
	return &digitsCNN{
		conv1: nn.NewConv2d(1, 16, 3, padded),
		conv2: nn.NewConv2d(16, 32, 3, padded),
		pool:  nn.NewMaxPool2d(2),
		fc:    nn.NewLinear(32*7*7, 10),
	}
}

func (m *digitsCNN) Forward(x *tensor.Tensor) *tensor.Tensor {
	x = m.pool.Forward(m.conv1.Forward(x.Reshape(-1, 1, 28, 28)).ReLU())
	x = m.pool.Forward(m.conv2.Forward(x).ReLU())
	return m.fc.Forward(x.Flatten(1))
}

// trainDigits trains a new network for one epoch in dtype and returns its accuracy in percent.
func trainDigits(t *testing.T, train, test *data.Dataset, dtype tensor.DType) float64 {
	tensor.Seed(1)
	train.Seed(1)
	model := newDigitsCNN()
	opt := optim.NewSGD(nn.Parameters(model), optim.SGDConfig{LR: 0.05, Momentum: 0.9})
	scaler := amp.NewGradScaler(amp.ScalerConfig{Disabled: dtype != tensor.Float16})
	region := amp.Config{Disabled: dtype == tensor.Float32}
	if !region.Disabled {
		region.DType = dtype
	}
	start, skipped := time.Now(), 0
	for x, y := range train.Batches(64) {
		opt.ZeroGrad()
		var loss *tensor.Tensor
		amp.AutocastWith(region, func() { loss = nn.CrossEntropy(model.Forward(x), y) })
		scaler.Scale(loss).Backward()
		if scaler.Step(opt).Skipped() {
			skipped++
		}
		scaler.Update()
	}
	took := time.Since(start)
	accuracy := 100 * nn.Accuracy(model, test)
	t.Logf("%-8s %d images in %.1f s, %d steps skipped, scale %g: %.2f%% of %d right", dtype,
		train.Len(), took.Seconds(), skipped, scaler.LossScale(), accuracy, test.Len())
	return accuracy
}

// TestMNIST trains a small CNN on MNIST for one epoch, in float16 as well as in float32. With
// HALFNOTE_MNIST=full it sees all 60,000 pictures, otherwise a tenth of them. Where there are no
// copies of the files it can only be left out, unless HALFNOTE_MNIST is set.
func TestMNIST(t *testing.T) {
	wanted := os.Getenv("HALFNOTE_MNIST")
	train, test, err := data.MNISTWith(data.MNISTConfig{NoDownload: wanted == ""})
	switch {
	case err != nil && wanted == "":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	dtypes, bar := []tensor.DType{tensor.Float16, tensor.Float32}, 97.0
	if wanted != "full" {
		train, test, bar = train.Take(6000), test.Take(2000), 90
	}
	accuracy := map[tensor.DType]float64{}
	for _, d := range dtypes {
		t.Run(fmt.Sprint(d), func(t *testing.T) {
			if accuracy[d] = trainDigits(t, train, test, d); accuracy[d] < bar {
				t.Errorf("%.2f%% right, want %v%% and more", accuracy[d], bar)
			}
		})
	}
	if loss := accuracy[tensor.Float32] - accuracy[tensor.Float16]; wanted == "full" && loss > 0.5 {
		t.Errorf("float16 is %.2f points behind float32; 0.5 is the most", loss)
	}
}
