package cpu

import (
	"math"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// This file implements the folds that take more than one number in hand: variance, norms and
// log Σeˣ. All are kept in float64.

// moments computes such a fold for each of the outputs.
func (f *fold) moments(outputs int) {
	if f.x.DType.ComputeIn() == device.Float32 {
		moments[float32](f, outputs)
		return
	}
	moments[float64](f, outputs)
}

func moments[T float](f *fold, outputs int) {
	if f.momentColumns() {
		momentsByRows[T](f, outputs)
		return
	}
	pool.Split(outputs, max(1, grainMath/max(1, f.count)), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			baseX, baseOut := offsets(f.kept, i)
			store(f.out, f.out.Offset+baseOut, 1, []float64{moment[T](f, baseX)})
		}
	})
}

// moment folds the elements from base on.
func moment[T float](f *fold, base int) float64 {
	switch f.op {
	case device.Var:
		return variance[T](f, base)
	case device.PNorm:
		return norms[T](f, base, f.p)
	}
	return logSumExp[T](f, base)
}

// momentColumns is columns for the folds that go through whole rows at once.
func (f *fold) momentColumns() bool { return f.columns() && (f.op != device.PNorm || f.p == 2) }

// momentsByRows folds chunk neighbours at a time.
func momentsByRows[T float](f *fold, outputs int) {
	last := f.kept[len(f.kept)-1]
	pieces := outputs / last.n * ((last.n + chunk - 1) / chunk)
	pool.Split(pieces, max(1, grainMath/(max(1, f.count)*chunk)), func(lo, hi int) {
		var first, second [chunk]float64
		for i := lo; i < hi; i++ {
			base, out, n := f.column(i)
			a, b := first[:n], second[:n]
			clear(b)
			switch f.op {
			case device.Var:
				varianceRows[T](f, base, a, b)
			case device.LogSumExp:
				logSumExpRows[T](f, base, a, b)
			default:
				normRows[T](f, base, b)
			}
			store(f.out, out, last.out, b)
		}
	})
}

// eachRow gives rows of n neighbours, the first of which is at base, to visit.
func eachRow[T float](f *fold, base, n int, visit func(xs []T)) {
	var buf [chunk]T
	for r := range f.count {
		off, _ := offsets(f.reduced, r)
		visit(row(buf[:], f.x, base+off, 1, n))
	}
}

func varianceRows[T float](f *fold, base int, mean, squares []float64) {
	clear(mean)
	eachRow(f, base, len(mean), func(xs []T) { foldRow(mean, device.Sum, xs) })
	for j := range mean {
		mean[j] /= float64(f.count)
	}
	eachRow(f, base, len(mean), func(xs []T) {
		squares, mean := squares[:len(xs)], mean[:len(xs)]
		for j, v := range xs {
			d := float64(v) - mean[j]
			squares[j] += d * d
		}
	})
	for j := range squares {
		squares[j] /= max(0, float64(f.count)-f.p)
	}
}

func logSumExpRows[T float](f *fold, base int, top, sum []float64) {
	for j := range top {
		top[j] = math.Inf(-1)
	}
	eachRow(f, base, len(top), func(xs []T) {
		for j, v := range xs {
			top[j] = max(top[j], float64(v))
		}
	})
	eachRow(f, base, len(top), func(xs []T) {
		for j, v := range xs {
			sum[j] += math.Exp(float64(v) - top[j])
		}
	})
	for j, s := range sum {
		sum[j] = top[j]
		if !math.IsInf(top[j], 0) {
			sum[j] += math.Log(s)
		}
	}
}

func normRows[T float](f *fold, base int, sums []float64) {
	eachRow(f, base, len(sums), func(xs []T) {
		sums := sums[:len(xs)]
		for j, v := range xs {
			sums[j] += float64(v) * float64(v)
		}
	})
	for j, sum := range sums {
		if exact(sum) {
			sums[j] = math.Sqrt(sum)
			continue
		}
		sums[j] = norms[T](f, base+j-f.x.Offset, 2)
	}
}

// over folds part, of rows of elements, with join, which begins with start. Many elements are cut
// into pieces, whose results are joined in pairs.
func over[T float](
	f *fold, base int, start float64, part func(xs []T) float64, join func(a, b float64) float64,
) float64 {
	if f.count <= piecework {
		return overRange(f, base, 0, f.count, start, part, join)
	}
	parts := make([]float64, (f.count+piecework-1)/piecework)
	pool.Run(len(parts), func(i int) {
		lo := i * piecework
		parts[i] = overRange(f, base, lo, min(f.count, lo+piecework), start, part, join)
	})
	for step := 1; step < len(parts); step *= 2 {
		for i := 0; i+step < len(parts); i += 2 * step {
			parts[i] = join(parts[i], parts[i+step])
		}
	}
	return parts[0]
}

func overRange[T float](f *fold, base, lo, hi int, total float64, part func(xs []T) float64,
	join func(a, b float64) float64) float64 {
	var buf [chunk]T
	inner, outer := f.rows()
	limit := f.limit(inner, dtypeOf[T]())
	for lo < hi {
		off, at := f.place(inner, outer, lo)
		n := min(inner.n-at, hi-lo, limit)
		total = join(total, part(row(buf[:], f.x, base+off, inner.x, n)))
		lo += n
	}
	return total
}

func plus(a, b float64) float64    { return a + b }
func larger(a, b float64) float64  { return max(a, b) }
func smaller(a, b float64) float64 { return min(a, b) }

// variance goes through the elements twice: the mean first, so that nothing cancels.
func variance[T float](f *fold, base int) float64 {
	mean := over(f, base, 0, sumRow[T, float64], plus) / float64(f.count)
	squares := over(f, base, 0, func(xs []T) float64 { return squaresRow(xs, mean) }, plus)
	return squares / max(0, float64(f.count)-f.p)
}

func norms[T float](f *fold, base int, p float64) float64 {
	switch p {
	case 0, 1, math.Inf(1), math.Inf(-1):
		return powers[T](f, base, p, 1)
	case 2:
		if sum := powers[T](f, base, p, 1); exact(sum) {
			return math.Sqrt(sum)
		}
	}
	// Divided by their largest, or for a falling power their smallest, no power overflows.
	unit := powers[T](f, base, math.Copysign(math.Inf(1), p), 1)
	if unit == 0 || unit-unit != 0 {
		return unit
	}
	return unit * math.Pow(powers[T](f, base, p, unit), 1/p)
}

// exact reports whether no square in a sum can have lost digits by its size.
func exact(sum float64) bool { return sum > 1e-280 && sum < 1e300 }

// powers returns the sum, or extreme, that the norm of order p is made of, of the elements divided
// by unit.
func powers[T float](f *fold, base int, p, unit float64) float64 {
	start, join := 0.0, plus
	switch p {
	case math.Inf(1):
		join = larger
	case math.Inf(-1):
		start, join = math.Inf(1), smaller
	}
	return over(f, base, start, func(xs []T) float64 { return normRow(start, xs, p, unit) }, join)
}

// normRow goes on with such a total.
func normRow[T float](total float64, xs []T, p, unit float64) float64 {
	switch p {
	case 0:
		for _, v := range xs {
			if v != 0 {
				total++
			}
		}
	case 1:
		for _, v := range xs {
			total += math.Abs(float64(v))
		}
	case 2:
		if unit == 1 {
			return total + squaresRow(xs, 0)
		}
		for _, v := range xs {
			total += float64(v) / unit * (float64(v) / unit)
		}
	case math.Inf(1):
		return max(total, float64(largest(xs)), -float64(smallest(xs)))
	case math.Inf(-1):
		for _, v := range xs {
			total = min(total, math.Abs(float64(v)))
		}
	default:
		for _, v := range xs {
			total += math.Pow(math.Abs(float64(v)/unit), p)
		}
	}
	return total
}

// squaresRow adds the squared distances from mean, in four chains, which hides the latency of the
// additions.
func squaresRow[T float](xs []T, mean float64) float64 {
	if xs, ok := any(xs).([]float32); ok {
		return simd.SumSquares(xs, mean)
	}
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
func logSumExp[T float](f *fold, base int) float64 {
	most := func(xs []T) float64 { return float64(largest(xs)) }
	top := over(f, base, math.Inf(-1), most, larger)
	if math.IsInf(top, 0) {
		return top
	}
	return top + math.Log(over(f, base, 0, func(xs []T) float64 {
		sum := 0.0
		for _, v := range xs {
			sum += math.Exp(float64(v) - top)
		}
		return sum
	}, plus))
}
