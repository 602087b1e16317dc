package tensor_test

import (
	"fmt"
	"testing"

	"halfnote/tensor"
)

// BenchmarkMatMul reports GFLOP/s: two operations for each multiplication of two elements.
func BenchmarkMatMul(b *testing.B) {
	for _, d := range []tensor.DType{tensor.Float32, tensor.BFloat16, tensor.Float16} {
		for _, n := range []int{4, 64, 256, 1024, 2048} {
			b.Run(fmt.Sprintf("%s/%d", d, n), func(b *testing.B) {
				x, y := tensor.Randn(n, n).To(d), tensor.Randn(n, n).To(d)
				b.ReportAllocs()
				for b.Loop() {
					x.MatMul(y)
				}
				flops := 2 * float64(n) * float64(n) * float64(n) * float64(b.N)
				b.ReportMetric(flops/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

// BenchmarkSmallOps is the cost of an op apart from its arithmetic.
func BenchmarkSmallOps(b *testing.B) {
	x, y := tensor.Randn(4, 4), tensor.Randn(4, 4)
	w := tensor.Randn(4, 4).SetRequiresGrad(true)
	half := x.To(tensor.Float16)
	for _, c := range []struct {
		name string
		op   func()
	}{
		{"forward", func() { x.Add(y) }},
		{"add_number", func() { x.Add(2) }},
		{"add_recorded", func() { x.Add(w) }},
		{"add_float16", func() { half.Add(half) }},
		{"matmul", func() { x.MatMul(y) }},
		{"transpose", func() { x.T() }},
		{"sum", func() { x.Sum() }},
		{"no_grad", func() { tensor.NoGrad(func() { x.Add(w) }) }},
		{"backward", func() { x.Mul(w).Sum().Backward() }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.op()
			}
		})
	}
}

// BenchmarkElementwise reports how fast large tensors go by.
func BenchmarkElementwise(b *testing.B) {
	const n = 1 << 20
	for _, d := range []tensor.DType{tensor.Float32, tensor.Float16} {
		x := tensor.Randn(n).To(d)
		for _, c := range []struct {
			name string
			op   func()
		}{
			{"add", func() { x.Add(x) }},
			{"mul_number", func() { x.Mul(0.5) }},
			{"relu", func() { x.ReLU() }},
			{"sigmoid", func() { x.Sigmoid() }},
			{"sum", func() { x.Sum() }},
			{"to_float32", func() { x.To(tensor.Float32) }},
			{"to_float16", func() { x.To(tensor.Float16) }},
		} {
			b.Run(fmt.Sprintf("%s/%s", d, c.name), func(b *testing.B) {
				b.SetBytes(n * int64(d.Size()))
				for b.Loop() {
					c.op()
				}
			})
		}
	}
}
