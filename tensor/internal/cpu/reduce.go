package cpu

import (
	"math"
	"slices"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// A fold is a reduction laid out for the loops below: the kept dimensions walk the output, the
// reduced ones are gone through for each of its elements.
type fold struct {
	op            device.ReduceOp
	p             float64 // the parameter of op
	out, x        *device.Array
	kept, reduced []axis
	count         int // elements folded into one
}

// An axis is one dimension of a fold: its size and the steps in input and output.
type axis struct{ n, x, out int }

// Reduce implements device.Backend.
func (Backend) Reduce(op device.ReduceOp, out, x *device.Array, p float64) {
	var kept, reduced [device.MaxDims]axis
	f := fold{op: op, p: p, out: out, x: x, kept: kept[:0], reduced: reduced[:0], count: 1}
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
	ints := x.DType.ComputeIn() == device.Int64
	switch {
	case outputs == 0:
		return
	case op >= device.Var:
		f.held().moments(outputs)
	case ints && out.DType.ComputeIn() == device.Int64:
		reduce[int64, int64](&f, outputs)
	case (op == device.Max || op == device.Min) && x.DType.ComputeIn() == device.Float32:
		reduce[float32, float32](&f, outputs)
	case ints || x.DType == device.Float64: // of integers the mean, or what would leave their range
		reduce[float64, float64](&f, outputs)
	default:
		reduce[float32, float64](&f, outputs)
	}
}

// held returns a copy of f that goroutines may share. f itself is kept off the heap, which costs
// much beside a small op.
func (f *fold) held() *fold {
	g := *f
	g.kept, g.reduced = slices.Clone(f.kept), slices.Clone(f.reduced)
	return &g
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
	for k := len(dims) - 1; k > 0; k-- {
		j := i % dims[k].n
		i /= dims[k].n
		x += j * dims[k].x
		out += j * dims[k].out
	}
	if len(dims) > 0 { // what is left is no larger, and divisions take long
		x += i * dims[0].x
		out += i * dims[0].out
	}
	return x, out
}

// piecework is how many elements of one fold a piece of parallel work has. It does not depend on
// the number of cores, so that sums do not either.
const piecework = 1 << 15

// reduce folds elements that are computed in T. Sums are kept in S, which is float64 for floats, so
// that the result is rounded once.
func reduce[T number, S total](f *fold, outputs int) {
	switch {
	case f.columns():
		reduceColumns[T, S](f, outputs)
	case f.count > piecework:
		reducePieces[T, S](f.held(), outputs)
	case outputs*f.count <= grainCheap || outputs == 1:
		reduceRows[T, S](f, 0, outputs)
	default:
		g := f.held()
		pool.Split(outputs, max(1, grainCheap/max(1, f.count)), func(lo, hi int) {
			reduceRows[T, S](g, lo, hi)
		})
	}
}

// sums reports whether a fold adds.
func (f *fold) sums() bool { return f.op == device.Sum || f.op == device.Mean }

// total is what folds are kept in: float32 only for extremes.
type total interface{ float32 | float64 | int64 }

// rows returns the last reduced dimension and the others.
func (f *fold) rows() (inner axis, outer []axis) {
	if k := len(f.reduced) - 1; k >= 0 {
		return f.reduced[k], f.reduced[:k]
	}
	return axis{n: 1}, nil
}

// columns reports whether neighbouring elements belong to different outputs, so that it is better
// to add whole rows to a row of sums.
func (f *fold) columns() bool {
	if len(f.kept) == 0 || len(f.reduced) == 0 || f.op == device.ArgMax || f.op == device.ArgMin {
		return false
	}
	return f.kept[len(f.kept)-1].x == 1 && f.kept[len(f.kept)-1].n >= 4
}

// reduceRows folds one output after the other.
func reduceRows[T number, S total](f *fold, lo, hi int) {
	if f.denseRows(lo, hi) {
		return
	}
	var buf [chunk]T
	for i := lo; i < hi; i++ {
		baseX, baseOut := offsets(f.kept, i)
		acc := newAcc[S](f.op)
		foldRange(f, &acc, &buf, baseX, 0, f.count)
		store(f.out, f.out.Offset+baseOut, 1, []S{acc.value(f.op, f.count)})
	}
}

// denseRows is reduceRows for short rows that kernels fold whole, and reports false for others.
func (f *fold) denseRows(lo, hi int) bool {
	inner, outer := f.rows()
	if inner.x != 1 || inner.n == 0 || inner.n > cached || len(outer) > 0 || len(f.kept) > 1 ||
		f.x.DType.ComputeIn() != device.Float32 || !f.sums() && f.op != device.Max && f.op != device.Min {
		return false
	}
	var to axis
	if len(f.kept) > 0 {
		to = f.kept[0]
	}
	all := [...]wholeRows[float32]{{a: f.x, from: f.x.Offset, by: to.x, size: inner.n}}
	count, r := prepare(all[:])
	defer r.release()
	var results [together]float64
	for ; lo < hi; lo += count {
		rows := min(count, hi-lo)
		all[0].read(lo, rows)
		f.foldRows(results[:rows], &all[0])
		store(f.out, f.out.Offset+lo*to.out, to.out, results[:rows])
	}
	return true
}

// foldRows folds the rows at hand.
func (f *fold) foldRows(results []float64, xs *wholeRows[float32]) {
	for k := range results {
		switch row := xs.row(k); f.op {
		case device.Sum:
			results[k] = simd.Sum(row)
		case device.Mean:
			results[k] = simd.Sum(row) / float64(len(row))
		case device.Max:
			results[k] = float64(simd.Largest(row))
		case device.Min:
			results[k] = float64(simd.Smallest(row))
		}
	}
}

// reducePieces cuts each fold into pieces, whose results are folded in pairs.
func reducePieces[T number, S total](f *fold, outputs int) {
	pieces := (f.count + piecework - 1) / piecework
	parts := make([]acc[S], outputs*pieces)
	pool.Run(len(parts), func(i int) {
		baseX, _ := offsets(f.kept, i/pieces)
		lo := i % pieces * piecework
		var buf [chunk]T
		parts[i] = newAcc[S](f.op)
		foldRange(f, &parts[i], &buf, baseX, lo, min(f.count, lo+piecework))
	})
	for i := range outputs {
		_, baseOut := offsets(f.kept, i)
		of := parts[i*pieces:][:pieces]
		for step := 1; step < pieces; step *= 2 {
			for k := 0; k+step < pieces; k += 2 * step {
				of[k].join(f.op, &of[k+step])
			}
		}
		store(f.out, f.out.Offset+baseOut, 1, []S{of[0].value(f.op, f.count)})
	}
}

// foldRange folds the elements of one output, the first of which is at base, from number lo up to
// hi.
func foldRange[T number, S total](f *fold, acc *acc[S], buf *[chunk]T, base, lo, hi int) {
	inner, outer := f.rows()
	limit := f.limit(inner, dtypeOf[T]())
	for lo < hi {
		off, at := f.place(inner, outer, lo)
		n := min(inner.n-at, hi-lo, limit)
		addRow(acc, f.op, row(buf[:], f.x, base+off, inner.x, n), lo)
		lo += n
	}
}

// place returns the offset of element number i of a fold, but for its base, and the place that this
// has along inner.
func (f *fold) place(inner axis, outer []axis, i int) (off, at int) {
	if at = i; len(outer) > 0 {
		at = i % inner.n
		off, _ = offsets(outer, i/inner.n)
	}
	return f.x.Offset + off + at*inner.x, at
}

// limit returns how many elements along inner can be looked at together: all where they need no
// conversion.
func (f *fold) limit(inner axis, as device.DType) int {
	if f.x.DType == as && inner.x == 1 {
		return inner.n
	}
	return chunk
}

// acc is the state of one fold.
type acc[S total] struct {
	sum  S // or the product; for Any and All, 1 stands for true
	best S
	at   int
}

func newAcc[S total](op device.ReduceOp) (a acc[S]) {
	_, ints := any(a.sum).(int64)
	switch op {
	case device.Max, device.ArgMax:
		if a.best = S(math.Inf(-1)); ints {
			a.best = math.MinInt64
		}
	case device.Min, device.ArgMin:
		if a.best = S(math.Inf(1)); ints {
			a.best = math.MaxInt64
		}
	case device.Prod, device.All:
		a.sum = 1
	}
	return a
}

// value is the result of a fold of n elements.
func (a *acc[S]) value(op device.ReduceOp, n int) S {
	switch op {
	case device.Mean:
		return a.sum / S(n)
	case device.Max, device.Min:
		return a.best
	case device.ArgMax, device.ArgMin:
		return S(a.at)
	}
	return a.sum
}

// join folds what b has, of elements behind those of a.
func (a *acc[S]) join(op device.ReduceOp, b *acc[S]) {
	switch op {
	case device.Sum, device.Mean:
		a.sum += b.sum
	case device.Prod, device.All:
		a.sum *= b.sum
	case device.Any:
		a.sum = max(a.sum, b.sum)
	case device.Max, device.ArgMax:
		if b.best > a.best || b.best != b.best && a.best == a.best {
			*a = *b
		}
	case device.Min, device.ArgMin:
		if b.best < a.best || b.best != b.best && a.best == a.best {
			*a = *b
		}
	}
}

// addRow folds the elements xs, the first of which is number at of its fold.
func addRow[T number, S total](a *acc[S], op device.ReduceOp, xs []T, at int) {
	switch op {
	case device.Sum, device.Mean:
		a.sum += sumRow[T, S](xs)
	case device.Prod:
		for _, v := range xs {
			a.sum *= S(v)
		}
	case device.Any:
		if slices.ContainsFunc(xs, func(v T) bool { return v != 0 }) {
			a.sum = 1
		}
	case device.All:
		if slices.Contains(xs, 0) {
			a.sum = 0
		}
	case device.Max, device.ArgMax:
		if w := S(largest(xs)); w > a.best || w != w && a.best == a.best {
			a.best, a.at = w, at
			if op == device.ArgMax {
				a.at += position(xs, T(w))
			}
		}
	case device.Min, device.ArgMin:
		if w := S(smallest(xs)); w < a.best || w != w && a.best == a.best {
			a.best, a.at = w, at
			if op == device.ArgMin {
				a.at += position(xs, T(w))
			}
		}
	}
}

// position returns where the first v is in xs; one NaN is as good as another.
func position[T number](xs []T, v T) int {
	if v != v {
		return slices.IndexFunc(xs, func(w T) bool { return w != w })
	}
	return slices.Index(xs, v)
}

// largest returns the largest element; NaN is larger than any number.
func largest[T number](xs []T) T {
	if xs, ok := any(xs).([]float32); ok {
		return T(simd.Largest(xs))
	}
	return slices.Max(xs)
}

// smallest returns the smallest element; NaN is smaller than any number.
func smallest[T number](xs []T) T {
	if xs, ok := any(xs).([]float32); ok {
		return T(simd.Smallest(xs))
	}
	return slices.Min(xs)
}

// sumRow adds in four chains, which hides the latency of the additions.
func sumRow[T number, S total](xs []T) S {
	if xs, ok := any(xs).([]float32); ok {
		return S(simd.Sum(xs))
	}
	var s0, s1, s2, s3 S
	for len(xs) >= 4 {
		s0 += S(xs[0])
		s1 += S(xs[1])
		s2 += S(xs[2])
		s3 += S(xs[3])
		xs = xs[4:]
	}
	for _, v := range xs {
		s0 += S(v)
	}
	return (s0 + s1) + (s2 + s3)
}
