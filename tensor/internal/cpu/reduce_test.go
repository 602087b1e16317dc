package cpu

import (
	"math"
	"testing"

	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// TestReduceRows folds rows of every dtype that kernels take, of lengths about the pieces in which they
// do, dense and with a gap behind each, and beside NaN; subnormal numbers of 16 bits count.
func TestReduceRows(t *testing.T) {
	ops := map[device.ReduceOp]func(total, v float64) float64{
		device.Sum:  func(total, v float64) float64 { return total + v },
		device.Mean: func(total, v float64) float64 { return total + v },
		device.Max:  func(total, v float64) float64 { return max(total, v) },
		device.Min:  func(total, v float64) float64 { return min(total, v) },
	}
	number := func(i int) float64 {
		if v := float64(i*7919%2003) - 1001; i%3 > 0 {
			return v
		} else {
			return v * 0x1p-24 // subnormal in float16
		}
	}
	for _, p := range simd.Paths() {
		defer simd.Use(p)()
		for _, d := range []device.DType{device.Float32, device.Float16, device.BFloat16} {
			for _, n := range []int{1, 2, 31, 256, 300, cached, cached + 1, 5000} {
				for _, rows := range []int{1, 2, 19} {
					x := filled(d, []int{rows, n}, []int{n + rows%2, 1}, number)
					store(x, (rows-1)*x.Strides[0], 1, []float64{math.NaN()})
					out := filled(device.Float32, []int{rows, 1}, []int{2, 2},
						func(int) float64 { return -77 })
					for op, f := range ops {
						Backend{}.Reduce(op, out, x, 0)
						for r := range rows {
							want, size := at(x, r, 0), math.Abs(at(x, r, 0))
							for c := 1; c < n; c++ {
								want, size = f(want, at(x, r, c)), size+math.Abs(at(x, r, c))
							}
							if op == device.Mean {
								want /= float64(n)
							}
							got := at(out, r, 0)
							near := math.Abs(got-want) <= math.Abs(want)*0x1p-24+size*0x1p-48
							if !near && !(r == rows-1 && got != got) {
								t.Fatalf("%s, dtype %d, op %d, [%d %d]: row %d is %v, want %v",
									p, d, op, rows, n, r, got, want)
							}
							if r > 0 && elems[float32](out, 2*r-1, 1, 1)[0] != -77 {
								t.Fatalf("%s, dtype %d, [%d %d]: the gap was written", p, d, rows, n)
							}
						}
					}
				}
			}
		}
	}
}
