package simd

import "math"

// This file has the kernels that write bools in plain Go, and the one that reads them.

func equalGo(out []bool, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] == b[i]
	}
}

func notEqualGo(out []bool, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] != b[i]
	}
}

func lessGo(out []bool, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] < b[i]
	}
}

func lessEqualGo(out []bool, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] <= b[i]
	}
}

func equalScalarGo(out []bool, x []float32, c float32) {
	for i, v := range x[:len(out)] {
		out[i] = v == c
	}
}

func notEqualScalarGo(out []bool, x []float32, c float32) {
	for i, v := range x[:len(out)] {
		out[i] = v != c
	}
}

func lessScalarGo(out []bool, x []float32, c float32) {
	for i, v := range x[:len(out)] {
		out[i] = v < c
	}
}

func lessEqualScalarGo(out []bool, x []float32, c float32) {
	for i, v := range x[:len(out)] {
		out[i] = v <= c
	}
}

func greaterScalarGo(out []bool, x []float32, c float32) {
	for i, v := range x[:len(out)] {
		out[i] = v > c
	}
}

func greaterEqualScalarGo(out []bool, x []float32, c float32) {
	for i, v := range x[:len(out)] {
		out[i] = v >= c
	}
}

func isFiniteGo(out []bool, x []float32) {
	for i, v := range x[:len(out)] {
		out[i] = v-v == 0
	}
}

// whereGo selects bits, which takes no branch.
func whereGo(out []float32, cond []bool, b, c []float32) {
	cond, b, c = cond[:len(out)], b[:len(out)], c[:len(out)]
	for i := range out {
		v, w := math.Float32bits(c[i]), math.Float32bits(b[i])
		if cond[i] {
			v = w
		}
		out[i] = math.Float32frombits(v)
	}
}
