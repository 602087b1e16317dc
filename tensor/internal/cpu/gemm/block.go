package gemm

import (
	"unsafe"

	"halfnote/tensor/internal/cpu/simd"
)

// This file has the parts for those who pack the right-hand matrix themselves.

// Panel is the number of columns of a packed panel.
const Panel = simd.Panel

// What a call of [Block] should be given at most, to stay in the caches: steps of the sum
// and rows.
const (
	BlockK = 512
	BlockM = 128
)

// Panels returns the number of panels that n columns take.
func Panels(n int) int { return (n + Panel - 1) / Panel }

// Block computes m rows and n columns of c = a·b, or of c += a·b if add. Element (i, p) of a is
// a[i*rowA+p*colA]; row i of c begins at c[i*rowC]; b is packed in panels of k rows of [Panel]
// float32, one panel behind the other. No worker takes part.
func Block(c []float32, rowC int, a []float32, rowA, colA int, panels []float32, m, n, k int,
	add bool) {
	pa := unsafe.Pointer(unsafe.SliceData(a))
	for j := 0; j < n; j += Panel {
		b := unsafe.Pointer(unsafe.SliceData(panels[j*k : (j+Panel)*k]))
		simd.MultiplyPanel(m, min(Panel, n-j), k, pa, 4*rowA, 4*colA, b, 4*Panel,
			unsafe.Pointer(&c[j]), 4*rowC, add, nil)
	}
}

// Pack fills the panels of a k×n matrix, any of the three types.
func Pack(dst []float32, b Matrix, k, n int) {
	for j := 0; j < n; j += Panel {
		packPanel(dst[j*k:(j+Panel)*k], b.At(0, j), k, min(Panel, n-j))
	}
}

// packPanel fills one panel of n columns.
func packPanel(dst []float32, b Matrix, k, n int) {
	if k == 0 {
		return
	}
	e, size := b.elem(), b.size()
	switch {
	case b.Col == 1:
		simd.PackRows(&dst[0], e, b.Data, b.Row*size, k, n)
	case b.Row == 1:
		simd.PackColumns(&dst[0], e, b.Data, b.Col*size, k, n)
	default:
		simd.PackAny(&dst[0], e, b.Data, b.Row*size, b.Col*size, k, n)
	}
}

// packPanelPairs fills one panel of n columns with pairs.
func packPanelPairs(dst []float32, b Matrix, k, n int) {
	switch {
	case k == 0:
	case b.Col == 1:
		simd.PackPairs(dst, Panel, b.Data, b.Row*2, k, n)
	case b.Row == 1:
		half := k / 2
		if half > 0 {
			simd.PackColumns(&dst[0], simd.Pair, b.Data, b.Col*2, half, n)
		}
		if k%2 != 0 {
			packAnyPairs(dst[half*Panel:], b.At(2*half, 0), 1, n)
		}
	default:
		packAnyPairs(dst, b, k, n)
	}
}

func packAnyPairs(dst []float32, b Matrix, k, n int) {
	to := unsafe.Slice((*uint32)(unsafe.Pointer(&dst[0])), (k+1)/2*Panel)
	for p := 0; p < k; p += 2 {
		for j := range n {
			to[j] = b.pair(p, j, p+1 == k)
		}
		clear(to[n:Panel])
		to = to[Panel:]
	}
}

// Pitch returns the distance of lines of n float32: whole cache lines, and no power of two, which
// would put neighbours into the same places of the cache.
func Pitch(n int) int { return (n+15)&^15 + 16 }

// packLeft copies an m×k piece of the left-hand matrix to dst as float32, in rows or in columns as
// they lie, and returns its strides.
func packLeft(dst []float32, a Matrix, m, k int) (row, col int) {
	if a.Row == 1 && a.Col != 1 {
		col = Pitch(m)
		t := a.T()
		for p := range k {
			t.line(dst[p*col:][:m], p, 0)
		}
		return 1, col
	}
	if a.Col == 1 && a.Row == k && k%256 != 0 { // whole rows, which do not meet in the cache
		a.line(dst[:m*k], 0, 0)
		return k, 1
	}
	row = Pitch(k)
	for i := range m {
		a.line(dst[i*row:][:k], i, 0)
	}
	return row, 1
}

// packLeftPairs does the same with pairs of bfloat16; k counts elements, strides count pairs.
func packLeftPairs(dst []float32, a Matrix, m, k int) (row, col int) {
	half := (k + 1) / 2
	to := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(dst))), len(dst))
	if a.Row == 1 && a.Col != 1 {
		col = Pitch(m)
		simd.PackPairs(dst, col, a.Data, a.Col*2, k, m)
		return 1, col
	}
	row = Pitch(half)
	t := a.T()
	for i := range m {
		line := to[i*row:][:half]
		if a.Col == 1 {
			copy(halves(unsafe.Pointer(&line[0]), 2*half), halves(a.ptr(i, 0), k))
			if k%2 != 0 {
				line[half-1] &= 0xffff
			}
			continue
		}
		for p := range line {
			line[p] = t.pair(2*p, i, 2*p+1 == k)
		}
	}
	return row, 1
}
