//go:build !amd64 && !arm64

package simd

import "unsafe"

// This file says that other processors have plain Go alone.

func detect() []Path { return nil }

func kernel(m, cols, k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool) {
	kernelGo(m, cols, k, a, rowA, colA, b, rowB, c, rowC, add)
}

func packRows(dst *float32, e Elem, src unsafe.Pointer, rowSrc, k int) bool { return false }

func packColumns(dst *float32, e Elem, src unsafe.Pointer, colSrc, k, n int) bool { return false }

func addRows(c, x []float32, e Elem, b unsafe.Pointer, rowB int) (rows, columns int) {
	panic("simd: no products of rows")
}

func multiplyDots(c, x []float32, e Elem, b unsafe.Pointer, colB int) int {
	panic("simd: no products of rows")
}

func unpackColumns(dst []float32, colDst int, panel []float32, k int, bias []float32,
) (rows, columns int) {
	return 0, 0
}

func kernelTaps(m, cols, k int, a unsafe.Pointer, offsets *int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool) {
	kernelTapsGo(m, cols, k, a, offsets, b, rowB, c, rowC, add)
}

func loadRows(dst []float32, pitch int, e Elem, src unsafe.Pointer, rowSrc, n, rows int) bool {
	return false
}

func maxPool2(y []float32, index []int64, x []float32, width, rows, cols int) bool { return false }

func storeRows(dst unsafe.Pointer, e Elem, rowDst int, sums unsafe.Pointer, rowSums, m, n int,
	bias *float32) bool {
	return false
}

func packTaps(dst, src []float32, offsets []int) bool { return false }
