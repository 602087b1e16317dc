package simd

import "math"

// This file has the conversions of rows between float32 and the 16-bit formats in plain Go;
// half.go has those of one number.

func widenHalfGo(dst []float32, src []uint16) {
	for i, v := range src[:len(dst)] {
		dst[i] = Float16ToFloat32(v)
	}
}

func narrowHalfGo(dst []uint16, src []float32) {
	for i, v := range src[:len(dst)] {
		dst[i] = Float32ToFloat16(v)
	}
}

func widenBFloatGo(dst []float32, src []uint16) {
	for i, v := range src[:len(dst)] {
		dst[i] = BFloat16ToFloat32(v)
	}
}

func narrowBFloatGo(dst []uint16, src []float32) {
	for i, v := range src[:len(dst)] {
		dst[i] = Float32ToBFloat16(v)
	}
}

func upperGo(dst []uint16, src []float32) {
	for i, v := range src[:len(dst)] {
		dst[i] = uint16(math.Float32bits(v) >> 16)
	}
}
