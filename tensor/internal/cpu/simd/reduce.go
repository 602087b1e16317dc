package simd

// This file has the sums of rows. They are kept in float64, in an order that depends on the length
// alone.

// Sum returns the sum of xs.
func Sum(xs []float32) (sum float64) {
	for _, v := range xs {
		sum += float64(v)
	}
	return sum
}

// SumSquares returns the sum of (x − c)², of which the differences are kept in float64.
func SumSquares(xs []float32, c float64) (sum float64) {
	for _, v := range xs {
		d := float64(v) - c
		sum += d * d
	}
	return sum
}

// Dot returns the sum of a·b, of which the products are kept in float64. b has a's length.
func Dot(a, b []float32) (sum float64) {
	b = b[:len(a)]
	for i, v := range a {
		sum += float64(v) * float64(b[i])
	}
	return sum
}

// Accumulate adds xs, which has the length of sums, to sums.
func Accumulate(sums []float64, xs []float32) {
	for i, v := range xs[:len(sums)] {
		sums[i] += float64(v)
	}
}

// Largest returns the largest of xs, of which there is at least one; NaN is larger than any number.
func Largest(xs []float32) float32 {
	best := xs[0]
	for _, v := range xs {
		best = max(best, v)
	}
	return best
}

// Smallest returns the smallest of xs, of which there is at least one; NaN is smaller than any
// number.
func Smallest(xs []float32) float32 {
	best := xs[0]
	for _, v := range xs {
		best = min(best, v)
	}
	return best
}
