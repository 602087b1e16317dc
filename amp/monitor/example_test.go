package monitor_test

import (
	"fmt"

	"halfnote/amp"
	"halfnote/amp/monitor"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// A monitor watches the scaler of a loop. In a notebook, display.Live(m) shows its picture.
func Example() {
	tensor.Seed(1)
	x := tensor.Randn(64, 4)
	y := x.Argmax(1)
	model := nn.NewLinear(4, 4)
	opt := optim.NewSGD(nn.Parameters(model), optim.SGDConfig{LR: 0.1})
	scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 0x1p22, GrowthInterval: 4})
	m := monitor.Watch(scaler, opt)

	for range 12 {
		opt.ZeroGrad()
		var loss *tensor.Tensor
		amp.Autocast(func() { loss = nn.CrossEntropy(model.Forward(x), y) })
		scaler.Scale(loss).Backward()
		scaler.Step(opt)
		scaler.Update()
	}
	for _, s := range m.History() {
		if s.Skipped {
			fmt.Printf("skipped at %.0f\n", s.Scale)
		}
	}
	// Output:
	// skipped at 4194304
	// skipped at 2097152
	// skipped at 1048576
	// skipped at 524288
	// skipped at 524288
}
