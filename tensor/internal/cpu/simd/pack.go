package simd

import "unsafe"

// This file fills panels of the matrix product, and converts on the way. No pointer is moved beyond
// the last element: the garbage collector must not see it there.

// An Elem is the format of a matrix's elements in memory.
type Elem uint8

// The formats. Pair, two bfloat16 that stay together, is moved as it is.
const (
	Float Elem = iota
	Half
	BFloat
	Pair
)

func (e Elem) size() int {
	if e == Half || e == BFloat {
		return 2
	}
	return 4
}

// PackRows fills a panel from k rows of n ≤ [Panel] elements, whose rows are dense and begin
// rowSrc bytes apart.
func PackRows(dst *float32, e Elem, src unsafe.Pointer, rowSrc, k, n int) {
	if n < Panel || !packRows(dst, e, src, rowSrc, k) {
		LoadRows(unsafe.Slice(dst, k*Panel), Panel, e, src, rowSrc, n, k)
	}
}

// LoadRows converts rows of n dense elements, which begin rowSrc bytes apart, to rows that begin pitch
// elements apart in dst.
func LoadRows(dst []float32, pitch int, e Elem, src unsafe.Pointer, rowSrc, n, rows int) {
	if n == 0 || rows == 0 {
		return
	}
	_ = dst[:(rows-1)*pitch+n]
	if loadRows(dst, pitch, e, src, rowSrc, n, rows) {
		return
	}
	for i := range rows {
		row := unsafe.Add(src, i*rowSrc)
		switch line := dst[i*pitch:][:n]; e {
		case Half:
			WidenHalf(line, unsafe.Slice((*uint16)(row), n))
		case BFloat:
			WidenBFloat(line, unsafe.Slice((*uint16)(row), n))
		default:
			copy(line, unsafe.Slice((*float32)(row), n))
		}
	}
}

// LoadPairRows is [LoadRows] for pairs of 16-bit elements: those in the upper halves lie next bytes
// behind the others.
func LoadPairRows(dst []float32, pitch int, src unsafe.Pointer, rowSrc, n, rows, next int) {
	if n == 0 || rows == 0 {
		return
	}
	_ = dst[:(rows-1)*pitch+n]
	if loadPairRows(dst, pitch, src, rowSrc, n, rows, next) {
		return
	}
	for i := range rows {
		row := unsafe.Add(src, i*rowSrc)
		to := unsafe.Slice((*uint32)(unsafe.Pointer(&dst[i*pitch])), n)
		lo, hi := unsafe.Slice((*uint16)(row), n), unsafe.Slice((*uint16)(unsafe.Add(row, next)), n)
		for j := range to {
			to[j] = uint32(lo[j]) | uint32(hi[j])<<16
		}
	}
}

// PackColumns fills a panel from n ≤ [Panel] dense columns of k elements, which begin colSrc bytes
// apart.
func PackColumns(dst *float32, e Elem, src unsafe.Pointer, colSrc, k, n int) {
	if !packColumns(dst, e, src, colSrc, k, n) {
		PackAny(dst, e, src, e.size(), colSrc, k, n)
	}
}

// PackAny fills a panel from a matrix with any strides, in bytes.
func PackAny(dst *float32, e Elem, src unsafe.Pointer, rowSrc, colSrc, k, n int) {
	to := unsafe.Slice(dst, k*Panel)
	for p := range k {
		for j := range n {
			to[p*Panel+j] = loadElem(e, unsafe.Add(src, p*rowSrc+j*colSrc))
		}
	}
}

// UnpackColumns writes a panel of k rows as dense columns that begin colDst elements apart, as many
// as bias has elements, which are added to them. It is fastest where panel has whole sixteens of
// rows.
func UnpackColumns(dst []float32, colDst int, panel []float32, k int, bias []float32) {
	rows, columns := unpackColumns(dst, colDst, panel, k, bias)
	if rows == k && columns == len(bias) {
		return
	}
	for j, b := range bias {
		from := rows
		if j >= columns {
			from = 0
		}
		line := dst[j*colDst:][:k]
		for p := from; p < k; p++ {
			line[p] = panel[p*Panel+j] + b
		}
	}
}

func loadElem(e Elem, at unsafe.Pointer) float32 {
	switch e {
	case Half:
		return Float16ToFloat32(*(*uint16)(at))
	case BFloat:
		return BFloat16ToFloat32(*(*uint16)(at))
	}
	return *(*float32)(at)
}

// PackPairs makes (k+1)/2 rows of pairs from k rows of n 16-bit elements, which are dense and begin
// rowSrc bytes apart. Those of dst begin pitch pairs apart. An odd last row is paired with zeros.
func PackPairs(dst []float32, pitch int, src unsafe.Pointer, rowSrc, k, n int) {
	LoadPairRows(dst, pitch, src, 2*rowSrc, n, k/2, rowSrc)
	if k%2 != 0 {
		to := unsafe.Slice((*uint32)(unsafe.Pointer(&dst[k/2*pitch])), n)
		for j, v := range unsafe.Slice((*uint16)(unsafe.Add(src, (k-1)*rowSrc)), n) {
			to[j] = uint32(v)
		}
	}
}
