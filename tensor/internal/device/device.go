// Package device is the seam between tensor and the devices that compute: what an array in a
// device's memory looks like, and the short list of primitive ops that a device must offer.
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
	// Alloc returns zeroed memory for n elements, or says why the device cannot have it.
	Alloc(dtype DType, n int) (unsafe.Pointer, error)
	// FromHost copies host, which lies in the host's memory, to out and converts it.
	FromHost(out, host *Array)
	// ToHost waits for x to be computed, copies it to host and converts it.
	ToHost(host, x *Array)
	// Fill writes v to every element.
	Fill(out *Array, v float64)
	// Copy converts x to the dtype of out and broadcasts it to out's shape.
	Copy(out, x *Array)
	// Unary computes out = op(x); p is the parameter of the ops that have one.
	Unary(op UnaryOp, out, x *Array, p float64)
	// Binary computes out = op(a, b). A comparison writes bools.
	Binary(op BinaryOp, out, a, b *Array)
	// Ternary computes out = op(a, b, c); p is the parameter of the ops that have one.
	Ternary(op TernaryOp, out, a, b, c *Array, p float64)
	// Reduce folds the dimensions of x in which out has size 1; both have the same rank.
	Reduce(op ReduceOp, out, x *Array)
	// Softmax computes softmax or its logarithm along one dimension.
	Softmax(log bool, out, x *Array, axis int)
	// MatMul computes out[…, M, N] = a[…, M, K]·b[…, K, N] + bias[N]; bias may be nil. The leading
	// dimensions are broadcast. Sums are kept in float32 for 16-bit inputs.
	MatMul(out, a, b, bias *Array)
	// Gather computes out[i, j] = x[index[i, j], j] for axis 0, and so on for the others.
	Gather(out, x, index *Array, axis int)
	// ScatterAdd adds src[i, j] to out[index[i, j], j] for axis 0, and so on for the others.
	ScatterAdd(out, index, src *Array, axis int)
	// Unscale multiplies x by inv in place and counts infinities and NaNs before it, and those
	// that the multiplication made. counts is an int64 array of two elements.
	Unscale(x, counts *Array, inv float32)
	// Stats summarises x·scale.
	Stats(x *Array, scale float64) Stats
}

// Stats is what Backend.Stats finds.
type Stats struct {
	Zeros      int     // elements that are exactly zero in float16
	Subnormals int     // elements whose float16 magnitude is subnormal
	Infs, NaNs int     // elements that are not finite
	Total      int     // all elements
	SumSquares float64 // of the finite and non-finite alike
	SumAbs     float64
	MaxAbs     float64
}

// UnaryOp names an op on one array.
type UnaryOp uint8

// The ops on one array; those after AddP take the parameter p.
const (
	Neg UnaryOp = iota
	Abs
	Sign
	Exp
	Log
	Sqrt
	Rsqrt
	Reciprocal
	Tanh
	Sigmoid
	ReLU
	IsFinite
	IsNaN
	Not
	AddP // x + p
	MulP // x · p
	DivP // x ÷ p
	PowP // xᵖ
	MaxP // max(x, p)
	MinP // min(x, p)
	EqP  // x == p
	NeP  // x != p
	LtP  // x < p
	LeP  // x <= p
	GtP  // x > p
	GeP  // x >= p
)

// BinaryOp names an op on two arrays.
type BinaryOp uint8

// The ops on two arrays. Those from Eq on write bools.
const (
	Add BinaryOp = iota
	Sub
	Mul
	Div
	Pow
	Maximum
	Minimum
	ReLUGrad    // b where a > 0, else 0; a NaN in a lets b through
	TanhGrad    // b·(1 − a²)
	SigmoidGrad // b·a·(1 − a)
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	And
	Or
)

// TernaryOp names an op on three arrays.
type TernaryOp uint8

// The ops on three arrays.
const (
	Where   TernaryOp = iota // b where a, else c
	Addcmul                  // a + p·b·c
	Addcdiv                  // a + p·b ÷ c
)

// ReduceOp names a fold over dimensions.
type ReduceOp uint8

// The folds. NaN wins in Max and Min; the first of equal elements wins in ArgMax and ArgMin.
const (
	Sum ReduceOp = iota
	Mean
	Max
	Min
	ArgMax
	ArgMin
)
