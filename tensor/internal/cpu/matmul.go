package cpu

import (
	"halfnote/tensor/internal/cpu/gemm"
	"halfnote/tensor/internal/device"
)

// MatMul implements device.Backend.
func (Backend) MatMul(out, a, b *device.Array, e device.Epilogue) {
	switch out.DType.ComputeIn() {
	case device.Float32:
		matmulFloat(out, a, b, e)
	case device.Float64:
		matmul[float64](out, a, b, e.Bias)
	default:
		matmul[int64](out, a, b, e.Bias)
	}
}

// matmulFloat is MatMul for what package gemm multiplies: matrices of float32, float16 and bfloat16.
func matmulFloat(out, a, b *device.Array, e device.Epilogue) {
	last := len(out.Shape) - 1
	p := gemm.Product{
		M: out.Shape[last-1], N: out.Shape[last], K: a.Shape[len(a.Shape)-1],
		A: matrix(a), B: matrix(b), C: matrix(out),
	}
	p.Via = e.Via
	if e.Bias != nil {
		p.Bias = matrix(e.Bias)
	}
	for d, n := range out.Shape[:last-1] {
		if n != 1 {
			p.Batch.Add(gemm.Dim{Size: n, C: out.Strides[d],
				A: outerStride(a, d-len(out.Shape)), B: outerStride(b, d-len(out.Shape))})
		}
	}
	gemm.Multiply(&p)
}

// matrix returns the last two dimensions of x, or its only one as a row that is repeated.
func matrix(x *device.Array) gemm.Matrix {
	n := len(x.Strides)
	m := gemm.Matrix{Data: begin(x), DType: x.DType, Col: x.Strides[n-1]}
	if n > 1 {
		m.Row = x.Strides[n-2]
	}
	return m
}

// outerStride returns the stride of the dimension of x that is d from the end, d < 0, where x is
// broadcast.
func outerStride(x *device.Array, d int) int {
	if d += len(x.Shape); d >= 0 && x.Shape[d] != 1 {
		return x.Strides[d]
	}
	return 0
}
