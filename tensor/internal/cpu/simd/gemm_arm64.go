package simd

import "unsafe"

//go:noescape
func kernelNEON(rows, cols, k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool)

//go:noescape
func kernelTapsNEON(rows, cols, k int, a unsafe.Pointer, offsets *int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool)

// kernel computes what fits into registers, at most what [kernels] says.
func kernel(rows, cols, k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool) {
	if path == NEON {
		kernelNEON(rows, cols, k, a, rowA, colA, b, rowB, c, rowC, add)
	} else {
		kernelGo(rows, cols, k, a, rowA, colA, b, rowB, c, rowC, add)
	}
}

// kernelTaps is kernel for columns of a that are dense and lie anywhere.
func kernelTaps(rows, cols, k int, a unsafe.Pointer, offsets *int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool) {
	if path == NEON {
		kernelTapsNEON(rows, cols, k, a, offsets, b, rowB, c, rowC, add)
	} else {
		kernelTapsGo(rows, cols, k, a, offsets, b, rowB, c, rowC, add)
	}
}
