package cpu

import (
	"math"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// Unary implements device.Backend.
func (Backend) Unary(op device.UnaryOp, out, x *device.Array, p float64) {
	predicate := op >= device.EqP || op >= device.IsFinite && op <= device.Not
	if n := out.Numel(); !predicate && n <= grainMath && denseSingles(out, x) {
		unaryRow(op, elems[float32](out, out.Offset, 1, n), elems[float32](x, x.Offset, 1, n), p)
		return
	}
	l := makeLoop(out, x)
	grain := grainMath
	switch op {
	case device.Neg, device.Abs, device.ReLU, device.AddP, device.MulP, device.DivP, device.MaxP,
		device.MinP, device.Reciprocal, device.Sqrt, device.Rsqrt:
		grain = grainCheap
	case device.Exp, device.Log, device.Tanh, device.Sigmoid, device.Erf:
		grain = grainCurve
	}
	if predicate {
		grain = grainCheap
	}
	if l.total <= grain {
		unaryRange(op, &l, out, x, p)
		return
	}
	unaryParallel(op, l, grain, out, x, p)
}

func unaryParallel(op device.UnaryOp, l loop, grain int, out, x *device.Array, p float64) {
	pool.Split(l.total, pieceSize(l.total, grain), func(lo, hi int) {
		part := l
		part.seek(lo, hi)
		unaryRange(op, &part, out, x, p)
	})
}

func unaryRange(op device.UnaryOp, l *loop, out, x *device.Array, p float64) {
	predicate := op >= device.EqP || op >= device.IsFinite && op <= device.Not
	in := out.DType.ComputeIn()
	if predicate {
		in = x.DType.ComputeIn()
		if in == device.Int64 && (p != math.Trunc(p) || math.Abs(p) >= 1<<63) {
			in = device.Float64 // 2 < 2.5 and 2 < ∞ must not be asked of integers
		}
	}
	switch {
	case in == device.Float64 && predicate:
		test[float64](op, l, out, x, p)
	case in == device.Float32 && predicate:
		test[float32](op, l, out, x, p)
	case predicate:
		test[int64](op, l, out, x, p)
	case unaryShorts(op, l, out, x, p):
	case in == device.Float64:
		unary[float64](op, l, out, x, p)
	case in == device.Float32:
		unary[float32](op, l, out, x, p)
	default:
		unary[int64](op, l, out, x, p)
	}
}

func unary[T number](op device.UnaryOp, l *loop, out, x *device.Array, p float64) {
	s, limit := borrow[T](!direct[T](l, 0, out) || !direct[T](l, 1, x), l.n)
	defer giveBack(s)
	for {
		off, n := l.next(limit)
		if n == 0 {
			return
		}
		ro := target(buffer[T](s, 0), out, off[0], l.step[0], n)
		unaryRow(op, ro, row(buffer[T](s, 1), x, off[1], l.step[1], n), p)
		if !direct[T](l, 0, out) {
			store(out, off[0], l.step[0], ro)
		}
	}
}

func unaryRow[T number](op device.UnaryOp, out, x []T, p float64) {
	x = x[:len(out)]
	if o, ok := single(out); ok && unarySingle(op, o, any(x).([]float32), p) {
		return
	}
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
			out[i] = T(log(float64(v)))
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
	default:
		f := functions[op]
		for i, v := range x {
			out[i] = T(f(float64(v)))
		}
	}
}

// log is math.Log, whose assembly takes the exponent of a subnormal number for that of the smallest
// normal one.
func log(x float64) float64 {
	if x < 0x1p-1022 && x > 0 {
		return math.Log(x*0x1p54) - 54*math.Ln2
	}
	return math.Log(x)
}

func log10(x float64) float64 { return log(x) * (1 / math.Ln10) }

// log2 is math.Log2, which subtracts 1 from almost 1 where x is near it.
func log2(x float64) float64 {
	if x > 0.5 && x < 2 {
		return math.Log(x) * (1 / math.Ln2)
	}
	return math.Log2(x)
}

// sinh is math.Sinh, which overflows at half of the largest number.
func sinh(x float64) float64 {
	if math.Abs(x) > 700 {
		half := math.Exp(math.Abs(x) / 2)
		return math.Copysign(half/2*half, x)
	}
	return math.Sinh(x)
}

func cosh(x float64) float64 {
	if math.Abs(x) > 700 {
		return sinh(math.Abs(x))
	}
	return math.Cosh(x)
}

// functions are the ops that are computed one by one.
var functions = [...]func(float64) float64{
	device.Sin: math.Sin, device.Cos: math.Cos, device.Tan: math.Tan,
	device.Asin: math.Asin, device.Acos: math.Acos, device.Atan: math.Atan,
	device.Sinh: sinh, device.Cosh: cosh,
	device.Erf: math.Erf, device.Erfinv: math.Erfinv,
	device.Expm1: math.Expm1, device.Log1p: math.Log1p,
	device.Log2: log2, device.Log10: log10,
	device.Floor: math.Floor, device.Ceil: math.Ceil,
	device.Round: math.RoundToEven, device.Trunc: math.Trunc,
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
			out[i] = pow(v, T(p), p)
		}
	}
}

func test[T number](op device.UnaryOp, l *loop, out, x *device.Array, p float64) {
	s, limit := borrow[T](true, l.n)
	defer giveBack(s)
	var spare [scratchBytes / 4]bool
	for {
		off, n := l.next(limit)
		if n == 0 {
			return
		}
		rx := row(buffer[T](s, 1), x, off[1], l.step[1], n)
		if l.step[0] == 1 {
			testRow(op, elems[bool](out, off[0], 1, n), rx, p)
			continue
		}
		testRow(op, spare[:n], rx, p)
		storeBools(out, off[0], l.step[0], spare[:n])
	}
}

func testRow[T number](op device.UnaryOp, out []bool, x []T, p float64) {
	c := T(p)
	if x, ok := single(x); ok && testSingle(op, out, x, float32(p)) {
		return
	}
	switch op {
	case device.IsFinite:
		for i, v := range x {
			out[i] = v-v == 0
		}
	case device.IsInf:
		for i, v := range x {
			out[i] = v == v && v-v != 0
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
