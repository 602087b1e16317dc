package cpu

import (
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// This file implements the normalisation of whole rows that lie along the first dimension, with a
// weight and a bias for each of their elements, by kernels on float32.

// whole reports whether arrays have such rows.
func (n *norm[T]) whole(arrays ...*device.Array) bool {
	if n.shape[1] != 1 || n.shape[2] != 1 || n.shape[3] == 0 {
		return false
	}
	for _, a := range arrays {
		if a.Shape[3] != n.shape[3] || a.Strides[3] != 1 || a.DType.ComputeIn() != device.Float32 {
			return false
		}
	}
	return true
}

// vectors reports whether arrays have one such row for all.
func (n *norm[T]) vectors(arrays ...*device.Array) bool {
	for _, a := range arrays {
		if a == nil || a.Shape[0] != 1 || a.Shape[1] != 1 || !n.whole(a) {
			return false
		}
	}
	return true
}

// rows returns those of a.
func (n *norm[T]) rows(a *device.Array) wholeRows[T] {
	return wholeRows[T]{a: a, from: a.Offset, by: stride4(a, 0), size: n.shape[3]}
}

// vector returns the only row of a.
func (n *norm[T]) vector(a *device.Array) []T {
	var buf []T
	if a.DType != dtypeOf[T]() {
		buf = make([]T, n.shape[3])
	}
	return row(buf, a, a.Offset, 1, n.shape[3])
}

func normalizeWhole(n *norm[float32], y, x, weight, bias *device.Array) {
	w, b := n.vector(weight), n.vector(bias)
	n.run(func(lo, hi int) {
		all := [...]wholeRows[float32]{n.rows(y), n.rows(x)}
		ys, xs := &all[0], &all[1]
		count, r := prepare(all[:])
		defer r.release()
		var sums, squares [together]float64
		for ; lo < hi; lo += count {
			rows := min(count, hi-lo)
			xs.read(lo, rows)
			ys.reach(lo, rows)
			if !n.Given {
				for k := range rows {
					sums[k], squares[k] = simd.Moments(xs.row(k))
				}
				for k := range rows {
					n.settle(lo+k, 0, sums[k], squares[k], func(mean float64) float64 {
						return simd.SumSquares(xs.row(k), mean)
					})
				}
			}
			for k := range rows {
				mean, scale := n.moments(lo+k, 0)
				simd.Normalize(ys.row(k), xs.row(k), w, b, mean, scale)
			}
			ys.write(lo, rows)
		}
	})
}

func normalizeGradWhole(n *norm[float32], dx, dy, x, weight *device.Array) {
	w := n.vector(weight)
	n.run(func(lo, hi int) {
		all := [...]wholeRows[float32]{n.rows(dx), n.rows(dy), n.rows(x)}
		dxs, dys, xs := &all[0], &all[1], &all[2]
		count, r := prepare(all[:])
		defer r.release()
		var means, scales [together]float32
		var totals, alongs [together]float64
		for ; lo < hi; lo += count {
			rows := min(count, hi-lo)
			dys.read(lo, rows)
			xs.read(lo, rows)
			dxs.reach(lo, rows)
			for k := range rows {
				means[k], scales[k] = n.moments(lo+k, 0)
				if !n.Given {
					totals[k], alongs[k] = sumsAlong(dys.row(k), w, xs.row(k), means[k])
				}
			}
			for k := range rows {
				shift, slope := n.slope(totals[k], alongs[k], scales[k])
				simd.NormalizeGrad(dxs.row(k), dys.row(k), w, xs.row(k), means[k], scales[k], shift,
					slope)
			}
			dxs.write(lo, rows)
		}
	})
}

// weightWhole is weightStrip for a weight with one row, from its element q on; without dw only db is
// summed.
func weightWhole(n *norm[float32], sums *weightSums, dw bool, dy, x *device.Array, q, lo, hi int) {
	all := [...]wholeRows[float32]{n.rows(dy), n.rows(x)}
	size := min(block, n.shape[3]-q)
	for k := range all {
		all[k].from, all[k].size = all[k].from+q, size
	}
	arrays := all[:]
	if !dw {
		arrays = all[:1]
	}
	count, r := prepare(arrays)
	defer r.release()
	for ; lo < hi; lo += count {
		rows := min(count, hi-lo)
		for i := range arrays {
			arrays[i].read(lo, rows)
		}
		if dw {
			weightRows(n, sums, &all[0], &all[1], lo, rows)
		} else {
			biasRows(sums.db[:size], &all[0], rows)
		}
	}
}

// none is a row that adds 0.
var none [block]float32

// weightRows adds rows at hand, which begin with number lo.
func weightRows(n *norm[float32], sums *weightSums, ds, xs *wholeRows[float32], lo, rows int) {
	size := ds.size
	for k := 0; k < rows; k += 2 {
		m, s := n.moments(lo+k, 0)
		e, y, p, t := none[:size], none[:size], float32(0), float32(0)
		if k+1 < rows {
			p, t = n.moments(lo+k+1, 0)
			e, y = ds.row(k+1), xs.row(k+1)
		}
		simd.AccumulateNorms(sums.dw[:size], sums.db[:size], ds.row(k), xs.row(k), e, y, m, s, p, t)
	}
}

func biasRows(sums []float64, ds *wholeRows[float32], rows int) {
	k := 0
	for ; k+4 <= rows; k += 4 {
		simd.Accumulate4(sums, ds.row(k), ds.row(k+1), ds.row(k+2), ds.row(k+3))
	}
	for ; k < rows; k++ {
		simd.Accumulate(sums, ds.row(k))
	}
}
