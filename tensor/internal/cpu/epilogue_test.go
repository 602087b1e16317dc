package cpu

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"halfnote/tensor/internal/device"
)

// bitsOf returns the memory of a, which is dense.
func bitsOf(a *device.Array) []byte {
	return unsafe.Slice((*byte)(a.Data), a.Numel()*a.DType.Size())
}

// TestReLUEpilogue: a product that ends with ReLU is bit for bit ReLU of the product, also where
// sums are NaN, infinite or too small for the result's type.
func TestReLUEpilogue(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		var b Backend
		check := func(d device.DType, what any, shape []int, op func(out *device.Array, relu bool)) {
			t.Helper()
			want, got := as(d, random(98, shape...)), as(d, random(99, shape...))
			op(want, false)
			b.Unary(device.ReLU, want, want, 0)
			op(got, true)
			if !bytes.Equal(bitsOf(got), bitsOf(want)) {
				t.Fatalf("%v of %v: %v, want %v", what, shape, values(got), values(want))
			}
		}
		scale := float32(1)
		mixed := func(d device.DType, shape ...int) *device.Array {
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
		for i := range 120 {
			d := []device.DType{device.Float32, device.Float16, device.BFloat16, device.Float64}[i%4]
			scale = []float32{1, 1e-3, 1e-4}[i%3] // of products that are subnormal in float16, or 0
			m, n, k := 1+r.IntN(40), 1+r.IntN(80), r.IntN(60)
			x, w := mixed(d, m, k), mixed(d, k, n)
			var bias *device.Array
			if i%5 == 0 {
				bias = mixed(d, n)
			}
			check(d, "matmul", []int{m, n}, func(out *device.Array, relu bool) {
				b.MatMul(out, x, w, device.Epilogue{Bias: bias, ReLU: relu})
			})
			g := randomGeometry(r)
			x, w = mixed(d, g.n, g.in, g.h, g.w), mixed(d, g.out, g.in/g.Groups, g.kh, g.kw)
			if bias != nil {
				bias = mixed(d, g.out)
			}
			check(d, g, []int{g.n, g.out, g.oh, g.ow}, func(out *device.Array, relu bool) {
				b.Conv(out, x, w, device.Epilogue{Bias: bias, ReLU: relu}, &g.Conv)
			})
		}
	})
}
