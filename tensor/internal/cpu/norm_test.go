package cpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfnote/tensor/internal/device"
)

// TestNormalizeRows compares rows of every dtype, with and without steps between their elements,
// with the same in float64, on each path.
func TestNormalizeRows(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, size := range []int{1, 10, 257, 1100} {
			for _, step := range []int{1, 2} {
				checkNorm(t, device.Float32, size, step, 2e-6)
				checkNorm(t, device.Float16, size, step, 2e-3)
				checkNorm(t, device.BFloat16, size, step, 2e-2)
			}
		}
	})
}

func checkNorm(t *testing.T, d device.DType, size, step int, tolerance float64) {
	t.Helper()
	const rows = 21
	run := func(d device.DType, step int) []*device.Array {
		rng := rand.New(rand.NewPCG(1, 2))
		array := func(d device.DType, shape ...int) *device.Array {
			strides := []int{shape[3] * step, shape[3] * step, shape[3] * step, step}
			a := filled(d, shape, strides, func(int) float64 { return 0 })
			for i := range shape[0] * shape[3] { // numbers that all dtypes have
				store(a, i*step, 1, []float64{float64(rng.IntN(33)-16) / 8})
			}
			return a
		}
		wide := device.Float32
		if d == device.Float64 {
			wide = d
		}
		x, dy := array(d, rows, 1, 1, size), array(d, rows, 1, 1, size)
		w, b := array(d, 1, 1, 1, size), array(d, 1, 1, 1, size)
		mean, variance := array(wide, rows, 1, 1, 1), array(wide, rows, 1, 1, 1)
		y, dx := array(d, rows, 1, 1, size), array(d, rows, 1, 1, size)
		dw, db := array(d, 1, 1, 1, size), array(d, 1, 1, 1, size)
		n := device.Norm{Eps: 0.5}
		Backend{}.Normalize(y, x, mean, variance, w, b, n)
		Backend{}.NormalizeGrad(dx, dy, x, mean, variance, w, n)
		Backend{}.NormalizeWeightGrad(dw, db, dy, x, mean, variance, n)
		return []*device.Array{y, dx, dw, db}
	}
	wants := run(device.Float64, 1)
	for k, got := range run(d, step) {
		for i := range got.Shape[0] {
			for j := range size {
				g, want := at(got, i, 0, 0, j), at(wants[k], i, 0, 0, j)
				if math.Abs(g-want) > tolerance*max(1, math.Abs(want)) {
					t.Fatalf("dtype %d, rows of %d in steps of %d: result %d has %v at %d, %d, want %v",
						d, size, step, k, g, i, j, want)
				}
			}
		}
	}
}

// TestNormalizeInfinite: where a gradient is infinite, those of a row are so, or NaN, as in float64,
// with and without a mean.
func TestNormalizeInfinite(t *testing.T) {
	const size = 9
	grad := func(d device.DType, mean bool, step int) []float64 {
		array := func(d device.DType, n int, f func(i int) float64) *device.Array {
			return filled(d, []int{1, 1, 1, n}, []int{n * step, n * step, n * step, step},
				func(i int) float64 { return f(i / step) })
		}
		x := array(d, size, func(i int) float64 { return float64(i*i%5) - 1.5 })
		dy := array(d, size, func(i int) float64 {
			if i == 3 {
				return math.Inf(1)
			}
			return 1
		})
		w := array(d, size, func(i int) float64 { return float64(i%3) + 0.5 })
		dx := array(d, size, func(int) float64 { return 0 })
		one := func(int) float64 { return 0.5 }
		moments := [2]*device.Array{nil, array(device.Float64, 1, one)}
		if mean {
			moments[0] = array(device.Float64, 1, one)
		}
		Backend{}.NormalizeGrad(dx, dy, x, moments[0], moments[1], w, device.Norm{})
		values := make([]float64, size)
		for i := range values {
			values[i] = at(dx, 0, 0, 0, i)
		}
		return values
	}
	eachPath(t, func(t *testing.T) {
		for _, mean := range []bool{false, true} {
			want := grad(device.Float64, mean, 1)
			for _, d := range []device.DType{device.Float32, device.Float16, device.BFloat16} {
				for _, step := range []int{1, 2} {
					for i, g := range grad(d, mean, step) {
						if w := want[i]; g-g == 0 || math.IsNaN(g) != math.IsNaN(w) || g > 0 != (w > 0) {
							t.Fatalf("dtype %d, mean %v, steps of %d: element %d is %v, want %v",
								d, mean, step, i, g, w)
						}
					}
				}
			}
		}
	})
}
