package simd

import "unsafe"

//go:noescape
func addFloatRows8NEON(n int, x *float32, b unsafe.Pointer, rowB int, c *float32)

//go:noescape
func addFloatRows1NEON(n int, x *float32, b unsafe.Pointer, rowB int, c *float32)

//go:noescape
func multiplyFloatDotsNEON(k, n int, x *float32, b unsafe.Pointer, colB int, c *float32)

//go:noescape
func addHalfRows8NEON(n int, x *float32, b unsafe.Pointer, rowB int, c *float32)

//go:noescape
func addHalfRows1NEON(n int, x *float32, b unsafe.Pointer, rowB int, c *float32)

//go:noescape
func multiplyHalfDotsNEON(k, n int, x *float32, b unsafe.Pointer, colB int, c *float32)

//go:noescape
func addBFloatRows8NEON(n int, x *float32, b unsafe.Pointer, rowB int, c *float32)

//go:noescape
func addBFloatRows1NEON(n int, x *float32, b unsafe.Pointer, rowB int, c *float32)

//go:noescape
func multiplyBFloatDotsNEON(k, n int, x *float32, b unsafe.Pointer, colB int, c *float32)

// addRows adds to c, which has at least 4 elements, the first rows of b times the elements of x. It
// returns how many rows, 8 or 1, and how many of the columns.
func addRows(c, x []float32, e Elem, b unsafe.Pointer, rowB int) (rows, columns int) {
	n := len(c) &^ 3
	if len(x) >= 8 {
		switch e {
		case Half:
			addHalfRows8NEON(n, &x[0], b, rowB, &c[0])
		case BFloat:
			addBFloatRows8NEON(n, &x[0], b, rowB, &c[0])
		default:
			addFloatRows8NEON(n, &x[0], b, rowB, &c[0])
		}
		return 8, n
	}
	switch e {
	case Half:
		addHalfRows1NEON(n, &x[0], b, rowB, &c[0])
	case BFloat:
		addBFloatRows1NEON(n, &x[0], b, rowB, &c[0])
	default:
		addFloatRows1NEON(n, &x[0], b, rowB, &c[0])
	}
	return 1, n
}

// multiplyDots computes c, whose length is a multiple of 4, for the first steps of the sum and
// returns how many of them.
func multiplyDots(c, x []float32, e Elem, b unsafe.Pointer, colB int) int {
	k, n := len(x)&^7, len(c)
	switch e {
	case Half:
		multiplyHalfDotsNEON(k, n, &x[0], b, colB, &c[0])
	case BFloat:
		multiplyBFloatDotsNEON(k, n, &x[0], b, colB, &c[0])
	default:
		multiplyFloatDotsNEON(k, n, &x[0], b, colB, &c[0])
	}
	return k
}
