package simd

//go:noescape
func packTapsNEON(dst, src *float32, offsets *int, n int)

func packTaps(dst, src []float32, offsets []int) bool {
	if path != NEON {
		return false
	}
	packTapsNEON(&dst[0], &src[0], &offsets[0], len(offsets))
	return true
}
