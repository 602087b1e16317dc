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
		walkLines(s, softmaxRow[float64], softmaxColumns[float64])
		return
	}
	walkLines(s, softmaxRow[float32], softmaxColumns[float32])
}

// SoftmaxGrad implements device.Backend.
func (Backend) SoftmaxGrad(log bool, out, y, g *device.Array, axis int) {
	s := lines{log: log, out: out, a: y, b: g, axis: axis}
	if computeIn(out.DType) == device.Float64 {
		walkLines(s, softmaxGradRow[float64], softmaxGradColumns[float64])
		return
	}
	walkLines(s, softmaxGradRow[float32], softmaxGradColumns[float32])
}

// lines are the rows of elements along one dimension of an op's arrays, of which b may be nil.
type lines struct {
	log       bool
	out, a, b *device.Array
	axis      int
}

// walkLines computes each line by row, or many lines that are neighbours in memory by columns: of
// these out, a and b hold one element of each line after the other.
func walkLines[T float](s lines, row func(log bool, out, a, b []T),
	columns func(log bool, out, a, b []T, width int)) {
	n := s.a.Shape[s.axis]
	if n == 0 || s.a.Numel() == 0 {
		return
	}
	last := len(s.a.Shape) - 1
	if s.axis == last || s.a.Shape[last] < 8 || s.a.Strides[last] != 1 {
		rows, _ := rowsAlong(s.a, s.axis)
		if rows*n <= grainCheap {
			rowLines(&s, 0, rows, row)
			return
		}
		pool.Split(rows, max(1, grainCheap/n), func(lo, hi int) { rowLines(&s, lo, hi, row) })
		return
	}
	const most = 1 << 14 // elements looked at together
	width := min(s.a.Shape[last], chunk, max(16, most/n))
	strips := (s.a.Shape[last] + width - 1) / width
	pool.Split(s.a.Numel()/n/s.a.Shape[last]*strips, max(1, grainCheap/(n*width)),
		func(lo, hi int) { columnLines(&s, lo, hi, width, columns) })
}

// rowLines computes the lines from lo up to hi one by one.
func rowLines[T float](s *lines, lo, hi int, f func(log bool, out, a, b []T)) {
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
		f(s.log, out, a, b)
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

func softmaxRow[T float](log bool, out, x, _ []T) {
	top := largest(x)
	sum := expSum(out, x, top)
	if !log {
		unaryRow(device.MulP, out, out, 1/sum)
		return
	}
	unaryRow(device.AddP, out, x, float64(-top))
	unaryRow(device.AddP, out, out, -math.Log(sum))
}

// softmaxGradRow computes y·(g − Σg·y), or g − eʸ·Σg.
func softmaxGradRow[T float](log bool, out, y, g []T) {
	if !log {
		softmaxGrad(out, y, g, T(dot(g, y)))
		return
	}
	sum := sumRow[T, float64](g)
	unaryRow(device.Exp, out, y, 0)
	axpy(out, g, out, T(-sum))
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

// dot returns the sum of a·b over as many elements as a has; the products are rounded to T.
func dot[T float](a, b []T) (sum float64) {
	if a, ok := any(a).([]float32); ok {
		return simd.Products(a, any(b).([]float32))
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
