package cpu

import (
	"math"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// Binary implements device.Backend.
func (Backend) Binary(op device.BinaryOp, out, a, b *device.Array) {
	l := makeLoop(out, a, b)
	grain := grainCheap
	switch op {
	case device.Pow, device.Atan2, device.Fmod, device.Remainder:
		grain = grainMath
	}
	if l.total <= grain {
		binaryRange(op, &l, out, a, b)
		return
	}
	binaryParallel(op, l, grain, out, a, b)
}

func binaryParallel(op device.BinaryOp, l loop, grain int, out, a, b *device.Array) {
	pool.Split(l.total, grain, func(lo, hi int) {
		part := l
		part.seek(lo, hi)
		binaryRange(op, &part, out, a, b)
	})
}

func binaryRange(op device.BinaryOp, l *loop, out, a, b *device.Array) {
	if op >= device.Eq {
		switch widest(a.DType, b.DType) {
		case device.Float64:
			compare[float64](op, l, out, a, b)
		case device.Float32:
			compare[float32](op, l, out, a, b)
		default:
			compare[int64](op, l, out, a, b)
		}
		return
	}
	switch computeIn(out.DType) {
	case device.Float64:
		binary[float64](op, l, out, a, b)
	case device.Float32:
		binary[float32](op, l, out, a, b)
	default:
		binary[int64](op, l, out, a, b)
	}
}

// widest returns the type in which two dtypes can be compared.
func widest(a, b device.DType) device.DType {
	a, b = computeIn(a), computeIn(b)
	if a == device.Float64 || b == device.Float64 {
		return device.Float64
	}
	if a == device.Float32 || b == device.Float32 {
		return device.Float32
	}
	return device.Int64
}

func binary[T number](op device.BinaryOp, l *loop, out, a, b *device.Array) {
	if direct[T](l, 0, out) && direct[T](l, 1, a) && direct[T](l, 2, b) {
		for {
			off, n := l.next(l.n)
			if n == 0 {
				return
			}
			binaryRow(op, elems[T](out, off[0], 1, n), elems[T](a, off[1], 1, n),
				elems[T](b, off[2], 1, n))
		}
	}
	var bufA, bufB, bufOut [chunk]T
	for {
		off, n := l.next(chunk)
		if n == 0 {
			return
		}
		ra := row(bufA[:], a, off[1], l.step[1], n)
		rb := row(bufB[:], b, off[2], l.step[2], n)
		if direct[T](l, 0, out) {
			binaryRow(op, elems[T](out, off[0], 1, n), ra, rb)
			continue
		}
		binaryRow(op, bufOut[:n], ra, rb)
		store(out, off[0], l.step[0], bufOut[:n])
	}
}

func binaryRow[T number](op device.BinaryOp, out, a, b []T) {
	a, b = a[:len(out)], b[:len(out)]
	switch op {
	case device.Add:
		for i := range out {
			out[i] = a[i] + b[i]
		}
	case device.Sub:
		for i := range out {
			out[i] = a[i] - b[i]
		}
	case device.Mul:
		for i := range out {
			out[i] = a[i] * b[i]
		}
	case device.Div:
		for i := range out {
			out[i] = a[i] / b[i]
		}
	case device.Pow:
		for i := range out {
			out[i] = pow(a[i], b[i], float64(b[i]))
		}
	case device.Maximum:
		for i := range out {
			out[i] = max(a[i], b[i])
		}
	case device.Minimum:
		for i := range out {
			out[i] = min(a[i], b[i])
		}
	case device.ReLUGrad:
		reluGrad(out, a, b)
	case device.TanhGrad:
		for i := range out {
			out[i] = b[i] * (1 - a[i]*a[i])
		}
	case device.SigmoidGrad:
		for i := range out {
			out[i] = b[i] * (1 - a[i]) * a[i]
		}
	case device.Atan2:
		for i := range out {
			out[i] = T(math.Atan2(float64(a[i]), float64(b[i])))
		}
	case device.Fmod:
		for i := range out {
			out[i] = fmod(a[i], b[i])
		}
	case device.Remainder:
		for i := range out {
			r := fmod(a[i], b[i])
			if r != 0 && (r < 0) != (b[i] < 0) {
				r += b[i]
			}
			out[i] = r
		}
	}
}

// pow returns aᵇ, where b as a number of any kind is p. Integers wrap around, as in products, and
// those of negative powers lose their fraction.
func pow[T number](a, b T, p float64) T {
	x, ok := any(a).(int64)
	if !ok {
		return T(math.Pow(float64(a), p))
	}
	n := any(b).(int64)
	if n < 0 {
		switch {
		case x == 1 || x == -1 && n%2 == 0:
			return 1
		case x == -1:
			return a
		}
		return 0
	}
	y := int64(1)
	for ; n > 0; n /= 2 {
		if n%2 == 1 {
			y *= x
		}
		x *= x
	}
	return T(y)
}

// fmod is exact for all three types.
func fmod[T number](a, b T) T {
	if a, ok := any(a).(int64); ok {
		return T(a % any(b).(int64))
	}
	return T(math.Mod(float64(a), float64(b)))
}

// reluGrad lets b through where a is not at most 0. Which elements those are cannot be predicted,
// so float32 selects bits, which takes no branch.
func reluGrad[T number](out, a, b []T) {
	if out, ok := any(out).([]float32); ok {
		a, b := any(a).([]float32), any(b).([]float32)
		for i := range out {
			v := math.Float32bits(b[i])
			if a[i] <= 0 {
				v = 0
			}
			out[i] = math.Float32frombits(v)
		}
		return
	}
	for i := range out {
		out[i] = b[i]
		if a[i] <= 0 {
			out[i] = 0
		}
	}
}

func compare[T number](op device.BinaryOp, l *loop, out, a, b *device.Array) {
	var bufA, bufB [chunk]T
	var bufOut [chunk]bool
	for {
		off, n := l.next(chunk)
		if n == 0 {
			return
		}
		ra := row(bufA[:], a, off[1], l.step[1], n)
		rb := row(bufB[:], b, off[2], l.step[2], n)
		compareRow(op, bufOut[:n], ra, rb)
		storeBools(out, off[0], l.step[0], bufOut[:n])
	}
}

func storeBools(out *device.Array, off, stride int, src []bool) {
	dst := elems[bool](out, off, stride, len(src))
	for i, j := 0, 0; i < len(src); i, j = i+1, j+stride {
		dst[j] = src[i]
	}
}

func compareRow[T number](op device.BinaryOp, out []bool, a, b []T) {
	a, b = a[:len(out)], b[:len(out)]
	switch op {
	case device.Eq:
		for i := range out {
			out[i] = a[i] == b[i]
		}
	case device.Ne:
		for i := range out {
			out[i] = a[i] != b[i]
		}
	case device.Lt:
		for i := range out {
			out[i] = a[i] < b[i]
		}
	case device.Le:
		for i := range out {
			out[i] = a[i] <= b[i]
		}
	case device.Gt:
		for i := range out {
			out[i] = a[i] > b[i]
		}
	case device.Ge:
		for i := range out {
			out[i] = a[i] >= b[i]
		}
	case device.And:
		for i := range out {
			out[i] = a[i] != 0 && b[i] != 0
		}
	case device.Or:
		for i := range out {
			out[i] = a[i] != 0 || b[i] != 0
		}
	case device.Xor:
		for i := range out {
			out[i] = (a[i] != 0) != (b[i] != 0)
		}
	}
}
