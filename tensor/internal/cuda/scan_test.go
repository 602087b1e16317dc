//go:build cuda

package cuda

import (
	"testing"

	"halfnote/tensor/internal/device"
)

func TestCUDAScan(t *testing.T) {
	r := numbers(t.Name())
	layout := 0
	for _, d := range allDTypes {
		for _, c := range lineShapes {
			for given := range 3 { // a, b, or both
				for mode := range 4 {
					if layout++; c.shape[0] != 5 && layout%3 > 0 {
						continue
					}
					var a, b pair
					if given != 1 {
						a = random(t, r, d, layout/2, layout%5 == 0, c.shape...)
					}
					if given != 0 {
						b = random(t, r, d, layout/3, layout%5 == 0, c.shape...)
					}
					out := blank(t, d, layout, c.shape...)
					s := device.ScanConfig{Start: float64(mode % 3), Reverse: mode&1 != 0, Lag: mode&2 != 0}
					both(t, func(on device.Backend, gpu bool) { on.Scan(out.on(gpu), a.on(gpu), b.on(gpu), c.axis, s) })
					out.agree(t, 4, 1e-12, "scan %+v of %s along %d of %v, given %d", s, suffixes[d], c.axis, c.shape, given)
				}
			}
		}
	}
}

// TestCUDAScanPieces: rows that blocks have in pieces.
func TestCUDAScanPieces(t *testing.T) {
	r := numbers(t.Name())
	for i, d := range []device.DType{device.Float64, device.BFloat16, device.Int64, device.Float32} {
		for _, n := range []int{8191, 8192, 8300, 17000} {
			var a pair
			if d == device.Int64 {
				a = random(t, r, d, i, false, 1, n)
			}
			b, out := random(t, r, d, i, false, 1, n), blank(t, d, n, 1, n)
			s := device.ScanConfig{Start: 2, Reverse: n%2 > 0, Lag: i%2 > 0}
			both(t, func(on device.Backend, gpu bool) { on.Scan(out.on(gpu), a.on(gpu), b.on(gpu), 1, s) })
			out.agree(t, 1, 1e-13, "scan %+v of %d %s", s, n, suffixes[d])
		}
	}
}

// TestCUDAScanRange: products whose parts overflow or vanish are those that a scan in order gives.
func TestCUDAScanRange(t *testing.T) {
	for _, all := range [][]float64{
		{1e-200, 1e-200, 1e200, 1e200}, {1e200, 1e-200, 1e200, 1e-200}, {0, 1e200, 1e200, 2}, {1e200, 1e200, 0, 3},
	} {
		factors := make([]float64, 700)
		for i := range factors {
			factors[i] = 1
		}
		copy(factors[300:], all)
		copy(factors[29:], all)
		a, out := filled(t, device.Float64, 0, factors, 1, 700), blank(t, device.Float64, 0, 1, 700)
		both(t, func(on device.Backend, gpu bool) {
			on.Scan(out.on(gpu), a.on(gpu), nil, 1, device.ScanConfig{Start: 1})
		})
		out.agree(t, 4, 0, "products of %v", all)
	}
}
