// Package cmp is halfnote's source of Go's package cmp: the same functions with the same results.
package cmp

// Ordered permits the types that have the operators < <= >= >.
type Ordered interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr |
		~float32 | ~float64 |
		~string
}

// Less reports whether x < y; a NaN is less than all that are none.
func Less[T Ordered](x, y T) bool {
	return x < y || x != x && y == y
}

// Compare returns -1 if x is less than y, +1 if it is greater, and 0 if they are equal; a NaN
// equals a NaN and is less than all that are none.
func Compare[T Ordered](x, y T) int {
	if x < y {
		return -1
	}
	if x > y {
		return 1
	}
	if x == y {
		return 0
	}
	// One is NaN, or both.
	if y == y {
		return -1
	}
	if x == x {
		return 1
	}
	return 0
}

// Or returns the first value that is not zero, or else zero.
func Or[T comparable](vals ...T) T {
	var zero T
	for _, v := range vals {
		if v != zero {
			return v
		}
	}
	return zero
}
