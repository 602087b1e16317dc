package simd

//go:noescape
func maxPool2NEON(y *float32, index *int64, x *float32, width, rows, cols int)

func maxPool2(y []float32, index []int64, x []float32, width, rows, cols int) bool {
	if path != NEON || cols < 4 {
		return false
	}
	maxPool2NEON(&y[0], &index[0], &x[0], width, rows, cols)
	return true
}
