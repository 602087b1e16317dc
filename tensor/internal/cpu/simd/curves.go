package simd

import "math"

// This file has the transcendental functions of rows. They are within 2 units in the last place of
// float32 of the exact value over the whole range, subnormal results included, and treat infinities
// and NaN as package math does.

// Exp computes out = eˣ.
func Exp(out, x []float32) { each(out, x, math.Exp) }

// Log computes out = log x.
func Log(out, x []float32) { each(out, x, math.Log) }

// Tanh computes out = tanh x.
func Tanh(out, x []float32) { each(out, x, math.Tanh) }

// Sigmoid computes out = 1 ÷ (1 + e⁻ˣ).
func Sigmoid(out, x []float32) { each(out, x, logistic) }

// Erf computes the error function of x.
func Erf(out, x []float32) { each(out, x, math.Erf) }

// GELU computes out = x·Φ(x).
func GELU(out, x []float32) {
	each(out, x, func(v float64) float64 { return v * 0.5 * math.Erfc(-v/math.Sqrt2) })
}

// SiLU computes out = x·σ(x).
func SiLU(out, x []float32) {
	each(out, x, func(v float64) float64 { return v * logistic(v) })
}

// ExpSum computes out = eˣ⁻ᶜ and returns the sum of what it wrote, kept in float64.
func ExpSum(out, x []float32, c float32) (sum float64) {
	for i, v := range x[:len(out)] {
		out[i] = float32(math.Exp(float64(v - c)))
		sum += float64(out[i])
	}
	return sum
}

func each(out, x []float32, f func(float64) float64) {
	for i, v := range x[:len(out)] {
		out[i] = float32(f(float64(v)))
	}
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
