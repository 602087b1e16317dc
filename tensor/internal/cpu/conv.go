package cpu

import (
	"unsafe"

	"halfnote/tensor/internal/device"
)

// A convolution is the three matrix products of device.Convolutions on dense elements. Rows of the
// weight matrix are output channels, its columns the places (c, k, l) of a window; the pixels of
// y, counted through all images, are the columns of the matrix of patches, which never exists as a
// whole: a tile of it is packed for the micro-kernel of MatMul at a time.
type convolution[T float] struct {
	device.Conv
	x, w, y []T

	images    int
	chansX    int // channels of x, in all groups
	chansY    int
	inC, outC int // channels in a group
	h, wide   int // sizes of x
	kh, kw    int // of the kernel
	oh, ow    int // of y
	window    int // places of a window: inC·kh·kw
	areaX     int // h·wide
	areaY     int // oh·ow
	pixels    int // areaY of all images
}

// newConvolution reads the sizes off the shapes.
func newConvolution[T float](x, w, y *device.Array, c *device.Conv) *convolution[T] {
	v := &convolution[T]{Conv: *c, images: x.Shape[0], chansX: x.Shape[1], chansY: y.Shape[1],
		h: x.Shape[2], wide: x.Shape[3], kh: w.Shape[2], kw: w.Shape[3],
		oh: y.Shape[2], ow: y.Shape[3]}
	v.inC, v.outC = v.chansX/c.Groups, v.chansY/c.Groups
	v.window = v.inC * v.kh * v.kw
	v.areaX, v.areaY = v.h*v.wide, v.oh*v.ow
	v.pixels = v.images * v.areaY
	return v
}

// Conv implements device.Backend.
func (b Backend) Conv(y, x, w, bias *device.Array, c *device.Conv) {
	if computeIn(y.DType) == device.Float64 {
		conv[float64](b, y, x, w, bias, c)
		return
	}
	conv[float32](b, y, x, w, bias, c)
}

func conv[T float](b Backend, y, x, w, bias *device.Array, c *device.Conv) {
	v := newConvolution[T](x, w, y, c)
	v.x, v.w = dense[T](x), dense[T](w)
	into(b, y, func(out []T) {
		v.y = out
		v.forward(optional[T](bias))
	})
}

// ConvInput implements device.Backend.
func (b Backend) ConvInput(x, y, w, bias *device.Array, c *device.Conv) {
	if computeIn(x.DType) == device.Float64 {
		convInput[float64](b, x, y, w, bias, c)
		return
	}
	convInput[float32](b, x, y, w, bias, c)
}

func convInput[T float](b Backend, x, y, w, bias *device.Array, c *device.Conv) {
	v := newConvolution[T](x, w, y, c)
	v.y, v.w = dense[T](y), dense[T](w)
	into(b, x, func(out []T) {
		v.x = out
		v.input(optional[T](bias))
	})
}

// ConvWeight implements device.Backend.
func (b Backend) ConvWeight(w, x, y *device.Array, c *device.Conv) {
	if computeIn(w.DType) == device.Float64 {
		convWeight[float64](b, w, x, y, c)
		return
	}
	convWeight[float32](b, w, x, y, c)
}

func convWeight[T float](b Backend, w, x, y *device.Array, c *device.Conv) {
	v := newConvolution[T](x, w, y, c)
	v.x, v.y = dense[T](x), dense[T](y)
	into(b, w, func(out []T) {
		v.w = out
		v.weight()
	})
}

// dense returns the elements of a in row-major order as T: in place where they lie so, else a copy.
func dense[T number](a *device.Array) []T {
	n := a.Numel()
	if a.DType == dtypeOf[T]() && a.Contiguous() {
		return elems[T](a, a.Offset, 1, n)
	}
	values := make([]T, n)
	out := denseArray(values, a.Shape)
	Backend{}.Copy(&out, a)
	return values
}

// optional is dense, or nil for nil.
func optional[T number](a *device.Array) []T {
	if a == nil {
		return nil
	}
	return dense[T](a)
}

// into calls f with the elements of out in row-major order as T, or with zeros that are then
// converted into out, which begins as zeros in either case.
func into[T number](b Backend, out *device.Array, f func(values []T)) {
	if out.DType == dtypeOf[T]() && out.Contiguous() {
		f(elems[T](out, out.Offset, 1, out.Numel()))
		return
	}
	values := make([]T, out.Numel())
	f(values)
	from := denseArray(values, out.Shape)
	b.Copy(out, &from)
}

// denseArray describes values as a row-major array.
func denseArray[T number](values []T, shape []int) device.Array {
	a := device.Array{DType: dtypeOf[T](), Shape: shape, Strides: make([]int, len(shape))}
	step := 1
	for d := len(shape) - 1; d >= 0; d-- {
		a.Strides[d] = step
		step *= shape[d]
	}
	if len(values) > 0 {
		a.Data = unsafe.Pointer(unsafe.SliceData(values))
	}
	return a
}
