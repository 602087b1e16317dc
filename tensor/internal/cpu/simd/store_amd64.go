package simd

import "unsafe"

//go:noescape
func storeFloatAVX512(dst unsafe.Pointer, rowDst int, sums unsafe.Pointer, rowSums, m, n int,
	bias *float32)

//go:noescape
func storeHalfAVX512(dst unsafe.Pointer, rowDst int, sums unsafe.Pointer, rowSums, m, n int,
	bias *float32)

//go:noescape
func storeBFloatAVX512(dst unsafe.Pointer, rowDst int, sums unsafe.Pointer, rowSums, m, n int,
	bias *float32)

//go:noescape
func storeBFloatAVX512BF16(dst unsafe.Pointer, rowDst int, sums unsafe.Pointer, rowSums, m, n int,
	bias *float32)

//go:noescape
func storeFloatAVX2(dst unsafe.Pointer, rowDst int, sums unsafe.Pointer, rowSums, m, n int,
	bias *float32)

//go:noescape
func storeHalfAVX2(dst unsafe.Pointer, rowDst int, sums unsafe.Pointer, rowSums, m, n int,
	bias *float32)

//go:noescape
func storeBFloatAVX2(dst unsafe.Pointer, rowDst int, sums unsafe.Pointer, rowSums, m, n int,
	bias *float32)

// storeRows stores up to [Panel] columns, if it can.
func storeRows(dst unsafe.Pointer, e Elem, rowDst int, sums unsafe.Pointer, rowSums, m, n int,
	bias *float32) bool {
	wide := hasAVX512()
	if !wide && (path != AVX2 || n != Panel) {
		return false
	}
	switch {
	case e == Half && wide:
		storeHalfAVX512(dst, rowDst, sums, rowSums, m, n, bias)
	case e == Half:
		storeHalfAVX2(dst, rowDst, sums, rowSums, m, n, bias)
	case e == BFloat && path == AVX512BF16:
		storeBFloatAVX512BF16(dst, rowDst, sums, rowSums, m, n, bias)
	case e == BFloat && wide:
		storeBFloatAVX512(dst, rowDst, sums, rowSums, m, n, bias)
	case e == BFloat:
		storeBFloatAVX2(dst, rowDst, sums, rowSums, m, n, bias)
	case wide:
		storeFloatAVX512(dst, rowDst, sums, rowSums, m, n, bias)
	default:
		storeFloatAVX2(dst, rowDst, sums, rowSums, m, n, bias)
	}
	return true
}
