package device

// Attentions are scaled dot product attention, without keeping all scores at once.
type Attentions interface {
	// Attend computes out[…, T, E] = softmax(scale·q·kᵀ + mask)·v for q[…, T, D], k[…, S, D] and
	// v[…, S, E], whose leading dimensions are broadcast, and the logarithms of the sums of the
	// exponentials, lse[…, T]. A row in which nothing may be attended to gives zeros, and -Inf in
	// lse. Scores are kept in float32, for Float64 in float64.
	Attend(out, lse, q, k, v *Array, a *Attention)
	// AttendGrad computes the gradients of q, k, v and the mask from that of the output, g. Those
	// that are nil are not wanted; the others have all leading dimensions of g. dmask begins as zeros,
	// and those of keys that Causal hides need not be written.
	AttendGrad(dq, dk, dv, dmask, g, lse, q, k, v *Array, a *Attention)
}

// Attention is what attention does beside the products.
type Attention struct {
	Scale  float64
	Causal bool    // query i may attend to the keys up to number i
	Mask   *Array  // nil, bools that are true where attention is allowed, or floats that are added
	Keep   *Array  // nil, or the bools of dropout: which weights stay
	Kept   float64 // what the weights that stay are multiplied by
}
