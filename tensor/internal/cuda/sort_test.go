//go:build cuda

package cuda

import (
	"math/rand/v2"
	"testing"

	"halfnote/tensor/internal/device"
)

func TestCUDAArgsort(t *testing.T) {
	r := numbers(t.Name())
	layout := 0
	for _, d := range allDTypes {
		for _, c := range lineShapes {
			layout++
			checkArgsort(t, r, d, layout, c.axis, c.shape)
		}
	}
	for _, d := range []device.DType{device.BFloat16, device.Float64} { // rows of several tiles
		for _, n := range []int{2047, 2048, 2049, 4096, 5000, 9001} {
			checkArgsort(t, r, d, n, 0, []int{n})
		}
		checkArgsort(t, r, d, 0, 1, []int{3, 2500})
	}
}

func checkArgsort(t *testing.T, r *rand.Rand, d device.DType, layout, axis int, shape []int) {
	t.Helper()
	x := random(t, r, d, layout, true, shape...)
	for _, descending := range []bool{false, true} {
		out := blank(t, device.Int64, layout/layouts, shape...)
		both(t, func(b device.Backend, gpu bool) { b.Argsort(out.on(gpu), x.on(gpu), axis, descending) })
		out.agree(t, 0, 0, "order of %s along %d of %v, descending %v", suffixes[d], axis, shape, descending)
	}
}
