package device

// Losses are the losses of classes: x has the shape [N, C, S], classes the shape [N, S] with
// int64 elements below C, of which the negative ones count for nothing. weight has the shape [C],
// or is nil for ones.
type Losses interface {
	// NLL computes out[n, s] = −(1 − smooth)·weight[k]·x[n, k, s] − smooth/C·Σ weight[c]·x[n, c, s]
	// with k = classes[n, s], and 0 where k counts for nothing.
	NLL(out, x, classes, weight *Array, smooth float64)
	// NLLGrad computes the gradient of that with respect to x, which out has the shape of, for the
	// gradient g of the losses.
	NLLGrad(out, g, classes, weight *Array, smooth float64)
}
