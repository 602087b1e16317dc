// Package coef has the coefficients of the polynomials in package simd, which its plain Go and the
// generator of its assembly share. They are a package of their own so that the generator builds when
// package simd does not. Those of the lowest power come first.
package coef

import "math"

// Exp is (eʳ − 1 − r)/r² for |r| ≤ ½·log 2, so that eʳ is off by 2^−28.2 of itself at most: fitted
// with weights raised where the error was largest, the coefficients rounded one after the other.
var Exp = [...]float32{4.9999994040e-01, 1.6666521132e-01, 4.1668266058e-02, 8.3686755970e-03,
	1.3820689637e-03}

// eˣ, and products of it that matter, are zero in float32 below −ExpLarge and infinite above it.
const ExpLarge = 110

// Log2Upper + Log2Lower is log 2. Products of the upper part and exponents are exact.
const (
	Log2Upper = 0.693359375
	Log2Lower = math.Ln2 - Log2Upper
)

// Log is (log(1 + f) − f + ½f²)/f³ for √½ ≤ 1 + f < √2, from Cephes' logf.
var Log = [...]float32{3.3333331174e-1, -2.4999993993e-1, 2.0000714765e-1, -1.6668057665e-1,
	1.4249322787e-1, -1.2420140846e-1, 1.1676998740e-1, -1.1514610310e-1, 7.0376836292e-2}

// Tanh is (tanh x − x)/x³ as a polynomial in x² for |x| < TanhSmall, from Cephes' tanhf.
var Tanh = [...]float32{-3.33332819422e-1, 1.33314422036e-1, -5.37397155531e-2,
	2.06390887954e-2, -5.70498872745e-3}

// Above TanhSmall tanh is 1 − 2/(e²ˣ + 1), above TanhLarge it is 1 in float32.
const (
	TanhSmall = 0.625
	TanhLarge = 10
)

// Erf is erf x ÷ x − 1 as a polynomial in x² for |x| < ErfSmall. ErfTail is log(1 − erf x)/x + 1
// above. Both are Njuffa's (stackoverflow.com/a/35148199).
var (
	Erf = [...]float32{1.28379166e-1, -3.76125336e-1, 1.12819925e-1, -2.67681349e-2,
		4.99119423e-3, -5.96761703e-4}
	ErfTail = [...]float32{-1.28717512e-1, -6.34846687e-1, -1.06777877e-1, 2.42546219e-2,
		-3.88396438e-3, 3.83197126e-4, -1.72853470e-5}
)

// Above ErfLarge erf is 1 in float32.
const (
	ErfSmall = 0.927734375
	ErfLarge = 4.2
)
