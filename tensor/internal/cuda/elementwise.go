//go:build cuda

package cuda

import (
	"math"

	"halfnote/tensor/internal/device"
)

var (
	unaries   = newFamily[elements]("unary", "unary", true, allCompute...)
	binaries  = newFamily[elements]("binary", "binary", true, allCompute...)
	ternaries = newFamily[elements]("ternary", "ternary", false, allCompute...)
)

// Unary implements device.Elementwise.
func (b *Backend) Unary(op device.UnaryOp, out, x *device.Array, p float64) {
	in := out.DType.ComputeIn()
	if op >= device.EqP || op >= device.IsFinite && op <= device.Not { // the result is a bool
		in = x.DType.ComputeIn()
		if in == device.Int64 && (p != math.Trunc(p) || math.Abs(p) >= 1<<63) {
			in = device.Float64 // 2 < 2.5 and 2 < ∞ must not be asked of integers
		}
	}
	each := 1
	switch op {
	case device.ReLU, device.AddP, device.MulP:
		each = 2
	}
	if unaryRare(op, in) {
		each = 0
	}
	unaries.run(b, in, each, func(e elements) elements {
		e.Op, e.P = int32(op), p
		return e
	}, out, x)
}

// unaryRare reports whether op is a call for each element, of which the time is not in the memory.
func unaryRare(op device.UnaryOp, in device.DType) bool {
	switch op {
	case device.Exp, device.Log, device.Tanh, device.Sigmoid, device.Erf, device.Sqrt, device.Reciprocal:
		return in != device.Float32
	case device.Neg, device.Abs, device.Sign, device.ReLU, device.AddP, device.MulP, device.DivP, device.MaxP, device.MinP,
		device.IsFinite, device.IsInf, device.IsNaN, device.Not:
		return false
	}
	return op < device.EqP
}

// Binary implements device.Elementwise.
func (b *Backend) Binary(op device.BinaryOp, out, x, y *device.Array) {
	in := out.DType.ComputeIn()
	if op >= device.Eq {
		in = device.CompareIn(x.DType, y.DType)
	}
	each := 1
	switch op {
	case device.Pow, device.Atan2, device.Fmod, device.Remainder:
		each = 0
	case device.Add, device.Sub, device.Mul, device.ReLUGrad:
		each = 2
	}
	binaries.run(b, in, each, func(e elements) elements {
		e.Op = int32(op)
		return e
	}, out, x, y)
}

// Ternary implements device.Elementwise.
func (b *Backend) Ternary(op device.TernaryOp, out, x, y, z *device.Array, p float64) {
	ternaries.run(b, out.DType.ComputeIn(), 1, func(e elements) elements {
		e.Op, e.P = int32(op), p
		return e
	}, out, x, y, z)
}
