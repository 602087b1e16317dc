package cpu

import (
	"math"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// norm is one call of device.Normalizations, computed in T.
type norm[T float] struct {
	device.Norm
	x, mean, variance, weight *device.Array
	size                      float64 // elements of a row
}

// newNorm returns the call, and how many rows there are.
func newNorm[T float](x, mean, variance, weight *device.Array, n device.Norm) (norm[T], int) {
	s := x.Shape
	return norm[T]{n, x, mean, variance, weight, float64(s[2] * s[3])}, s[0] * s[1]
}

// rows calls f for each row, in parallel.
func (n *norm[T]) rows(count int, f func(i, j int)) {
	size := max(1, n.x.Shape[2]*n.x.Shape[3])
	pool.Split(count, max(1, grainMath/size), func(lo, hi int) {
		for k := lo; k < hi; k++ {
			f(k/n.x.Shape[1], k%n.x.Shape[1])
		}
	})
}

// pieces cuts row i, j into dense pieces: the p-th line from q on, n elements.
func (n *norm[T]) pieces(f func(p, q, count int)) {
	for p := range n.x.Shape[2] {
		for q := 0; q < n.x.Shape[3]; q += chunk {
			f(p, q, min(chunk, n.x.Shape[3]-q))
		}
	}
}

// at4 returns where element i, j, p, q lies in a, which is broadcast.
func at4(a *device.Array, i, j, p, q int) int {
	off := a.Offset
	for d, k := range [4]int{i, j, p, q} {
		if a.Shape[d] != 1 {
			off += k * a.Strides[d]
		}
	}
	return off
}

// step returns the stride of a along the last dimension, in which it may be broadcast.
func step(a *device.Array) int {
	if a.Shape[3] == 1 {
		return 0
	}
	return a.Strides[3]
}

// piece returns n elements of a from i, j, p, q on, in place or in buf.
func piece[T float](buf *[chunk]T, a *device.Array, i, j, p, q, n int) []T {
	return row(buf[:], a, at4(a, i, j, p, q), step(a), n)
}

// constants is a piece of weights or biases. It is loaded once where they repeat.
type constants[T float] struct {
	a    *device.Array
	buf  [chunk]T
	off  int
	full bool
}

func newConstants[T float](a *device.Array, usual T) (c constants[T]) {
	if c.a = a; a == nil {
		for i := range c.buf {
			c.buf[i] = usual
		}
	}
	return c
}

func (c *constants[T]) piece(i, j, p, q, n int) []T {
	if c.a == nil {
		return c.buf[:n]
	}
	off, by := at4(c.a, i, j, p, q), step(c.a)
	if by != 0 {
		return row(c.buf[:], c.a, off, by, n)
	}
	if !c.full || c.off != off {
		load(c.buf[:], c.a, off, 0)
		c.off, c.full = off, true
	}
	return c.buf[:n]
}

// number4 returns element i, j of mean or variance, 0 for a nil array.
func number4(a *device.Array, i, j int) float64 {
	if a == nil {
		return 0
	}
	var v [1]float64
	load(v[:], a, at4(a, i, j, 0, 0), 1)
	return v[0]
}

// moments returns mean and 1/√(variance + eps) of a row.
func (n *norm[T]) moments(i, j int) (mean, scale T) {
	return T(number4(n.mean, i, j)), T(1 / math.Sqrt(number4(n.variance, i, j)+n.Eps))
}

// measure computes mean and variance of a row. The variance is the mean of the squared differences
// from the mean, in a second pass: the difference of two means would lose its digits.
func (n *norm[T]) measure(i, j int) {
	var buf [chunk]T
	var mean float64
	if n.mean != nil {
		n.pieces(func(p, q, count int) {
			mean += sumRow[T, float64](piece(&buf, n.x, i, j, p, q, count))
		})
		mean /= n.size
		store(n.mean, at4(n.mean, i, j, 0, 0), 1, []float64{mean})
	}
	var squares float64
	n.pieces(func(p, q, count int) {
		squares += squaresRow(piece(&buf, n.x, i, j, p, q, count), mean)
	})
	store(n.variance, at4(n.variance, i, j, 0, 0), 1, []float64{squares / n.size})
}

// Normalize implements device.Backend.
func (Backend) Normalize(y, x, mean, variance, weight, bias *device.Array, n device.Norm) {
	if computeIn(x.DType) == device.Float64 {
		normalize[float64](y, x, mean, variance, weight, bias, n)
		return
	}
	normalize[float32](y, x, mean, variance, weight, bias, n)
}

func normalize[T float](y, x, mean, variance, weight, bias *device.Array, c device.Norm) {
	n, rows := newNorm[T](x, mean, variance, weight, c)
	n.rows(rows, func(i, j int) {
		if !n.Given {
			n.measure(i, j)
		}
		mean, scale := n.moments(i, j)
		var bufX, bufY [chunk]T
		ws, bs := newConstants[T](weight, 1), newConstants[T](bias, 0)
		n.pieces(func(p, q, count int) {
			xs := piece(&bufX, x, i, j, p, q, count)
			w, b := ws.piece(i, j, p, q, count), bs.piece(i, j, p, q, count)
			ys := bufY[:len(xs)]
			w, b = w[:len(xs)], b[:len(xs)]
			for k, v := range xs {
				ys[k] = (v-mean)*scale*w[k] + b[k]
			}
			store(y, at4(y, i, j, p, q), step(y), ys)
		})
	})
}

// NormalizeGrad implements device.Backend.
func (Backend) NormalizeGrad(dx, dy, x, mean, variance, weight *device.Array, n device.Norm) {
	if computeIn(x.DType) == device.Float64 {
		normalizeGrad[float64](dx, dy, x, mean, variance, weight, n)
		return
	}
	normalizeGrad[float32](dx, dy, x, mean, variance, weight, n)
}

// normalizeGrad computes dx = s·(h − mean h − z·mean(h·z)), where s is the scale, z the normalised
// x and h = dy·weight. The means belong to the moments' own gradients.
func normalizeGrad[T float](dx, dy, x, mean, variance, weight *device.Array, c device.Norm) {
	n, rows := newNorm[T](x, mean, variance, weight, c)
	n.rows(rows, func(i, j int) {
		mean, scale := n.moments(i, j)
		var bufX, bufY, bufD [chunk]T
		ws := newConstants[T](weight, 1)
		var total, along float64
		if !n.Given {
			n.pieces(func(p, q, count int) {
				xs, ds := piece(&bufX, x, i, j, p, q, count), piece(&bufY, dy, i, j, p, q, count)
				w := ws.piece(i, j, p, q, count)[:len(xs)]
				for k, v := range xs {
					h := ds[k] * w[k]
					total += float64(h)
					along += float64(h * (v - mean))
				}
			})
			along *= float64(scale) / n.size
			if total /= n.size; n.mean == nil {
				total = 0
			}
		}
		shift, slope := T(total), T(along)*scale
		n.pieces(func(p, q, count int) {
			xs, ds := piece(&bufX, x, i, j, p, q, count), piece(&bufY, dy, i, j, p, q, count)
			w, out := ws.piece(i, j, p, q, count)[:len(xs)], bufD[:len(xs)]
			for k, v := range xs {
				out[k] = scale * (ds[k]*w[k] - shift - (v-mean)*slope)
			}
			store(dx, at4(dx, i, j, p, q), step(dx), out)
		})
	})
}

// NormalizeWeightGrad implements device.Backend.
func (Backend) NormalizeWeightGrad(dw, db, dy, x, mean, variance *device.Array, n device.Norm) {
	if computeIn(x.DType) == device.Float64 {
		normalizeWeightGrad[float64](dw, db, dy, x, mean, variance, n)
		return
	}
	normalizeWeightGrad[float32](dw, db, dy, x, mean, variance, n)
}

// strip is how many neighbouring elements of a weight one task sums.
const strip = 64

// normalizeWeightGrad makes a task of each strip of the weight that has sums of its own.
func normalizeWeightGrad[T float](dw, db, dy, x, mean, variance *device.Array, c device.Norm) {
	n, _ := newNorm[T](x, mean, variance, nil, c)
	shape := dw
	if dw == nil {
		shape = db
	}
	of := shape.Shape
	strips := (of[3] + strip - 1) / strip
	pool.Run(of[1]*of[2]*strips, func(t int) {
		j, p, q := t/strips/of[2], t/strips%of[2], t%strips*strip
		n.weightStrip(dw, db, dy, of, j, p, q)
	})
}

// weightStrip sums all that is broadcast from the elements j, p, q … of the weight.
func (n *norm[T]) weightStrip(dw, db, dy *device.Array, of []int, j, p, q int) {
	from := [4]int{0, j, p, q}
	to := [4]int{n.x.Shape[0], j + 1, p + 1, min(q+strip, n.x.Shape[3])}
	for d := 1; d < 4; d++ {
		if of[d] == 1 {
			from[d], to[d] = 0, n.x.Shape[d]
		}
	}
	var sumW, sumB [chunk]float64
	var bufX, bufD [chunk]T
	for i := from[0]; i < to[0]; i++ {
		for j := from[1]; j < to[1]; j++ {
			mean, scale := n.moments(i, j)
			for p := from[2]; p < to[2]; p++ {
				for q := from[3]; q < to[3]; q += chunk {
					count := min(chunk, to[3]-q)
					ds := piece(&bufD, dy, i, j, p, q, count)
					if db != nil {
						for k, d := range ds {
							sumB[k] += float64(d)
						}
					}
					if dw != nil {
						xs := piece(&bufX, n.x, i, j, p, q, count)[:len(ds)]
						for k, d := range ds {
							sumW[k] += float64(d * ((xs[k] - mean) * scale))
						}
					}
				}
			}
		}
	}
	storeSums(dw, sumW[:], j, p, q)
	storeSums(db, sumB[:], j, p, q)
}

// storeSums writes the sums of a strip, or the one sum where the weight does not have its places.
func storeSums(out *device.Array, sums []float64, j, p, q int) {
	if out == nil {
		return
	}
	if out.Shape[3] == 1 {
		sums[0] = sumRow[float64, float64](sums)
	}
	store(out, at4(out, 0, j, p, q), step(out), sums[:min(out.Shape[3]-q, strip)])
}
