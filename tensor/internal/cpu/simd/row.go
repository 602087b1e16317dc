package simd

import "unsafe"

// This file has the products of one row with a matrix, which is read once, in the order in
// which it lies.

// MultipliesRows reports whether the path in use has [MultiplyRow] and [MultiplyDots].
func MultipliesRows() bool { return path != Go }

// MultiplyRow computes c = x·b for a matrix whose rows are dense and begin rowB bytes apart.
func MultiplyRow(c, x []float32, e Elem, b unsafe.Pointer, rowB int) {
	clear(c)
	for done := 0; done < len(x); {
		rows, columns := addRows(c, x[done:], e, unsafe.Add(b, done*rowB), rowB)
		for j := columns; j < len(c); j++ {
			for p, v := range x[done : done+rows] {
				c[j] += v * loadElem(e, unsafe.Add(b, (done+p)*rowB+j*e.size()))
			}
		}
		done += rows
	}
}

// MultiplyDots computes c = x·b for a matrix whose columns are dense and begin colB bytes apart.
// There are at least 4 columns and 32 steps of the sum.
func MultiplyDots(c, x []float32, e Elem, b unsafe.Pointer, colB int) {
	const together = 4
	whole := len(c) &^ (together - 1)
	k := multiplyDots(c[:whole], x, e, b, colB)
	if last := len(c) - together; last+together > whole { // some are computed twice
		multiplyDots(c[last:], x, e, unsafe.Add(b, last*colB), colB)
	}
	for j := range c {
		for p := k; p < len(x); p++ {
			c[j] += x[p] * loadElem(e, unsafe.Add(b, j*colB+p*e.size()))
		}
	}
}
