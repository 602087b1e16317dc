package cpu

import (
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// This file implements the folds of rows of neighbouring outputs at once.

// reduceColumns folds whole rows at once: chunk outputs that are neighbours in memory, for all
// the reduced elements in order, or for so many of them that parts can be folded in parallel.
func reduceColumns[T number, S total](f *fold, outputs int) {
	last := f.kept[len(f.kept)-1]
	pieces := (last.n + chunk - 1) / chunk
	rows := outputs / last.n
	each := max(1, 4*piecework/min(chunk, last.n)) // reduced elements of a part
	parts := (f.count + each - 1) / each
	if rows*pieces*parts == 1 || outputs*f.count <= grainCheap {
		var sums [chunk]S
		for i := range rows * pieces {
			foldColumns[T](f, i, 0, f.count, &sums)
			storeColumns(f, i, &sums)
		}
		return
	}
	columnsParallel[T, S](f.held(), rows*pieces, parts, each)
}

func columnsParallel[T number, S total](f *fold, pieces, parts, each int) {
	sums := make([][chunk]S, pieces*parts)
	pool.Run(len(sums), func(i int) {
		lo := i % parts * each
		foldColumns[T](f, i/parts, lo, min(f.count, lo+each), &sums[i])
	})
	for i := range pieces {
		of := sums[i*parts:][:parts]
		_, _, n := f.column(i)
		for step := 1; step < parts; step *= 2 {
			for k := 0; k+step < parts; k += 2 * step {
				foldRow(of[k][:n], f.op, of[k+step][:n])
			}
		}
		storeColumns(f, i, &of[0])
	}
}

// column returns the offsets of the first element and output of piece i, and its length.
func (f *fold) column(i int) (baseX, baseOut, n int) {
	last := f.kept[len(f.kept)-1]
	pieces := (last.n + chunk - 1) / chunk
	baseX, baseOut = offsets(f.kept[:len(f.kept)-1], i/pieces)
	at := i % pieces * chunk
	return f.x.Offset + baseX + at*last.x, f.out.Offset + baseOut + at*last.out,
		min(chunk, last.n-at)
}

// foldColumns folds the reduced elements from lo up to hi of piece i.
func foldColumns[T number, S total](f *fold, i, lo, hi int, sums *[chunk]S) {
	var buf [chunk]T
	base, _, n := f.column(i)
	start := newAcc[S](f.op)
	for j := range n {
		sums[j] = start.sum
		if f.op == device.Max || f.op == device.Min {
			sums[j] = start.best
		}
	}
	at := func(r int) int { return base + r*f.reduced[0].x }
	if len(f.reduced) > 1 {
		at = func(r int) int { off, _ := offsets(f.reduced, r); return base + off }
	}
	r := lo
	if sums, ok := any(sums[:n]).([]float64); ok && f.sums() {
		switch f.x.DType {
		case device.Float32:
			for ; r+4 <= hi; r += 4 {
				simd.Accumulate4(sums, elems[float32](f.x, at(r), 1, n), elems[float32](f.x, at(r+1), 1, n),
					elems[float32](f.x, at(r+2), 1, n), elems[float32](f.x, at(r+3), 1, n))
			}
		case device.Float16, device.BFloat16:
			r = foldHalves(f.x, at, r, hi, sums)
		}
	}
	for ; r < hi; r++ {
		foldRow(sums[:n], f.op, row(buf[:], f.x, at(r), 1, n))
	}
}

// foldHalves adds rows of 16-bit floats to sums, four at a time, so that memory is waited for once,
// and returns the row behind them.
func foldHalves(x *device.Array, at func(r int) int, r, hi int, sums []float64) int {
	var rows [4][chunk]float32
	n := len(sums)
	for ; r+4 <= hi; r += 4 {
		for i := range rows {
			load(rows[i][:n], x, at(r+i), 1)
		}
		simd.Accumulate4(sums, rows[0][:n], rows[1][:n], rows[2][:n], rows[3][:n])
	}
	return r
}

// storeColumns writes the results of piece i.
func storeColumns[S total](f *fold, i int, sums *[chunk]S) {
	_, base, n := f.column(i)
	if f.op == device.Mean {
		for j := range n {
			sums[j] /= S(f.count)
		}
	}
	store(f.out, base, f.kept[len(f.kept)-1].out, sums[:n])
}

func foldRow[T number, S total](sums []S, op device.ReduceOp, xs []T) {
	xs = xs[:len(sums)]
	switch op {
	case device.Sum, device.Mean:
		if xs, ok := any(xs).([]float32); ok {
			simd.Accumulate(any(sums).([]float64), xs)
			return
		}
		for j, v := range xs {
			sums[j] += S(v)
		}
	case device.Prod:
		for j, v := range xs {
			sums[j] *= S(v)
		}
	case device.Any:
		for j, v := range xs {
			if v != 0 {
				sums[j] = 1
			}
		}
	case device.All:
		for j, v := range xs {
			if v == 0 {
				sums[j] = 0
			}
		}
	case device.Max:
		if xs, ok := any(xs).([]float32); ok {
			sums := any(sums).([]float32)
			simd.Max(sums, sums, xs)
			return
		}
		for j, v := range xs {
			sums[j] = max(sums[j], S(v))
		}
	case device.Min:
		if xs, ok := any(xs).([]float32); ok {
			sums := any(sums).([]float32)
			simd.Min(sums, sums, xs)
			return
		}
		for j, v := range xs {
			sums[j] = min(sums[j], S(v))
		}
	}
}
