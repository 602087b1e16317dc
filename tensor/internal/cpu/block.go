package cpu

import (
	"unsafe"

	"halfnote/tensor/internal/cpu/gemm"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// This file has the product of matrices that ops cut and pack themselves: in float32 by package
// gemm, in float64 in plain Go.

// multiplyBlock computes m rows and n columns of c = a·b, or of c += a·b if add. Element (i, p) of
// a is a[i*rowA+p*colA], row i of c begins at c[i*rowC], and b is packed in panels of k rows of
// gemm.Panel elements.
func multiplyBlock[T float](c []T, rowC int, a []T, rowA, colA int, panels []T, m, n, k int,
	add bool) {
	if m == 0 || n == 0 {
		return
	}
	if k == 0 {
		for i := 0; i < m && !add; i++ {
			clear(c[i*rowC:][:n])
		}
		return
	}
	if c, ok := single(c); ok {
		a, _ := single(a)
		panels, _ := single(panels)
		gemm.Block(c, rowC, a, rowA, colA, panels, m, n, k, add)
		return
	}
	for j := 0; j < n; j += gemm.Panel {
		panel := panels[j*k:]
		for i := range m {
			var sums [gemm.Panel]T
			for p := range k {
				v, line := a[i*rowA+p*colA], (*[gemm.Panel]T)(panel[p*gemm.Panel:])
				for q, w := range line {
					sums[q] += v * w
				}
			}
			line := c[i*rowC+j:][:min(gemm.Panel, n-j)]
			for q := range line {
				if add {
					line[q] += sums[q]
				} else {
					line[q] = sums[q]
				}
			}
		}
	}
}

// packBlock fills the panels of a matrix of k×n elements from off on in x.
func packBlock[T float](dst []T, x *device.Array, off, row, col, k, n int) {
	if dst, ok := single(dst); ok {
		data := unsafe.Add(x.Data, off*x.DType.Size())
		gemm.Pack(dst, gemm.Matrix{Data: data, DType: x.DType, Row: row, Col: col}, k, n)
		return
	}
	for j := 0; j < n; j += gemm.Panel {
		cols := min(gemm.Panel, n-j)
		for p := range k {
			line := dst[j*k+p*gemm.Panel:][:gemm.Panel]
			load(line[:cols], x, off+p*row+j*col, col)
			clear(line[cols:])
		}
	}
}

// packTaps fills a panel: row i is the elements of src from offsets[i] on.
func packTaps[T float](dst, src []T, offsets []int) {
	if dst, ok := single(dst); ok {
		src, _ := single(src)
		simd.PackTaps(dst, src, offsets)
		return
	}
	for _, off := range offsets {
		copy(dst[:gemm.Panel], src[off:])
		dst = dst[gemm.Panel:]
	}
}
