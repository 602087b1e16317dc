package simd

import "unsafe"

//go:noescape
func addFloatRows8AVX512(n int, x *float32, b unsafe.Pointer, rowB int, c *float32)

//go:noescape
func addFloatRows8AVX2(n int, x *float32, b unsafe.Pointer, rowB int, c *float32)

//go:noescape
func addFloatRows1AVX512(n int, x *float32, b unsafe.Pointer, rowB int, c *float32)

//go:noescape
func addFloatRows1AVX2(n int, x *float32, b unsafe.Pointer, rowB int, c *float32)

//go:noescape
func multiplyFloatDotsAVX512(k, n int, x *float32, b unsafe.Pointer, colB int, c *float32)

//go:noescape
func multiplyFloatDotsAVX2(k, n int, x *float32, b unsafe.Pointer, colB int, c *float32)

//go:noescape
func addHalfRows8AVX512(n int, x *float32, b unsafe.Pointer, rowB int, c *float32)

//go:noescape
func addHalfRows8AVX2(n int, x *float32, b unsafe.Pointer, rowB int, c *float32)

//go:noescape
func addHalfRows1AVX512(n int, x *float32, b unsafe.Pointer, rowB int, c *float32)

//go:noescape
func addHalfRows1AVX2(n int, x *float32, b unsafe.Pointer, rowB int, c *float32)

//go:noescape
func multiplyHalfDotsAVX512(k, n int, x *float32, b unsafe.Pointer, colB int, c *float32)

//go:noescape
func multiplyHalfDotsAVX2(k, n int, x *float32, b unsafe.Pointer, colB int, c *float32)

//go:noescape
func addBFloatRows8AVX512(n int, x *float32, b unsafe.Pointer, rowB int, c *float32)

//go:noescape
func addBFloatRows8AVX2(n int, x *float32, b unsafe.Pointer, rowB int, c *float32)

//go:noescape
func addBFloatRows1AVX512(n int, x *float32, b unsafe.Pointer, rowB int, c *float32)

//go:noescape
func addBFloatRows1AVX2(n int, x *float32, b unsafe.Pointer, rowB int, c *float32)

//go:noescape
func multiplyBFloatDotsAVX512(k, n int, x *float32, b unsafe.Pointer, colB int, c *float32)

//go:noescape
func multiplyBFloatDotsAVX2(k, n int, x *float32, b unsafe.Pointer, colB int, c *float32)

// addRows adds to c the first rows of b times the elements of x. It returns how many rows, 8 or 1,
// and how many of the columns.
func addRows(c, x []float32, e Elem, b unsafe.Pointer, rowB int) (rows, columns int) {
	n, wide := len(c), hasAVX512()
	if !wide {
		n &^= 7
	}
	switch {
	case len(x) >= 8 && wide:
		switch e {
		case Half:
			addHalfRows8AVX512(n, &x[0], b, rowB, &c[0])
		case BFloat:
			addBFloatRows8AVX512(n, &x[0], b, rowB, &c[0])
		default:
			addFloatRows8AVX512(n, &x[0], b, rowB, &c[0])
		}
		return 8, n
	case len(x) >= 8:
		switch e {
		case Half:
			addHalfRows8AVX2(n, &x[0], b, rowB, &c[0])
		case BFloat:
			addBFloatRows8AVX2(n, &x[0], b, rowB, &c[0])
		default:
			addFloatRows8AVX2(n, &x[0], b, rowB, &c[0])
		}
		return 8, n
	case wide:
		switch e {
		case Half:
			addHalfRows1AVX512(n, &x[0], b, rowB, &c[0])
		case BFloat:
			addBFloatRows1AVX512(n, &x[0], b, rowB, &c[0])
		default:
			addFloatRows1AVX512(n, &x[0], b, rowB, &c[0])
		}
	default:
		switch e {
		case Half:
			addHalfRows1AVX2(n, &x[0], b, rowB, &c[0])
		case BFloat:
			addBFloatRows1AVX2(n, &x[0], b, rowB, &c[0])
		default:
			addFloatRows1AVX2(n, &x[0], b, rowB, &c[0])
		}
	}
	return 1, n
}

// multiplyDots computes c, whose length is a multiple of 4, for the first steps of the sum and
// returns how many of them.
func multiplyDots(c, x []float32, e Elem, b unsafe.Pointer, colB int) int {
	k, n := len(x)&^31, len(c)
	switch wide := hasAVX512(); {
	case e == Half && wide:
		multiplyHalfDotsAVX512(k, n, &x[0], b, colB, &c[0])
	case e == Half:
		multiplyHalfDotsAVX2(k, n, &x[0], b, colB, &c[0])
	case e == BFloat && wide:
		multiplyBFloatDotsAVX512(k, n, &x[0], b, colB, &c[0])
	case e == BFloat:
		multiplyBFloatDotsAVX2(k, n, &x[0], b, colB, &c[0])
	case wide:
		multiplyFloatDotsAVX512(k, n, &x[0], b, colB, &c[0])
	default:
		multiplyFloatDotsAVX2(k, n, &x[0], b, colB, &c[0])
	}
	return k
}
