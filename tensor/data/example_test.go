package data_test

import (
	"fmt"

	"halfnote/tensor/data"
)

func Example() {
	train, test := data.Digits()
	samples := 0
	for x, y := range train.Batches(128) {
		samples += x.Shape()[0]
		if samples == 128 {
			fmt.Println(x.Shape(), x.DType(), y.Shape(), y.DType())
		}
	}
	fmt.Println(samples)
	fmt.Println(test)
	// Output:
	// [128 64] float32 [128] int64
	// 1437
	// digits (test): 360 samples, x float32 [360 64], y int64 [360]
}
