package cpu

import (
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// A sample is where one sample's losses and classes lie.
type sample struct {
	class  int // negative: it counts for nothing
	x, one int // offsets of its first class, and of its loss
}

// samples gives the samples from lo up to hi to visit. x has the shape [N, C, S], one [N, S].
func samples(x, one, classes *device.Array, lo, hi int, visit func(sample)) {
	inner := x.Shape[2]
	for i := lo; i < hi; i++ {
		n, s := i/inner, i%inner
		class := elems[int64](classes,
			classes.Offset+n*classes.Strides[0]+s*classes.Strides[1], 1, 1)[0]
		visit(sample{int(class), x.Offset + n*x.Strides[0] + s*x.Strides[2],
			one.Offset + n*one.Strides[0] + s*one.Strides[1]})
	}
}

// classWeights returns the weights of the classes as float64.
func classWeights(weight *device.Array, classes int) []float64 {
	w := make([]float64, classes)
	if weight == nil {
		for i := range w {
			w[i] = 1
		}
		return w
	}
	load(w, weight, weight.Offset, weight.Strides[0])
	return w
}

// NLL implements device.Backend.
func (Backend) NLL(out, x, classes, weight *device.Array, smooth float64) {
	c := x.Shape[1]
	w := classWeights(weight, c)
	grain := grainCheap
	if smooth != 0 {
		grain = max(1, grainCheap/c)
	}
	pool.Split(out.Numel(), grain, func(lo, hi int) {
		row, picked := make([]float64, c), make([]float64, 1)
		samples(x, out, classes, lo, hi, func(at sample) {
			loss := 0.0
			if at.class >= 0 {
				load(picked, x, at.x+at.class*x.Strides[1], 1)
				loss = -(1 - smooth) * w[at.class] * picked[0]
			}
			if at.class >= 0 && smooth != 0 {
				load(row, x, at.x, x.Strides[1])
				sum := 0.0
				for k, v := range row {
					sum += w[k] * v
				}
				loss -= smooth / float64(c) * sum
			}
			store(out, at.one, 1, []float64{loss})
		})
	})
}

// NLLGrad implements device.Backend.
func (Backend) NLLGrad(out, g, classes, weight *device.Array, smooth float64) {
	c := out.Shape[1]
	if c == 0 {
		return
	}
	w := classWeights(weight, c)
	pool.Split(g.Numel(), max(1, grainCheap/c), func(lo, hi int) {
		row, grad := make([]float64, c), make([]float64, 1)
		samples(out, g, classes, lo, hi, func(at sample) {
			clear(row)
			if at.class >= 0 {
				load(grad, g, at.one, 1)
				for k := range row {
					if smooth != 0 { // an infinite gradient times 0 would be NaN
						row[k] = -grad[0] * smooth / float64(c) * w[k]
					}
				}
				row[at.class] -= grad[0] * (1 - smooth) * w[at.class]
			}
			store(out, at.x, out.Strides[1], row)
		})
	})
}
