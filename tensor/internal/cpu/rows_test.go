package cpu

import (
	"math"
	"testing"
	"unsafe"

	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// filled returns an array of that layout; element i in memory is f(i).
func filled(d device.DType, shape, strides []int, f func(i int) float64) *device.Array {
	n := 1
	for i, s := range shape {
		n += (s - 1) * strides[i]
	}
	data, err := Backend{}.Alloc(d, n, true)
	if err != nil {
		panic(err)
	}
	a := &device.Array{Data: unsafe.Pointer(data), DType: d, Shape: shape, Strides: strides}
	for i := range n {
		store(a, i, 1, []float64{f(i)})
	}
	return a
}

// at returns the element at an index, which is broadcast.
func at(a *device.Array, index ...int) float64 {
	off := a.Offset
	for i, s := range a.Strides {
		if a.Shape[i] > 1 {
			off += index[i] * s
		}
	}
	var v [1]float64
	load(v[:], a, off, 1)
	return v[0]
}

// TestBroadcastRows: every op with kernels for scalars on operands of every layout and mix of
// dtypes, on each path.
func TestBroadcastRows(t *testing.T) {
	const rows, columns = 5, 1300
	ops := map[device.BinaryOp]func(a, b float64) float64{
		device.Add:     func(a, b float64) float64 { return a + b },
		device.Sub:     func(a, b float64) float64 { return a - b },
		device.Mul:     func(a, b float64) float64 { return a * b },
		device.Div:     func(a, b float64) float64 { return a / b },
		device.Maximum: func(a, b float64) float64 { return max(a, b) },
		device.Minimum: func(a, b float64) float64 { return min(a, b) },
	}
	layouts := []struct{ shape, strides []int }{
		{[]int{rows, columns}, []int{columns, 1}},
		{[]int{rows, columns}, []int{1, rows}},
		{[]int{rows, columns}, []int{2 * columns, 2}},
		{[]int{rows, 1}, []int{1, 1}},
		{[]int{1, columns}, []int{columns, 1}},
		{[]int{1, 1}, []int{1, 1}},
	}
	dtypes := []device.DType{device.Float32, device.Float16, device.BFloat16}
	for _, p := range simd.Paths() {
		t.Run(p.String(), func(t *testing.T) {
			defer simd.Use(p)()
			for i, la := range layouts {
				for j, lb := range layouts {
					da, db, do := dtypes[(i+j)%3], dtypes[j%3], dtypes[i%3]
					a := filled(da, la.shape, la.strides, func(i int) float64 { return float64(i%7) - 2.5 })
					b := filled(db, lb.shape, lb.strides, func(i int) float64 { return float64(i%5) + 0.25 })
					for _, lo := range layouts[:3] {
						out := filled(do, lo.shape, lo.strides, func(int) float64 { return math.NaN() })
						for op, f := range ops {
							Backend{}.Binary(op, out, a, b)
							for r := range rows {
								for c := range columns {
									x, y := at(a, r, c), at(b, r, c)
									want := roundedTo(do, f(x, y))
									if got := at(out, r, c); got != want {
										t.Fatalf("op %d, layouts %d and %d: %v and %v give %v, want %v",
											op, i, j, x, y, got, want)
									}
								}
							}
						}
					}
				}
			}
		})
	}
}

func roundedTo(d device.DType, v float64) float64 {
	switch f := float32(v); d {
	case device.Float16:
		return float64(simd.Float16ToFloat32(simd.Float32ToFloat16(f)))
	case device.BFloat16:
		return float64(simd.BFloat16ToFloat32(simd.Float32ToBFloat16(f)))
	default:
		return float64(f)
	}
}

// TestCopyTransposed: batches of transposed matrices large enough for tiles, and of odd sizes.
func TestCopyTransposed(t *testing.T) {
	const batch, rows, columns = 3, 131, 173
	for _, p := range simd.Paths() {
		defer simd.Use(p)()
		for _, d := range []device.DType{device.Float32, device.Float16, device.BFloat16, device.Float64} {
			x := filled(d, []int{batch, rows, columns}, []int{rows * columns, 1, rows},
				func(i int) float64 { return float64(i % 2039) })
			out := filled(d, []int{batch, rows, columns}, []int{rows * columns, columns, 1},
				func(int) float64 { return -1 })
			Backend{}.Copy(out, x)
			for i := range batch {
				for r := range rows {
					for c := range columns {
						if got, want := at(out, i, r, c), at(x, i, r, c); got != want {
							t.Fatalf("%s, dtype %d: element %d %d %d is %v, want %v", p, d, i, r, c, got, want)
						}
					}
				}
			}
		}
	}
}

// TestFill: every dtype, dense and with steps.
func TestFill(t *testing.T) {
	for _, d := range []device.DType{device.Float32, device.Float16, device.BFloat16, device.Float64,
		device.Int64, device.Bool} {
		for _, step := range []int{1, 3} {
			out := filled(d, []int{50_000}, []int{step}, func(int) float64 { return 0 })
			Backend{}.Fill(out, 1)
			for i := range (50_000-1)*step + 1 {
				var v [1]float64
				load(v[:], out, i, 1)
				if want := i%step == 0; (v[0] == 1) != want {
					t.Fatalf("dtype %d, step %d: element %d is %v", d, step, i, v[0])
				}
			}
		}
	}
}
