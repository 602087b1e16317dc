// Package tensor holds values, ops and gradients: multidimensional arrays of float64, float32,
// float16, bfloat16, int64 or bool, computed on a device, with a tape for Backward. Names and
// semantics are PyTorch's, in Go's case.
//
//	x := tensor.New([][]float32{{1, 2}, {3, 4}})
//	w := tensor.New([]float32{0.5, -1}).SetRequiresGrad(true)
//	loss := x.MatMul(w).Square().Mean()
//	loss.Backward()
//	fmt.Println(loss.Item(), w.Grad()) // 4.25 and the gradient [-9, -13]
//
// An op checks its arguments, asks the goroutine's cast state (which package amp fills) in which
// dtypes they enter, computes on the device, and records itself on the tape when an argument
// requires a gradient. Backward goes through the tape in reverse.
//
// Begin with New, Zeros and Randn, the methods of Tensor, SetRequiresGrad and Backward.
//
// Mistakes in shapes, dtypes or devices panic with an *Error. Values come back to the host only
// through methods that say so: Item, Float32s, Float64s, Int64s, Bools, Halves and the printing
// ones. In-place ops cannot be recorded: on a tensor that requires a gradient they work under
// NoGrad only. A tensor has at most 8 dimensions.
package tensor
