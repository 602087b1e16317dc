package simd

import "unsafe"

//go:noescape
func packFloatRowsNEON(dst *float32, src unsafe.Pointer, rowSrc, k int)

//go:noescape
func packHalfRowsNEON(dst *float32, src unsafe.Pointer, rowSrc, k int)

//go:noescape
func packBFloatRowsNEON(dst *float32, src unsafe.Pointer, rowSrc, k int)

//go:noescape
func packFloatColumnsNEON(dst *float32, src unsafe.Pointer, colSrc, k, n int)

//go:noescape
func packHalfColumnsNEON(dst *float32, src unsafe.Pointer, colSrc, k, n int)

//go:noescape
func packBFloatColumnsNEON(dst *float32, src unsafe.Pointer, colSrc, k, n int)

//go:noescape
func unpackColumnsNEON(dst *float32, colDst int, src *float32, k int, bias *float32)

//go:noescape
func loadFloatRowsNEON(dst *float32, pitch int, src unsafe.Pointer, rowSrc, n, rows int)

//go:noescape
func loadHalfRowsNEON(dst *float32, pitch int, src unsafe.Pointer, rowSrc, n, rows int)

//go:noescape
func loadBFloatRowsNEON(dst *float32, pitch int, src unsafe.Pointer, rowSrc, n, rows int)

// packRows fills a panel of [Panel] columns, if it can.
func packRows(dst *float32, e Elem, src unsafe.Pointer, rowSrc, k int) bool {
	if k == 0 || path != NEON {
		return false
	}
	switch e {
	case Half:
		packHalfRowsNEON(dst, src, rowSrc, k)
	case BFloat:
		packBFloatRowsNEON(dst, src, rowSrc, k)
	default:
		packFloatRowsNEON(dst, src, rowSrc, k)
	}
	return true
}

// packColumns fills a panel, if it can.
func packColumns(dst *float32, e Elem, src unsafe.Pointer, colSrc, k, n int) bool {
	if path != NEON {
		return false
	}
	whole := k &^ 3
	if whole < k {
		rest := (*float32)(unsafe.Add(unsafe.Pointer(dst), 4*Panel*whole))
		PackAny(rest, e, unsafe.Add(src, whole*e.size()), e.size(), colSrc, k-whole, n)
	}
	if whole == 0 {
		return true
	}
	for j := 0; j < n; j += 4 {
		columnsNEON((*float32)(unsafe.Add(unsafe.Pointer(dst), 4*j)), e, unsafe.Add(src, j*colSrc),
			colSrc, whole, min(4, n-j))
	}
	return true
}

func columnsNEON(dst *float32, e Elem, src unsafe.Pointer, colSrc, k, n int) {
	switch e {
	case Half:
		packHalfColumnsNEON(dst, src, colSrc, k, n)
	case BFloat:
		packBFloatColumnsNEON(dst, src, colSrc, k, n)
	default:
		packFloatColumnsNEON(dst, src, colSrc, k, n)
	}
}

// unpackColumns does the first rows and columns of UnpackColumns and returns how many.
func unpackColumns(dst []float32, colDst int, panel []float32, k int, bias []float32,
) (rows, columns int) {
	if path != NEON || k < 4 {
		return 0, 0
	}
	for ; columns+4 <= len(bias); columns += 4 {
		unpackColumnsNEON(&dst[columns*colDst], 4*colDst, &panel[columns], k&^3, &bias[columns])
	}
	return k &^ 3, columns
}

// loadRows does LoadRows, if it can.
func loadRows(dst []float32, pitch int, e Elem, src unsafe.Pointer, rowSrc, n, rows int) bool {
	if path != NEON || n < 4 {
		return false
	}
	switch e {
	case Half:
		loadHalfRowsNEON(&dst[0], 4*pitch, src, rowSrc, n, rows)
	case BFloat:
		loadBFloatRowsNEON(&dst[0], 4*pitch, src, rowSrc, n, rows)
	default:
		loadFloatRowsNEON(&dst[0], 4*pitch, src, rowSrc, n, rows)
	}
	return true
}
