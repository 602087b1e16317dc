package cpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfnote/tensor/internal/device"
)

// difference returns the first place where got and want, which are dense, have not the same bits, or
// -1. NaNs are all alike.
func difference(got, want *device.Array) int {
	bits := func(v float64) uint64 {
		if v != v {
			v = math.NaN()
		}
		return math.Float64bits(v)
	}
	x, y := values(got), values(want)
	for i := range x {
		if bits(x[i]) != bits(y[i]) {
			return i
		}
	}
	return -1
}

// mixed returns random elements, some of which are not finite.
func mixed(r *rand.Rand, scale float32, d device.DType, shape ...int) *device.Array {
	x := random(r.Uint64(), shape...)
	xs := elems[float32](x, 0, 1, x.Numel())
	for i := range xs {
		xs[i] *= scale
		switch r.IntN(60) {
		case 0:
			xs[i] = float32(math.NaN())
		case 1:
			xs[i] = float32(math.Inf(r.IntN(2)*2 - 1))
		}
	}
	return as(d, x)
}

// TestVia: a product that is rounded to 16 bits on its way to float32 is bit for bit the product in
// 16 bits, cast.
func TestVia(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		var b Backend
		for i := range 60 {
			d := []device.DType{device.Float16, device.BFloat16}[i%2]
			scale := []float32{1, 1e-4, 3e2}[i%3]
			m, n, k := 1+r.IntN(40), 1+r.IntN(80), r.IntN(60)
			if i%8 == 0 { // of several tiles and blocks
				m, n, k = 100+r.IntN(100), 500+r.IntN(100), 500*(i%3)+r.IntN(100)
			}
			// The gradient of a weight: one factor is transposed.
			x, w := mixed(r, scale, d, k, m), mixed(r, scale, d, k, n)
			x.Shape, x.Strides = []int{m, k}, []int{1, m}
			short, want, got := as(d, random(98, m, n)), random(99, m, n), random(97, m, n)
			b.MatMul(short, x, w, device.Epilogue{})
			b.Copy(want, short)
			b.MatMul(got, x, w, device.Epilogue{Via: d})
			if i := difference(got, want); i >= 0 {
				t.Fatalf("%d×%d×%d: element %d is %g, want %g", m, k, n, i, values(got)[i],
					values(want)[i])
			}
		}
	})
}
