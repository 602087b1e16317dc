//go:build !amd64

package simd

func packTaps(dst, src []float32, offsets []int) bool { return false }

func maxPool2(y []float32, index []int64, x []float32, width, rows, cols int) bool { return false }
