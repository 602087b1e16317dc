//go:build cuda

package cuda

import (
	"testing"

	"halfnote/tensor/internal/device"
)

func TestCUDALosses(t *testing.T) {
	r := numbers(t.Name())
	layout := 0
	for _, d := range floatDTypes {
		for _, shape := range [][]int{{1, 1, 1}, {5, 10, 1}, {3, 700, 1}, {2, 7, 40}, {2, 3, 5}, {0, 4, 1}, {3, 4, 0}, {300, 3, 1}} {
			for _, smooth := range []float64{0, 0.1} {
				for _, weighted := range []bool{false, true} {
					layout++
					n, c, s := shape[0], shape[1], shape[2]
					numbers := make([]float64, n*s)
					for i := range numbers {
						numbers[i] = float64(r.IntN(c+1) - 1)
					}
					one := device.Float32
					if d == device.Float64 {
						one = d
					}
					x, classes := random(t, r, d, layout, false, n, c, s), filled(t, device.Int64, layout/2, numbers, n, s)
					var weight pair
					if weighted {
						weight = random(t, r, d, layout/3, false, c)
					}
					out, g, dx := blank(t, one, layout/4, n, s), random(t, r, one, layout, layout%3 == 0, n, s), blank(t, d, layout, n, c, s)
					both(t, func(b device.Backend, gpu bool) {
						b.NLL(out.on(gpu), x.on(gpu), classes.on(gpu), weight.on(gpu), smooth)
						b.NLLGrad(dx.on(gpu), g.on(gpu), classes.on(gpu), weight.on(gpu), smooth)
					})
					out.terms = 1
					out.agree(t, 1, 1e-15, "losses of %v in %s, smooth %v, weighted %v", shape, suffixes[d], smooth, weighted)
					dx.agree(t, 1, 0, "their gradient for %v in %s, smooth %v, weighted %v", shape, suffixes[d], smooth, weighted)
				}
			}
		}
	}
}
