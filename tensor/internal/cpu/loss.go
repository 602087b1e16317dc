package cpu

import (
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// nll is one call of device.Losses: x [N, C, S], or its gradient, and one number for each sample.
type nll struct {
	x, one, classes *device.Array
	weight          []float64 // nil for ones
	smooth          float64
}

func newNLL(x, one, classes, weight *device.Array, smooth float64) nll {
	l := nll{x: x, one: one, classes: classes, smooth: smooth}
	if weight != nil {
		l.weight = make([]float64, x.Shape[1])
		load(l.weight, weight, weight.Offset, weight.Strides[0])
	}
	return l
}

// run calls f for all samples, in parallel where there are many elements.
func (l nll) run(perSample int, f func(l *nll, lo, hi int)) {
	samples := l.one.Numel()
	if samples*perSample <= grainCheap {
		f(&l, 0, samples)
		return
	}
	pool.Split(samples, max(1, grainCheap/perSample), func(lo, hi int) { f(&l, lo, hi) })
}

// sample returns the class of sample i, negative where it counts for nothing, and the offsets of
// its first element in x and of its number in one.
func (l *nll) sample(i int) (class, x, one int) {
	n, s := i, 0
	if inner := l.x.Shape[2]; inner != 1 {
		n, s = i/inner, i%inner
	}
	at := l.classes.Offset + n*l.classes.Strides[0] + s*l.classes.Strides[1]
	return int(elems[int64](l.classes, at, 1, 1)[0]),
		l.x.Offset + n*l.x.Strides[0] + s*l.x.Strides[2],
		l.one.Offset + n*l.one.Strides[0] + s*l.one.Strides[1]
}

// weightOf returns the weight of a class.
func (l *nll) weightOf(class int) float64 {
	if l.weight == nil {
		return 1
	}
	return l.weight[class]
}

// NLL implements device.Backend.
func (Backend) NLL(out, x, classes, weight *device.Array, smooth float64) {
	perSample := 1
	if smooth != 0 {
		perSample = x.Shape[1]
	}
	newNLL(x, out, classes, weight, smooth).run(perSample, nllRange)
}

func nllRange(l *nll, lo, hi int) {
	if l.smooth == 0 && l.x.DType == device.Float32 && l.one.DType == device.Float32 {
		nllSingles(l, lo, hi)
		return
	}
	var loss [1]float64
	var row []float64
	step := l.x.Strides[1]
	if l.smooth != 0 {
		row = make([]float64, l.x.Shape[1])
	}
	for i := lo; i < hi; i++ {
		class, x, one := l.sample(i)
		if class < 0 {
			loss[0] = 0
		} else {
			load(loss[:], l.x, x+class*step, 1)
			loss[0] *= -(1 - l.smooth) * l.weightOf(class)
		}
		if class >= 0 && l.smooth != 0 {
			load(row, l.x, x, step)
			sum := 0.0
			for k, v := range row {
				sum += l.weightOf(k) * v
			}
			loss[0] -= l.smooth / float64(len(row)) * sum
		}
		store(l.one, one, 1, loss[:])
	}
}

// nllSingles computes losses of float32 that are each of one element.
func nllSingles(l *nll, lo, hi int) {
	step := l.x.Strides[1]
	for i := lo; i < hi; i++ {
		class, x, one := l.sample(i)
		out := elems[float32](l.one, one, 1, 1)
		if class < 0 {
			out[0] = 0
			continue
		}
		out[0] = -elems[float32](l.x, x+class*step, 1, 1)[0]
		if l.weight != nil {
			out[0] = float32(float64(out[0]) * l.weight[class])
		}
	}
}

// NLLGrad implements device.Backend.
func (Backend) NLLGrad(out, g, classes, weight *device.Array, smooth float64) {
	c := out.Shape[1]
	if c == 0 {
		return
	}
	l := newNLL(out, g, classes, weight, smooth)
	if out.DType.ComputeIn() == device.Float64 {
		l.run(c, nllGradRange[float64])
		return
	}
	l.run(c, nllGradRange[float32])
}

func nllGradRange[T float](l *nll, lo, hi int) {
	var g [1]float64
	var short [chunk]T
	row := short[:min(chunk, l.x.Shape[1])]
	if len(row) < l.x.Shape[1] {
		row = make([]T, l.x.Shape[1])
	}
	for i := lo; i < hi; i++ {
		class, x, one := l.sample(i)
		if class >= 0 {
			load(g[:], l.one, one, 1)
			own, share := -g[0]*(1-l.smooth), 0.0
			if l.smooth != 0 { // an infinite gradient times 0 would be NaN
				share = -g[0] * l.smooth / float64(len(row))
				for k := range row {
					row[k] = T(share * l.weightOf(k))
				}
			}
			row[class] = T((share + own) * l.weightOf(class))
		}
		store(l.x, x, l.x.Strides[1], row)
		if l.smooth != 0 {
			clear(row)
		} else if class >= 0 {
			row[class] = 0
		}
	}
}
