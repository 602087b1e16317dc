package slices

// This file implements functions that change a slice or make a new one.

import "math"

// Clip returns s without unused capacity. It is nil if s is.
func Clip[S ~[]E, E any](s S) S {
	return s[:len(s):len(s)]
}

// Clone returns a copy of s with elements copied by assignment. It is nil if s is.
func Clone[S ~[]E, E any](s S) S {
	if s == nil {
		return nil
	}
	return append(S{}, s...)
}

// Concat returns a new slice with the elements of all slices in order, and nil if there are none.
func Concat[S ~[]E, E any](slices ...S) S {
	size := 0
	for _, s := range slices {
		size += len(s)
		if size < 0 { // possible only for elements of size 0
			panic("len out of range")
		}
	}
	if size == 0 {
		return nil
	}
	all := make(S, 0, size)
	for _, s := range slices {
		all = append(all, s...)
	}
	return all
}

// Repeat returns a new slice with the elements of x count times over, without unused capacity and
// never nil. It panics if count is negative or the length overflows int.
func Repeat[S ~[]E, E any](x S, count int) S {
	if count < 0 {
		panic("cannot be negative")
	}
	if count > 0 && len(x) > math.MaxInt/count {
		panic("the result of (len(x) * count) overflows")
	}
	all := make(S, len(x)*count)
	// Each copy doubles what is filled; nothing to copy means that x or all is full.
	for filled := copy(all, x); filled < len(all); {
		filled += copy(all[filled:], all[:filled])
	}
	return all
}

// Grow returns s with capacity for n more elements. It panics if n is negative or the memory
// cannot be had. The result is nil if s is and n is 0.
func Grow[S ~[]E, E any](s S, n int) S {
	if n < 0 {
		panic("cannot be negative")
	}
	if more := n - (cap(s) - len(s)); more > 0 {
		return append(s[:cap(s)], make([]E, more)...)[:len(s)]
	}
	return s
}

// Insert puts the values v into s at index i, moving s[i:] up, and returns the longer slice. The
// values may lie in s itself. It panics if i > len(s).
func Insert[S ~[]E, E any](s S, i int, v ...E) S {
	_ = s[i:]
	return splice(s, i, i, v)
}

// Replace puts the values v in place of s[i:j] and returns the changed slice; elements beyond a
// shorter result become zero. The values may lie in s itself. It panics if s[i:j] does not exist.
func Replace[S ~[]E, E any](s S, i, j int, v ...E) S {
	_ = s[i:j]
	_ = s[j:]
	return splice(s, i, j, v)
}

// splice puts v in place of s[i:j], which exists.
func splice[S ~[]E, E any](s S, i, j int, v []E) S {
	n, end := len(s)-(j-i)+len(v), i+len(v)
	if end <= j {
		// First v, which may be part of s[j:], then the rest.
		copy(s[i:], v)
		copy(s[end:], s[j:])
		clear(s[n:])
		return s[:n]
	}
	if n > cap(s) {
		t := append(s, v[:n-len(s)]...) // new memory, with room for appends to come
		copy(t[end:], s[j:])
		copy(t[i:], v)
		return t
	}
	v = append([]E(nil), v...) // moving s[j:] up may change v
	rest := s[j:]
	s = s[:n]
	copy(s[end:], rest)
	copy(s[i:], v)
	return s
}

// Delete removes s[i:j] from s and returns the shorter slice; the elements beyond it become zero.
// It panics if s[i:j] does not exist.
func Delete[S ~[]E, E any](s S, i, j int) S {
	_ = s[i:j:len(s)]
	n := i + copy(s[i:], s[j:])
	clear(s[n:])
	return s[:n]
}

// DeleteFunc removes the elements for which del holds and returns the shorter slice; the elements
// beyond it become zero.
func DeleteFunc[S ~[]E, E any](s S, del func(E) bool) S {
	n := 0
	for _, v := range s {
		if !del(v) {
			s[n] = v
			n++
		}
	}
	clear(s[n:])
	return s[:n]
}

// Compact keeps the first element of every run of equal elements and returns the shorter slice;
// the elements beyond it become zero.
func Compact[S ~[]E, E comparable](s S) S {
	if len(s) < 2 {
		return s
	}
	last, n := s[0], 1
	for _, v := range s[1:] {
		if v != last {
			s[n] = v
			n++
			last = v
		}
	}
	clear(s[n:])
	return s[:n]
}

// CompactFunc is Compact for elements compared by eq, which is called with an element and the one
// that stood before it.
func CompactFunc[S ~[]E, E any](s S, eq func(E, E) bool) S {
	if len(s) < 2 {
		return s
	}
	last, n := s[0], 1
	for _, v := range s[1:] {
		if !eq(v, last) {
			s[n] = v
			n++
		}
		last = v
	}
	clear(s[n:])
	return s[:n]
}

// Reverse turns the order of the elements of s round.
func Reverse[S ~[]E, E any](s S) {
	i, j := 0, len(s)-1
	for i < j {
		s[i], s[j] = s[j], s[i]
		i++
		j--
	}
}
