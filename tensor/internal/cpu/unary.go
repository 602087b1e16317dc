package cpu

import (
	"math"

	"halfnote/tensor/internal/device"
)

// Unary implements device.Backend.
func (Backend) Unary(op device.UnaryOp, out, x *device.Array, p float64) {
	l := makeLoop(out, x)
	grain := grainMath
	switch op {
	case device.Neg, device.Abs, device.ReLU, device.AddP, device.MulP:
		grain = grainCheap
	}
	if l.total <= grain {
		unaryRange(op, &l, out, x, p)
		return
	}
	unaryParallel(op, l, grain, out, x, p)
}

func unaryParallel(op device.UnaryOp, l loop, grain int, out, x *device.Array, p float64) {
	split(l.total, grain, func(lo, hi int) {
		part := l
		part.seek(lo, hi)
		unaryRange(op, &part, out, x, p)
	})
}

func unaryRange(op device.UnaryOp, l *loop, out, x *device.Array, p float64) {
	predicate := out.DType == device.Bool
	in := computeIn(out.DType)
	if predicate {
		in = computeIn(x.DType)
		if in == device.Int64 && p != math.Trunc(p) {
			in = device.Float64 // 2 < 2.5 must not be asked of integers
		}
	}
	switch {
	case in == device.Float64 && predicate:
		test[float64](op, l, out, x, p)
	case in == device.Float32 && predicate:
		test[float32](op, l, out, x, p)
	case predicate:
		test[int64](op, l, out, x, p)
	case in == device.Float64:
		unary[float64](op, l, out, x, p)
	case in == device.Float32:
		unary[float32](op, l, out, x, p)
	default:
		unary[int64](op, l, out, x, p)
	}
}

func unary[T number](op device.UnaryOp, l *loop, out, x *device.Array, p float64) {
	if direct[T](l, 0, out) && direct[T](l, 1, x) {
		for {
			off, n := l.next(l.n)
			if n == 0 {
				return
			}
			unaryRow(op, elems[T](out, off[0], 1, n), elems[T](x, off[1], 1, n), p)
		}
	}
	var bufX, bufOut [chunk]T
	for {
		off, n := l.next(chunk)
		if n == 0 {
			return
		}
		rx := row(bufX[:], x, off[1], l.step[1], n)
		if direct[T](l, 0, out) {
			unaryRow(op, elems[T](out, off[0], 1, n), rx, p)
			continue
		}
		unaryRow(op, bufOut[:n], rx, p)
		store(out, off[0], l.step[0], bufOut[:n])
	}
}

func unaryRow[T number](op device.UnaryOp, out, x []T, p float64) {
	x = x[:len(out)]
	c := T(p)
	switch op {
	case device.Neg:
		for i, v := range x {
			out[i] = -v
		}
	case device.Abs:
		for i, v := range x {
			out[i] = max(v, -v) // of -0 and +0, the larger is +0
		}
	case device.Sign:
		for i, v := range x {
			switch {
			case v > 0:
				out[i] = 1
			case v < 0:
				out[i] = -1
			default:
				out[i] = 0
			}
		}
	case device.ReLU:
		for i, v := range x {
			out[i] = max(v, 0)
		}
	case device.AddP:
		for i, v := range x {
			out[i] = v + c
		}
	case device.MulP:
		for i, v := range x {
			out[i] = v * c
		}
	case device.DivP:
		for i, v := range x {
			out[i] = v / c
		}
	case device.MaxP:
		for i, v := range x {
			out[i] = max(v, c)
		}
	case device.MinP:
		for i, v := range x {
			out[i] = min(v, c)
		}
	default:
		mathRow(op, out, x, p)
	}
}

// mathRow computes the ops that call the math package, in float64.
func mathRow[T number](op device.UnaryOp, out, x []T, p float64) {
	switch op {
	case device.Exp:
		for i, v := range x {
			out[i] = T(math.Exp(float64(v)))
		}
	case device.Log:
		for i, v := range x {
			out[i] = T(math.Log(float64(v)))
		}
	case device.Sqrt:
		for i, v := range x {
			out[i] = T(math.Sqrt(float64(v)))
		}
	case device.Rsqrt:
		for i, v := range x {
			out[i] = T(1 / math.Sqrt(float64(v)))
		}
	case device.Reciprocal:
		for i, v := range x {
			out[i] = T(1 / float64(v))
		}
	case device.Tanh:
		for i, v := range x {
			out[i] = T(math.Tanh(float64(v)))
		}
	case device.Sigmoid:
		for i, v := range x {
			out[i] = T(1 / (1 + math.Exp(-float64(v))))
		}
	case device.PowP:
		powRow(out, x, p)
	}
}

// powRow computes xᵖ, with products for the small powers that losses and norms use.
func powRow[T number](out, x []T, p float64) {
	switch p {
	case 2:
		for i, v := range x {
			out[i] = v * v
		}
	case 3:
		for i, v := range x {
			out[i] = v * v * v
		}
	case 0.5:
		for i, v := range x {
			out[i] = T(math.Sqrt(float64(v)))
		}
	default:
		for i, v := range x {
			out[i] = T(math.Pow(float64(v), p))
		}
	}
}

func test[T number](op device.UnaryOp, l *loop, out, x *device.Array, p float64) {
	var bufX [chunk]T
	var bufOut [chunk]bool
	for {
		off, n := l.next(chunk)
		if n == 0 {
			return
		}
		testRow(op, bufOut[:n], row(bufX[:], x, off[1], l.step[1], n), p)
		storeBools(out, off[0], l.step[0], bufOut[:n])
	}
}

func testRow[T number](op device.UnaryOp, out []bool, x []T, p float64) {
	c := T(p)
	switch op {
	case device.IsFinite:
		for i, v := range x {
			out[i] = v-v == 0
		}
	case device.IsNaN:
		for i, v := range x {
			out[i] = v != v
		}
	case device.Not:
		for i, v := range x {
			out[i] = v == 0
		}
	case device.EqP:
		for i, v := range x {
			out[i] = v == c
		}
	case device.NeP:
		for i, v := range x {
			out[i] = v != c
		}
	case device.LtP:
		for i, v := range x {
			out[i] = v < c
		}
	case device.LeP:
		for i, v := range x {
			out[i] = v <= c
		}
	case device.GtP:
		for i, v := range x {
			out[i] = v > c
		}
	case device.GeP:
		for i, v := range x {
			out[i] = v >= c
		}
	}
}
