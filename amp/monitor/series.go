package monitor

import (
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
)

// This file turns a history of any length into lines of bounded size, so that drawing costs the
// same at step 100,000 as at step 1,000.

// columns is how many places a line has from left to right, about one for two pixels.
const columns = 320

// envelope returns the line through values (x is the index) with, in each column, only its first,
// lowest, highest and last point. The line is cut where a value is inf or NaN.
func envelope(values []float64) []plotter.XYs {
	keep := make([]plotter.XYs, 1)
	add := func(i int) {
		last := &keep[len(keep)-1]
		if y := values[i]; math.IsNaN(y) || math.IsInf(y, 0) {
			if len(*last) > 0 {
				keep = append(keep, nil)
			}
		} else {
			*last = append(*last, plotter.XY{X: float64(i), Y: y})
		}
	}
	for lo, hi := range buckets(len(values)) {
		low, high := lo, lo
		for i := lo; i < hi; i++ {
			if values[i] < values[low] {
				low = i
			}
			if values[i] > values[high] {
				high = i
			}
		}
		picked := []int{lo, low, high, hi - 1}
		slices.Sort(picked)
		for _, i := range slices.Compact(picked) {
			add(i)
		}
	}
	if len(keep[len(keep)-1]) == 0 {
		keep = keep[:len(keep)-1]
	}
	return keep
}

// buckets cuts 0..n into at most columns parts of nearly equal size.
func buckets(n int) func(yield func(lo, hi int) bool) {
	parts := min(n, columns)
	return func(yield func(lo, hi int) bool) {
		for i := range parts {
			if !yield(i*n/parts, (i+1)*n/parts) {
				return
			}
		}
	}
}

// smooth returns the mean of values around each index, over a fortieth of them and fewer towards
// the ends, so that the line neither lags nor jumps. An inf or NaN is passed over.
func smooth(values []float64) []float64 {
	n := len(values)
	sums, counts := make([]float64, n+1), make([]float64, n+1)
	for i, v := range values {
		sums[i+1], counts[i+1] = sums[i], counts[i]
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			sums[i+1] += v
			counts[i+1]++
		}
	}
	out := make([]float64, n)
	for i := range out {
		r := min(n/80, i, n-1-i)
		lo, hi := i-r, i+r+1
		out[i] = (sums[hi] - sums[lo]) / (counts[hi] - counts[lo]) // 0/0 cuts the line
	}
	return out
}

// marks returns the indices where set holds, at most one in each column.
func marks(set []bool) (at []int) {
	for lo, hi := range buckets(len(set)) {
		if i := slices.Index(set[lo:hi], true); i >= 0 {
			at = append(at, lo+i)
		}
	}
	return at
}
