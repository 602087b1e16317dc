package simd

import (
	"math"
	"slices"
)

// This file has the plain Go twins of the sums of rows, and of what looks at rows while it changes
// them. Sums are kept in float64, in an order that depends on the length and the path alone.

func sumGo(xs []float32) float64 {
	var s0, s1, s2, s3 float64 // four chains hide the latency
	for ; len(xs) >= 4; xs = xs[4:] {
		s0 += float64(xs[0])
		s1 += float64(xs[1])
		s2 += float64(xs[2])
		s3 += float64(xs[3])
	}
	for _, v := range xs {
		s0 += float64(v)
	}
	return (s0 + s1) + (s2 + s3)
}

func sumSquaresGo(xs []float32, c float64) float64 {
	var s0, s1, s2, s3 float64
	for ; len(xs) >= 4; xs = xs[4:] {
		d0, d1, d2, d3 := float64(xs[0])-c, float64(xs[1])-c, float64(xs[2])-c, float64(xs[3])-c
		s0 += d0 * d0
		s1 += d1 * d1
		s2 += d2 * d2
		s3 += d3 * d3
	}
	for _, v := range xs {
		d := float64(v) - c
		s0 += d * d
	}
	return (s0 + s1) + (s2 + s3)
}

func dotGo(a, b []float32) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	for ; len(a) >= 4 && len(b) >= 4; a, b = a[4:], b[4:] {
		s0 += float64(a[0]) * float64(b[0])
		s1 += float64(a[1]) * float64(b[1])
		s2 += float64(a[2]) * float64(b[2])
		s3 += float64(a[3]) * float64(b[3])
	}
	for i, v := range a {
		s0 += float64(v) * float64(b[i])
	}
	return (s0 + s1) + (s2 + s3)
}

func momentsGo(xs []float32) (sum, squares float64) {
	for _, v := range xs {
		sum += float64(v)
		squares += float64(v) * float64(v)
	}
	return sum, squares
}

func normSumsGo(d, w, x []float32) (sum, along float64) {
	w, x = w[:len(d)], x[:len(d)]
	for i, v := range d {
		h := float64(v) * float64(w[i])
		sum += h
		along += h * float64(x[i])
	}
	return sum, along
}

func accumulateGo(sums []float64, xs []float32) {
	xs = xs[:len(sums)]
	for i, v := range xs {
		sums[i] += float64(v)
	}
}

func accumulate4Go(sums []float64, x0, x1, x2, x3 []float32) {
	x0, x1, x2, x3 = x0[:len(sums)], x1[:len(sums)], x2[:len(sums)], x3[:len(sums)]
	for i, v := range x0 {
		sums[i] = sums[i] + float64(v) + float64(x1[i]) + float64(x2[i]) + float64(x3[i])
	}
}

func accumulateNormsGo(dw, db []float64, d, x, e, y []float32, m, s, p, t float32) {
	db, d, x, e, y = db[:len(dw)], d[:len(dw)], x[:len(dw)], e[:len(dw)], y[:len(dw)]
	for i := range dw {
		dw[i] = dw[i] + float64(float32((x[i]-m)*s*d[i])) + float64(float32((y[i]-p)*t*e[i]))
		db[i] = db[i] + float64(d[i]) + float64(e[i])
	}
}

// Largest returns the largest of xs, of which there is at least one; NaN is larger than any number,
// and +0 than −0.
func Largest(xs []float32) float32 {
	best, odd := largestNumber(xs)
	return decide(xs, best, odd, 0)
}

// Smallest returns the smallest of xs, of which there is at least one; NaN is smaller than any
// number, and −0 than +0.
func Smallest(xs []float32) float32 {
	best, odd := smallestNumber(xs)
	return decide(xs, best, odd, 1<<31)
}

// decide looks for what the kernels pass over: NaN, and among zeros the one with the bits zero.
func decide(xs []float32, best, odd float32, zero uint32) float32 {
	switch {
	case math.Signbit(float64(odd)):
		return float32(math.NaN())
	case best == 0:
		for _, v := range xs {
			if math.Float32bits(v) == zero {
				return v
			}
		}
	}
	return best
}

func largestNumberGo(xs []float32) (best, odd float32) {
	return slices.Max(xs), 0
}

func smallestNumberGo(xs []float32) (best, odd float32) {
	return slices.Min(xs), 0
}

func unscaleGo(out, x []float32, inv, limit float32) float32 {
	x = x[:len(out)]
	over, most := uint32(0), math.Float32bits(limit)
	for i, v := range x {
		v *= inv
		over |= most - math.Float32bits(v)&^(1<<31)
		out[i] = v
	}
	return math.Float32frombits(over)
}

func normalizeGo(out, x, w, c []float32, mean, scale float32) {
	x, w, c = x[:len(out)], w[:len(out)], c[:len(out)]
	for i, v := range x {
		out[i] = float32((v-mean)*scale*w[i]) + c[i]
	}
}

func normalizeGradGo(out, d, w, x []float32, mean, scale, shift, slope float32) {
	d, w, x = d[:len(out)], w[:len(out)], x[:len(out)]
	for i, v := range x {
		out[i] = scale * (float32(d[i]*w[i]) - shift - float32((v-mean)*slope))
	}
}

func softmaxGradGo(out, y, d []float32, sum float32) {
	y, d = y[:len(out)], d[:len(out)]
	for i, v := range y {
		out[i] = v * (d[i] - sum)
	}
}
