package cpu

import (
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// This file says which kernels of package simd compute the ops on rows of float16 and bfloat16
// without rows of float32 between.

// The kernels for float16 and for bfloat16 of each op that has some.
var (
	shortBinaries = [...][2]binaryKernels[uint16]{
		device.Add: {{simd.AddHalf, simd.AddScalarHalf, simd.AddScalarHalf},
			{simd.AddBFloat, simd.AddScalarBFloat, simd.AddScalarBFloat}},
		device.Sub: {{simd.SubHalf, minus(simd.AddScalarHalf), simd.ScalarSubHalf},
			{simd.SubBFloat, minus(simd.AddScalarBFloat), simd.ScalarSubBFloat}},
		device.Mul: {{simd.MulHalf, simd.MulScalarHalf, simd.MulScalarHalf},
			{simd.MulBFloat, simd.MulScalarBFloat, simd.MulScalarBFloat}},
		device.Div: {{simd.DivHalf, simd.DivScalarHalf, simd.ScalarDivHalf},
			{simd.DivBFloat, simd.DivScalarBFloat, simd.ScalarDivBFloat}},
		device.ReLUGrad: {{rows: simd.ReLUGradHalf}, {rows: simd.ReLUGradBFloat}},
	}
	shortUnaries = [...][2]func(out, x []uint16, c float32){
		device.ReLU:       {with(simd.MaxScalarHalf, 0), with(simd.MaxScalarBFloat, 0)},
		device.AddP:       {simd.AddScalarHalf, simd.AddScalarBFloat},
		device.MulP:       {simd.MulScalarHalf, simd.MulScalarBFloat},
		device.DivP:       {simd.DivScalarHalf, simd.DivScalarBFloat},
		device.MaxP:       {simd.MaxScalarHalf, simd.MaxScalarBFloat},
		device.MinP:       {simd.MinScalarHalf, simd.MinScalarBFloat},
		device.Reciprocal: {with(simd.ScalarDivHalf, 1), with(simd.ScalarDivBFloat, 1)},
	}
)

func minus[E float32 | uint16](f func(out, x []E, c float32)) func(out, x []E, c float32) {
	return func(out, x []E, c float32) { f(out, x, -c) }
}

func with(f func(out, x []uint16, c float32), c float32) func(out, x []uint16, c float32) {
	return func(out, x []uint16, _ float32) { f(out, x, c) }
}

// shortEncoding returns the place of a dtype in the tables.
func shortEncoding(d device.DType) (place int, ok bool) {
	switch d {
	case device.Float16:
		return 0, true
	case device.BFloat16:
		return 1, true
	}
	return 0, false
}

// unaryShorts computes the elements of l, and reports false where there is no kernel for the op or
// the layout.
func unaryShorts(op device.UnaryOp, l *loop, out, x *device.Array, p float64) bool {
	place, ok := shortEncoding(out.DType)
	if !ok || int(op) >= len(shortUnaries) || l.step[0] != 1 || l.step[1] != 1 || x.DType != out.DType {
		return false
	}
	f := shortUnaries[op][place]
	if f == nil {
		return false
	}
	for {
		off, n := l.next(l.n)
		if n == 0 {
			return true
		}
		f(elems[uint16](out, off[0], 1, n), elems[uint16](x, off[1], 1, n), float32(p))
	}
}
