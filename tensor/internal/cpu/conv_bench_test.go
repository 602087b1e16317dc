package cpu

import (
	"fmt"
	"testing"

	"halfnote/tensor/internal/device"
)

// BenchmarkConv measures the three products of 3×3 convolutions of a batch of 64 by type and by
// channels and size, as 1to16x28.
func BenchmarkConv(b *testing.B) {
	const batch, side = 64, 3
	c := &device.Conv{Stride: [2]int{1, 1}, Padding: [2]int{1, 1}, Dilation: [2]int{1, 1}, Groups: 1}
	names := map[device.DType]string{device.Float32: "float32", device.BFloat16: "bfloat16",
		device.Float16: "float16"}
	for _, d := range []device.DType{device.Float32, device.BFloat16, device.Float16} {
		for _, size := range [][3]int{{1, 16, 28}, {16, 32, 14}, {64, 64, 28}} {
			in, out, n := size[0], size[1], size[2]
			x, y := as(d, random(1, batch, in, n, n)), as(d, random(2, batch, out, n, n))
			w, bias := as(d, random(3, out, in, side, side)), as(d, random(4, out))
			var cpu Backend
			for _, product := range []struct {
				name string
				op   func()
			}{
				{"forward", func() { cpu.Conv(y, x, w, bias, c) }},
				{"input", func() { cpu.ConvInput(x, y, w, nil, c) }},
				{"weight", func() { cpu.ConvWeight(w, x, y, c) }},
			} {
				b.Run(fmt.Sprintf("%s/%dto%dx%d/%s", names[d], in, out, n, product.name), func(b *testing.B) {
					// What a product wrote is the operand of the next, and must not grow.
					for _, a := range []*device.Array{x, y, w} {
						Backend{}.Copy(a, as(d, random(5, a.Shape...)))
					}
					for b.Loop() {
						product.op()
					}
					work := 2 * float64(batch*in*out*n*n*side*side) * float64(b.N)
					b.ReportMetric(work/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
				})
			}
		}
	}
}
