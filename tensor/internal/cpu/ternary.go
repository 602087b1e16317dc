package cpu

import (
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
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
	pool.Split(l.total, pieceSize(l.total, grainCheap), func(lo, hi int) {
		part := l
		part.seek(lo, hi)
		ternaryRange(op, &part, out, a, b, c, p)
	})
}

func ternaryRange(op device.TernaryOp, l *loop, out, a, b, c *device.Array, p float64) {
	switch out.DType.ComputeIn() {
	case device.Float64:
		ternary[float64](op, l, out, a, b, c, p)
	case device.Float32:
		ternary[float32](op, l, out, a, b, c, p)
	default:
		ternary[int64](op, l, out, a, b, c, p)
	}
}

func ternary[T number](op device.TernaryOp, l *loop, out, a, b, c *device.Array, p float64) {
	// A condition is read as it is.
	bits := op == device.Where && a.DType == device.Bool && l.step[1] == 1 &&
		dtypeOf[T]() == device.Float32
	s, limit := borrow[T](!direct[T](l, 0, out) || !direct[T](l, 1, a) && !bits ||
		!direct[T](l, 2, b) || !direct[T](l, 3, c), l.n)
	defer giveBack(s)
	for {
		off, n := l.next(limit)
		if n == 0 {
			return
		}
		ro := target(buffer[T](s, 0), out, off[0], l.step[0], n)
		rb := row(buffer[T](s, 2), b, off[2], l.step[2], n)
		rc := row(buffer[T](s, 3), c, off[3], l.step[3], n)
		if bits {
			simd.Where(any(ro).([]float32), elems[bool](a, off[1], 1, n), any(rb).([]float32),
				any(rc).([]float32))
		} else {
			ternaryRow(op, ro, row(buffer[T](s, 1), a, off[1], l.step[1], n), rb, rc, T(p))
		}
		if !direct[T](l, 0, out) {
			store(out, off[0], l.step[0], ro)
		}
	}
}

func ternaryRow[T number](op device.TernaryOp, out, a, b, c []T, p T) {
	a, b, c = a[:len(out)], b[:len(out)], c[:len(out)]
	o, isSingle := single(out)
	switch {
	case op == device.Where:
		for i := range out {
			v := c[i]
			if a[i] != 0 {
				v = b[i]
			}
			out[i] = v
		}
	case op == device.Addcmul && isSingle:
		simd.Addcmul(o, any(a).([]float32), any(b).([]float32), any(c).([]float32), float32(p))
	case op == device.Addcdiv && isSingle:
		simd.Addcdiv(o, any(a).([]float32), any(b).([]float32), any(c).([]float32), float32(p))
	case op == device.Addcmul:
		for i := range out {
			out[i] = a[i] + p*b[i]*c[i]
		}
	case op == device.Addcdiv:
		for i := range out {
			out[i] = a[i] + p*b[i]/c[i]
		}
	}
}
