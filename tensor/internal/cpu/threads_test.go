package cpu

import (
	"math"
	"slices"
	"testing"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// drawn returns an array of random numbers.
func drawn(dtype device.DType, shape ...int) *device.Array {
	a := &device.Array{DType: dtype, Shape: shape, Strides: make([]int, len(shape))}
	by := 1
	for d := len(shape) - 1; d >= 0; d-- {
		a.Strides[d], by = by, by*shape[d]
	}
	a.Data, _ = Backend{}.Alloc(dtype, by, true)
	Backend{}.Random(a, device.Draw{Kind: device.Normal, Seed: uint64(by), B: 1})
	return a
}

// patterns returns the elements, of which NaNs are equal.
func patterns(a *device.Array) []uint64 {
	values := make([]float64, a.Numel())
	load(values, a, a.Offset, 1)
	out := make([]uint64, len(values))
	for i, v := range values {
		out[i] = math.Float64bits(v)
	}
	return out
}

// TestThreadsDoNotMatter: folds, softmax, normalisations and steps of optimizers give the same bits
// on one core as on all, on each path.
func TestThreadsDoNotMatter(t *testing.T) {
	b, f32 := Backend{}, device.Float32
	tests := map[string]func() *device.Array{}
	for name, op := range map[string]device.ReduceOp{"sum": device.Sum, "max": device.Max,
		"argmin": device.ArgMin, "var": device.Var, "norm": device.PNorm, "lse": device.LogSumExp} {
		for kind, dtype := range map[string]device.DType{" 32": f32, " 16": device.Float16} {
			tests[name+kind+" all"] = func() *device.Array {
				out := drawn(f32, 1, 1)
				b.Reduce(op, out, drawn(dtype, 311, 401), 2)
				return out
			}
			tests[name+kind+" rows"] = func() *device.Array {
				out := drawn(f32, 311, 1)
				b.Reduce(op, out, drawn(dtype, 311, 401), 2)
				return out
			}
			tests[name+kind+" columns"] = func() *device.Array {
				out := drawn(f32, 1, 7)
				b.Reduce(op, out, drawn(dtype, 40001, 7), 2)
				return out
			}
		}
	}
	tests["softmax"] = func() *device.Array {
		out := drawn(f32, 40, 50, 60)
		b.Softmax(false, out, drawn(f32, 40, 50, 60), 1)
		return out
	}
	tests["weight of layer norm"] = func() *device.Array {
		dw, x := drawn(f32, 1, 1, 1, 100), drawn(f32, 3000, 1, 1, 100)
		mean, variance := drawn(f32, 3000, 1, 1, 1), drawn(f32, 3000, 1, 1, 1)
		b.Normalize(drawn(f32, 3000, 1, 1, 100), x, mean, variance, nil, nil, device.Norm{})
		b.NormalizeWeightGrad(dw, nil, x, x, mean, variance, device.Norm{})
		return dw
	}
	tests["adam"] = func() *device.Array {
		p, square := drawn(device.BFloat16, 300, 301), drawn(f32, 300, 301)
		b.Binary(device.Mul, square, square, square)
		b.AdamStep([]device.Parameter{{Value: p, Grad: drawn(f32, 300, 301),
			Kept: [3]*device.Array{drawn(f32, 300, 301), square}, Step: 2}},
			device.Adam{LR: 0.1, Betas: [2]float64{0.9, 0.99}, Eps: 1e-8}, nil)
		return p
	}
	for name, f := range tests {
		for _, path := range simd.Paths() {
			restore := simd.Use(path)
			many := patterns(f())
			limit := pool.Limit(0)
			one := patterns(f())
			limit()
			restore()
			if !slices.Equal(many, one) {
				t.Errorf("%s on %v: the number of cores changes the result", name, path)
			}
		}
	}
}

// TestUnscaleCounts: infinities and NaNs are counted exactly on each path, those that the
// multiplication makes too, and 16-bit subnormals survive.
func TestUnscaleCounts(t *testing.T) {
	for _, path := range simd.Paths() {
		restore := simd.Use(path)
		for _, dtype := range []device.DType{device.Float32, device.Float16, device.BFloat16} {
			x := drawn(dtype, 40000)
			big := map[device.DType]float64{device.Float32: 3e38, device.Float16: 60000,
				device.BFloat16: 3e38}[dtype]
			put := func(i int, v float64) { store(x, i, 1, []float64{v}) }
			put(0, math.Inf(1))
			put(777, math.NaN())
			put(39999, math.Inf(-1))
			put(20000, big)
			put(5, 0x1p-24)
			counts := drawn(device.Int64, 2)
			clear(elems[int64](counts, 0, 1, 2))
			Backend{}.Unscale([]*device.Array{x}, counts, nil, 2, nil)
			var v [1]float64
			load(v[:], x, 5, 1)
			if got := elems[int64](counts, 0, 1, 2); got[0] != 3 || got[1] != 1 || v[0] != 0x1p-23 {
				t.Errorf("%v on %v: %v, want 3 infinities and 1 NaN; 2⁻²⁴ becomes %v",
					dtype, path, got, v[0])
			}
		}
		restore()
	}
}
