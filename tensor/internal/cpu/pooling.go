package cpu

import (
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// eachPlane calls f for every plane of from and to, in parallel. f gets the elements of from's and
// writes those of to's, all of which have any value before.
func eachPlane[T number](b Backend, to, from *device.Array, f func(i int, to, from []T)) {
	n := from.Shape[0]
	if n == 0 {
		return
	}
	from = source[T](from)
	through[T](b, to, func(to *device.Array) {
		areaTo, areaFrom := to.Numel()/n, from.Numel()/n
		pool.Split(n, max(1, grainCheap/max(1, areaTo+areaFrom)), func(lo, hi int) {
			var in, out []T
			wide, narrow := from.DType != dtypeOf[T](), to.DType != dtypeOf[T]()
			if wide || narrow {
				room := newRoom[T](2, areaTo+areaFrom)
				defer room.release()
				in, out = room.take(areaFrom), room.take(areaTo)
			}
			for i := lo; i < hi; i++ {
				offFrom, offTo := from.Offset+i*areaFrom, to.Offset+i*areaTo
				if wide {
					load(in, from, offFrom, 1)
				} else {
					in = elems[T](from, offFrom, 1, areaFrom)
				}
				if narrow {
					f(i, out, in)
					store(to, offTo, 1, out)
				} else {
					f(i, elems[T](to, offTo, 1, areaTo), in)
				}
			}
		})
	})
}

// MaxPool implements device.Backend.
func (b Backend) MaxPool(y, index, x *device.Array, rows, cols []device.Span) {
	switch x.DType.ComputeIn() {
	case device.Float64:
		maxPool[float64](b, y, index, x, rows, cols)
	case device.Float32:
		maxPool[float32](b, y, index, x, rows, cols)
	default:
		maxPool[int64](b, y, index, x, rows, cols)
	}
}

func maxPool[T number](b Backend, y, index, x *device.Array, rows, cols []device.Span) {
	width, area := x.Shape[2], len(rows)*len(cols)
	halves := pairs(rows) && pairs(cols)
	into(b, index, func(index []int64) {
		eachPlane(b, y, x, func(i int, y, x []T) {
			at := index[i*area:][:area]
			if x, ok := single(x); ok && halves {
				y, _ := single(y)
				simd.MaxPool2(y, at, x, width, len(rows), len(cols))
				return
			}
			largestIn(y, at, x, width, rows, cols)
		})
	})
}

// pairs reports whether spans cut a dimension into pairs.
func pairs(spans []device.Span) bool {
	for i, s := range spans {
		if s.From != 2*i || s.To != 2*i+2 || s.Step != 1 {
			return false
		}
	}
	return true
}

func largestIn[T number](y []T, index []int64, x []T, width int, rows, cols []device.Span) {
	at := 0
	for _, r := range rows {
		for _, c := range cols {
			where := r.From*width + c.From
			best := x[where]
			for i := r.From; i < r.To; i += r.Step {
				line := x[i*width : (i+1)*width]
				for j := c.From; j < c.To; j += c.Step {
					if v := line[j]; v > best || v != v {
						best, where = v, i*width+j
					}
				}
			}
			y[at], index[at] = best, int64(where)
			at++
		}
	}
}

// MaxPoolGrad implements device.Backend. It needs no windows: one worker computes a plane.
func (b Backend) MaxPoolGrad(x, y, index *device.Array, _, _ []device.Span) {
	if x.DType.ComputeIn() == device.Float64 {
		maxPoolGrad[float64](b, x, y, index)
		return
	}
	maxPoolGrad[float32](b, x, y, index)
}

// maxPoolGrad is as fast as vectors that write whole windows of 2×2: what takes the time is new
// memory for x, and clearing it is the fastest way to get hold of that.
func maxPoolGrad[T float](b Backend, x, y, index *device.Array) {
	places := dense[int64](index)
	eachPlane(b, x, y, func(i int, x, y []T) {
		clear(x)
		for j, k := range places[i*len(y):][:len(y)] {
			x[k] += y[j]
		}
	})
}

// AvgPool implements device.Backend.
func (b Backend) AvgPool(y, x *device.Array, rows, cols []device.Span) {
	if y.DType.ComputeIn() == device.Float64 {
		avgPool[float64](b, y, x, rows, cols)
		return
	}
	avgPool[float32](b, y, x, rows, cols)
}

// avgPool sums the rows of a window, all columns together, and then columns. Sums are kept in
// float64, since a window may be a whole plane.
func avgPool[T float](b Backend, y, x *device.Array, rows, cols []device.Span) {
	width := x.Shape[2]
	eachPlane(b, y, x, func(_ int, y, x []T) {
		room := newRoom[float64](1, width)
		defer room.release()
		sums := room.take(width)
		for k, r := range rows {
			clear(sums)
			for i := r.From; i < r.To; i += r.Step {
				accumulate(sums, x[i*width:])
			}
			line := y[k*len(cols):]
			for j, c := range cols {
				sum := 0.0
				for l := c.From; l < c.To; l += c.Step {
					sum += sums[l]
				}
				line[j] = T(sum / float64(r.Count*c.Count))
			}
		}
	})
}

// accumulate adds the first of xs to sums.
func accumulate[T float](sums []float64, xs []T) {
	if xs, ok := single(xs); ok {
		simd.Accumulate(sums, xs)
		return
	}
	for i, v := range xs[:len(sums)] {
		sums[i] += float64(v)
	}
}

// AvgPoolGrad implements device.Backend.
func (b Backend) AvgPoolGrad(x, y *device.Array, rows, cols []device.Span) {
	if x.DType.ComputeIn() == device.Float64 {
		avgPoolGrad[float64](b, x, y, rows, cols)
		return
	}
	avgPoolGrad[float32](b, x, y, rows, cols)
}

// avgPoolGrad deals a row of y out over the columns of x, and then over the rows.
func avgPoolGrad[T float](b Backend, x, y *device.Array, rows, cols []device.Span) {
	width := x.Shape[2]
	eachPlane(b, x, y, func(_ int, x, y []T) {
		room := newRoom[T](1, width)
		defer room.release()
		shares := room.take(width)
		clear(x)
		for k, r := range rows {
			clear(shares)
			line := y[k*len(cols):]
			for j, c := range cols {
				share := line[j] / T(r.Count*c.Count)
				for l := c.From; l < c.To; l += c.Step {
					shares[l] += share
				}
			}
			for i := r.From; i < r.To; i += r.Step {
				to := x[i*width:][:width]
				axpy(to, to, shares, 1)
			}
		}
	})
}
