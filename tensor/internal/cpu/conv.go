package cpu

import (
	"halfnote/tensor/internal/cpu/gemm"
	"halfnote/tensor/internal/device"
)

// A convolution is what its three products have in common.
type convolution struct {
	device.Conv
	x, w, y   *device.Array
	inC, outC int // channels of a group
}

func newConvolution(x, w, y *device.Array, c *device.Conv) *convolution {
	return &convolution{*c, x, w, y, x.Shape[1] / c.Groups, y.Shape[1] / c.Groups}
}

// sweep returns the sweep of the convolution to y along rows, 0, or columns, 1.
func (v *convolution) sweep(d int) sweep {
	return forwardSweep(v.x.Shape[2+d], v.w.Shape[2+d], v.y.Shape[2+d], v.Stride[d], v.Padding[d],
		v.Dilation[d])
}

// inputSweeps returns the sweeps of the products that together compute x.
func (v *convolution) inputSweeps(d int) []sweep {
	return inputSweeps(v.x.Shape[2+d], v.w.Shape[2+d], v.y.Shape[2+d], v.Stride[d], v.Padding[d],
		v.Dilation[d])
}

// Conv implements device.Backend.
func (b Backend) Conv(y, x, w, bias *device.Array, c *device.Conv) {
	v := newConvolution(x, w, y, c)
	switch {
	case v.pointwise():
		multiplyPoints(y, matrix(flat(w)), x, bias)
	case y.DType.ComputeIn() == device.Float64:
		conv[float64](b, v, bias)
	default:
		conv[float32](b, v, bias)
	}
}

func conv[T float](b Backend, v *convolution, bias *device.Array) {
	through[T](b, v.y, func(y *device.Array) {
		area := v.w.Shape[2] * v.w.Shape[3]
		weights := kernel[T]{dense[T](v.w), v.w.DType, v.w.Shape[3], v.outC * v.inC * area,
			v.inC * area, area}
		rows, cols := v.sweep(0), v.sweep(1)
		correlate(y, source[T](v.x), v.Groups, &rows, &cols, &weights, optional[T](bias))
	})
}

// ConvInput implements device.Backend.
func (b Backend) ConvInput(x, y, w, bias *device.Array, c *device.Conv) {
	v := newConvolution(x, w, y, c)
	switch {
	case v.pointwise():
		multiplyPoints(x, matrix(flat(w)).T(), y, bias)
	case x.DType.ComputeIn() == device.Float64:
		convInput[float64](b, v, bias)
	default:
		convInput[float32](b, v, bias)
	}
}

func convInput[T float](b Backend, v *convolution, bias *device.Array) {
	through[T](b, v.x, func(x *device.Array) {
		area := v.w.Shape[2] * v.w.Shape[3]
		weights := kernel[T]{dense[T](v.w), v.w.DType, v.w.Shape[3], v.outC * v.inC * area, area,
			v.inC * area}
		y, add := source[T](v.y), optional[T](bias)
		all := v.inputSweeps(1)
		for _, rows := range v.inputSweeps(0) {
			for _, cols := range all {
				correlate(x, y, v.Groups, &rows, &cols, &weights, add)
			}
		}
	})
}

// pointwise reports whether each pixel is multiplied by itself, all channels at a time, in a type
// that package gemm has.
func (v *convolution) pointwise() bool {
	return v.w.Shape[2] == 1 && v.w.Shape[3] == 1 && v.Groups == 1 &&
		v.Stride == [2]int{1, 1} && v.Padding == [2]int{} &&
		v.x.Shape[2] == v.y.Shape[2] && v.x.Shape[3] == v.y.Shape[3] &&
		isFloat(v.x) && isFloat(v.w) && isFloat(v.y) && v.x.Contiguous() && v.y.Contiguous()
}

// flat returns the first two dimensions of w.
func flat(w *device.Array) *device.Array {
	return &device.Array{Data: w.Data, DType: w.DType, Offset: w.Offset, Shape: w.Shape[:2],
		Strides: w.Strides[:2]}
}

// multiplyPoints computes out[n] = w·in[n] + bias for dense images in which all pixels are one
// dimension.
func multiplyPoints(out *device.Array, w gemm.Matrix, in, bias *device.Array) {
	area := out.Shape[2] * out.Shape[3]
	points := func(x *device.Array) gemm.Matrix {
		return gemm.Matrix{Data: begin(x), DType: x.DType, Row: area, Col: 1}
	}
	p := gemm.Product{M: out.Shape[1], N: area, K: in.Shape[1], A: w, B: points(in), C: points(out)}
	if bias != nil {
		p.Bias = matrix(bias).T()
	}
	if n := out.Shape[0]; n != 1 {
		p.Batch.Add(gemm.Dim{Size: n, B: p.K * area, C: p.M * area})
	}
	gemm.Multiply(&p)
}
