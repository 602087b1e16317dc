package cpu

import (
	"math"

	"halfnote/tensor/internal/device"
)

// Softmax implements device.Backend. It subtracts the row's maximum first, so that nothing
// overflows, and keeps sums in float64.
func (Backend) Softmax(log bool, out, x *device.Array, axis int) {
	n := x.Shape[axis]
	rows := 1
	for d, s := range x.Shape {
		if d != axis {
			rows *= s
		}
	}
	if n == 0 || rows == 0 {
		return
	}
	grain := max(1, grainMath/n)
	if rows <= grain {
		softmaxRows(log, out, x, axis, 0, rows)
		return
	}
	split(rows, grain, func(lo, hi int) { softmaxRows(log, out, x, axis, lo, hi) })
}

func softmaxRows(log bool, out, x *device.Array, axis, lo, hi int) {
	n := x.Shape[axis]
	buf := make([]float64, n)
	for i := lo; i < hi; i++ {
		offX, offOut := rowOffset(x, axis, i), rowOffset(out, axis, i)
		load(buf, x, offX, x.Strides[axis])
		if log {
			logSoftmaxRow(buf)
		} else {
			softmaxRow(buf)
		}
		store(out, offOut, out.Strides[axis], buf)
	}
}

// rowOffset returns where the i-th row along axis begins.
func rowOffset(a *device.Array, axis, i int) int {
	off := a.Offset
	for d := len(a.Shape) - 1; d >= 0; d-- {
		if d == axis {
			continue
		}
		off += i % a.Shape[d] * a.Strides[d]
		i /= a.Shape[d]
	}
	return off
}

func softmaxRow(xs []float64) {
	top, sum := maxOf(xs), 0.0
	for i, v := range xs {
		xs[i] = math.Exp(v - top)
		sum += xs[i]
	}
	for i := range xs {
		xs[i] /= sum
	}
}

func logSoftmaxRow(xs []float64) {
	top, sum := maxOf(xs), 0.0
	for _, v := range xs {
		sum += math.Exp(v - top)
	}
	shift := math.Log(sum)
	for i := range xs {
		xs[i] = xs[i] - top - shift
	}
}

func maxOf(xs []float64) float64 {
	top := xs[0]
	for _, v := range xs[1:] {
		top = max(top, v)
	}
	return top
}
