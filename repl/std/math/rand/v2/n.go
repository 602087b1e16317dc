// Package rand is halfnote's source of the generic function of Go's package math/rand/v2.
package rand

import "math/rand/v2"

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// N returns a random number in [0, n) of any integer type from the default source. It panics if
// n <= 0.
func N[Int integer](n Int) Int {
	if n <= 0 {
		panic("invalid argument to N")
	}
	return Int(rand.Uint64N(uint64(n)))
}
