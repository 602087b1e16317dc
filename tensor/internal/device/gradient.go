package device

// Gradients are what gradient scaling and clipping do to many gradients between two steps.
type Gradients interface {
	// Unscale multiplies x by inv in place and counts infinities and NaNs before it, and those
	// that the multiplication made. counts is an int64 array of two elements.
	Unscale(x, counts *Array, inv float32)
	// Stats summarises x·scale.
	Stats(x *Array, scale float64) Stats
}

// Stats is what Gradients.Stats finds.
type Stats struct {
	Zeros      int     // elements that are exactly zero in float16
	Subnormals int     // elements whose float16 magnitude is subnormal
	Infs, NaNs int     // elements that are not finite
	Total      int     // all elements
	SumSquares float64 // of the finite and non-finite alike
	MaxAbs     float64
}
