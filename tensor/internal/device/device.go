// Package device is the seam between tensor and the devices that compute: what an array in a
// device's memory looks like, and the short list of primitive ops that a device must offer. Each
// group of them has a file of its own, with the types that describe what is to be computed.
//
// Package tensor checks shapes and dtypes, allocates results and keeps the tape; a Backend only
// computes. Every primitive accepts arrays with any strides and any mix of element types.
package device

import "unsafe"

// DType is an element type. The numbers are those of tensor.DType.
type DType uint8

// firstDType is the number of the first element type. It is no size that a shape is likely to have:
// a size given where a dtype belongs, as in tensor.New(data, 4), is then no dtype and refused.
const firstDType = 161

// The element types. Zero is no type.
const (
	Float64 DType = iota + firstDType
	Float32
	Float16
	BFloat16
	Int64
	Bool
)

// Size returns the bytes that one element takes.
func (d DType) Size() int { return int(sizes[d.Index()]) }

var sizes = [...]uint8{0, 8, 4, 2, 2, 8, 1}

// Index numbers the element types from 1 and what is none 0, for tables.
func (d DType) Index() int {
	if d < Float64 || d > Bool {
		return 0
	}
	return int(d-Float64) + 1
}

// MaxDims is the largest number of dimensions that an array may have.
const MaxDims = 8

// An Array is a strided window on device memory. Element i, j, … lies Offset + i·Strides[0] +
// j·Strides[1] + … elements behind Data. A stride of zero repeats an element.
type Array struct {
	Data    unsafe.Pointer
	DType   DType
	Offset  int
	Shape   []int
	Strides []int
}

// Numel returns the number of elements.
func (a *Array) Numel() int {
	n := 1
	for _, s := range a.Shape {
		n *= s
	}
	return n
}

// Contiguous reports whether the elements lie one after another in row-major order.
func (a *Array) Contiguous() bool {
	want := 1
	for i := len(a.Shape) - 1; i >= 0; i-- {
		if a.Shape[i] == 1 {
			continue
		}
		if a.Strides[i] != want {
			return a.Numel() == 0
		}
		want *= a.Shape[i]
	}
	return true
}

// A Backend computes on the arrays of one device. Inputs are broadcast to the shape of the
// output where the op works element by element. 16-bit floats are computed in float32 and
// rounded once, when the result is stored; inputs and outputs may overlap only by being the
// same elements in the same order.
type Backend interface {
	Memory
	Elementwise
	Reductions
	Products
	Convolutions
	Poolings
	Normalizations
	Activations
	Softmaxes
	Losses
	Attentions
	Indexings
	Resamplings
	RandomNumbers
	Gradients
	Optimizers
}

// Fail ends an op with an error, where a device cannot go on. Package tensor sets it to what panics with
// a *tensor.Error.
var Fail = func(op, text string) { panic(op + ": " + text) }

// Products are the products of matrices.
type Products interface {
	// MatMul computes out[…, M, N] = a[…, M, K]·b[…, K, N]; e's bias is [N]. The leading dimensions
	// are broadcast. Sums are kept in float32 for 16-bit inputs.
	MatMul(out, a, b *Array, e Epilogue)
}

// An Epilogue is what happens to the sums of a product, in this order, before they are rounded to
// the type of the result. The zero value is nothing.
type Epilogue struct {
	Bias *Array // added, unless it is nil
	Via  DType  // a 16-bit type to which they are rounded first, where the result is float32, or 0
}
