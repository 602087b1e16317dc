package cpu

import (
	"math"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// Softmax implements device.Backend. It subtracts the row's maximum first, so that nothing
// overflows, and keeps sums in float64.
func (Backend) Softmax(log bool, out, x *device.Array, axis int) {
	s := lines{log: log, out: out, a: x, axis: axis}
	if x.DType == device.Float64 || out.DType == device.Float64 {
		walkLines(s, softmaxRows[float64], softmaxColumns[float64])
		return
	}
	walkLines(s, softmaxRows[float32], softmaxColumns[float32])
}

// SoftmaxGrad implements device.Backend.
func (Backend) SoftmaxGrad(log bool, out, y, g *device.Array, axis int) {
	s := lines{log: log, out: out, a: y, b: g, axis: axis}
	if out.DType.ComputeIn() == device.Float64 {
		walkLines(s, softmaxGradRows[float64], softmaxGradColumns[float64])
		return
	}
	walkLines(s, softmaxGradRows[float32], softmaxGradColumns[float32])
}

// lines are the rows of elements along one dimension of an op's arrays, of which b may be nil.
type lines struct {
	log       bool
	out, a, b *device.Array
	axis      int
}

// walkLines computes lines by rows, or many lines that are neighbours in memory by columns. rows has
// at most together lines of n elements in out, a and b, one behind the other; columns has one element
// of each of width lines behind the other.
func walkLines[T float](s lines, rows func(log bool, out, a, b []T, n int),
	columns func(log bool, out, a, b []T, width int)) {
	n := s.a.Shape[s.axis]
	if n == 0 || s.a.Numel() == 0 {
		return
	}
	last := len(s.a.Shape) - 1
	if s.axis == last || s.a.Shape[last] < 8 || s.a.Strides[last] != 1 {
		lines, _ := rowsAlong(s.a, s.axis)
		if lines*n <= grainCurve {
			rowLines(&s, 0, lines, rows)
			return
		}
		pool.Split(lines, max(1, grainCurve/n), func(lo, hi int) { rowLines(&s, lo, hi, rows) })
		return
	}
	const most = 1 << 14 // elements looked at together
	width := min(s.a.Shape[last], chunk, max(16, most/n))
	strips := (s.a.Shape[last] + width - 1) / width
	pool.Split(s.a.Numel()/n/s.a.Shape[last]*strips, max(1, grainCurve/(n*width)),
		func(lo, hi int) { columnLines(&s, lo, hi, width, columns) })
}

// rowLines computes the lines from lo up to hi, as many at a time as fit the first-level cache.
func rowLines[T float](s *lines, lo, hi int, f func(log bool, out, a, b []T, n int)) {
	if !s.dense(s.out) || !s.dense(s.a) || s.b != nil && !s.dense(s.b) {
		convertedLines(s, lo, hi, f)
		return
	}
	n := s.a.Shape[s.axis]
	rows := func(a *device.Array) wholeRows[T] { return wholeRows[T]{a: a, from: a.Offset, by: n, size: n} }
	all := [3]wholeRows[T]{rows(s.out), rows(s.a)}
	arrays := all[:2]
	if s.b != nil {
		all[2] = rows(s.b)
		arrays = all[:]
	}
	count, r := prepare(arrays)
	defer r.release()
	for ; lo < hi; lo += count {
		rows := min(count, hi-lo)
		arrays[0].reach(lo, rows)
		for i := range arrays[1:] {
			arrays[1+i].read(lo, rows)
		}
		f(s.log, all[0].hand, all[1].hand, all[2].hand, n)
		arrays[0].write(lo, rows)
	}
}

// dense reports whether the lines of x lie one behind the other.
func (s *lines) dense(x *device.Array) bool {
	return s.axis == len(x.Shape)-1 && x.Contiguous()
}

// convertedLines computes the lines from lo up to hi one by one.
func convertedLines[T float](s *lines, lo, hi int, f func(log bool, out, a, b []T, n int)) {
	n := s.a.Shape[s.axis]
	var short [3][chunk]T
	bufOut, bufA, bufB := short[0][:], short[1][:], short[2][:]
	if n > chunk {
		long := make([]T, 3*n)
		bufOut, bufA, bufB = long[:n], long[n:2*n], long[2*n:]
	}
	step := s.out.Strides[s.axis]
	for i := lo; i < hi; i++ {
		offOut, out := rowOffset(s.out, s.axis, i), bufOut[:n]
		direct := step == 1 && s.out.DType == dtypeOf[T]()
		if direct {
			out = elems[T](s.out, offOut, 1, n)
		}
		a, b := row(bufA, s.a, rowOffset(s.a, s.axis, i), s.a.Strides[s.axis], n), bufB[:0]
		if s.b != nil {
			b = row(bufB, s.b, rowOffset(s.b, s.axis, i), s.b.Strides[s.axis], n)
		}
		f(s.log, out, a, b, n)
		if !direct {
			store(s.out, offOut, step, out)
		}
	}
}

// columnLines computes the strips from lo up to hi, each of so many neighbouring lines.
func columnLines[T float](s *lines, lo, hi, width int,
	f func(log bool, out, a, b []T, width int)) {
	n, last := s.a.Shape[s.axis], len(s.a.Shape)-1
	buf := make([]T, 3*n*width)
	strips := (s.a.Shape[last] + width - 1) / width
	for i := lo; i < hi; i++ {
		at := i % strips * width
		line, w := i/strips*s.a.Shape[last]+at, min(width, s.a.Shape[last]-at)
		out, a, b := buf[:n*w], buf[n*width:][:n*w], buf[2*n*width:][:n*w]
		loadColumns(a, s.a, s.axis, line, w)
		if s.b != nil {
			loadColumns(b, s.b, s.axis, line, w)
		}
		f(s.log, out, a, b, w)
		off := rowOffset(s.out, s.axis, line)
		for k := range n {
			store(s.out, off+k*s.out.Strides[s.axis], s.out.Strides[last], out[k*w:][:w])
		}
	}
}

// loadColumns loads the elements of w neighbouring lines into buf, one of each after the other.
func loadColumns[T float](buf []T, x *device.Array, axis, line, w int) {
	off, step := rowOffset(x, axis, line), x.Strides[len(x.Shape)-1]
	for k := range x.Shape[axis] {
		load(buf[k*w:][:w], x, off+k*x.Strides[axis], step)
	}
}

func softmaxRows[T float](log bool, out, x, _ []T, n int) {
	var tops [together]T
	var sums [together]float64
	for i := range len(x) / n {
		tops[i] = largest(x[i*n:][:n])
	}
	for i := range len(x) / n {
		sums[i] = expSum(out[i*n:][:n], x[i*n:][:n], tops[i])
	}
	for i := range len(x) / n {
		if out := out[i*n:][:n]; log {
			subTwice(out, x[i*n:][:n], tops[i], T(math.Log(sums[i])))
		} else {
			unaryRow(device.MulP, out, out, 1/sums[i])
		}
	}
}

// softmaxGradRows computes y·(g − Σg·y), or g − eʸ·Σg.
func softmaxGradRows[T float](log bool, out, y, g []T, n int) {
	var sums [together]T
	for i := range len(y) / n {
		if g := g[i*n:][:n]; log {
			sums[i] = T(sumRow[T, float64](g))
		} else {
			sums[i] = T(dot(g, y[i*n:][:n]))
		}
	}
	if log {
		unaryRow(device.Exp, out, y, 0)
	}
	for i := range len(y) / n {
		if out, g := out[i*n:][:n], g[i*n:][:n]; log {
			axpy(out, g, out, -sums[i])
		} else {
			softmaxGrad(out, y[i*n:][:n], g, sums[i])
		}
	}
}

// softmaxGrad computes out = y·(g − sum).
func softmaxGrad[T float](out, y, g []T, sum T) {
	if out, ok := any(out).([]float32); ok {
		simd.SoftmaxGrad(out, any(y).([]float32), any(g).([]float32), float32(sum))
		return
	}
	for i, v := range y {
		out[i] = v * (g[i] - sum)
	}
}

// expSum computes out = eˣ⁻ᶜ and returns the sum.
func expSum[T float](out, x []T, c T) (sum float64) {
	if out, ok := any(out).([]float32); ok {
		return simd.ExpSum(out, any(x).([]float32), float32(c))
	}
	for i, v := range x {
		e := math.Exp(float64(v - c))
		out[i] = T(e)
		sum += e
	}
	return sum
}

// subTwice computes out = (x − c) − d.
func subTwice[T float](out, x []T, c, d T) {
	if out, ok := any(out).([]float32); ok {
		simd.SubTwice(out, any(x).([]float32), float32(c), float32(d))
		return
	}
	for i, v := range x {
		out[i] = v - c - d
	}
}

// dot returns the sum of a·b over as many elements as a has.
func dot[T float](a, b []T) (sum float64) {
	if a, ok := any(a).([]float32); ok {
		return simd.Dot(a, any(b).([]float32))
	}
	for i, v := range a {
		sum += float64(v) * float64(b[i])
	}
	return sum
}

func softmaxColumns[T float](log bool, out, x, _ []T, w int) {
	var top, shift [chunk]T
	var sums [chunk]float64
	copy(top[:w], x)
	for k := w; k < len(x); k += w {
		binaryRow(device.Maximum, top[:w], top[:w], x[k:][:w])
	}
	for k := 0; k < len(x); k += w {
		binaryRow(device.Sub, x[k:][:w], x[k:][:w], top[:w])
	}
	unaryRow(device.Exp, out, x, 0)
	for k := 0; k < len(x); k += w {
		foldRow(sums[:w], device.Sum, out[k:][:w])
	}
	for j, s := range sums[:w] {
		if shift[j] = T(1 / s); log {
			shift[j] = T(math.Log(s))
		}
	}
	for k := 0; k < len(x); k += w {
		if log {
			binaryRow(device.Sub, out[k:][:w], x[k:][:w], shift[:w])
		} else {
			binaryRow(device.Mul, out[k:][:w], out[k:][:w], shift[:w])
		}
	}
}

func softmaxGradColumns[T float](log bool, out, y, g []T, w int) {
	var sum [chunk]T
	var sums [chunk]float64
	products := g
	if !log {
		binaryRow(device.Mul, out, g, y)
		products = out
	}
	for k := 0; k < len(y); k += w {
		foldRow(sums[:w], device.Sum, products[k:][:w])
	}
	for j, s := range sums[:w] {
		sum[j] = T(s)
	}
	if log {
		unaryRow(device.Exp, out, y, 0)
	}
	for k := 0; k < len(y); k += w {
		o, g := out[k:][:w], g[k:][:w]
		if log {
			binaryRow(device.Mul, o, o, sum[:w])
			binaryRow(device.Sub, o, g, o)
		} else {
			binaryRow(device.Sub, o, g, sum[:w])
			binaryRow(device.Mul, o, o, y[k:][:w])
		}
	}
}
