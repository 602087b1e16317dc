package main

import (
	"fmt"
	"time"

	"halfnote/tensor"
)

func backward(n int) float64 {
	x := tensor.Full(0.5, 4, 4)
	w := tensor.Ones(4, 4).SetRequiresGrad(true)
	for i := 0; i < n; i++ {
		x.Mul(w).Sum().Backward()
	}
	return w.Grad().Sum().Item()
}

func main() {
	backward(100)
	start := time.Now()
	sum := backward(20000)
	fmt.Printf("%.6f %v\n", sum, time.Since(start).Seconds())
}
