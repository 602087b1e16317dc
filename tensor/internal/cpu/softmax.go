package cpu

import (
	"math"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// Softmax implements device.Backend. It subtracts the row's maximum first, so that nothing
// overflows, and keeps sums in float64.
func (Backend) Softmax(log bool, out, x *device.Array, axis int) {
	rows, grain := rowsAlong(x, axis)
	if x.Shape[axis] == 0 {
		return
	}
	if rows <= grain {
		softmaxRows(log, out, x, axis, 0, rows)
		return
	}
	pool.Split(rows, grain, func(lo, hi int) { softmaxRows(log, out, x, axis, lo, hi) })
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

// SoftmaxGrad implements device.Backend.
func (Backend) SoftmaxGrad(log bool, out, y, g *device.Array, axis int) {
	n := y.Shape[axis]
	rows, grain := rowsAlong(y, axis)
	if n == 0 {
		return
	}
	pool.Split(rows, grain, func(lo, hi int) {
		ys, gs := make([]float64, n), make([]float64, n)
		for i := lo; i < hi; i++ {
			load(ys, y, rowOffset(y, axis, i), y.Strides[axis])
			load(gs, g, rowOffset(g, axis, i), g.Strides[axis])
			if log {
				logSoftmaxGradRow(ys, gs)
			} else {
				softmaxGradRow(ys, gs)
			}
			store(out, rowOffset(out, axis, i), out.Strides[axis], gs)
		}
	})
}

// softmaxGradRow replaces g by y·(g − Σg·y).
func softmaxGradRow(y, g []float64) {
	sum := 0.0
	g = g[:len(y)]
	for i, v := range y {
		sum += g[i] * v
	}
	for i, v := range y {
		g[i] = v * (g[i] - sum)
	}
}

// logSoftmaxGradRow replaces g by g − eʸ·Σg.
func logSoftmaxGradRow(y, g []float64) {
	sum := sumRow[float64, float64](g)
	g = g[:len(y)]
	for i, v := range y {
		g[i] -= math.Exp(v) * sum
	}
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
	t0 := xs[0]
	t1, t2, t3 := t0, t0, t0
	for len(xs) >= 4 { // four chains hide the latency
		t0, t1, t2, t3 = max(t0, xs[0]), max(t1, xs[1]), max(t2, xs[2]), max(t3, xs[3])
		xs = xs[4:]
	}
	for _, v := range xs {
		t0 = max(t0, v)
	}
	return max(t0, t1, t2, t3)
}
