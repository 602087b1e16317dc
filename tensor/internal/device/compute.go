package device

// ComputeIn returns the type that ops with outputs of d compute in.
func (d DType) ComputeIn() DType {
	switch d {
	case Float64, Int64:
		return d
	case Bool:
		return Int64
	}
	return Float32
}

// CompareIn returns the type in which elements of a and b can be compared.
func CompareIn(a, b DType) DType {
	a, b = a.ComputeIn(), b.ComputeIn()
	if a == Float64 || b == Float64 {
		return Float64
	}
	if a == Float32 || b == Float32 {
		return Float32
	}
	return Int64
}

// ConvertIn returns the type by way of which elements of x become such of out.
func ConvertIn(out, x DType) DType {
	switch out {
	case Float64:
		return out
	case Int64, Bool:
		return x.ComputeIn()
	}
	return Float32
}
