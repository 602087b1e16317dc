//go:build cuda

package cuda

import (
	"testing"

	"halfnote/tensor/internal/device"
)

func TestCUDAResample(t *testing.T) {
	r := numbers(t.Name())
	layout := 0
	for _, d := range floatDTypes {
		for _, to := range floatDTypes {
			for _, c := range []struct {
				shape        []int
				axis, n, per int
			}{
				{[]int{5}, 0, 9, 2}, {[]int{2, 6, 4}, 1, 3, 4}, {[]int{2, 6, 4}, 2, 11, 2}, {[]int{3, 4}, 0, 2, 0},
				{[]int{2, 30}, 1, 700, 2}, {[]int{0, 3}, 1, 4, 2}, {[]int{9, 40}, 0, 20, 3},
			} {
				layout++
				taps := &device.Taps{Starts: []int{0}}
				for range c.n {
					for range c.per {
						taps.Places = append(taps.Places, r.IntN(c.shape[c.axis]))
						taps.Weights = append(taps.Weights, r.Float64())
					}
					taps.Starts = append(taps.Starts, len(taps.Places))
				}
				shape := append([]int{}, c.shape...)
				shape[c.axis] = c.n
				x, out := random(t, r, d, layout, true, c.shape...), blank(t, to, layout/3, shape...)
				both(t, func(b device.Backend, gpu bool) { b.Resample(out.on(gpu), x.on(gpu), c.axis, taps) })
				out.agree(t, 0, 0, "resample %v along %d to %d", c.shape, c.axis, c.n)
			}
		}
	}
}
