package simd

import "unsafe"

//go:noescape
func packFloatRowsAVX512(dst *float32, src unsafe.Pointer, rowSrc, k int)

//go:noescape
func packHalfRowsAVX512(dst *float32, src unsafe.Pointer, rowSrc, k int)

//go:noescape
func packBFloatRowsAVX512(dst *float32, src unsafe.Pointer, rowSrc, k int)

//go:noescape
func packFloatRowsAVX2(dst *float32, src unsafe.Pointer, rowSrc, k int)

//go:noescape
func packHalfRowsAVX2(dst *float32, src unsafe.Pointer, rowSrc, k int)

//go:noescape
func packBFloatRowsAVX2(dst *float32, src unsafe.Pointer, rowSrc, k int)

//go:noescape
func packFloatColumnsAVX512(dst *float32, src unsafe.Pointer, colSrc, k, n int)

//go:noescape
func packHalfColumnsAVX512(dst *float32, src unsafe.Pointer, colSrc, k, n int)

//go:noescape
func packBFloatColumnsAVX512(dst *float32, src unsafe.Pointer, colSrc, k, n int)

//go:noescape
func packFloatColumnsAVX2(dst *float32, src unsafe.Pointer, colSrc, k int)

//go:noescape
func packHalfColumnsAVX2(dst *float32, src unsafe.Pointer, colSrc, k int)

//go:noescape
func packBFloatColumnsAVX2(dst *float32, src unsafe.Pointer, colSrc, k int)

//go:noescape
func packPairsAVX512(dst *float32, src unsafe.Pointer, rowSrc, k int)

//go:noescape
func interleaveAVX512(dst *uint32, lo, hi *uint16, n int)

func hasAVX512() bool { return path == AVX512 || path == AVX512BF16 }

// packRows fills a panel of [Panel] columns, if it can.
func packRows(dst *float32, e Elem, src unsafe.Pointer, rowSrc, k int) bool {
	wide := hasAVX512()
	if k == 0 || !wide && path != AVX2 {
		return false
	}
	switch {
	case e == Half && wide:
		packHalfRowsAVX512(dst, src, rowSrc, k)
	case e == Half:
		packHalfRowsAVX2(dst, src, rowSrc, k)
	case e == BFloat && wide:
		packBFloatRowsAVX512(dst, src, rowSrc, k)
	case e == BFloat:
		packBFloatRowsAVX2(dst, src, rowSrc, k)
	case wide:
		packFloatRowsAVX512(dst, src, rowSrc, k)
	default:
		packFloatRowsAVX2(dst, src, rowSrc, k)
	}
	return true
}

// packColumns fills a panel, if it can.
func packColumns(dst *float32, e Elem, src unsafe.Pointer, colSrc, k, n int) bool {
	switch {
	case k == 0:
		return false
	case hasAVX512():
		if n <= 16 {
			for to := unsafe.Slice(dst, k*Panel); len(to) > 0; to = to[Panel:] {
				clear(to[16:Panel])
			}
		}
		for j := 0; j < n; j += 16 {
			to := (*float32)(unsafe.Add(unsafe.Pointer(dst), 4*j))
			columnsAVX512(to, e, unsafe.Add(src, j*colSrc), colSrc, k, min(16, n-j))
		}
		return true
	case path == AVX2 && n == Panel:
		whole := k &^ 7
		for j := 0; j < Panel && whole > 0; j += 8 {
			columnsAVX2((*float32)(unsafe.Add(unsafe.Pointer(dst), 4*j)), e, unsafe.Add(src, j*colSrc),
				colSrc, whole)
		}
		if whole < k {
			rest := (*float32)(unsafe.Add(unsafe.Pointer(dst), 4*Panel*whole))
			PackAny(rest, e, unsafe.Add(src, whole*e.size()), e.size(), colSrc, k-whole, n)
		}
		return true
	}
	return false
}

func columnsAVX512(dst *float32, e Elem, src unsafe.Pointer, colSrc, k, n int) {
	switch e {
	case Half:
		packHalfColumnsAVX512(dst, src, colSrc, k, n)
	case BFloat:
		packBFloatColumnsAVX512(dst, src, colSrc, k, n)
	default:
		packFloatColumnsAVX512(dst, src, colSrc, k, n)
	}
}

func columnsAVX2(dst *float32, e Elem, src unsafe.Pointer, colSrc, k int) {
	switch e {
	case Half:
		packHalfColumnsAVX2(dst, src, colSrc, k)
	case BFloat:
		packBFloatColumnsAVX2(dst, src, colSrc, k)
	default:
		packFloatColumnsAVX2(dst, src, colSrc, k)
	}
}

// packPairs fills a panel of k rows of [Panel] pairs, if it can.
func packPairs(dst *float32, src unsafe.Pointer, rowSrc, k int) bool {
	if k == 0 || !hasAVX512() {
		return false
	}
	packPairsAVX512(dst, src, rowSrc, k)
	return true
}

// interleave does the beginning of Interleave and returns how much.
func interleave(dst []uint32, lo, hi []uint16) int {
	n := len(dst) &^ 15
	if n == 0 || !hasAVX512() {
		return 0
	}
	interleaveAVX512(&dst[0], &lo[:n][0], &hi[:n][0], n)
	return n
}
