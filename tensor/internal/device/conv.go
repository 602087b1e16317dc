package device

// A Conv says how the windows of a convolution over two dimensions lie, rows before columns.
type Conv struct {
	Stride   [2]int // steps between neighbouring windows
	Padding  [2]int // zeros before the first element; those behind the last follow from the shapes
	Dilation [2]int // steps between neighbouring elements of a window
	Groups   int    // parts that the channels are cut into, each with its own weights
}

// Convolutions are the three products of a convolution of x [N, C, H, W] with
// w [O, C/Groups, K, L] to y [N, O, P, Q], where
//
//	y[n, o, p, q] = Σ x[n, c, p·stride − padding + k·dilation, …]·w[o, c, k, l]
//
// and x counts as zero outside of its shape. Each product is the gradient of the others. Sums are
// kept in float32 for 16-bit results, and do not depend on the number of cores.
type Convolutions interface {
	// Conv computes y from x and w, and adds bias[O], which may be nil.
	Conv(y, x, w, bias *Array, c *Conv)
	// ConvInput computes x, the gradient of the input, from that of y, and adds bias[C], which
	// may be nil: this is the transposed convolution.
	ConvInput(x, y, w, bias *Array, c *Conv)
	// ConvWeight computes w, the gradient of the weight, from x and the gradient of y.
	ConvWeight(w, x, y *Array, c *Conv)
}
