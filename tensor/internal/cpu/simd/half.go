package simd

import "math"

// This file implements the conversions between float32 and the two 16-bit formats. All of them
// round to the nearest value, ties to even, keep subnormals and keep NaN a NaN.

// Float16ToFloat32 widens an IEEE 754 binary16 value, exactly.
func Float16ToFloat32(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	bits := uint32(h&0x7fff) << 13
	if bits >= 0x1f<<23 { // exponent field 31 in its new place: infinity or NaN
		return math.Float32frombits(sign | bits | 0xff<<23)
	}
	// Multiplying by 2^112 moves the exponent from bias 15 to bias 127, and normalises what was
	// subnormal.
	f := math.Float32frombits(bits) * 0x1p112
	return math.Float32frombits(sign | math.Float32bits(f))
}

// Float32ToFloat16 rounds to IEEE 754 binary16. From 65520 on the result is infinite.
func Float32ToFloat16(f float32) uint16 {
	bits := math.Float32bits(f)
	sign := uint16(bits >> 16 & 0x8000)
	bits &= 0x7fffffff
	if bits >= 0x47800000 { // 65536
		return sign | infOrNaN(bits)
	}
	h := (bits - 112<<23 + 0xfff + bits>>13&1) >> 13
	// Next to 0.5 a float32 has steps of 2^-24, the smallest binary16: the addition rounds. Zeros
	// come and go unpredictably behind a ReLU, so both results are computed and one is selected.
	small := math.Float32bits(math.Float32frombits(bits)+0.5) - 0x3f000000
	if bits < 0x38800000 { // 2^-14: subnormal in binary16
		h = small
	}
	return sign | uint16(h)
}

func infOrNaN(bits uint32) uint16 {
	if bits > 0x7f800000 {
		return 0x7e00 | uint16(bits>>13&0x3ff)
	}
	return 0x7c00
}

// BFloat16ToFloat32 widens a bfloat16 value, exactly.
func BFloat16ToFloat32(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }

// Float32ToBFloat16 rounds to bfloat16.
func Float32ToBFloat16(f float32) uint16 {
	bits := math.Float32bits(f)
	if bits&0x7fffffff > 0x7f800000 {
		return uint16(bits>>16) | 0x40
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}
