package cpu

import (
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// This file implements the gradients of the weight and the bias of a normalisation: sums over all
// that these are broadcast to.

// NormalizeWeightGrad implements device.Backend.
func (Backend) NormalizeWeightGrad(dw, db, dy, x, mean, variance *device.Array, n device.Norm) {
	if x.DType.ComputeIn() == device.Float64 {
		normalizeWeightGrad(newNorm[float64](n, x, mean, variance), dw, db, dy, x)
		return
	}
	normalizeWeightGrad(newNorm[float32](n, x, mean, variance), dw, db, dy, x)
}

// weightSums are the sums of a strip: of at most block neighbouring elements of the weight.
type weightSums struct{ dw, db [block]float64 }

// normalizeWeightGrad makes a task of each strip of the weight, or where it is summed from much, of
// each part of that, which depends on the shapes alone.
func normalizeWeightGrad[T float](n *norm[T], dw, db, dy, x *device.Array) {
	shape := dw
	if dw == nil {
		shape = db
	}
	of := shape.Shape
	strips := (of[3] + block - 1) / block
	tasks := of[1] * of[2] * strips
	each := max(1, 2*piecework*tasks/max(1, x.Numel()/max(1, n.shape[0]))) // of the first dimension
	parts := max(1, (n.shape[0]+each-1)/each)
	sums := make([]weightSums, tasks*parts)
	own, ok := any(n).(*norm[float32])
	whole := ok && of[1]*of[2] == 1 && of[3] == n.shape[3] && n.whole(dy, x)
	pool.Run(len(sums), func(t int) {
		s, lo := t/parts, t%parts*each
		if whole {
			weightWhole(own, &sums[t], dw != nil, dy, x, s*block, lo, min(n.shape[0], lo+each))
			return
		}
		weightStrip(n, &sums[t], dw != nil, db != nil, dy, x, of, s/strips/of[2], s/strips%of[2],
			s%strips*block, lo, min(n.shape[0], lo+each))
	})
	for s := range tasks {
		strip := sums[s*parts:][:parts]
		for step := 1; step < parts; step *= 2 {
			for k := 0; k+step < parts; k += 2 * step {
				foldRow(strip[k].dw[:], device.Sum, strip[k+step].dw[:])
				foldRow(strip[k].db[:], device.Sum, strip[k+step].db[:])
			}
		}
		j, p, q := s/strips/of[2], s/strips%of[2], s%strips*block
		storeSums(dw, &strip[0].dw, j, p, q)
		storeSums(db, &strip[0].db, j, p, q)
	}
}

func storeSums(out *device.Array, sums *[block]float64, j, p, q int) {
	if out != nil {
		off := at4(out, 0, j) + p*stride4(out, 2) + q*stride4(out, 3)
		store(out, off, stride4(out, 3), sums[:min(out.Shape[3]-q, block)])
	}
}

// weightStrip sums all that is broadcast from the elements j, p, q … of the weight, from lo up to
// hi of the first dimension.
func weightStrip[T float](n *norm[T], sums *weightSums, dw, db bool, dy, x *device.Array,
	of []int, j, p, q, lo, hi int) {
	from := [4]int{lo, j, p, q}
	to := [4]int{hi, j + 1, p + 1, min(q+block, n.shape[3])}
	for d := 1; d < 4; d++ {
		if of[d] == 1 {
			from[d], to[d] = 0, n.shape[d]
		}
	}
	var ds, xs, zeros, ones walked[T]
	var product [block]T
	zeros.set(nil, 0)
	ones.set(nil, 1)
	ds.set(dy, 0)
	xs.set(x, 0)
	for i := from[0]; i < to[0]; i++ {
		for j := from[1]; j < to[1]; j++ {
			mean, scale := n.moments(i, j)
			ds.row(i, j)
			xs.row(i, j)
			for p := from[2]; p < to[2]; p++ {
				for q := from[3]; q < to[3]; q += block {
					count := min(block, to[3]-q)
					d, out := ds.piece(p, q, count), product[:count]
					if of[3] == 1 {
						total, along := sumsAlong(d, ones.piece(0, 0, count),
							xs.piece(p, q, count), mean)
						sums.db[0] += total
						sums.dw[0] += along * float64(scale)
						continue
					}
					if db {
						foldRow(sums.db[:count], device.Sum, d)
					}
					if dw {
						normalizePiece(out, xs.piece(p, q, count), d, zeros.piece(0, 0, count),
							mean, scale)
						foldRow(sums.dw[:count], device.Sum, out)
					}
				}
			}
		}
	}
}
