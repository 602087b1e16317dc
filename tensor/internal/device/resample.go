package device

// Resamplings replace the elements along a dimension by weighted sums of them.
type Resamplings interface {
	// Resample computes, along axis, out[i] = Σ taps.Weights[k]·x[taps.Places[k]] over k from
	// taps.Starts[i] up to taps.Starts[i+1]. The other dimensions of out and x are the same.
	Resample(out, x *Array, axis int, taps *Taps)
}

// Taps is a sparse matrix, row by row, in the host's memory.
type Taps struct {
	Starts  []int // where each row begins, and where the last one ends
	Places  []int
	Weights []float64
}
