package main

import (
	"fmt"
	"time"

	"halfnote/tensor"
)

func forward(n int) float64 {
	x, y := tensor.Ones(4, 4), tensor.Full(0.5, 4, 4)
	z := x
	for i := 0; i < n; i++ {
		z = x
		for j := 0; j < 5; j++ {
			z = z.Add(y)
			z = z.Mul(y)
			z = z.Sub(x)
			z = z.Neg()
		}
	}
	return z.Sum().Item()
}

func main() {
	forward(100)
	start := time.Now()
	sum := forward(5000)
	fmt.Printf("%.6f %v\n", sum, time.Since(start).Seconds())
}
