package simd

//go:noescape
func packTapsAVX512(dst, src *float32, offsets *int, n int)

//go:noescape
func packTapsAVX2(dst, src *float32, offsets *int, n int)

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
