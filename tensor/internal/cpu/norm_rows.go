package cpu

import (
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// This file implements the normalisation of rows that kernels on float32 take whole: dense, in one
// line, with a weight and a bias for each of their elements. As in softmax, some rows together have
// each step done, so that none waits for the last sum of the one before.

// whole reports whether arrays have such rows.
func (n *norm[T]) whole(arrays ...*device.Array) bool {
	if n.shape[2] != 1 || n.shape[3] == 0 {
		return false
	}
	for _, a := range arrays {
		if a.Shape[3] != n.shape[3] || a.Strides[3] != 1 || computeIn(a.DType) != device.Float32 {
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

// A wholeRows is an array of such rows, of which some at a time are at hand as float32: where they
// lie, or in a buffer.
type wholeRows struct {
	rowed
	size   int
	buffer []float32 // nil where the array is float32
}

// wholeRows returns those of arrays, how many of each fit the first-level cache, and what is to be
// released.
func (n *norm[T]) wholeRows(rows []wholeRows, arrays ...*device.Array) (count int, r room[float32]) {
	count = min(together, max(2, cached/n.shape[3]))
	r = newRoom[float32](len(arrays), len(arrays)*count*n.shape[3])
	for k, a := range arrays {
		rows[k].rowed, rows[k].size = newRowed(a), n.shape[3]
		if a.DType != device.Float32 {
			rows[k].buffer = r.take(count * n.shape[3])
		}
	}
	return count, r
}

// at returns row i, j, which is number k of those at hand.
func (w *wholeRows) at(k, i, j int) []float32 {
	if w.buffer == nil {
		return w.line(i, j, w.size)
	}
	return w.buffer[k*w.size:][:w.size]
}

// read is at for a row that is not in the buffer yet.
func (w *wholeRows) read(k, i, j int) []float32 {
	xs := w.at(k, i, j)
	if w.buffer != nil {
		load(xs, w.a, at4(w.a, i, j), 1)
	}
	return xs
}

// write stores what is at hand.
func (w *wholeRows) write(k, i, j int) {
	if w.buffer != nil {
		store(w.a, at4(w.a, i, j), 1, w.at(k, i, j))
	}
}

func normalizeWhole(n *norm[float32], y, x, weight, bias *device.Array) {
	n.run(func(lo, hi int) {
		var all [4]wholeRows
		count, r := n.wholeRows(all[:], y, x, weight, bias)
		defer r.release()
		ys, xs, w, b := &all[0], &all[1], all[2].read(0, 0, 0), all[3].read(0, 0, 0)
		var means, scales [together]float32
		for ; lo < hi; lo += count {
			rows := min(count, hi-lo)
			for k := range rows {
				i, j := n.row(lo + k)
				x := xs.read(k, i, j)
				if !n.Given {
					sum, squares := simd.Moments(x)
					n.settle(i, j, sum, squares, func(mean float64) float64 {
						return simd.SumSquares(x, mean)
					})
				}
				means[k], scales[k] = n.moments(i, j)
			}
			for k := range rows {
				i, j := n.row(lo + k)
				simd.Normalize(ys.at(k, i, j), xs.at(k, i, j), w, b, means[k], scales[k])
				ys.write(k, i, j)
			}
		}
	})
}

func normalizeGradWhole(n *norm[float32], dx, dy, x, weight *device.Array) {
	n.run(func(lo, hi int) {
		var all [4]wholeRows
		count, r := n.wholeRows(all[:], dx, dy, x, weight)
		defer r.release()
		dxs, dys, xs, w := &all[0], &all[1], &all[2], all[3].read(0, 0, 0)
		var means, scales, shifts, slopes [together]float32
		for ; lo < hi; lo += count {
			rows := min(count, hi-lo)
			for k := range rows {
				i, j := n.row(lo + k)
				means[k], scales[k] = n.moments(i, j)
				d, x := dys.read(k, i, j), xs.read(k, i, j)
				if !n.Given {
					total, along := simd.NormSums(d, w, x, means[k])
					shifts[k], slopes[k] = n.slope(total, along, scales[k])
				}
			}
			for k := range rows {
				i, j := n.row(lo + k)
				simd.NormalizeGrad(dxs.at(k, i, j), dys.at(k, i, j), w, xs.at(k, i, j), means[k],
					scales[k], shifts[k], slopes[k])
				dxs.write(k, i, j)
			}
		}
	})
}

// weightWhole is weightStrip for a weight with one row, from its element q on.
func weightWhole(n *norm[float32], sums *weightSums, dy, x *device.Array, q, lo, hi int) {
	part := *n
	part.shape = []int{n.shape[0], 1, 1, min(block, n.shape[3]-q)}
	size := part.shape[3]
	var all [2]wholeRows
	_, r := part.wholeRows(all[:], dy, x)
	defer r.release()
	ds, xs := &all[0], &all[1]
	for _, w := range [...]*wholeRows{ds, xs} { // from element q on
		from := *w.a
		from.Offset += q
		w.a = &from
	}
	var none [block]float32
	for ; lo < hi; lo += 2 {
		m, s := n.moments(lo, 0)
		d, x := ds.read(0, lo, 0), xs.read(0, lo, 0)
		e, y, p, t := none[:size], none[:size], float32(0), float32(0) // adds 0
		if lo+1 < hi {
			p, t = n.moments(lo+1, 0)
			e, y = ds.read(1, lo+1, 0), xs.read(1, lo+1, 0)
		}
		simd.AccumulateNorms(sums.dw[:size], sums.db[:size], d, x, e, y, m, s, p, t)
	}
}
