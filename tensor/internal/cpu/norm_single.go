package cpu

import (
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// This file implements the normalisation of rows of float32 that kernels take as they lie: dense, in
// one line, with a weight and a bias for each of their elements. As in softmax, some rows together
// have each step done, so that none waits for the last sum of the one before.

// single reports whether arrays have such rows, or are one, for all rows.
func (n *norm[T]) single(arrays ...*device.Array) bool {
	if n.shape[2] != 1 {
		return false
	}
	for _, a := range arrays {
		if a == nil || a.DType != device.Float32 || a.Shape[3] != n.shape[3] || a.Strides[3] != 1 {
			return false
		}
	}
	return true
}

func normalizeSingles(n *norm[float32], y, x, weight, bias *device.Array) {
	ys, xs, ws, bs := newRowed(y), newRowed(x), newRowed(weight), newRowed(bias)
	size := n.shape[3]
	n.run(func(lo, hi int) {
		var means, scales [together]float32
		for ; lo < hi; lo += together {
			rows := min(together, hi-lo)
			for k := range rows {
				i, j := n.row(lo + k)
				if !n.Given {
					xs := xs.line(i, j, size)
					sum, squares := simd.Moments(xs)
					n.settle(i, j, sum, squares, func(mean float64) float64 {
						return simd.SumSquares(xs, mean)
					})
				}
				means[k], scales[k] = n.moments(i, j)
			}
			for k := range rows {
				i, j := n.row(lo + k)
				simd.Normalize(ys.line(i, j, size), xs.line(i, j, size), ws.line(i, j, size),
					bs.line(i, j, size), means[k], scales[k])
			}
		}
	})
}

func normalizeGradSingles(n *norm[float32], dx, dy, x, weight *device.Array) {
	dxs, dys, xs, ws := newRowed(dx), newRowed(dy), newRowed(x), newRowed(weight)
	size := n.shape[3]
	n.run(func(lo, hi int) {
		var means, scales, shifts, slopes [together]float32
		for ; lo < hi; lo += together {
			rows := min(together, hi-lo)
			for k := range rows {
				i, j := n.row(lo + k)
				means[k], scales[k] = n.moments(i, j)
				if !n.Given {
					total, along := simd.NormSums(dys.line(i, j, size), ws.line(i, j, size),
						xs.line(i, j, size), means[k])
					shifts[k], slopes[k] = n.slope(total, along, scales[k])
				}
			}
			for k := range rows {
				i, j := n.row(lo + k)
				simd.NormalizeGrad(dxs.line(i, j, size), dys.line(i, j, size), ws.line(i, j, size),
					xs.line(i, j, size), means[k], scales[k], shifts[k], slopes[k])
			}
		}
	})
}

// weightSingles is weightStrip for a weight with one row, from its element q on.
func weightSingles(n *norm[float32], sums *weightSums, dy, x *device.Array, q, lo, hi int) {
	dys, xs := newRowed(dy), newRowed(x)
	count := min(block, n.shape[3]-q)
	dw, db := sums.dw[:count], sums.db[:count]
	row := func(i int) (d, x []float32, mean, scale float32) {
		mean, scale = n.moments(i, 0)
		return dys.line(i, 0, n.shape[3])[q:][:count], xs.line(i, 0, n.shape[3])[q:][:count], mean, scale
	}
	for ; lo < hi; lo += 2 {
		d, x, m, s := row(lo)
		if lo+1 == hi {
			var none [block]float32 // what is added last is 0
			simd.AccumulateNorms(dw, db, d, x, none[:count], none[:count], m, s, 0, 0)
			return
		}
		e, y, p, t := row(lo + 1)
		simd.AccumulateNorms(dw, db, d, x, e, y, m, s, p, t)
	}
}
