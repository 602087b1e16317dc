//go:build cuda

package cuda

import (
	"testing"

	"halfnote/tensor/internal/device"
)

// TestCUDACheck: positions in range stay, and the others are counted.
func TestCUDACheck(t *testing.T) {
	for _, n := range []int{0, 1, 7, 100, 2500} {
		at, weigh := make([]float64, n), []float64{0.5, 1, 2, 4, 8, 16, 32}
		for i := range at {
			at[i] = float64((i*5)%10 - 2)
		}
		x := filled(t, device.Int64, 0, at, n)
		for layout := range 3 {
			weight := filled(t, device.Float32, layout, weigh, len(weigh))
			for _, skip := range [][]int64{nil, {-1}, {3, -2, 100}} {
				for _, weighed := range []bool{false, true} {
					out, sums := blank(t, device.Int64, 0, n), blank(t, device.Float64, 0, 2)
					both(t, func(b device.Backend, gpu bool) {
						w := weight.on(gpu)
						if !weighed {
							w = nil
						}
						b.Check(out.on(gpu), sums.on(gpu), x.on(gpu), w, skip, len(weigh))
					})
					out.agree(t, 0, 0, "%d positions, skipping %v", n, skip)
					sums.agree(t, 0, 0, "sums of %d positions, skipping %v", n, skip)
				}
			}
		}
	}
}
