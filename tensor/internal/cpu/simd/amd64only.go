//go:build !amd64

package simd

import "unsafe"

// This file says that only amd64 has these kernels.

func kernelPairs(m cut, cols, k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool) {
	panic("simd: no products of pairs")
}

func kernelTapsPairs(m cut, cols, k int, a unsafe.Pointer, offsets *int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool) {
	panic("simd: no products of pairs")
}

func loadPairRows(dst []float32, pitch int, src unsafe.Pointer, rowSrc, n, rows, next int) bool {
	return false
}
