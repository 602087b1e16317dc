package main

import "math"

// The sums and extremes of rows, and what looks at rows while it changes them. Sums that load float32
// as float64 are narrow: Zen 4, which takes AVX-512 in two halves, widens eight elements from memory
// in 1.0 cycles by two instructions of 256 bits, and in 1.3 by one of 512.
var reduce = []kernel{
	{
		doc:    "Sum returns the sum of xs.",
		narrow: true,
		sig:    "Sum(xs []float32) float64",
		body: func(b *body) {
			sum := newSum(b)
			lo, hi := b.loadWide("xs")
			sum.add(lo, hi)
		},
	},
	{
		doc:    "SumSquares returns the sum of (x − c)², of which the differences are kept in float64.",
		narrow: true,
		sig:    "SumSquares(xs []float32, c float64) float64",
		body: func(b *body) {
			sum, c := newSum(b), b.scalar("c")
			lo, hi := b.loadWide("xs")
			lo, hi = b.sub(lo, c), b.sub(hi, c)
			zero := b.wide(0)
			sum.add(b.active(b.mul(lo, lo), zero), b.active(b.mul(hi, hi), zero))
		},
	},
	{
		doc: "Dot returns the sum of a·b, of which the products are kept in float64. b has a's length.",
		sig: "Dot(a, b []float32) float64",
		body: func(b *body) {
			sum := newSum(b)
			aLo, aHi := b.loadWide("a")
			bLo, bHi := b.loadWide("b")
			sum.add(b.mul(aLo, bLo), b.mul(aHi, bHi))
		},
	},
	{
		doc: "Products returns the sum of a·b, of which the products are rounded to float32. b has a's\n" +
			"length.",
		sig: "Products(a, b []float32) float64",
		body: func(b *body) {
			sum := newSum(b)
			sum.add(b.widen(b.mul(b.load("a"), b.load("b"))))
		},
	},
	{
		doc:    "Moments returns the sum of xs and that of their squares, which are exact in float64.",
		narrow: true,
		sig:    "Moments(xs []float32) (sum, squares float64)",
		body: func(b *body) {
			sum, squares := newSum(b), newSum(b)
			lo, hi := b.loadWide("xs")
			sum.add(lo, hi)
			squares.add(b.mul(lo, lo), b.mul(hi, hi))
		},
	},
	{
		doc: "NormSums returns the sum of d·w and that of d·w·(x − mean), of which the operations are\n" +
			"rounded to float32. All have d's length.",
		sig: "NormSums(d, w, x []float32, mean float32) (sum, along float64)",
		body: func(b *body) {
			sum, along := newSum(b), newSum(b)
			h := b.mul(b.load("d"), b.load("w"))
			sum.add(b.widen(h))
			along.add(b.widen(b.mul(h, b.sub(b.load("x"), b.scalar("mean")))))
		},
	},
	{
		doc:    "Accumulate adds xs, which has the length of sums, to sums.",
		narrow: true,
		sig:    "Accumulate(sums []float64, xs []float32)",
		body: func(b *body) {
			lo, hi := b.loadDouble("sums")
			xLo, xHi := b.loadWide("xs")
			b.storeDouble("sums", b.add(lo, xLo), b.add(hi, xHi))
		},
	},
	{
		doc: "Accumulate4 adds four rows to sums one after the other, as Accumulate would. All have the\n" +
			"length of sums.",
		narrow: true,
		sig:    "Accumulate4(sums []float64, x0, x1, x2, x3 []float32)",
		unroll: 2,
		body: func(b *body) {
			lo, hi := b.loadDouble("sums")
			one := b.wide(1)
			for _, x := range []string{"x0", "x1", "x2", "x3"} {
				xLo, xHi := b.loadWide(x)
				lo, hi = b.fma(xLo, one, lo), b.fma(xHi, one, hi)
			}
			b.storeDouble("sums", lo, hi)
		},
	},
	{
		doc: "Largest returns the largest of xs, of which there is at least one; NaN is larger than any\n" +
			"number, and +0 than −0.",
		sig:  "Largest(xs []float32) float32",
		body: func(b *body) { extreme(b, math.Inf(-1), (*body).maxNaN) },
	},
	{
		doc: "Smallest returns the smallest of xs, of which there is at least one; NaN is smaller than\n" +
			"any number, and −0 than +0.",
		sig:  "Smallest(xs []float32) float32",
		body: func(b *body) { extreme(b, math.Inf(1), (*body).minNaN) },
	},
	{
		doc: "Unscale computes out = x·inv. The sign bit of the result says whether one of the products\n" +
			"is above limit in magnitude, or NaN. out and x may be the same.",
		sig: "Unscale(out, x []float32, inv, limit float32) float32",
		body: func(b *body) {
			over := b.accumulator(b.bits(0), (*body).or)
			y := b.mul(b.load("x"), b.scalar("inv"))
			b.store("out", y)
			over.set(b.or(over.get(), b.isub(b.scalar("limit"), b.abs(y))))
		},
	},
	{
		doc: "Normalize computes out = (x − mean)·scale·w + c, rounded after each operation.",
		sig: "Normalize(out, x, w, c []float32, mean, scale float32)",
		body: func(b *body) {
			z := b.mul(b.sub(b.load("x"), b.scalar("mean")), b.scalar("scale"))
			b.store("out", b.add(b.mul(z, b.load("w")), b.load("c")))
		},
	},
	{
		doc: "NormalizeGrad computes out = scale·(d·w − shift − (x − mean)·slope), rounded after each\n" +
			"operation.",
		sig: "NormalizeGrad(out, d, w, x []float32, mean, scale, shift, slope float32)",
		body: func(b *body) {
			along := b.mul(b.sub(b.load("x"), b.scalar("mean")), b.scalar("slope"))
			h := b.mul(b.load("d"), b.load("w"))
			b.store("out", b.mul(b.sub(b.sub(h, b.scalar("shift")), along), b.scalar("scale")))
		},
	},
	{
		doc: "SoftmaxGrad computes out = y·(d − sum), rounded after each operation.",
		sig: "SoftmaxGrad(out, y, d []float32, sum float32)",
		body: func(b *body) {
			b.store("out", b.mul(b.sub(b.load("d"), b.scalar("sum")), b.load("y")))
		},
	},
}

// A sum adds the halves of a vector to each other first, which keeps chains short.
type sum struct {
	b *body
	a *accumulator
}

func newSum(b *body) sum { return sum{b, b.accumulator(b.wide(0), (*body).add)} }

func (s sum) add(lo, hi value) {
	one := s.b.wide(1)
	s.a.set(s.b.fma(s.b.fma(lo, one, hi), one, s.a.get()))
}

// extreme keeps the value that f takes out of two; neutral is none that it prefers.
func extreme(b *body, neutral float64, f func(b *body, x, y value) value) {
	none := b.float(neutral)
	best := b.accumulator(none, f)
	best.set(f(b, best.get(), b.active(b.load("xs"), none)))
}
