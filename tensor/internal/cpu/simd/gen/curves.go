package main

import (
	"math"

	"halfnote/tensor/internal/cpu/simd/coef"
)

// The transcendental functions of rows. They are straight-line code: both sides of a case are
// computed and one is chosen. Results are scaled by powers of two last, so that subnormal ones are
// rounded once. The order of min's and max's operands lets NaN pass.
var curves = []kernel{
	curve("Exp", "out = eˣ", func(b *body, x value) value { return b.power(x, b.scale) }),
	curve("Log", "out = log x", (*body).log),
	curve("Tanh", "out = tanh x", (*body).tanh),
	curve("Sigmoid", "out = σ(x) = 1 ÷ (1 + e⁻ˣ)", func(b *body, x value) value {
		z, _, _, n := b.logistic(x)
		return b.scale(b.div(b.float(1), z), n)
	}),
	curve("Erf", "the error function of x", (*body).erf),
	curve("GELU", "out = x·Φ(x); of −∞ it is NaN", (*body).gelu),
	gradient("GELUGrad", "out = slope·(Φ(x) + x·φ(x))", (*body).geluGrad),
	curve("SiLU", "out = x·σ(x); of −∞ it is NaN", func(b *body, x value) value {
		z, _, _, n := b.logistic(x)
		cut := b.max(b.float(-2*coef.ExpLarge), x)
		return b.fromBelow(x, b.scale(b.div(cut, z), n))
	}),
	gradient("SiLUGrad", "out = slope·σ(x)·(1 + x·σ(−x))", func(b *body, x value) value {
		z, w, p, n := b.logistic(x)
		one := b.float(1)
		other := b.mul(p, b.div(b.add(w, one), z)) // σ(−x)
		t := b.min(b.float(2*coef.ExpLarge), b.max(b.float(-2*coef.ExpLarge), x))
		return b.scale(b.div(b.fma(t, other, one), z), n)
	}),
	{
		doc:    "ExpSub computes out = eˣ⁻ᶜ.",
		sig:    "ExpSub(out, x []float32, c float32)",
		unroll: 2,
		body: func(b *body) {
			b.store("out", b.power(b.sub(b.load("x"), b.scalar("c")), b.scale))
		},
	},
}

func curve(name, what string, f func(b *body, x value) value) kernel {
	k := unary(name, what, f)
	k.unroll = 2
	return k
}

// gradient multiplies f by a row, slope.
func gradient(name, what string, f func(b *body, x value) value) kernel {
	return kernel{
		doc:    name + " computes " + what + ".",
		sig:    name + "(out, x, slope []float32)",
		unroll: 2,
		body:   func(b *body) { b.store("out", b.mul(f(b, b.load("x")), b.load("slope"))) },
	}
}

// polynomial evaluates the one with these coefficients at x.
func (b *body) polynomial(x value, coefficients []float32) value {
	n := len(coefficients) - 1
	y := b.float(float64(coefficients[n]))
	for n--; n >= 0; n-- {
		y = b.fma(y, x, b.float(float64(coefficients[n])))
	}
	return y
}

// power returns eˣ, made with scale or scaleNormal.
func (b *body) power(x value, scale func(x, n value) value) value {
	r, n := b.reduce(x)
	one := b.float(1)
	return scale(b.fma(r, b.fma(r, b.polynomial(r, coef.Exp[:]), one), one), n)
}

// exp returns w and n with eˣ = (1 + w)·2ⁿ.
func (b *body) exp(x value) (w, n value) {
	r, n := b.reduce(x)
	return b.fma(b.mul(r, r), b.polynomial(r, coef.Exp[:]), r), n
}

// reduce returns r and n with eˣ = eʳ·2ⁿ, of which r is small.
func (b *body) reduce(x value) (r, n value) {
	x = b.min(b.float(coef.ExpLarge), b.max(b.float(-coef.ExpLarge), x))
	n = b.round(b.mul(x, b.float(math.Log2E)))
	r = b.fnma(n, b.float(coef.Log2Upper), x)
	return b.fnma(n, b.float(coef.Log2Lower), r), n
}

// logistic returns what makes σ(x) = 2ⁿ/z and σ(−x) = p·(1 + w)/z. With e⁻ˣ = (1 + w)·2ᵏ, z is
// 1 + e⁻ˣ where k ≤ 0, and that over 2ᵏ elsewhere; the largest part of it is added last.
func (b *body) logistic(x value) (z, w, p, n value) {
	zero, one := b.float(0), b.float(1)
	w, k := b.exp(b.xor(x, b.bits(1<<31)))
	n = b.min(zero, b.sub(zero, k))
	p, lesser := b.powers(k)
	return b.add(b.fma(w, p, lesser), one), w, p, n
}

// powers returns 2^min(k, 0) and 2^−|k|; in place of a subnormal one any number that is as small may
// be returned.
func (b *body) powers(k value) (p, lesser value) {
	zero, one, sign := b.float(0), b.float(1), b.bits(1<<31)
	if b.t.native(opScale) {
		return b.scale(one, b.min(k, zero)), b.scale(one, b.or(k, sign))
	}
	lesser = b.scaleNormal(one, b.max(b.float(-126), b.or(k, sign)))
	return b.choose(b.compare(zero, less, k), one, lesser), lesser
}

// fromBelow is y, but NaN where x is −∞.
func (b *body) fromBelow(x, y value) value {
	return b.fma(b.min(b.float(0), x), b.float(0), y)
}

func (b *body) log(x value) value {
	// x = m·2ᵏ with √½ ≤ m < √2; subnormal numbers are made normal first.
	tiny := b.compare(x, less, b.float(0x1p-126))
	i := b.choose(tiny, b.mul(x, b.float(0x1p23)), x)
	k := b.shr(b.iadd(i, b.bits(0x80000000-0x7f3504f3)), 23)
	k = b.isub(k, b.bits(128)) // the sum above leaves the exponent of √½ at 128
	m := b.isub(i, b.shl(k, 23))
	e := b.sub(b.toFloat(k), b.and(b.maskBits(tiny), b.float(23)))
	f := b.sub(m, b.float(1))
	square := b.mul(f, f)
	y := b.mul(b.mul(f, square), b.polynomial(f, coef.Log[:]))
	y = b.fma(e, b.float(coef.Log2Lower), y)
	y = b.fnma(b.float(0.5), square, y)
	y = b.fma(e, b.float(coef.Log2Upper), b.add(f, y))
	zero, inf := b.float(0), b.float(math.Inf(1))
	y = b.choose(b.compare(x, equal, inf), inf, y)
	pole := b.choose(b.compare(x, equal, zero), b.float(math.Inf(-1)), b.float(math.NaN()))
	return b.choose(b.compare(zero, less, x), y, pole)
}

func (b *body) tanh(x value) value {
	t := b.min(b.float(coef.TanhLarge), b.abs(x))
	square := b.mul(t, t)
	small := b.fma(b.mul(b.polynomial(square, coef.Tanh[:]), square), t, t)
	one := b.float(1)
	e := b.add(b.power(b.add(t, t), b.scaleNormal), one)
	large := b.sub(one, b.div(b.float(2), e))
	y := b.choose(b.compare(t, less, b.float(coef.TanhSmall)), small, large)
	return b.or(y, b.and(x, b.bits(1<<31)))
}

func (b *body) erf(x value) value {
	t := b.min(b.float(coef.ErfLarge), b.abs(x))
	square := b.mul(t, t)
	small := b.fma(b.polynomial(square, coef.Erf[:]), x, x)
	r := b.polynomial(t, coef.ErfTail[:])
	tail := b.power(b.fma(r, t, b.xor(t, b.bits(1<<31))), b.scaleNormal)
	large := b.sub(b.float(1), tail)
	large = b.or(large, b.and(x, b.bits(1<<31)))
	return b.choose(b.compare(t, less, b.float(coef.ErfSmall)), small, large)
}

func (b *body) gelu(x value) value {
	// x·Φ(x) = max(x, 0) − |x|·Φ(−|x|)
	t := b.min(b.float(coef.NormalLarge), b.abs(x))
	d, n := b.bell(t)
	var h value
	if b.t.native(opLookup) {
		h = b.pieces(t, coef.NormalTails[:])
	} else {
		h = b.tail(t)
	}
	y := b.sub(b.max(b.float(0), x), b.scale(b.fnma(h, d, h), n))
	y = b.nearZero(t, y, func() value {
		value := b.polynomial(b.mul(t, t), coef.NormalValue[:])
		return b.mul(x, b.fma(value, x, b.float(0.5)))
	})
	return b.fromBelow(x, y)
}

func (b *body) geluGrad(x value) value {
	// f(x) = Φ(x) + x·φ(x) has f(x) + f(−x) = 1
	t := b.min(b.float(coef.NormalLarge), b.abs(x))
	d, n := b.bell(t)
	var h value
	if b.t.native(opLookup) {
		h = b.pieces(t, coef.NormalFalls[:])
	} else {
		h = b.fnma(t, b.float(1/math.Sqrt(2*math.Pi)), b.div(b.tail(t), t))
	}
	low := b.scale(b.fnma(h, d, h), n)
	y := b.choose(b.compare(x, less, b.float(0)), low, b.sub(b.float(1), low))
	return b.nearZero(t, y, func() value {
		return b.fma(b.polynomial(b.mul(t, t), coef.NormalSlope[:]), x, b.float(0.5))
	})
}

// bell returns d and n with e^(−t²/2) = (1 − d)·2ⁿ for t up to NormalLarge. The exponent of 2 is
// t·(v − rest): the error of one product is one of the result's digits.
func (b *body) bell(t value) (d, n value) {
	const half = math.Log2E / 2
	upper := float64(float32(half))
	v := b.mul(t, b.float(-upper))
	n = b.round(b.mul(v, t))
	rest := b.fma(t, b.float(half-upper), b.fma(t, b.float(upper), v))
	r := b.fma(rest, t, b.fnma(v, t, n)) // n less the exponent
	return b.fnma(r, b.polynomial(r, coef.HalfPower[:]), r), n
}

// tail returns t·Φ(−t)·e^(t²/2) for t from NormalSmall to NormalLarge.
func (b *body) tail(t value) value {
	pole := b.float(coef.NormalPole)
	return b.polynomial(b.div(b.sub(t, pole), b.add(t, pole)), coef.Normal[:])
}

// nearZero is y, but small where y was made of tail and t is below NormalSmall. Pieces are good there.
func (b *body) nearZero(t, y value, small func() value) value {
	if b.t.native(opLookup) {
		return y
	}
	return b.choose(b.compare(t, less, b.float(coef.NormalSmall)), small(), y)
}

// pieces evaluates the polynomials of the interval that t is in, at its distance from NormalCenter.
func (b *body) pieces(t value, coefficients [][16]float32) value {
	piece := b.shr(b.add(t, b.float(coef.NormalShift)), 21) // the exponent and two digits behind it
	x := b.sub(t, b.lookup(piece, coef.NormalCenter))
	n := len(coefficients) - 1
	y := b.lookup(piece, coefficients[n])
	for n--; n >= 0; n-- {
		y = b.fma(y, x, b.lookup(piece, coefficients[n]))
	}
	return y
}
