//go:build cuda

package cuda

import (
	"testing"

	"halfnote/tensor/internal/device"
)

// TestCUDACheck: positions in range stay, the others are counted, and the first of them is found.
func TestCUDACheck(t *testing.T) {
	weigh := []float64{0.5, 1, 2, 4, 8, 16, 32}
	for _, n := range []int{0, 1, 7, 100, 2500, 5000} {
		at := make([]float64, n)
		for i := range at {
			at[i] = float64(i * 5 % 7)
		}
		for mistakes := range 3 {
			for i := n / 3; i < n && mistakes > 0; i += 7 {
				at[i] = []float64{0, -1, 1e15}[mistakes] + float64(-i%11)
			}
			x := filled(t, device.Int64, 0, at, n)
			for _, skip := range [][]int64{nil, {-1}, {3, -2, 100}} {
				for layout := range 4 {
					weight := filled(t, device.Float32, layout, weigh, len(weigh))
					out, found, total := blank(t, device.Int64, 0, n), blank(t, device.Int64, 0, device.FoundLen),
						blank(t, device.Float64, 0)
					both(t, func(b device.Backend, gpu bool) {
						w, sum := weight.on(gpu), total.on(gpu)
						if layout == 3 {
							w = nil
						}
						if layout == 2 {
							sum = nil
						}
						b.Check(out.on(gpu), found.on(gpu), sum, x.on(gpu), w, skip, len(weigh), layout == 0)
					})
					what := "%d positions, mistakes of kind %d, skipping %v, layout %d"
					out.agree(t, 0, 0, what, n, mistakes, skip, layout)
					found.agree(t, 0, 0, "found in "+what, n, mistakes, skip, layout)
					total.agree(t, 0, 0, "total of "+what, n, mistakes, skip, layout)
				}
			}
		}
	}
}
