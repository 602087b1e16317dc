//go:build cuda

package cuda

import (
	"testing"

	"halfnote/tensor/internal/device"
)

// lineShapes are shapes and the dimension along which an op goes: rows that a warp has, that a block
// has, or a larger one, columns, and no elements.
var lineShapes = []struct {
	shape []int
	axis  int
}{
	{[]int{1}, 0}, {[]int{7}, 0}, {[]int{5, 33}, 1}, {[]int{3, 300}, 1}, {[]int{2, 1504}, 1}, {[]int{1, 2100}, 1},
	{[]int{1, 4500}, 1}, {[]int{5, 40}, 0}, {[]int{70, 45}, 0}, {[]int{3, 6, 20}, 1}, {[]int{2, 3, 4, 5}, 2}, {[]int{0, 4}, 1}, {[]int{4, 0}, 1},
}

func TestCUDASoftmax(t *testing.T) {
	r := numbers(t.Name())
	layout := 0
	for i, d := range floatDTypes {
		for _, c := range lineShapes {
			for _, log := range []bool{false, true} {
				layout++
				special := r.IntN(2) == 0
				to := d
				if layout%5 == 0 {
					to = floatDTypes[(i+1)%len(floatDTypes)]
				}
				x := random(t, r, d, layout, special, c.shape...)
				y, dx := blank(t, to, layout/layouts, c.shape...), blank(t, to, layout/2, c.shape...)
				y.near, dx.near, dx.terms = true, true, 1
				g := random(t, r, d, layout/3, special, c.shape...)
				both(t, func(b device.Backend, gpu bool) { b.Softmax(log, y.on(gpu), x.on(gpu), c.axis) })
				y.agree(t, 4, 1e-7, "softmax, log %v, of %s along %d", log, suffixes[d], c.axis)
				gpu(t).FromHost(y.gpu, y.host)
				both(t, func(b device.Backend, gpu bool) { b.SoftmaxGrad(log, dx.on(gpu), y.on(gpu), g.on(gpu), c.axis) })
				dx.agree(t, 4, 1e-6, "its gradient, log %v, of %s along %d, layout %d", log, suffixes[d], c.axis, layout)
			}
		}
	}
}
