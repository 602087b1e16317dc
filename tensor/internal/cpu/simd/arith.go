package simd

import "math"

// This file has the arithmetic of rows. Where nothing else is said all rows have out's length.

// Add computes out = a + b.
func Add(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] + b[i]
	}
}

// Sub computes out = a − b.
func Sub(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] - b[i]
	}
}

// Mul computes out = a·b.
func Mul(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] * b[i]
	}
}

// Div computes out = a ÷ b.
func Div(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] / b[i]
	}
}

// Max computes the larger of a and b; NaN is larger than any number, and +0 than −0.
func Max(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = max(a[i], b[i])
	}
}

// Min computes the smaller of a and b; NaN is smaller than any number, and −0 than +0.
func Min(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = min(a[i], b[i])
	}
}

// AddScalar computes out = x + c.
func AddScalar(out, x []float32, c float32) {
	for i, v := range x[:len(out)] {
		out[i] = v + c
	}
}

// MulScalar computes out = x·c.
func MulScalar(out, x []float32, c float32) {
	for i, v := range x[:len(out)] {
		out[i] = v * c
	}
}

// DivScalar computes out = x ÷ c.
func DivScalar(out, x []float32, c float32) {
	for i, v := range x[:len(out)] {
		out[i] = v / c
	}
}

// MaxScalar is Max with c for every element of b.
func MaxScalar(out, x []float32, c float32) {
	for i, v := range x[:len(out)] {
		out[i] = max(v, c)
	}
}

// MinScalar is Min with c for every element of b.
func MinScalar(out, x []float32, c float32) {
	for i, v := range x[:len(out)] {
		out[i] = min(v, c)
	}
}

// ReLUGrad computes b where a > 0 or a is NaN, else 0.
func ReLUGrad(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		v := math.Float32bits(b[i])
		if a[i] <= 0 {
			v = 0
		}
		out[i] = math.Float32frombits(v)
	}
}

// TanhGrad computes out = b·(1 − a²).
func TanhGrad(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = b[i] * (1 - a[i]*a[i])
	}
}

// SigmoidGrad computes out = b·(1 − a)·a.
func SigmoidGrad(out, a, b []float32) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = b[i] * (1 - a[i]) * a[i]
	}
}

// Axpy computes out = a + p·x: first the product, rounded, then the sum.
func Axpy(out, a, x []float32, p float32) {
	a, x = a[:len(out)], x[:len(out)]
	for i := range out {
		out[i] = a[i] + float32(p*x[i])
	}
}

// Addcmul computes out = a + p·b·c, rounded after each operation, from the left.
func Addcmul(out, a, b, c []float32, p float32) {
	a, b, c = a[:len(out)], b[:len(out)], c[:len(out)]
	for i := range out {
		out[i] = a[i] + float32(float32(p*b[i])*c[i])
	}
}

// Addcdiv computes out = a + p·b ÷ c, rounded after each operation, from the left.
func Addcdiv(out, a, b, c []float32, p float32) {
	a, b, c = a[:len(out)], b[:len(out)], c[:len(out)]
	for i := range out {
		out[i] = a[i] + float32(p*b[i])/c[i]
	}
}

// Neg computes out = −x.
func Neg(out, x []float32) {
	for i, v := range x[:len(out)] {
		out[i] = -v
	}
}

// Abs computes out = |x|.
func Abs(out, x []float32) {
	for i, v := range x[:len(out)] {
		out[i] = math.Float32frombits(math.Float32bits(v) &^ (1 << 31))
	}
}

// Sqrt computes out = √x.
func Sqrt(out, x []float32) {
	for i, v := range x[:len(out)] {
		out[i] = float32(math.Sqrt(float64(v)))
	}
}

// Rsqrt computes out = 1 ÷ √x.
func Rsqrt(out, x []float32) {
	for i, v := range x[:len(out)] {
		out[i] = float32(1 / math.Sqrt(float64(v)))
	}
}
