package simd

import (
	"math"

	"halfnote/tensor/internal/cpu/simd/coef"
)

// This file has the transcendental functions of rows in plain Go: the same polynomials as the
// assembly, in float64.

func expGo(out, x []float32) {
	for i, v := range x[:len(out)] {
		out[i] = float32(exp(float64(v)))
	}
}

func logGo(out, x []float32) {
	for i, v := range x[:len(out)] {
		out[i] = log(v)
	}
}

func tanhGo(out, x []float32) {
	for i, v := range x[:len(out)] {
		out[i] = tanh(v)
	}
}

func sigmoidGo(out, x []float32) {
	for i, v := range x[:len(out)] {
		out[i] = float32(1 / (1 + exp(-float64(v))))
	}
}

func erfGo(out, x []float32) {
	for i, v := range x[:len(out)] {
		out[i] = erf(v)
	}
}

func geluGo(out, x []float32) {
	for i, v := range x[:len(out)] {
		t, low, _ := tail(v)
		y := max(float64(v), 0) - low
		if t < coef.NormalSmall {
			y = float64(v) * (0.5 + float64(v)*polynomial(t*t, coef.NormalValue[:]))
		}
		out[i] = float32(y + min(float64(v), 0)*0)
	}
}

func geluGradGo(out, x, slope []float32) {
	for i, v := range x[:len(out)] {
		t, low, density := tail(v)
		y := low/t - t*density
		if v > 0 {
			y = 1 - y
		}
		if t < coef.NormalSmall {
			y = 0.5 + float64(v)*polynomial(t*t, coef.NormalSlope[:])
		}
		out[i] = float32(y) * slope[i]
	}
}

func siLUGo(out, x []float32) {
	for i, v := range x[:len(out)] {
		t := max(float64(v), -2*coef.ExpLarge)
		out[i] = float32(t/(1+exp(-t)) + min(float64(v), 0)*0)
	}
}

func siLUGradGo(out, x, slope []float32) {
	for i, v := range x[:len(out)] {
		t := min(max(float64(v), -2*coef.ExpLarge), 2*coef.ExpLarge)
		z := exp(-t)
		y := 1 / (1 + z)
		out[i] = float32(y*(1+t*z*y)) * slope[i]
	}
}

func expSubGo(out, x []float32, c float32) {
	for i, v := range x[:len(out)] {
		out[i] = float32(exp(float64(v - c)))
	}
}

// ExpSum computes out = eˣ⁻ᶜ and returns the sum of what it wrote, kept in float64. The sum goes through
// out once more while it is in the first-level cache: numbers that lie in memory are widened faster
// than those in registers.
func ExpSum(out, x []float32, c float32) (sum float64) {
	const cached = 1 << 11
	for x = x[:len(out)]; len(out) > cached; out, x = out[cached:], x[cached:] {
		ExpSub(out[:cached], x[:cached], c)
		sum += Sum(out[:cached])
	}
	ExpSub(out, x, c)
	return sum + Sum(out)
}

// polynomial evaluates the one with these coefficients at x.
func polynomial(x float64, coefficients []float32) (y float64) {
	for i := len(coefficients) - 1; i >= 0; i-- {
		y = y*x + float64(coefficients[i])
	}
	return y
}

func exp(x float64) float64 {
	x = min(max(x, -coef.ExpLarge), coef.ExpLarge)
	const whole = 3 << 51 // next to it float64 has steps of 1
	n := (x*math.Log2E + whole) - whole
	r := x - n*math.Ln2
	return (1 + r + r*r*polynomial(r, coef.Exp[:])) * math.Float64frombits(uint64(1023+int64(n))<<52)
}

func log(x float32) float32 {
	switch {
	case !(x > 0):
		if x == 0 {
			return float32(math.Inf(-1))
		}
		return float32(math.NaN())
	case x > math.MaxFloat32:
		return x
	}
	const half = 0x3fe6a09e667f3bcd // √½
	i := math.Float64bits(float64(x))
	k := int64(i-half) >> 52
	f := math.Float64frombits(i-uint64(k)<<52) - 1
	return float32(float64(k)*math.Ln2 + (f - f*f/2 + f*f*f*polynomial(f, coef.Log[:])))
}

func tanh(x float32) float32 {
	t := math.Abs(float64(x))
	if t < coef.TanhSmall {
		return float32(math.Copysign(t+t*t*t*polynomial(t*t, coef.Tanh[:]), float64(x)))
	}
	t = min(t, coef.TanhLarge)
	return float32(math.Copysign(1-2/(exp(2*t)+1), float64(x)))
}

func erf(x float32) float32 {
	t := math.Abs(float64(x))
	if t < coef.ErfSmall {
		return float32(float64(x) + float64(x)*polynomial(t*t, coef.Erf[:]))
	}
	t = min(t, coef.ErfLarge)
	return float32(math.Copysign(1-exp(t*polynomial(t, coef.ErfTail[:])-t), float64(x)))
}

// tail returns t = |x|, cut to where anything is left, t·Φ(−t) and φ(t).
func tail(x float32) (t, low, density float64) {
	t = min(math.Abs(float64(x)), coef.NormalLarge)
	e := exp(-t * t / 2)
	q := (t - coef.NormalPole) / (t + coef.NormalPole)
	return t, e * polynomial(q, coef.Normal[:]), e / math.Sqrt(2*math.Pi)
}
