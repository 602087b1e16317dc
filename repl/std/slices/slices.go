// Package slices is halfnote's source of Go's package slices: the same functions with the same
// results, panics and treatment of NaN, nil and unused capacity.
//
// Cells that import "slices" run it in the interpreter, where a call of a function costs as much
// as ten simple statements. So loops compare in place, and whatever is moved is moved by the
// built-in copy.
package slices

import "cmp"

// Equal reports whether two slices have the same length and equal elements, compared with ==.
// A NaN equals nothing; nil equals an empty slice.
func Equal[S ~[]E, E comparable](s1, s2 S) bool {
	if len(s1) != len(s2) {
		return false
	}
	for i, v := range s1 {
		if v != s2[i] {
			return false
		}
	}
	return true
}

// EqualFunc reports whether two slices have the same length and eq holds for every pair of
// elements. It stops at the first pair for which it does not.
func EqualFunc[S1 ~[]E1, S2 ~[]E2, E1, E2 any](s1 S1, s2 S2, eq func(E1, E2) bool) bool {
	if len(s1) != len(s2) {
		return false
	}
	for i, v := range s1 {
		if !eq(v, s2[i]) {
			return false
		}
	}
	return true
}

// Compare orders two slices as a dictionary orders words: by the first pair of elements that
// differ in the order of cmp.Compare, or else by length. It returns -1, 0 or +1.
func Compare[S ~[]E, E cmp.Ordered](s1, s2 S) int {
	for i, v := range s1[:min(len(s1), len(s2))] {
		if w := s2[i]; v != w {
			if c := cmp.Compare(v, w); c != 0 { // two NaNs differ, but not in order
				return c
			}
		}
	}
	return cmp.Compare(len(s1), len(s2))
}

// CompareFunc is Compare for elements ordered by cmp; it returns the first result of cmp that is
// not 0, or else compares the lengths.
func CompareFunc[S1 ~[]E1, S2 ~[]E2, E1, E2 any](s1 S1, s2 S2, cmp func(E1, E2) int) int {
	for i, v := range s1 {
		if i == len(s2) {
			return 1
		}
		if c := cmp(v, s2[i]); c != 0 {
			return c
		}
	}
	if len(s1) < len(s2) {
		return -1
	}
	return 0
}

// Index returns the place of the first element equal to v, or -1.
func Index[S ~[]E, E comparable](s S, v E) int {
	for i, w := range s {
		if v == w {
			return i
		}
	}
	return -1
}

// IndexFunc returns the place of the first element for which f holds, or -1.
func IndexFunc[S ~[]E, E any](s S, f func(E) bool) int {
	for i, v := range s {
		if f(v) {
			return i
		}
	}
	return -1
}

// Contains reports whether an element of s equals v.
func Contains[S ~[]E, E comparable](s S, v E) bool {
	return Index(s, v) >= 0
}

// ContainsFunc reports whether f holds for an element of s.
func ContainsFunc[S ~[]E, E any](s S, f func(E) bool) bool {
	return IndexFunc(s, f) >= 0
}

// Min returns the least element of x, and NaN if there is one. It panics if x is empty.
func Min[S ~[]E, E cmp.Ordered](x S) E {
	if len(x) == 0 {
		panic("slices.Min: empty list")
	}
	least := x[0]
	for _, v := range x[1:] {
		if !(v > least) { // min takes more time than this
			least = min(least, v)
		}
	}
	return least
}

// MinFunc returns the first of the least elements of x in the order of cmp. It panics if x is
// empty.
func MinFunc[S ~[]E, E any](x S, cmp func(a, b E) int) E {
	if len(x) == 0 {
		panic("slices.MinFunc: empty list")
	}
	least := x[0]
	for _, v := range x[1:] {
		if cmp(v, least) < 0 {
			least = v
		}
	}
	return least
}

// Max returns the greatest element of x, and NaN if there is one. It panics if x is empty.
func Max[S ~[]E, E cmp.Ordered](x S) E {
	if len(x) == 0 {
		panic("slices.Max: empty list")
	}
	greatest := x[0]
	for _, v := range x[1:] {
		if !(v < greatest) { // max takes more time than this
			greatest = max(greatest, v)
		}
	}
	return greatest
}

// MaxFunc returns the first of the greatest elements of x in the order of cmp. It panics if x is
// empty.
func MaxFunc[S ~[]E, E any](x S, cmp func(a, b E) int) E {
	if len(x) == 0 {
		panic("slices.MaxFunc: empty list")
	}
	greatest := x[0]
	for _, v := range x[1:] {
		if cmp(v, greatest) > 0 {
			greatest = v
		}
	}
	return greatest
}

// BinarySearch returns the first place in the sorted slice x whose element is not less than
// target, and whether that element equals target; NaNs come first and equal each other.
func BinarySearch[S ~[]E, E cmp.Ordered](x S, target E) (int, bool) {
	lo, hi := 0, len(x)
	for lo < hi {
		mid := int(uint(lo+hi) / 2) // uint: the sum may overflow
		if cmp.Less(x[mid], target) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(x) && cmp.Compare(x[lo], target) == 0
}

// BinarySearchFunc is BinarySearch in a slice ordered by cmp, which compares an element with
// target.
func BinarySearchFunc[S ~[]E, E, T any](x S, target T, cmp func(E, T) int) (int, bool) {
	lo, hi := 0, len(x)
	for lo < hi {
		mid := int(uint(lo+hi) / 2) // uint: the sum may overflow
		if cmp(x[mid], target) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(x) && cmp(x[lo], target) == 0
}
