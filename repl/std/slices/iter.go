package slices

// This file implements slices as iterators and slices made from iterators.

import (
	"cmp"
	"iter"
)

// All returns an iterator over the indexes and elements of s.
func All[Slice ~[]E, E any](s Slice) iter.Seq2[int, E] {
	return func(yield func(int, E) bool) {
		for i, v := range s {
			if !yield(i, v) {
				return
			}
		}
	}
}

// Values returns an iterator over the elements of s.
func Values[Slice ~[]E, E any](s Slice) iter.Seq[E] {
	return func(yield func(E) bool) {
		for _, v := range s {
			if !yield(v) {
				return
			}
		}
	}
}

// Backward returns an iterator over the indexes and elements of s from the last to the first.
func Backward[Slice ~[]E, E any](s Slice) iter.Seq2[int, E] {
	return func(yield func(int, E) bool) {
		for i := len(s) - 1; i >= 0; i-- {
			if !yield(i, s[i]) {
				return
			}
		}
	}
}

// Chunk returns an iterator over the parts of s of n elements each, the last of which may be
// shorter. They share the elements of s, but an append to one copies it. It panics if n < 1.
func Chunk[Slice ~[]E, E any](s Slice, n int) iter.Seq[Slice] {
	if n < 1 {
		panic("cannot be less than 1")
	}
	return func(yield func(Slice) bool) {
		rest := s
		for len(rest) > 0 {
			size := min(n, len(rest))
			if !yield(rest[:size:size]) {
				return
			}
			rest = rest[size:]
		}
	}
}

// AppendSeq appends the values of seq to s and returns the longer slice.
func AppendSeq[Slice ~[]E, E any](s Slice, seq iter.Seq[E]) Slice {
	for v := range seq {
		s = append(s, v)
	}
	return s
}

// Collect returns the values of seq as a new slice, nil if there are none.
func Collect[E any](seq iter.Seq[E]) []E {
	var s []E
	for v := range seq {
		s = append(s, v)
	}
	return s
}

// Sorted returns the values of seq as a new sorted slice, nil if there are none.
func Sorted[E cmp.Ordered](seq iter.Seq[E]) []E {
	s := Collect(seq)
	Sort(s)
	return s
}

// SortedFunc returns the values of seq as a new slice sorted by SortFunc, nil if there are none.
func SortedFunc[E any](seq iter.Seq[E], cmp func(E, E) int) []E {
	s := Collect(seq)
	SortFunc(s, cmp)
	return s
}

// SortedStableFunc returns the values of seq as a new slice sorted by SortStableFunc, nil if there
// are none.
func SortedStableFunc[E any](seq iter.Seq[E], cmp func(E, E) int) []E {
	s := Collect(seq)
	SortStableFunc(s, cmp)
	return s
}
