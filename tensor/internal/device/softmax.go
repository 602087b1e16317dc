package device

// Softmaxes are softmax and its logarithm, with their gradients in one step.
type Softmaxes interface {
	// Softmax computes softmax or its logarithm along one dimension. out does not overlap x.
	Softmax(log bool, out, x *Array, axis int)
	// SoftmaxGrad computes the gradient of x from y, which is what Softmax computed, and its gradient
	// g: y·(g − Σg·y), or g − eʸ·Σg for the logarithm.
	SoftmaxGrad(log bool, out, y, g *Array, axis int)
}
