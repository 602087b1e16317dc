package simd

import "unsafe"

//go:noescape
func kernelAVX512(m cut, cols, k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool)

//go:noescape
func kernelPairs(m cut, cols, k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool)

//go:noescape
func kernelAVX2(m cut, cols, k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool)

//go:noescape
func kernelTapsAVX512(m cut, cols, k int, a unsafe.Pointer, offsets *int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool)

//go:noescape
func kernelTapsPairs(m cut, cols, k int, a unsafe.Pointer, offsets *int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool)

//go:noescape
func kernelTapsAVX2(m cut, cols, k int, a unsafe.Pointer, offsets *int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool)

// kernel is [MultiplyPanel] for as many columns as [kernels] says at most.
func kernel(m, cols, k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool) {
	switch path {
	case AVX512, AVX512BF16:
		kernelAVX512(evenly(m), cols, k, a, rowA, colA, b, rowB, c, rowC, add)
	case AVX2:
		kernelAVX2(evenly(m), cols, k, a, rowA, colA, b, rowB, c, rowC, add)
	default:
		kernelGo(m, cols, k, a, rowA, colA, b, rowB, c, rowC, add)
	}
}

// kernelTaps is kernel for columns of a that are dense and lie anywhere.
func kernelTaps(m, cols, k int, a unsafe.Pointer, offsets *int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool) {
	switch path {
	case AVX512, AVX512BF16:
		kernelTapsAVX512(evenly(m), cols, k, a, offsets, b, rowB, c, rowC, add)
	case AVX2:
		kernelTapsAVX2(evenly(m), cols, k, a, offsets, b, rowB, c, rowC, add)
	default:
		kernelTapsGo(m, cols, k, a, offsets, b, rowB, c, rowC, add)
	}
}
