package tensor

import (
	"strconv"

	"halfnote/tensor/internal/cpu/simd"
)

// A Half is an IEEE 754 binary16 number: 1 sign bit, 5 exponent bits, 10 bits of fraction. Its
// largest value is 65504, its smallest positive one 2⁻²⁴ ≈ 6e-8.
type Half uint16

// ToHalf rounds f to the nearest Half, ties to even. From 65520 on the result is infinite;
// subnormal results are kept.
func ToHalf(f float32) Half { return Half(simd.Float32ToFloat16(f)) }

// Float32 returns h as a float32, exactly.
func (h Half) Float32() float32 { return simd.Float16ToFloat32(uint16(h)) }

// String returns the value in the fewest digits that identify it as a float32.
func (h Half) String() string { return strconv.FormatFloat(float64(h.Float32()), 'g', -1, 32) }

// A BFloat is a bfloat16 number: the upper half of a float32, with 8 exponent bits and 7 bits of
// fraction.
type BFloat uint16

// ToBFloat rounds f to the nearest BFloat, ties to even.
func ToBFloat(f float32) BFloat { return BFloat(simd.Float32ToBFloat16(f)) }

// Float32 returns b as a float32, exactly.
func (b BFloat) Float32() float32 { return simd.BFloat16ToFloat32(uint16(b)) }

// String returns the value in the fewest digits that identify it as a float32.
func (b BFloat) String() string { return strconv.FormatFloat(float64(b.Float32()), 'g', -1, 32) }
