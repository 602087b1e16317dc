package tensor_test

import (
	"fmt"

	"halfnote/tensor"
)

func Example() {
	x := tensor.New([][]float32{{1, 2}, {3, 4}})
	w := tensor.New([]float32{0.5, -1}).SetRequiresGrad(true)
	loss := x.MatMul(w).Square().Mean()
	loss.Backward()
	fmt.Println(loss)
	fmt.Println(w.Grad())
	fmt.Println(tensor.Full(6e-8).To(tensor.Float16).Item(), tensor.Full(65520).To(tensor.Float16))
	// Output:
	// tensor(4.2500, shape=[], dtype=float32, grad of mean)
	// tensor([ -9., -13.], shape=[2], dtype=float32)
	// 5.960464477539063e-08 tensor(inf, shape=[], dtype=float16)
}
