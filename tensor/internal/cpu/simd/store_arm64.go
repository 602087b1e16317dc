package simd

import "unsafe"

//go:noescape
func storeFloatNEON(dst unsafe.Pointer, rowDst int, sums unsafe.Pointer, rowSums, m int,
	bias *float32)

//go:noescape
func storeHalfNEON(dst unsafe.Pointer, rowDst int, sums unsafe.Pointer, rowSums, m int,
	bias *float32)

//go:noescape
func storeBFloatNEON(dst unsafe.Pointer, rowDst int, sums unsafe.Pointer, rowSums, m int,
	bias *float32)

// storeRows stores [Panel] columns, if it can.
func storeRows(dst unsafe.Pointer, e Elem, rowDst int, sums unsafe.Pointer, rowSums, m, n int,
	bias *float32) bool {
	if path != NEON || n != Panel {
		return false
	}
	switch e {
	case Half:
		storeHalfNEON(dst, rowDst, sums, rowSums, m, bias)
	case BFloat:
		storeBFloatNEON(dst, rowDst, sums, rowSums, m, bias)
	default:
		storeFloatNEON(dst, rowDst, sums, rowSums, m, bias)
	}
	return true
}
