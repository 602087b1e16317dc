package simd

import "math"

// This file has what poolings need beside the kernels on rows. Positions are computed in 32 bits.

// MaxPool2 writes the largest element of each window of 2×2 of a plane with rows of width elements,
// and its position in the plane. Neighbouring windows touch each other. Of equal elements the first
// counts, and NaN is larger than any number.
func MaxPool2(y []float32, index []int64, x []float32, width, rows, cols int) {
	if rows == 0 || cols == 0 {
		return
	}
	_, _, _ = y[:rows*cols], index[:rows*cols], x[:(2*rows-1)*width+2*cols]
	if 2*rows*width <= math.MaxInt32 && maxPool2(y, index, x, width, rows, cols) {
		return
	}
	for i := range rows {
		for j := range cols {
			where := 2*i*width + 2*j
			best := x[where]
			for _, at := range [3]int{where + 1, where + width, where + width + 1} {
				if v := x[at]; v > best || v != v {
					best, where = v, at
				}
			}
			y[i*cols+j], index[i*cols+j] = best, int64(where)
		}
	}
}
