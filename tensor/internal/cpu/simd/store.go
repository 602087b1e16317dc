package simd

import "unsafe"

// A Result is where sums of the matrix product go, and what is added to them before they are rounded:
// Bias, which has an element for each column or is nil. Rows of Data are dense and begin Row bytes
// apart.
type Result struct {
	Data unsafe.Pointer
	Elem Elem
	Row  int
	Bias []float32
}

// Store brings m rows of n sums to r. Rows are dense and begin rowSums bytes apart; they may be r's.
// Their values are lost.
func (r *Result) Store(m, n int, sums unsafe.Pointer, rowSums int) {
	if r.Data == sums && r.Elem == Float && r.Bias == nil {
		return
	}
	if m == 1 { // quicker as a whole
		r.storeRow(0, n, sums)
		return
	}
	for j := 0; j < n; j += Panel {
		cols := min(Panel, n-j)
		at := r.Columns(j, cols)
		at.store(0, m, cols, unsafe.Add(sums, j*4), rowSums)
	}
}

// Columns returns the part of r that has n columns from j on.
func (r *Result) Columns(j, n int) Result {
	part := *r
	part.Data = unsafe.Add(r.Data, j*r.Elem.size())
	if r.Bias != nil {
		part.Bias = r.Bias[j:][:n]
	}
	return part
}

// store brings m rows of n ≤ [Panel] sums to row i and those behind it.
func (r *Result) store(i, m, n int, sums unsafe.Pointer, rowSums int) {
	if storeRows(unsafe.Add(r.Data, i*r.Row), r.Elem, r.Row, sums, rowSums, m, n,
		unsafe.SliceData(r.Bias)) {
		return
	}
	for row := range m {
		r.storeRow(i+row, n, unsafe.Add(sums, row*rowSums))
	}
}

func (r *Result) storeRow(i, n int, sums unsafe.Pointer) {
	row := unsafe.Slice((*float32)(sums), n)
	if r.Bias != nil {
		Add(row, row, r.Bias)
	}
	switch to := unsafe.Add(r.Data, i*r.Row); r.Elem {
	case Half:
		NarrowHalf(unsafe.Slice((*uint16)(to), n), row)
	case BFloat:
		NarrowBFloat(unsafe.Slice((*uint16)(to), n), row)
	default:
		if to != sums {
			copy(unsafe.Slice((*float32)(to), n), row)
		}
	}
}
