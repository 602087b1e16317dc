package cpu

import (
	"math"

	"halfnote/tensor/internal/device"
)

// A fold is a reduction laid out for the loops below: the kept dimensions walk the output, the
// reduced ones are gone through for each of its elements.
type fold struct {
	op            device.ReduceOp
	out, x        *device.Array
	kept, reduced []axis
	count         int // elements folded into one
}

// An axis is one dimension of a fold: its size and the steps in input and output.
type axis struct{ n, x, out int }

// Reduce implements device.Backend.
func (Backend) Reduce(op device.ReduceOp, out, x *device.Array) {
	var kept, reduced [device.MaxDims]axis
	f := fold{op: op, out: out, x: x, kept: kept[:0], reduced: reduced[:0], count: 1}
	outputs := 1
	for d, n := range x.Shape {
		switch {
		case out.Shape[d] == n && n != 1:
			f.kept = join(f.kept, axis{n, x.Strides[d], out.Strides[d]})
			outputs *= n
		case n != 1:
			f.reduced = join(f.reduced, axis{n, x.Strides[d], 0})
			f.count *= n
		}
	}
	switch {
	case outputs == 0:
		return
	case x.DType == device.Float64 || op == device.Mean && computeIn(x.DType) == device.Int64:
		reduce[float64](&f, outputs)
	case computeIn(x.DType) == device.Int64:
		reduceInts(&f, outputs)
	default:
		reduce[float32](&f, outputs)
	}
}

// join appends a dimension, or widens the one before where both are crossed in equal steps.
func join(dims []axis, a axis) []axis {
	if k := len(dims) - 1; k >= 0 && dims[k].x == a.x*a.n && dims[k].out == a.out*a.n {
		dims[k] = axis{dims[k].n * a.n, a.x, a.out}
		return dims
	}
	return append(dims, a)
}

// offsets returns the offset of the i-th element of dims, counted in row-major order.
func offsets(dims []axis, i int) (x, out int) {
	for k := len(dims) - 1; k >= 0; k-- {
		j := i % dims[k].n
		i /= dims[k].n
		x += j * dims[k].x
		out += j * dims[k].out
	}
	return x, out
}

// reduce folds floats. Sums are kept in float64, so the result is rounded once.
func reduce[T float](f *fold, outputs int) {
	if f.columns() {
		reduceColumns[T](f, outputs)
		return
	}
	grain := max(1, grainCheap/max(1, f.count))
	if outputs*f.count <= grainCheap || outputs == 1 {
		reduceRows[T](f, 0, outputs)
		return
	}
	g := *f
	g.kept, g.reduced = append([]axis(nil), f.kept...), append([]axis(nil), f.reduced...)
	split(outputs, grain, func(lo, hi int) { reduceRows[T](&g, lo, hi) })
}

// columns reports whether neighbouring elements belong to different outputs, so that it is better
// to add whole rows to a row of sums.
func (f *fold) columns() bool {
	if len(f.kept) == 0 || len(f.reduced) == 0 || f.op == device.ArgMax || f.op == device.ArgMin {
		return false
	}
	return f.kept[len(f.kept)-1].x == 1 && f.kept[len(f.kept)-1].n >= 4
}

func reduceRows[T float](f *fold, lo, hi int) {
	var buf [chunk]T
	inner := axis{n: 1}
	outer := f.reduced
	if len(outer) > 0 {
		inner, outer = outer[len(outer)-1], outer[:len(outer)-1]
	}
	rows := 1
	for _, a := range outer {
		rows *= a.n
	}
	for i := lo; i < hi; i++ {
		baseX, baseOut := offsets(f.kept, i)
		acc := newAcc(f.op)
		for r := range rows {
			off, _ := offsets(outer, r)
			off += f.x.Offset + baseX
			for j := 0; j < inner.n; j += chunk {
				n := min(chunk, inner.n-j)
				addRow(&acc, f.op, row(buf[:], f.x, off+j*inner.x, inner.x, n), r*inner.n+j)
			}
		}
		f.finish(&acc, f.out.Offset+baseOut)
	}
}

// acc is the state of one fold.
type acc struct {
	sum  float64
	best float64
	at   int
}

func newAcc(op device.ReduceOp) acc {
	switch op {
	case device.Max, device.ArgMax:
		return acc{best: math.Inf(-1)}
	case device.Min, device.ArgMin:
		return acc{best: math.Inf(1)}
	}
	return acc{}
}

// addRow folds the elements xs, the first of which is number at of its fold.
func addRow[T float](a *acc, op device.ReduceOp, xs []T, at int) {
	switch op {
	case device.Sum, device.Mean:
		a.sum += sumRow(xs)
	case device.Max, device.ArgMax:
		for i, v := range xs {
			if w := float64(v); w > a.best || w != w && a.best == a.best {
				a.best, a.at = w, at+i
			}
		}
	case device.Min, device.ArgMin:
		for i, v := range xs {
			if w := float64(v); w < a.best || w != w && a.best == a.best {
				a.best, a.at = w, at+i
			}
		}
	}
}

// sumRow adds in four chains, which hides the latency of the additions.
func sumRow[T float](xs []T) float64 {
	var s0, s1, s2, s3 float64
	for len(xs) >= 4 {
		s0 += float64(xs[0])
		s1 += float64(xs[1])
		s2 += float64(xs[2])
		s3 += float64(xs[3])
		xs = xs[4:]
	}
	for _, v := range xs {
		s0 += float64(v)
	}
	return (s0 + s1) + (s2 + s3)
}

func (f *fold) finish(a *acc, off int) {
	v := a.best
	switch f.op {
	case device.Sum:
		v = a.sum
	case device.Mean:
		v = a.sum / float64(f.count)
	case device.ArgMax, device.ArgMin:
		v = float64(a.at)
	}
	store(f.out, off, 1, []float64{v})
}

// reduceColumns folds whole rows at once: chunk outputs that are neighbours in memory, for all
// the reduced elements in order.
func reduceColumns[T float](f *fold, outputs int) {
	last := f.kept[len(f.kept)-1]
	pieces := (last.n + chunk - 1) / chunk
	rows := outputs / last.n
	if outputs*f.count <= grainCheap || rows*pieces == 1 {
		for i := range rows * pieces {
			foldColumns[T](f, i/pieces, i%pieces)
		}
		return
	}
	g := *f
	g.kept, g.reduced = append([]axis(nil), f.kept...), append([]axis(nil), f.reduced...)
	parallel(rows*pieces, func(i int) { foldColumns[T](&g, i/pieces, i%pieces) })
}

func foldColumns[T float](f *fold, rowAt, piece int) {
	var sums [chunk]float64
	var buf [chunk]T
	last := f.kept[len(f.kept)-1]
	baseX, baseOut := offsets(f.kept[:len(f.kept)-1], rowAt)
	n := min(chunk, last.n-piece*chunk)
	baseX += f.x.Offset + piece*chunk*last.x
	start := newAcc(f.op).best
	if f.op == device.Sum || f.op == device.Mean {
		start = 0
	}
	for j := range n {
		sums[j] = start
	}
	for r := range f.count {
		off, _ := offsets(f.reduced, r)
		foldRow(sums[:n], f.op, row(buf[:], f.x, baseX+off, last.x, n))
	}
	if f.op == device.Mean {
		for j := range n {
			sums[j] /= float64(f.count)
		}
	}
	store(f.out, f.out.Offset+baseOut+piece*chunk*last.out, last.out, sums[:n])
}

func foldRow[T float](sums []float64, op device.ReduceOp, xs []T) {
	xs = xs[:len(sums)]
	switch op {
	case device.Sum, device.Mean:
		for j, v := range xs {
			sums[j] += float64(v)
		}
	case device.Max:
		for j, v := range xs {
			sums[j] = max(sums[j], float64(v))
		}
	case device.Min:
		for j, v := range xs {
			sums[j] = min(sums[j], float64(v))
		}
	}
}

// reduceInts folds integers and bools, exactly.
func reduceInts(f *fold, outputs int) {
	for i := range outputs {
		baseX, baseOut := offsets(f.kept, i)
		var sum, best int64
		at := 0
		for r := range f.count {
			off, _ := offsets(f.reduced, r)
			var one [1]int64
			load(one[:], f.x, f.x.Offset+baseX+off, 1)
			v := one[0]
			sum += v
			larger := f.op == device.Max || f.op == device.ArgMax
			if r == 0 || larger && v > best || !larger && v < best {
				best, at = v, r
			}
		}
		result := best
		switch f.op {
		case device.Sum:
			result = sum
		case device.ArgMax, device.ArgMin:
			result = int64(at)
		}
		store(f.out, f.out.Offset+baseOut, 1, []int64{result})
	}
}
