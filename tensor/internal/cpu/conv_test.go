package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// random returns an array of that shape, the same one for a seed.
func random(seed uint64, shape ...int) *device.Array {
	source := rand.New(rand.NewPCG(seed, 1))
	n := 1
	for _, s := range shape {
		n *= s
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(source.NormFloat64())
	}
	a := denseArray(values, shape)
	return &a
}

// zeros returns an array of zeros.
func zeros[T number](shape ...int) *device.Array {
	n := 1
	for _, s := range shape {
		n *= s
	}
	a := denseArray(make([]T, n), shape)
	return &a
}

// TestCores: the bits of the results are the same on one core as on several.
func TestCores(t *testing.T) {
	var b Backend
	x, w, y := random(1, 9, 4, 21, 19), random(2, 6, 2, 3, 3), random(3, 9, 6, 21, 19)
	c := &device.Conv{Stride: [2]int{1, 1}, Padding: [2]int{1, 1}, Dilation: [2]int{1, 1}, Groups: 2}
	mean, variance := random(4, 9, 4, 1, 1), random(5, 9, 4, 1, 1)
	b.Unary(device.Abs, variance, variance, 0)
	weight, norm := random(6, 1, 4, 21, 1), device.Norm{Eps: 1e-5}
	planes := random(7, 300, 9, 11)
	span := func(n, size int) (spans []device.Span) {
		for i := range n - size + 1 {
			spans = append(spans, device.Span{From: i, To: i + size, Step: 1, Count: size})
		}
		return spans
	}
	rows, cols := span(9, 2), span(11, 3)
	index := zeros[int64](300, 8, 9)
	b.MaxPool(zeros[float32](300, 8, 9), index, planes, rows, cols)
	for name, op := range map[string]func(out *device.Array){
		"Conv":       func(out *device.Array) { b.Conv(out, x, w, nil, c) },
		"ConvInput":  func(out *device.Array) { b.ConvInput(out, y, w, nil, c) },
		"ConvWeight": func(out *device.Array) { b.ConvWeight(out, x, y, c) },
		"Normalize": func(out *device.Array) {
			m, v := zeros[float32](9, 4, 1, 1), zeros[float32](9, 4, 1, 1)
			b.Normalize(out, x, m, v, weight, weight, norm)
		},
		"NormalizeGrad": func(out *device.Array) {
			b.NormalizeGrad(out, x, x, mean, variance, weight, norm)
		},
		"NormalizeWeightGrad": func(out *device.Array) {
			b.NormalizeWeightGrad(out, nil, x, x, mean, variance, norm)
		},
		"MaxPool": func(out *device.Array) {
			b.MaxPool(out, zeros[int64](300, 8, 9), planes, rows, cols)
		},
		"MaxPoolGrad": func(out *device.Array) { b.MaxPoolGrad(out, random(8, 300, 8, 9), index, rows, cols) },
		"AvgPool":     func(out *device.Array) { b.AvgPool(out, planes, rows, cols) },
		"AvgPoolGrad": func(out *device.Array) { b.AvgPoolGrad(out, random(8, 300, 8, 9), rows, cols) },
	} {
		t.Run(name, func(t *testing.T) {
			shape := map[string][]int{
				"Conv": {9, 6, 21, 19}, "ConvWeight": {6, 2, 3, 3},
				"NormalizeWeightGrad": {1, 4, 21, 1},
				"MaxPool":             {300, 8, 9}, "AvgPool": {300, 8, 9},
				"MaxPoolGrad": {300, 9, 11}, "AvgPoolGrad": {300, 9, 11},
			}[name]
			if shape == nil {
				shape = []int{9, 4, 21, 19}
			}
			many, alone := zeros[float32](shape...), zeros[float32](shape...)
			op(many)
			onOneCore(func() { op(alone) })
			if !slices.EqualFunc(dense[float32](many), dense[float32](alone), sameBits) {
				t.Error("the results differ")
			}
		})
	}
}

func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

// onOneCore calls f with the pool of workers switched off.
func onOneCore(f func()) {
	defer pool.Limit(0)()
	f()
}
