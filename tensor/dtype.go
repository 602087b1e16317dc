package tensor

import "halfnote/tensor/internal/device"

// A DType is the type of a tensor's elements. Its zero value means that none was chosen.
type DType uint8

// The element types. BFloat16 has float32's range and 8 bits of precision, Float16 has 11 bits of
// precision and overflows at 65520. Both are computed in float32 and rounded once.
const (
	Float64  = DType(device.Float64)
	Float32  = DType(device.Float32)
	Float16  = DType(device.Float16)
	BFloat16 = DType(device.BFloat16)
	Int64    = DType(device.Int64)
	Bool     = DType(device.Bool)
)

var dtypeNames = [...]string{"unset", "float64", "float32", "float16", "bfloat16", "int64", "bool"}

// String returns the name that PyTorch gives the type, such as float16.
func (d DType) String() string {
	return dtypeNames[device.DType(d).Index()]
}

// IsFloat reports whether d is one of the four floating-point types.
func (d DType) IsFloat() bool { return d >= Float64 && d <= BFloat16 }

// Size returns the number of bytes that an element takes.
func (d DType) Size() int { return device.DType(d).Size() }

func (d DType) isHalf() bool { return d == Float16 || d == BFloat16 }

func (DType) isTarget() {}

// oneDType returns the only dtype given to op, or none. Sizes, which the compiler takes for dtypes,
// are refused.
func oneDType(op string, given []DType) DType {
	for _, d := range given {
		if d != 0 && device.DType(d).Index() == 0 {
			fail(op, "%d is no dtype, as tensor.Float16 is; Reshape gives a tensor a shape",
				uint8(d))
		}
	}
	return one(op, given)
}

// promote returns the type of a result whose operands have types a and b: the wider one, and
// float32 for two different 16-bit types.
func promote(a, b DType) DType {
	switch {
	case a == b:
		return a
	case a.isHalf() && b.isHalf():
		return Float32
	case a < b: // the constants are in falling order of width
		return a
	}
	return b
}

// promoteTensors is promote for two tensors. As in PyTorch, a tensor without dimensions counts
// only where it is of a higher category: float before integer before bool.
func promoteTensors(a, b *Tensor) DType {
	x, y := a.DType(), b.DType()
	if da, db := len(a.arr.Shape) == 0, len(b.arr.Shape) == 0; da != db {
		if da && category(x) <= category(y) {
			return y
		}
		if db && category(y) <= category(x) {
			return x
		}
	}
	return promote(x, y)
}

func category(d DType) int {
	switch d {
	case Bool:
		return 0
	case Int64:
		return 1
	}
	return 2
}

// floating returns the type of a function such as exp or a quotient applied to type d.
func floating(d DType) DType {
	if d.IsFloat() {
		return d
	}
	return Float32
}

// sumType returns the dtype of a sum or product of elements of type d, where none is given.
func sumType(d DType) DType {
	if d.IsFloat() {
		return d
	}
	return Int64
}
