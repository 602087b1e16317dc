package optim_test

import (
	"fmt"

	"halfnote/tensor"
	"halfnote/tensor/optim"
)

func Example() {
	// Minimise (w - 3)², whose gradient is 2(w - 3).
	w := tensor.New([]float32{0}).SetRequiresGrad(true)
	opt := optim.NewSGD([]*tensor.Tensor{w}, optim.SGDConfig{LR: 0.25})
	for range 4 {
		opt.ZeroGrad()
		d := w.Sub(3)
		d.Mul(d).Sum().Backward()
		opt.Step()
		fmt.Println(w.Float32s())
	}
	fmt.Println(opt)
	// Output:
	// [1.5]
	// [2.25]
	// [2.625]
	// [2.8125]
	// SGD{LR: 0.25}
}

// Two groups: the last layer learns ten times faster, and a state dict carries both on.
func ExampleSGD_AddGroup() {
	body := tensor.New([]float32{1}).SetRequiresGrad(true)
	head := tensor.New([]float32{1}).SetRequiresGrad(true)
	opt := optim.NewSGD([]*tensor.Tensor{body}, optim.SGDConfig{LR: 0.01, Momentum: 0.9})
	opt.AddGroup([]*tensor.Tensor{head}, optim.SGDConfig{LR: 0.1, Momentum: 0.9})

	body.Mul(head).Sum().Backward()
	opt.Step()
	fmt.Println(body.Float32s(), head.Float32s())
	opt.Group(1).LR = 0.05
	fmt.Println(opt)
	// Output:
	// [0.99] [0.9]
	// SGD{LR: 0.01, Momentum: 0.9} + SGD{LR: 0.05, Momentum: 0.9}
}
