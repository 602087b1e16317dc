package simd

import "math"

//go:noescape
func packTapsAVX512(dst, src *float32, offsets *int, n int)

//go:noescape
func packTapsAVX2(dst, src *float32, offsets *int, n int)

//go:noescape
func maxPool2AVX512(y *float32, index *int64, x *float32, width, rows, cols int)

//go:noescape
func maxPool2AVX2(y *float32, index *int64, x *float32, width, rows, cols int)

func packTaps(dst, src []float32, offsets []int) bool {
	switch {
	case hasAVX512():
		packTapsAVX512(&dst[0], &src[0], &offsets[0], len(offsets))
	case path == AVX2:
		packTapsAVX2(&dst[0], &src[0], &offsets[0], len(offsets))
	default:
		return false
	}
	return true
}

// maxPool2 computes in 32 bits where the elements are.
func maxPool2(y []float32, index []int64, x []float32, width, rows, cols int) bool {
	switch {
	case 2*rows*width > math.MaxInt32:
		return false
	case hasAVX512():
		maxPool2AVX512(&y[0], &index[0], &x[0], width, rows, cols)
	case path == AVX2 && cols >= 8:
		maxPool2AVX2(&y[0], &index[0], &x[0], width, rows, cols)
	default:
		return false
	}
	return true
}
