package cpu

import (
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// Scan implements device.Backend.
func (Backend) Scan(out, a, b *device.Array, axis int, c device.ScanConfig) {
	rows, grain := rowsAlong(out, axis)
	pool.Split(rows, grain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if out.DType.ComputeIn() == device.Int64 {
				scan(out, a, b, axis, i, int64(c.Start), c)
				continue
			}
			scan(out, a, b, axis, i, c.Start, c)
		}
	})
}

// scan goes along row number i.
func scan[T float64 | int64](out, a, b *device.Array, axis, i int, s T, c device.ScanConfig) {
	var bufA, bufB, bufOut [chunk]T
	n := out.Shape[axis]
	for done := 0; done < n; {
		m := min(chunk, n-done)
		from := done
		if c.Reverse {
			from = n - done - m
		}
		ra := operand(bufA[:m], a, axis, i, from, 1)
		rb := operand(bufB[:m], b, axis, i, from, 0)
		for k := range m {
			if c.Reverse {
				k = m - 1 - k
			}
			if c.Lag {
				bufOut[k] = s + rb[k]
				s = ra[k] * bufOut[k]
				continue
			}
			s = ra[k]*s + rb[k]
			bufOut[k] = s
		}
		step := out.Strides[axis]
		store(out, rowOffset(out, axis, i)+from*step, step, bufOut[:m])
		done += m
	}
}

// operand loads part of row number i of x into buf, or fills it where x is nil.
func operand[T float64 | int64](buf []T, x *device.Array, axis, i, from int, fill T) []T {
	if x == nil {
		for k := range buf {
			buf[k] = fill
		}
		return buf
	}
	step := x.Strides[axis]
	load(buf, x, rowOffset(x, axis, i)+from*step, step)
	return buf
}
