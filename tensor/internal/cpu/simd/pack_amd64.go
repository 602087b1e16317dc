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
func loadFloatRowsAVX512(dst *float32, pitch int, src unsafe.Pointer, rowSrc, n, rows int)

//go:noescape
func loadHalfRowsAVX512(dst *float32, pitch int, src unsafe.Pointer, rowSrc, n, rows int)

//go:noescape
func loadBFloatRowsAVX512(dst *float32, pitch int, src unsafe.Pointer, rowSrc, n, rows int)

//go:noescape
func loadFloatRowsAVX2(dst *float32, pitch int, src unsafe.Pointer, rowSrc, n, rows int)

//go:noescape
func loadHalfRowsAVX2(dst *float32, pitch int, src unsafe.Pointer, rowSrc, n, rows int)

//go:noescape
func loadBFloatRowsAVX2(dst *float32, pitch int, src unsafe.Pointer, rowSrc, n, rows int)

//go:noescape
func loadPairRowsAVX512(dst *float32, pitch int, src unsafe.Pointer, rowSrc, n, rows, next int)

//go:noescape
func unpackColumnsAVX512(dst *float32, colDst int, src *float32, k int, bias *float32, n int)

//go:noescape
func unpackColumnsAVX2(dst *float32, colDst int, src *float32, k int, bias *float32)

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

// loadRows does LoadRows, if it can.
func loadRows(dst []float32, pitch int, e Elem, src unsafe.Pointer, rowSrc, n, rows int) bool {
	wide := hasAVX512()
	if !wide && (path != AVX2 || n < 8) {
		return false
	}
	switch {
	case e == Half && wide:
		loadHalfRowsAVX512(&dst[0], 4*pitch, src, rowSrc, n, rows)
	case e == Half:
		loadHalfRowsAVX2(&dst[0], 4*pitch, src, rowSrc, n, rows)
	case e == BFloat && wide:
		loadBFloatRowsAVX512(&dst[0], 4*pitch, src, rowSrc, n, rows)
	case e == BFloat:
		loadBFloatRowsAVX2(&dst[0], 4*pitch, src, rowSrc, n, rows)
	case wide:
		loadFloatRowsAVX512(&dst[0], 4*pitch, src, rowSrc, n, rows)
	default:
		loadFloatRowsAVX2(&dst[0], 4*pitch, src, rowSrc, n, rows)
	}
	return true
}

// loadPairRows does LoadPairRows, if it can.
func loadPairRows(dst []float32, pitch int, src unsafe.Pointer, rowSrc, n, rows, next int) bool {
	if !hasAVX512() {
		return false
	}
	loadPairRowsAVX512(&dst[0], 4*pitch, src, rowSrc, n, rows, next)
	return true
}

// packColumns fills a panel, if it can.
func packColumns(dst *float32, e Elem, src unsafe.Pointer, colSrc, k, n int) bool {
	switch {
	case k == 0:
		return false
	case hasAVX512():
		for j := 0; j < n; j += 16 {
			to := (*float32)(unsafe.Add(unsafe.Pointer(dst), 4*j))
			columnsAVX512(to, e, unsafe.Add(src, j*colSrc), colSrc, k, min(16, n-j))
		}
		return true
	case path == AVX2 && k >= 8:
		for j := range n &^ 7 / 8 {
			to, from := unsafe.Add(unsafe.Pointer(dst), 32*j), unsafe.Add(src, 8*j*colSrc)
			columnsAVX2((*float32)(to), e, from, colSrc, k&^7)
			if last := k - 8; k%8 != 0 { // the last elements, some of them once more
				columnsAVX2((*float32)(unsafe.Add(to, 4*Panel*last)), e, unsafe.Add(from, last*e.size()),
					colSrc, 8)
			}
		}
		for j := n &^ 7; j < n; j++ {
			for p, to := 0, unsafe.Slice(dst, k*Panel); p < k; p++ {
				to[p*Panel+j] = loadElem(e, unsafe.Add(src, p*e.size()+j*colSrc))
			}
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

// unpackColumns does the first rows and columns of UnpackColumns and returns how many.
func unpackColumns(dst []float32, colDst int, panel []float32, k int, bias []float32,
) (rows, columns int) {
	n := len(bias)
	switch {
	case k == 0:
	case hasAVX512() && len(panel) >= (k+15)&^15*Panel:
		for j := 0; j < n; j += 16 {
			unpackColumnsAVX512(&dst[j*colDst], 4*colDst, &panel[j], k, &bias[j], min(16, n-j))
		}
		return k, n
	case path == AVX2 && k >= 8:
		for j := 0; j+8 <= n; j += 8 {
			unpackColumnsAVX2(&dst[j*colDst], 4*colDst, &panel[j], k&^7, &bias[j])
		}
		return k &^ 7, n &^ 7
	}
	return 0, 0
}
