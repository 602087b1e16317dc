package cpu

import (
	"math"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// This file implements the folds that take more than one number in hand: variance, norms and
// log Σeˣ. All are computed in float64.

// moments computes such a fold for each of the outputs.
func (f *fold) moments(outputs int) {
	if f.momentColumns() {
		f.byRows(outputs)
		return
	}
	pool.Split(outputs, max(1, grainMath/max(1, f.count)), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			baseX, baseOut := offsets(f.kept, i)
			store(f.out, f.out.Offset+baseOut, 1, []float64{f.moment(baseX)})
		}
	})
}

// moment folds the elements from base on.
func (f *fold) moment(base int) float64 {
	switch f.op {
	case device.Var:
		return f.variance(base)
	case device.PNorm:
		return f.norm(base, f.p)
	}
	return f.logSumExp(base)
}

// momentColumns is columns for the folds that go through whole rows at once.
func (f *fold) momentColumns() bool { return f.columns() && (f.op != device.PNorm || f.p == 2) }

// byRows folds chunk neighbours at a time.
func (f *fold) byRows(outputs int) {
	k := len(f.kept) - 1
	last := f.kept[k]
	pieces := (last.n + chunk - 1) / chunk
	pool.Split(outputs/last.n*pieces, max(1, grainMath/(max(1, f.count)*chunk)), func(lo, hi int) {
		var first, second [chunk]float64
		for i := lo; i < hi; i++ {
			baseX, baseOut := offsets(f.kept[:k], i/pieces)
			at := i % pieces * chunk
			n := min(chunk, last.n-at)
			a, b := first[:n], second[:n]
			clear(b)
			switch f.op {
			case device.Var:
				f.varianceRows(baseX+at, a, b)
			case device.LogSumExp:
				f.logSumExpRows(baseX+at, a, b)
			default:
				f.normRows(baseX+at, b)
			}
			store(f.out, f.out.Offset+baseOut+at*last.out, last.out, b)
		}
	})
}

// eachRow gives rows of n neighbours, the first of which is at base, to visit.
func (f *fold) eachRow(base, n int, visit func(xs []float64)) {
	var buf [chunk]float64
	for r := range f.count {
		off, _ := offsets(f.reduced, r)
		visit(row(buf[:], f.x, f.x.Offset+base+off, 1, n))
	}
}

func (f *fold) varianceRows(base int, mean, squares []float64) {
	clear(mean)
	f.eachRow(base, len(mean), func(xs []float64) { foldRow(mean, device.Sum, xs) })
	for j := range mean {
		mean[j] /= float64(f.count)
	}
	f.eachRow(base, len(mean), func(xs []float64) {
		squares, mean := squares[:len(xs)], mean[:len(xs)]
		for j, v := range xs {
			d := v - mean[j]
			squares[j] += d * d
		}
	})
	for j := range squares {
		squares[j] /= max(0, float64(f.count)-f.p)
	}
}

func (f *fold) logSumExpRows(base int, top, sum []float64) {
	for j := range top {
		top[j] = math.Inf(-1)
	}
	f.eachRow(base, len(top), func(xs []float64) { foldRow(top, device.Max, xs) })
	f.eachRow(base, len(top), func(xs []float64) {
		for j, v := range xs {
			sum[j] += math.Exp(v - top[j])
		}
	})
	for j, s := range sum {
		sum[j] = top[j]
		if !math.IsInf(top[j], 0) {
			sum[j] += math.Log(s)
		}
	}
}

func (f *fold) normRows(base int, norms []float64) {
	f.eachRow(base, len(norms), func(xs []float64) {
		norms := norms[:len(xs)]
		for j, v := range xs {
			norms[j] += v * v
		}
	})
	for j, sum := range norms {
		if exact(sum) {
			norms[j] = math.Sqrt(sum)
			continue
		}
		norms[j] = f.norm(base+j, 2)
	}
}

// each gives the elements of one fold to visit, in order and at most chunk at a time.
func (f *fold) each(base int, visit func(xs []float64)) {
	var buf [chunk]float64
	inner, outer, rows := f.rows()
	for r := range rows {
		off, _ := offsets(outer, r)
		off += f.x.Offset + base
		for j := 0; j < inner.n; j += chunk {
			visit(row(buf[:], f.x, off+j*inner.x, inner.x, min(chunk, inner.n-j)))
		}
	}
}

// variance goes through the elements twice: the mean first, so that nothing cancels.
func (f *fold) variance(base int) float64 {
	sum, sum2 := 0.0, 0.0
	f.each(base, func(xs []float64) { sum += sumRow[float64, float64](xs) })
	mean := sum / float64(f.count)
	f.each(base, func(xs []float64) { sum2 += squaresRow(xs, mean) })
	return sum2 / max(0, float64(f.count)-f.p)
}

func (f *fold) norm(base int, p float64) float64 {
	switch p {
	case 0, 1, math.Inf(1), math.Inf(-1):
		return f.powers(base, p, 1)
	case 2:
		if sum := f.powers(base, p, 1); exact(sum) {
			return math.Sqrt(sum)
		}
	}
	// Divided by their largest, or for a falling power their smallest, no power overflows.
	unit := f.powers(base, math.Copysign(math.Inf(1), p), 1)
	if unit == 0 || unit-unit != 0 {
		return unit
	}
	return unit * math.Pow(f.powers(base, p, unit), 1/p)
}

// exact reports whether no square in a sum can have lost digits by its size.
func exact(sum float64) bool { return sum > 1e-280 && sum < 1e300 }

// powers returns the sum, or extreme, that the norm of order p is made of, of the elements divided
// by unit.
func (f *fold) powers(base int, p, unit float64) float64 {
	total := 0.0
	if math.IsInf(p, -1) {
		total = math.Inf(1)
	}
	f.each(base, func(xs []float64) { total = normRow(total, xs, p, unit) })
	return total
}

// normRow goes on with such a total.
func normRow(total float64, xs []float64, p, unit float64) float64 {
	switch p {
	case 0:
		for _, v := range xs {
			if v != 0 {
				total++
			}
		}
	case 1:
		for _, v := range xs {
			total += math.Abs(v)
		}
	case 2:
		if unit == 1 {
			return total + squaresRow(xs, 0)
		}
		for _, v := range xs {
			total += v / unit * (v / unit)
		}
	case math.Inf(1):
		for _, v := range xs {
			total = max(total, math.Abs(v))
		}
	case math.Inf(-1):
		for _, v := range xs {
			total = min(total, math.Abs(v))
		}
	default:
		for _, v := range xs {
			total += math.Pow(math.Abs(v/unit), p)
		}
	}
	return total
}

// squaresRow adds the squared distances from mean, in four chains, which hides the latency of the
// additions.
func squaresRow[T float](xs []T, mean float64) float64 {
	var s0, s1, s2, s3 float64
	for len(xs) >= 4 {
		d0, d1 := float64(xs[0])-mean, float64(xs[1])-mean
		d2, d3 := float64(xs[2])-mean, float64(xs[3])-mean
		s0 += d0 * d0
		s1 += d1 * d1
		s2 += d2 * d2
		s3 += d3 * d3
		xs = xs[4:]
	}
	for _, v := range xs {
		d := float64(v) - mean
		s0 += d * d
	}
	return (s0 + s1) + (s2 + s3)
}

// logSumExp subtracts the largest element first, so that nothing overflows.
func (f *fold) logSumExp(base int) float64 {
	top, sum := math.Inf(-1), 0.0
	f.each(base, func(xs []float64) {
		top = max(top, maxOf(xs))
	})
	if math.IsInf(top, 0) {
		return top
	}
	f.each(base, func(xs []float64) {
		for _, v := range xs {
			sum += math.Exp(v - top)
		}
	})
	return top + math.Log(sum)
}
