package cpu

import (
	"math"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// Ternary implements device.Backend.
func (Backend) Ternary(op device.TernaryOp, out, a, b, c *device.Array, p float64) {
	l := makeLoop(out, a, b, c)
	if l.total <= grainCheap {
		ternaryRange(op, &l, out, a, b, c, p)
		return
	}
	ternaryParallel(op, l, out, a, b, c, p)
}

func ternaryParallel(op device.TernaryOp, l loop, out, a, b, c *device.Array, p float64) {
	pool.Split(l.total, grainCheap, func(lo, hi int) {
		part := l
		part.seek(lo, hi)
		ternaryRange(op, &part, out, a, b, c, p)
	})
}

func ternaryRange(op device.TernaryOp, l *loop, out, a, b, c *device.Array, p float64) {
	switch computeIn(out.DType) {
	case device.Float64:
		ternary[float64](op, l, out, a, b, c, p)
	case device.Float32:
		ternary[float32](op, l, out, a, b, c, p)
	default:
		ternary[int64](op, l, out, a, b, c, p)
	}
}

func ternary[T number](op device.TernaryOp, l *loop, out, a, b, c *device.Array, p float64) {
	var bufA, bufB, bufC, bufOut [chunk]T
	for {
		off, n := l.next(chunk)
		if n == 0 {
			return
		}
		ra := row(bufA[:], a, off[1], l.step[1], n)
		rb := row(bufB[:], b, off[2], l.step[2], n)
		rc := row(bufC[:], c, off[3], l.step[3], n)
		if direct[T](l, 0, out) {
			ternaryRow(op, elems[T](out, off[0], 1, n), ra, rb, rc, T(p))
			continue
		}
		ternaryRow(op, bufOut[:n], ra, rb, rc, T(p))
		store(out, off[0], l.step[0], bufOut[:n])
	}
}

func ternaryRow[T number](op device.TernaryOp, out, a, b, c []T, p T) {
	a, b, c = a[:len(out)], b[:len(out)], c[:len(out)]
	switch op {
	case device.Where:
		choose(out, a, b, c)
	case device.Addcmul:
		for i := range out {
			out[i] = a[i] + p*b[i]*c[i]
		}
	case device.Addcdiv:
		for i := range out {
			out[i] = a[i] + p*b[i]/c[i]
		}
	}
}

// choose takes b where a is not zero, else c. Which of them cannot be predicted, so float32 selects
// bits, which takes no branch.
func choose[T number](out, a, b, c []T) {
	if out, ok := any(out).([]float32); ok {
		a, b, c := any(a).([]float32), any(b).([]float32), any(c).([]float32)
		for i := range out {
			v, w := math.Float32bits(c[i]), math.Float32bits(b[i])
			if a[i] != 0 {
				v = w
			}
			out[i] = math.Float32frombits(v)
		}
		return
	}
	for i := range out {
		v := c[i]
		if a[i] != 0 {
			v = b[i]
		}
		out[i] = v
	}
}
