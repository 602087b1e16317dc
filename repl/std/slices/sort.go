package slices

// This file implements sorting: a merge sort that leaves runs of a few elements to insertion. It
// is stable, takes at most n·log₂(n) comparisons, and n on sorted input. At every comparison the
// slice holds all its elements, so a cmp that panics loses none.

import (
	"cmp"
	"sort"
)

// runLength is how many elements insertion sorts: up to here it compares as little as merging.
const runLength = 6

// Sort sorts x in ascending order, NaNs first.
func Sort[S ~[]E, E cmp.Ordered](x S) {
	switch x := any([]E(x)).(type) { // compiled code sorts a hundred times faster
	case []int:
		sort.Ints(x)
		return
	case []float64:
		sort.Float64s(x)
		return
	case []float32:
		wide := make([]float64, len(x))
		for i, v := range x {
			wide[i] = float64(v)
		}
		sort.Float64s(wide)
		for i, v := range wide {
			x[i] = float32(v)
		}
		return
	case []string:
		sort.Strings(x)
		return
	}
	numbers := 0 // from where on there is no NaN
	for i, v := range x {
		if v != v {
			x[i], x[numbers] = x[numbers], v
			numbers++
		}
	}
	x = x[numbers:]
	mergeSort(x, make([]E, len(x)))
}

// mergeSort sorts x, which has no NaN, with the help of buf, which is not shorter.
func mergeSort[E cmp.Ordered](x, buf []E) {
	if len(x) <= runLength {
		for i := 1; i < len(x); i++ {
			v, j := x[i], i
			for j > 0 && v < x[j-1] {
				j--
			}
			if j < i {
				copy(x[j+1:], x[j:i])
				x[j] = v
			}
		}
		return
	}
	half := len(x) / 2
	left, right := x[:half], x[half:]
	mergeSort(left, buf)
	mergeSort(right, buf)
	a, b := left[half-1], right[0]
	if a <= b {
		return
	}
	a = left[0]
	i, j, n := 0, 0, 0
	for {
		if b < a {
			buf[n] = b
			n++
			if j++; j == len(right) {
				break
			}
			b = right[j]
		} else {
			buf[n] = a
			n++
			if i++; i == half {
				break
			}
			a = left[i]
		}
	}
	copy(x[n:], left[i:]) // nothing, or the rest; what is left of right is in its place
	copy(x, buf[:n])
}

// SortFunc sorts x in ascending order of cmp, a strict weak ordering. Unlike Go's it happens to be
// stable, too.
func SortFunc[S ~[]E, E any](x S, cmp func(a, b E) int) {
	mergeSortFunc(x, make([]E, len(x)), cmp)
}

// SortStableFunc sorts x in ascending order of cmp, a strict weak ordering, and keeps the order of
// equal elements.
func SortStableFunc[S ~[]E, E any](x S, cmp func(a, b E) int) {
	mergeSortFunc(x, make([]E, len(x)), cmp)
}

// mergeSortFunc is mergeSort in the order of cmp.
func mergeSortFunc[E any](x, buf []E, cmp func(a, b E) int) {
	if len(x) <= runLength {
		for i := 1; i < len(x); i++ {
			v, j := x[i], i
			for j > 0 && cmp(v, x[j-1]) < 0 {
				j--
			}
			if j < i {
				copy(x[j+1:], x[j:i])
				x[j] = v
			}
		}
		return
	}
	half := len(x) / 2
	left, right := x[:half], x[half:]
	mergeSortFunc(left, buf, cmp)
	mergeSortFunc(right, buf, cmp)
	a, b := left[half-1], right[0]
	if cmp(b, a) >= 0 {
		return
	}
	a = left[0]
	i, j, n := 0, 0, 0
	for {
		if cmp(b, a) < 0 {
			buf[n] = b
			n++
			if j++; j == len(right) {
				break
			}
			b = right[j]
		} else {
			buf[n] = a
			n++
			if i++; i == half {
				break
			}
			a = left[i]
		}
	}
	copy(x[n:], left[i:]) // nothing, or the rest; what is left of right is in its place
	copy(x, buf[:n])
}

// IsSorted reports whether x is in ascending order, NaNs first.
func IsSorted[S ~[]E, E cmp.Ordered](x S) bool {
	for i := len(x) - 1; i > 0; i-- {
		a, b := x[i-1], x[i]
		if b < a || b != b && a == a { // cmp.Less(b, a)
			return false
		}
	}
	return true
}

// IsSortedFunc reports whether x is in ascending order of cmp.
func IsSortedFunc[S ~[]E, E any](x S, cmp func(a, b E) int) bool {
	for i := len(x) - 1; i > 0; i-- {
		if cmp(x[i], x[i-1]) < 0 {
			return false
		}
	}
	return true
}
