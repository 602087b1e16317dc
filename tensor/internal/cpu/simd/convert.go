package simd

// This file has the conversions of rows between float32 and the 16-bit formats; half.go has those
// of one number.

// WidenHalf computes dst from src in float16, exactly.
func WidenHalf(dst []float32, src []uint16) {
	for i, v := range src[:len(dst)] {
		dst[i] = Float16ToFloat32(v)
	}
}

// NarrowHalf rounds src to float16: to nearest, ties to even.
func NarrowHalf(dst []uint16, src []float32) {
	for i, v := range src[:len(dst)] {
		dst[i] = Float32ToFloat16(v)
	}
}

// WidenBFloat computes dst from src in bfloat16, exactly.
func WidenBFloat(dst []float32, src []uint16) {
	for i, v := range src[:len(dst)] {
		dst[i] = BFloat16ToFloat32(v)
	}
}

// NarrowBFloat rounds src to bfloat16: to nearest, ties to even, subnormals kept.
func NarrowBFloat(dst []uint16, src []float32) {
	for i, v := range src[:len(dst)] {
		dst[i] = Float32ToBFloat16(v)
	}
}
