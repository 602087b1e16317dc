package simd

import (
	"fmt"
	"testing"
)

// BenchmarkRows: the hot kernels on a small row, one in the second-level cache and one in memory.
func BenchmarkRows(b *testing.B) {
	const most = 1 << 23
	x, y, z := make([]float32, most), make([]float32, most), make([]float32, most)
	h := make([]uint16, most)
	for i := range x {
		x[i], y[i] = float32(i%1000)*0.01-5, float32(i%777)*0.01
		h[i] = uint16(i % 0x7c00)
	}
	for _, c := range []struct {
		name  string
		bytes int // read and written for each element
		f     func(n int)
	}{
		{"Add", 12, func(n int) { Add(z[:n], x[:n], y[:n]) }},
		{"Mul", 12, func(n int) { Mul(z[:n], x[:n], y[:n]) }},
		{"ReLU", 8, func(n int) { MaxScalar(z[:n], x[:n], 0) }},
		{"ReLUGrad", 12, func(n int) { ReLUGrad(z[:n], x[:n], y[:n]) }},
		{"Exp", 8, func(n int) { Exp(z[:n], x[:n]) }},
		{"Log", 8, func(n int) { Log(z[:n], y[:n]) }},
		{"Tanh", 8, func(n int) { Tanh(z[:n], x[:n]) }},
		{"Sigmoid", 8, func(n int) { Sigmoid(z[:n], x[:n]) }},
		{"Erf", 8, func(n int) { Erf(z[:n], x[:n]) }},
		{"GELU", 8, func(n int) { GELU(z[:n], x[:n]) }},
		{"GELUGrad", 12, func(n int) { GELUGrad(z[:n], x[:n], y[:n]) }},
		{"SiLU", 8, func(n int) { SiLU(z[:n], x[:n]) }},
		{"WidenHalf", 6, func(n int) { WidenHalf(z[:n], h[:n]) }},
		{"NarrowHalf", 6, func(n int) { NarrowHalf(h[:n], x[:n]) }},
		{"WidenBFloat", 6, func(n int) { WidenBFloat(z[:n], h[:n]) }},
		{"NarrowBFloat", 6, func(n int) { NarrowBFloat(h[:n], x[:n]) }},
	} {
		for _, n := range []int{16, 1 << 16, most} {
			b.Run(fmt.Sprint(c.name, "/", n), func(b *testing.B) {
				b.SetBytes(int64(n * c.bytes))
				for b.Loop() {
					c.f(n)
				}
			})
		}
	}
}
