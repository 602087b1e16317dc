package device

// A Norm says how rows are normalised.
type Norm struct {
	Eps   float64 // added to the variance
	Given bool    // mean and variance are inputs that do not depend on x
}

// Normalizations normalise rows. Arrays have four dimensions, of which the first two number the
// rows and the last two the elements of a row: mean and variance are [A, B, 1, 1] for x [A, B, P,
// Q]. weight and bias, which may be nil, are broadcast to x. A nil mean stands for zeros, and
// variance is then the mean square. Sums are kept in float64.
type Normalizations interface {
	// Normalize computes y = (x − mean)/√(variance + eps)·weight + bias. It first computes mean and
	// variance (the biased one) of each row, unless they are given.
	Normalize(y, x, mean, variance, weight, bias *Array, n Norm)
	// NormalizeGrad computes dx, the gradient of x, from dy, that of y.
	NormalizeGrad(dx, dy, x, mean, variance, weight *Array, n Norm)
	// NormalizeWeightGrad sums dy·(x − mean)/√(variance + eps) to the shape of dw, and dy to that
	// of db. One of them may be nil. The first dimension of both is 1.
	NormalizeWeightGrad(dw, db, dy, x, mean, variance *Array, n Norm)
}
