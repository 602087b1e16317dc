package cpu

import (
	"math"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// A walked is one array of a normalisation, of which a row is walked piece by piece.
type walked[T float] struct {
	a          *device.Array
	by         [2]int // from a row to the next in both dimensions; 0 where a is broadcast
	line, step int    // to the next line of a row, and to the next element; likewise
	base       int    // offset of the row
	buf        [block]T
	filled     bool // with the constant at offset from
	from       int
}

// set makes a nil array one that repeats the usual number.
func (o *walked[T]) set(a *device.Array, usual T) {
	if o.a = a; a == nil {
		for i := range o.buf {
			o.buf[i] = usual
		}
		return
	}
	o.by = [2]int{stride4(a, 0), stride4(a, 1)}
	o.line, o.step = stride4(a, 2), stride4(a, 3)
}

// stride4 returns the stride of a along dimension d, in which it may be broadcast.
func stride4(a *device.Array, d int) int {
	if a.Shape[d] == 1 {
		return 0
	}
	return a.Strides[d]
}

// at4 returns where row i, j begins in a.
func at4(a *device.Array, i, j int) int {
	return a.Offset + i*stride4(a, 0) + j*stride4(a, 1)
}

// row moves to row i, j.
func (o *walked[T]) row(i, j int) {
	if o.a != nil {
		o.base = o.a.Offset + i*o.by[0] + j*o.by[1]
	}
}

// piece returns n elements of line p from q on, in place or in the buffer.
func (o *walked[T]) piece(p, q, n int) []T {
	if o.a == nil {
		return o.buf[:n]
	}
	off := o.base + p*o.line + q*o.step
	if o.step != 0 || n == 1 {
		o.filled = false
		return row(o.buf[:], o.a, off, o.step, n)
	}
	if !o.filled || o.from != off {
		load(o.buf[:], o.a, off, 0)
		o.filled, o.from = true, off
	}
	return o.buf[:n]
}

// place returns where the results for n elements go: in place or the buffer, from which done
// stores them.
func (o *walked[T]) place(p, q, n int) []T {
	if o.step == 1 && o.a.DType == dtypeOf[T]() {
		return elems[T](o.a, o.base+p*o.line+q, 1, n)
	}
	return o.buf[:n]
}

func (o *walked[T]) done(p, q int, xs []T) {
	if o.step != 1 || o.a.DType != dtypeOf[T]() {
		store(o.a, o.base+p*o.line+q*o.step, o.step, xs)
	}
}

// norm is one call of device.Normalizations, computed in T.
type norm[T float] struct {
	device.Norm
	mean, variance rowed
	shape          []int // of x
}

func newNorm[T float](n device.Norm, x, mean, variance *device.Array) *norm[T] {
	return &norm[T]{n, newRowed(mean), newRowed(variance), x.Shape}
}

// run calls f for ranges of rows, in parallel where there are many elements.
func (n *norm[T]) run(f func(lo, hi int)) {
	rows, size := n.shape[0]*n.shape[1], max(1, n.shape[2]*n.shape[3])
	if rows*size <= grainCurve {
		f(0, rows)
		return
	}
	pool.Split(rows, max(1, grainCurve/size), f)
}

// row returns the two numbers of row r.
func (n *norm[T]) row(r int) (i, j int) {
	switch {
	case n.shape[1] == 1:
		return r, 0
	case n.shape[0] == 1:
		return 0, r
	}
	return r / n.shape[1], r % n.shape[1]
}

// pieces cuts a row into dense pieces: n elements of line p from q on.
func (n *norm[T]) pieces(f func(p, q, count int)) {
	for p := range n.shape[2] {
		for q := 0; q < n.shape[3]; q += block {
			f(p, q, min(block, n.shape[3]-q))
		}
	}
}

// rowed is an array of which each row has a line, or a number. A nil array has zeros.
type rowed struct {
	a  *device.Array
	by [2]int
}

func newRowed(a *device.Array) rowed {
	if a == nil {
		return rowed{}
	}
	return rowed{a, [2]int{stride4(a, 0), stride4(a, 1)}}
}

// line returns n elements of row i, j, which are float32 and dense.
func (o *rowed) line(i, j, n int) []float32 {
	return elems[float32](o.a, o.a.Offset+i*o.by[0]+j*o.by[1], 1, n)
}

func (o *rowed) get(i, j int) float64 {
	if o.a == nil {
		return 0
	}
	if o.a.DType == device.Float32 {
		return float64(o.line(i, j, 1)[0])
	}
	var v [1]float64
	load(v[:], o.a, at4(o.a, i, j), 1)
	return v[0]
}

func (o *rowed) set(i, j int, v float64) {
	if o.a == nil {
		return
	}
	if o.a.DType == device.Float32 {
		o.line(i, j, 1)[0] = float32(v)
		return
	}
	store(o.a, at4(o.a, i, j), 1, []float64{v})
}

// moments returns mean and 1/√(variance + eps) of a row.
func (n *norm[T]) moments(i, j int) (mean, scale T) {
	return T(n.mean.get(i, j)), T(1 / math.Sqrt(n.variance.get(i, j)+n.Eps))
}

// measure computes mean and variance of a row.
func (n *norm[T]) measure(x *walked[T], i, j int) {
	var sum, squares float64
	n.pieces(func(p, q, count int) {
		a, b := momentsRow(x.piece(p, q, count))
		sum, squares = sum+a, squares+b
	})
	n.settle(i, j, sum, squares, func(mean float64) (squares float64) {
		n.pieces(func(p, q, count int) { squares += squaresRow(x.piece(p, q, count), mean) })
		return squares
	})
}

// settle computes mean and variance of a row from the sum of its elements and that of their squares.
// The variance is the mean square less the square of the mean, or where that would lose the digits of
// float32, the mean of the squared differences from the mean, whose sum around returns.
func (n *norm[T]) settle(i, j int, sum, squares float64, around func(mean float64) float64) {
	size := float64(n.shape[2] * n.shape[3])
	variance := squares / size
	if n.mean.a != nil {
		mean := sum / size
		variance -= mean * mean
		if dtypeOf[T]() != device.Float32 || !(variance > mean*mean*0x1p-24) {
			variance = around(mean) / size
		}
		n.mean.set(i, j, mean)
	}
	if variance > math.MaxFloat32 && !math.IsInf(variance, 1) && dtypeOf[T]() == device.Float32 {
		variance = math.NaN() // the infinity that float32 has for it would make the row zeros
	}
	n.variance.set(i, j, variance)
}

// momentsRow returns the sum of xs and that of their squares.
func momentsRow[T float](xs []T) (sum, squares float64) {
	if xs, ok := any(xs).([]float32); ok {
		return simd.Moments(xs)
	}
	return sumRow[T, float64](xs), squaresRow(xs, 0)
}

// Normalize implements device.Backend.
func (Backend) Normalize(y, x, mean, variance, weight, bias *device.Array, n device.Norm) {
	if x.DType.ComputeIn() == device.Float64 {
		normalize(newNorm[float64](n, x, mean, variance), y, x, weight, bias)
		return
	}
	own := newNorm[float32](n, x, mean, variance)
	if own.vectors(weight, bias) && own.whole(x, y) {
		normalizeWhole(own, y, x, weight, bias)
		return
	}
	normalize(own, y, x, weight, bias)
}

func normalize[T float](n *norm[T], y, x, weight, bias *device.Array) {
	n.run(func(lo, hi int) {
		var ys, xs, ws, bs walked[T]
		ys.set(y, 0)
		xs.set(x, 0)
		ws.set(weight, 1)
		bs.set(bias, 0)
		for ; lo < hi; lo += together {
			end := min(hi, lo+together)
			for r := lo; r < end && !n.Given; r++ {
				i, j := n.row(r)
				xs.row(i, j)
				n.measure(&xs, i, j)
			}
			for r := lo; r < end; r++ {
				i, j := n.row(r)
				for _, o := range [...]*walked[T]{&ys, &xs, &ws, &bs} {
					o.row(i, j)
				}
				mean, scale := n.moments(i, j)
				n.pieces(func(p, q, count int) {
					out := ys.place(p, q, count)
					normalizePiece(out, xs.piece(p, q, count), ws.piece(p, q, count),
						bs.piece(p, q, count), mean, scale)
					ys.done(p, q, out)
				})
			}
		}
	})
}

// normalizePiece computes out = (x − mean)·scale·w + b.
func normalizePiece[T float](out, x, w, b []T, mean, scale T) {
	if out, ok := any(out).([]float32); ok {
		simd.Normalize(out, any(x).([]float32), any(w).([]float32), any(b).([]float32),
			float32(mean), float32(scale))
		return
	}
	for k, v := range x {
		out[k] = (v-mean)*scale*w[k] + b[k]
	}
}

// NormalizeGrad implements device.Backend.
func (Backend) NormalizeGrad(dx, dy, x, mean, variance, weight *device.Array, n device.Norm) {
	if x.DType.ComputeIn() == device.Float64 {
		normalizeGrad(newNorm[float64](n, x, mean, variance), dx, dy, x, weight)
		return
	}
	own := newNorm[float32](n, x, mean, variance)
	if own.vectors(weight) && own.whole(dx, dy, x) {
		normalizeGradWhole(own, dx, dy, x, weight)
		return
	}
	normalizeGrad(own, dx, dy, x, weight)
}

// normalizeGrad computes dx = s·(h − mean h − z·mean(h·z)), where s is the scale, z the normalised
// x and h = dy·weight. The means belong to the moments' own gradients.
func normalizeGrad[T float](n *norm[T], dx, dy, x, weight *device.Array) {
	n.run(func(lo, hi int) {
		var dxs, dys, xs, ws walked[T]
		dxs.set(dx, 0)
		dys.set(dy, 0)
		xs.set(x, 0)
		ws.set(weight, 1)
		for r := lo; r < hi; r++ {
			i, j := n.row(r)
			for _, o := range [...]*walked[T]{&dxs, &dys, &xs, &ws} {
				o.row(i, j)
			}
			mean, scale := n.moments(i, j)
			var shift, slope T
			if !n.Given {
				var total, along float64
				n.pieces(func(p, q, count int) {
					t, a := sumsAlong(dys.piece(p, q, count), ws.piece(p, q, count),
						xs.piece(p, q, count), mean)
					total, along = total+t, along+a
				})
				shift, slope = n.slope(total, along, scale)
			}
			n.pieces(func(p, q, count int) {
				out := dxs.place(p, q, count)
				normalizeGradPiece(out, dys.piece(p, q, count), ws.piece(p, q, count),
					xs.piece(p, q, count), mean, scale, shift, slope)
				dxs.done(p, q, out)
			})
		}
	})
}

// slope returns mean h and s·mean(h·z) from Σh and Σh·(x − mean).
func (n *norm[T]) slope(total, along float64, scale T) (shift, slope T) {
	size := float64(n.shape[2] * n.shape[3])
	if n.mean.a != nil {
		shift = T(total / size)
	}
	return shift, T(along*(float64(scale)/size)) * scale
}

// sumsAlong returns Σh and Σh·(x − mean) for h = d·w.
func sumsAlong[T float](d, w, x []T, mean T) (total, along float64) {
	if d, ok := any(d).([]float32); ok {
		total, along = simd.NormSums(d, any(w).([]float32), any(x).([]float32))
		if along -= float64(mean) * total; along-along == 0 {
			return total, along
		}
		total, along = 0, 0 // the difference, or 0·∞, may be NaN where the sum is infinite
	}
	for k, v := range d {
		h := v * w[k]
		total += float64(h)
		along += float64(h * (x[k] - mean))
	}
	return total, along
}

// normalizeGradPiece computes out = scale·(d·w − shift − (x − mean)·slope).
func normalizeGradPiece[T float](out, d, w, x []T, mean, scale, shift, slope T) {
	if out, ok := any(out).([]float32); ok {
		simd.NormalizeGrad(out, any(d).([]float32), any(w).([]float32), any(x).([]float32),
			float32(mean), float32(scale), float32(shift), float32(slope))
		return
	}
	for k, v := range x {
		out[k] = scale * (d[k]*w[k] - shift - (v-mean)*slope)
	}
}
