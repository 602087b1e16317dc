package cpu

import (
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// A plane is the elements of one plane of x, and those of y that its windows give.
type plane[T number] struct{ x, y []T }

// eachPlane calls f for every plane, in parallel, with x and y dense.
func eachPlane[T number](x, y []T, n int, f func(i int, p plane[T])) {
	if n == 0 {
		return
	}
	areaX, areaY := len(x)/n, len(y)/n
	pool.Split(n, max(1, grainCheap/max(1, areaX+areaY)), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(i, plane[T]{x[i*areaX : (i+1)*areaX], y[i*areaY : (i+1)*areaY]})
		}
	})
}

// MaxPool implements device.Backend.
func (b Backend) MaxPool(y, index, x *device.Array, rows, cols []device.Span) {
	switch computeIn(x.DType) {
	case device.Float64:
		maxPool[float64](b, y, index, x, rows, cols)
	case device.Float32:
		maxPool[float32](b, y, index, x, rows, cols)
	default:
		maxPool[int64](b, y, index, x, rows, cols)
	}
}

func maxPool[T number](b Backend, y, index, x *device.Array, rows, cols []device.Span) {
	src, width := dense[T](x), x.Shape[2]
	into(b, index, func(at []int64) {
		into(b, y, func(dst []T) {
			eachPlane(src, dst, x.Shape[0], func(i int, p plane[T]) {
				p.max(at[i*len(p.y):][:len(p.y)], width, rows, cols)
			})
		})
	})
}

func (p plane[T]) max(index []int64, width int, rows, cols []device.Span) {
	at := 0
	for _, r := range rows {
		for _, c := range cols {
			where := r.From*width + c.From
			best := p.x[where]
			for i := r.From; i < r.To; i += r.Step {
				line := p.x[i*width : (i+1)*width]
				for j := c.From; j < c.To; j += c.Step {
					if v := line[j]; v > best || v != v {
						best, where = v, i*width+j
					}
				}
			}
			p.y[at], index[at] = best, int64(where)
			at++
		}
	}
}

// MaxPoolGrad implements device.Backend.
func (b Backend) MaxPoolGrad(x, y, index *device.Array) {
	if computeIn(x.DType) == device.Float64 {
		maxPoolGrad[float64](b, x, y, index)
		return
	}
	maxPoolGrad[float32](b, x, y, index)
}

func maxPoolGrad[T float](b Backend, x, y, index *device.Array) {
	src, at := dense[T](y), dense[int64](index)
	into(b, x, func(dst []T) {
		eachPlane(dst, src, x.Shape[0], func(i int, p plane[T]) {
			for j, k := range at[i*len(p.y):][:len(p.y)] {
				p.x[k] += p.y[j]
			}
		})
	})
}

// AvgPool implements device.Backend.
func (b Backend) AvgPool(y, x *device.Array, rows, cols []device.Span) {
	if computeIn(y.DType) == device.Float64 {
		avgPool[float64](b, y, x, rows, cols)
		return
	}
	avgPool[float32](b, y, x, rows, cols)
}

func avgPool[T float](b Backend, y, x *device.Array, rows, cols []device.Span) {
	src, width := dense[T](x), x.Shape[2]
	into(b, y, func(dst []T) {
		eachPlane(src, dst, x.Shape[0], func(_ int, p plane[T]) { p.average(width, rows, cols) })
	})
}

// average keeps sums in float64, since a window may be a whole plane.
func (p plane[T]) average(width int, rows, cols []device.Span) {
	at := 0
	for _, r := range rows {
		for _, c := range cols {
			var sum float64
			for i := r.From; i < r.To; i += r.Step {
				line := p.x[i*width : (i+1)*width]
				for j := c.From; j < c.To; j += c.Step {
					sum += float64(line[j])
				}
			}
			p.y[at] = T(sum / float64(r.Count*c.Count))
			at++
		}
	}
}

// AvgPoolGrad implements device.Backend.
func (b Backend) AvgPoolGrad(x, y *device.Array, rows, cols []device.Span) {
	if computeIn(x.DType) == device.Float64 {
		avgPoolGrad[float64](b, x, y, rows, cols)
		return
	}
	avgPoolGrad[float32](b, x, y, rows, cols)
}

func avgPoolGrad[T float](b Backend, x, y *device.Array, rows, cols []device.Span) {
	src, width := dense[T](y), x.Shape[2]
	into(b, x, func(dst []T) {
		eachPlane(dst, src, x.Shape[0], func(_ int, p plane[T]) { p.deal(width, rows, cols) })
	})
}

// deal shares each y out among its window.
func (p plane[T]) deal(width int, rows, cols []device.Span) {
	at := 0
	for _, r := range rows {
		for _, c := range cols {
			share := p.y[at] / T(r.Count*c.Count)
			for i := r.From; i < r.To; i += r.Step {
				line := p.x[i*width : (i+1)*width]
				for j := c.From; j < c.To; j += c.Step {
					line[j] += share
				}
			}
			at++
		}
	}
}
