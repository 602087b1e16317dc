package tensor_test

import (
	"fmt"

	"halfnote/tensor"
)

// A step that a GPU repeats by itself; on the CPU it is called each time.
func ExampleGraph() {
	x, w := tensor.Zeros(2), tensor.New([]float32{1, 2}).SetRequiresGrad(true)
	var loss *tensor.Tensor
	step := tensor.NewGraph(tensor.CPU, func() {
		w.SetGrad(nil)
		loss = w.Mul(x).Sum().Square()
		loss.Backward()
		w.SGDInPlace(w.Grad(), nil, tensor.SGDStep{LR: 0.1})
	})
	for i := range 4 {
		x.FillInPlace(1 / float64(i+1))
		step.Run()
		fmt.Printf("%.4f\n", loss.Item())
	}
	// Output:
	// 9.0000
	// 0.8100
	// 0.2916
	// 0.1498
}
