package main

import "math"

// The sums and extremes of rows, and what looks at rows while it changes them. Sums that load float32
// as float64 are narrow: Zen 4, which takes AVX-512 in two halves, widens eight elements from memory
// in 1.0 cycles by two instructions of 256 bits, and in 1.3 by one of 512.
var reduce = []kernel{
	{
		doc:    "Sum returns the sum of xs.",
		narrow: true,
		sig:    "Sum(xs []float32) (sum float64)",
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
		doc:    "Dot returns the sum of a·b, of which the products are exact in float64. b has a's length.",
		narrow: true,
		sig:    "Dot(a, b []float32) float64",
		body: func(b *body) {
			sum := newSum(b)
			aLo, aHi := b.loadWide("a")
			bLo, bHi := b.loadWide("b")
			sum.products(aLo, bLo, aHi, bHi)
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
			squares.products(lo, lo, hi, hi)
		},
	},
	{
		doc: "NormSums returns the sum of d·w and that of d·w·x, of which the products are kept in float64.\n" +
			"All have d's length.",
		narrow: true,
		sig:    "NormSums(d, w, x []float32) (sum, along float64)",
		body: func(b *body) {
			sum, along := newSum(b), newSum(b)
			dLo, dHi := b.loadWide("d")
			wLo, wHi := b.loadWide("w")
			lo, hi := b.mul(dLo, wLo), b.mul(dHi, wHi)
			sum.add(lo, hi)
			xLo, xHi := b.loadWide("x")
			along.a.set(b.fma(lo, xLo, along.a.get()))
			along.a.set(b.fma(hi, xHi, along.a.get()))
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
		doc: "AccumulateNorms adds two rows d and e, one after the other, to db, and d·(x − m)·s and\n" +
			"e·(y − p)·t, of which the operations are rounded to float32, to dw. All have the length of dw.",
		sig:    "AccumulateNorms(dw, db []float64, d, x, e, y []float32, m, s, p, t float32)",
		unroll: 2,
		body: func(b *body) {
			one := b.wide(1)
			wLo, wHi := b.loadDouble("dw")
			bLo, bHi := b.loadDouble("db")
			for _, row := range [...]struct{ d, x, mean, scale string }{
				{"d", "x", "m", "s"}, {"e", "y", "p", "t"}} {
				d := b.load(row.d)
				z := b.mul(b.sub(b.load(row.x), b.scalar(row.mean)), b.scalar(row.scale))
				lo, hi := b.widen(b.mul(z, d))
				wLo, wHi = b.fma(lo, one, wLo), b.fma(hi, one, wHi)
				lo, hi = b.loadWide(row.d)
				bLo, bHi = b.fma(lo, one, bLo), b.fma(hi, one, bHi)
			}
			b.storeDouble("dw", wLo, wHi)
			b.storeDouble("db", bLo, bHi)
		},
	},
	{
		doc: "largestNumber returns the largest number of xs, of equal zeros either. The sign bit of odd\n" +
			"says whether there is a NaN; best may be it.",
		sig:  "largestNumber(xs []float32) (best, odd float32)",
		body: func(b *body) { extreme(b, math.Inf(-1), opMaxNaN, (*body).max) },
	},
	{
		doc: "smallestNumber returns the smallest number of xs, of equal zeros either. The sign bit of odd\n" +
			"says whether there is a NaN; best may be it.",
		sig:  "smallestNumber(xs []float32) (best, odd float32)",
		body: func(b *body) { extreme(b, math.Inf(1), opMinNaN, (*body).min) },
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

// A sum adds the halves of a vector to each other first, which keeps chains short. It adds by products
// with 1, since other units than those that widen multiply.
type sum struct {
	b *body
	a *accumulator
}

func newSum(b *body) sum { return sum{b, b.accumulator(b.wide(0), (*body).add)} }

func (s sum) add(lo, hi value) {
	one := s.b.wide(1)
	s.a.set(s.b.fma(s.b.fma(lo, one, hi), one, s.a.get()))
}

// products adds products that are exact.
func (s sum) products(aLo, bLo, aHi, bHi value) {
	s.a.set(s.b.fma(s.b.fma(aLo, bLo, s.b.mul(aHi, bHi)), s.b.wide(1), s.a.get()))
}

// extreme keeps the value that f takes out of two; neutral is none that it prefers. As f passes over
// NaN, magnitudes above infinity's are kept as the sign bit of a difference, unless the target has
// what minds NaN.
func extreme(b *body, neutral float64, minds op, f func(b *body, x, y value) value) {
	none := b.float(neutral)
	best, odd := b.accumulator(none, f), b.accumulator(b.bits(0), (*body).or)
	x := b.load("xs")
	if b.t.native(minds) {
		best.combine = func(b *body, x, y value) value { return b.same(minds, 0, x, y) }
	} else {
		odd.set(b.or(odd.get(), b.isub(b.float(math.Inf(1)), b.abs(x))))
	}
	best.set(best.combine(b, b.active(x, none), best.get()))
}
