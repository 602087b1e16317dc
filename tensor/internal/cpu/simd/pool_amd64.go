package simd

//go:noescape
func maxPool2AVX512(y *float32, index *int64, x *float32, width, rows, cols int)

//go:noescape
func maxPool2AVX2(y *float32, index *int64, x *float32, width, rows, cols int)

func maxPool2(y []float32, index []int64, x []float32, width, rows, cols int) bool {
	switch {
	case hasAVX512():
		maxPool2AVX512(&y[0], &index[0], &x[0], width, rows, cols)
	case path == AVX2 && cols >= 8:
		maxPool2AVX2(&y[0], &index[0], &x[0], width, rows, cols)
	default:
		return false
	}
	return true
}
