package simd

import "unsafe"

//go:noescape
func kernelAVX512(rows, cols, k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool)

//go:noescape
func kernelPairs(rows, cols, k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool)

//go:noescape
func kernelAVX2(rows, cols, k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool)

//go:noescape
func kernelTapsAVX512(rows, cols, k int, a unsafe.Pointer, offsets *int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool)

//go:noescape
func kernelTapsPairs(rows, cols, k int, a unsafe.Pointer, offsets *int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool)

//go:noescape
func kernelTapsAVX2(rows, cols, k int, a unsafe.Pointer, offsets *int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool)

// kernel computes what fits into registers, at most what [kernels] says.
func kernel(rows, cols, k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool) {
	switch path {
	case AVX512, AVX512BF16:
		kernelAVX512(rows, cols, k, a, rowA, colA, b, rowB, c, rowC, add)
	case AVX2:
		kernelAVX2(rows, cols, k, a, rowA, colA, b, rowB, c, rowC, add)
	default:
		kernelGo(rows, cols, k, a, rowA, colA, b, rowB, c, rowC, add)
	}
}

// kernelTaps is kernel for columns of a that are dense and lie anywhere.
func kernelTaps(rows, cols, k int, a unsafe.Pointer, offsets *int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool) {
	switch path {
	case AVX512, AVX512BF16:
		kernelTapsAVX512(rows, cols, k, a, offsets, b, rowB, c, rowC, add)
	case AVX2:
		kernelTapsAVX2(rows, cols, k, a, offsets, b, rowB, c, rowC, add)
	default:
		kernelTapsGo(rows, cols, k, a, offsets, b, rowB, c, rowC, add)
	}
}
