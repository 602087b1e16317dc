//go:build cuda

package cuda

import (
	"testing"

	"halfnote/tensor/internal/device"
)

// TestCUDATranspose copies arrays whose dimensions are in another order, of whole tiles and of parts.
func TestCUDATranspose(t *testing.T) {
	r := numbers(t.Name())
	for _, d := range allDTypes {
		for _, shape := range [][]int{{16, 16}, {17, 33}, {64, 70}, {3, 40, 65}, {2, 16, 3, 31}, {130, 16}, {15, 40}} {
			for layout := range layouts {
				x, out := random(t, r, d, layout, d != device.Int64, shape...), blank(t, d, 0, shape...)
				both(t, func(b device.Backend, gpu bool) { b.Copy(out.on(gpu), x.on(gpu)) })
				out.agree(t, 0, 0, "layout %d", layout)
			}
		}
	}
}

// TestCUDACopyRows copies rows that lie apart, at addresses of every alignment.
func TestCUDACopyRows(t *testing.T) {
	r := numbers(t.Name())
	for _, d := range allDTypes {
		for _, columns := range []int{1, 2, 4, 6, 8, 16, 24, 33} {
			for skip := range 4 {
				wide, out := random(t, r, d, 0, false, 5, 48), blank(t, d, 0, 5, columns)
				x := pair{host: window(wide.host, skip, columns), gpu: window(wide.gpu, skip, columns)}
				both(t, func(b device.Backend, gpu bool) {
					b.Copy(out.on(gpu), x.on(gpu))
					b.Fill(x.on(gpu), 1)
					b.Copy(x.on(gpu), out.on(gpu))
				})
				out.agree(t, 0, 0, "%d columns from %d", columns, skip)
				wide.agree(t, 0, 0, "around %d columns from %d", columns, skip)
			}
		}
	}
}

// window returns so many of a's columns.
func window(a *device.Array, skip, columns int) *device.Array {
	w := *a
	w.Offset += skip
	w.Shape = []int{a.Shape[0], columns}
	return &w
}
