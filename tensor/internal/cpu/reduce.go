package cpu

import (
	"math"
	"slices"

	"halfnote/tensor/internal/cpu/pool"
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
	ints := computeIn(x.DType) == device.Int64
	switch {
	case outputs == 0:
		return
	case op >= device.Var:
		f.held().moments(outputs)
	case ints && computeIn(out.DType) == device.Int64:
		reduce[int64, int64](&f, outputs)
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
	for k := len(dims) - 1; k >= 0; k-- {
		j := i % dims[k].n
		i /= dims[k].n
		x += j * dims[k].x
		out += j * dims[k].out
	}
	return x, out
}

// reduce folds elements that are computed in T. Sums are kept in S, which is float64 for floats, so
// that the result is rounded once.
func reduce[T number, S total](f *fold, outputs int) {
	if f.columns() {
		reduceColumns[T, S](f, outputs)
		return
	}
	if outputs*f.count <= grainCheap || outputs == 1 {
		reduceRows[T, S](f, 0, outputs)
		return
	}
	g := f.held()
	pool.Split(outputs, max(1, grainCheap/max(1, f.count)), func(lo, hi int) {
		reduceRows[T, S](g, lo, hi)
	})
}

// total is what folds are kept in.
type total interface{ float64 | int64 }

// rows returns the last reduced dimension, the others, and how many rows those make.
func (f *fold) rows() (inner axis, outer []axis, rows int) {
	inner, outer, rows = axis{n: 1}, f.reduced, 1
	if len(outer) > 0 {
		inner, outer = outer[len(outer)-1], outer[:len(outer)-1]
	}
	for _, a := range outer {
		rows *= a.n
	}
	return inner, outer, rows
}

// columns reports whether neighbouring elements belong to different outputs, so that it is better
// to add whole rows to a row of sums.
func (f *fold) columns() bool {
	if len(f.kept) == 0 || len(f.reduced) == 0 || f.op == device.ArgMax || f.op == device.ArgMin {
		return false
	}
	return f.kept[len(f.kept)-1].x == 1 && f.kept[len(f.kept)-1].n >= 4
}

func reduceRows[T number, S total](f *fold, lo, hi int) {
	var buf [chunk]T
	inner, outer, rows := f.rows()
	for i := lo; i < hi; i++ {
		baseX, baseOut := offsets(f.kept, i)
		acc := newAcc[S](f.op)
		for r := range rows {
			off, _ := offsets(outer, r)
			off += f.x.Offset + baseX
			for j := 0; j < inner.n; j += chunk {
				n := min(chunk, inner.n-j)
				addRow(&acc, f.op, row(buf[:], f.x, off+j*inner.x, inner.x, n), r*inner.n+j)
			}
		}
		store(f.out, f.out.Offset+baseOut, 1, []S{acc.value(f.op, f.count)})
	}
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
		for i, v := range xs {
			if w := S(v); w > a.best || w != w && a.best == a.best {
				a.best, a.at = w, at+i
			}
		}
	case device.Min, device.ArgMin:
		for i, v := range xs {
			if w := S(v); w < a.best || w != w && a.best == a.best {
				a.best, a.at = w, at+i
			}
		}
	}
}

// sumRow adds in four chains, which hides the latency of the additions.
func sumRow[T number, S total](xs []T) S {
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

// reduceColumns folds whole rows at once: chunk outputs that are neighbours in memory, for all
// the reduced elements in order.
func reduceColumns[T number, S total](f *fold, outputs int) {
	last := f.kept[len(f.kept)-1]
	pieces := (last.n + chunk - 1) / chunk
	rows := outputs / last.n
	if outputs*f.count <= grainCheap || rows*pieces == 1 {
		for i := range rows * pieces {
			foldColumns[T, S](f, i/pieces, i%pieces)
		}
		return
	}
	g := f.held()
	pool.Run(rows*pieces, func(i int) { foldColumns[T, S](g, i/pieces, i%pieces) })
}

func foldColumns[T number, S total](f *fold, rowAt, piece int) {
	var sums [chunk]S
	var buf [chunk]T
	last := f.kept[len(f.kept)-1]
	baseX, baseOut := offsets(f.kept[:len(f.kept)-1], rowAt)
	n := min(chunk, last.n-piece*chunk)
	baseX += f.x.Offset + piece*chunk*last.x
	start := newAcc[S](f.op)
	for j := range n {
		sums[j] = start.sum
		if f.op == device.Max || f.op == device.Min {
			sums[j] = start.best
		}
	}
	for r := range f.count {
		off, _ := offsets(f.reduced, r)
		foldRow(sums[:n], f.op, row(buf[:], f.x, baseX+off, last.x, n))
	}
	if f.op == device.Mean {
		for j := range n {
			sums[j] /= S(f.count)
		}
	}
	store(f.out, f.out.Offset+baseOut+piece*chunk*last.out, last.out, sums[:n])
}

func foldRow[T number, S total](sums []S, op device.ReduceOp, xs []T) {
	xs = xs[:len(sums)]
	switch op {
	case device.Sum, device.Mean:
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
		for j, v := range xs {
			sums[j] = max(sums[j], S(v))
		}
	case device.Min:
		for j, v := range xs {
			sums[j] = min(sums[j], S(v))
		}
	}
}
