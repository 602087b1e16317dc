package simd

import "unsafe"

//go:noescape
func kernelNEON(rows, cols, k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool)

//go:noescape
func kernelTapsNEON(rows, cols, k int, a unsafe.Pointer, offsets *int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool)

// kernel is [MultiplyPanel] for as many columns as [kernels] says at most.
func kernel(m, cols, k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool) {
	if path != NEON {
		kernelGo(m, cols, k, a, rowA, colA, b, rowB, c, rowC, add)
		return
	}
	for i, rows := range evenly(m).blocks {
		kernelNEON(rows, cols, k, unsafe.Add(a, i*rowA), rowA, colA, b, rowB, unsafe.Add(c, i*rowC), rowC,
			add)
	}
}

// kernelTaps is kernel for columns of a that are dense and lie anywhere.
func kernelTaps(m, cols, k int, a unsafe.Pointer, offsets *int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool) {
	if path != NEON {
		kernelTapsGo(m, cols, k, a, offsets, b, rowB, c, rowC, add)
		return
	}
	for i, rows := range evenly(m).blocks {
		kernelTapsNEON(rows, cols, k, unsafe.Add(a, i*4), offsets, b, rowB, unsafe.Add(c, i*rowC), rowC,
			add)
	}
}
