package nn

import (
	"math"

	"halfnote/internal/many"
	"halfnote/internal/own"
	"halfnote/tensor"
)

// ClipGradNormConfig holds the options of [ClipGradNorm].
type ClipGradNormConfig struct {
	Norm             float64 // p of the p-norm; 0 means 2, math.Inf(1) the largest magnitude
	ErrorIfNonFinite bool    // panic, with the gradients as they are, if the norm is inf or NaN
}

// ClipGradNorm scales the gradients of params in place so that their common norm is at most max,
// and returns the norm before that, float64 without dimensions, on the device of the first gradient:
// where that is a GPU, nothing waits for it. Parameters without a gradient are
// left out; if none has one, the norm is 0. With a GradScaler, call it after Unscale.
//
// As in PyTorch every gradient is multiplied by min(1, max / (norm + 1e-6)): an infinite norm turns
// finite gradients to 0 and infinite ones to NaN, a NaN norm turns all to NaN. Do not set
// ErrorIfNonFinite in a loop with a GradScaler, which skips such steps by itself, and whose
// StepResult warns of gradients that were clipped before Unscale. Unlike PyTorch's, the norm is
// computed in float64, so that squares neither overflow nor vanish.
//
// It panics with a [*tensor.Error] if max or the norm's p is negative or NaN.
func ClipGradNorm(
	params []*tensor.Tensor, max float64, config ...ClipGradNormConfig,
) *tensor.Tensor {
	c := option("clip_grad_norm", config)
	if !(max >= 0) {
		fail("clip_grad_norm", "max %v: must be at least 0", max)
	}
	if c.Norm == 0 {
		c.Norm = 2
	}
	if !(c.Norm > 0) {
		fail("clip_grad_norm", "norm %v: must be above 0", c.Norm)
	}
	grads := gradients("clip_grad_norm", params)
	if len(grads) > 0 && grads[0].Device() != tensor.CPU {
		return clipOnDevice(grads, max, c)
	}
	norm := tensor.NormFloat64(grads, c.Norm)
	if c.ErrorIfNonFinite && (math.IsInf(norm, 0) || math.IsNaN(norm)) {
		fail("clip_grad_norm", "norm %v of %d gradients is not finite", norm, len(grads))
	}
	const epsilon = 1e-6 // PyTorch's, against a division by zero
	coefficient := min(1, max/(norm+epsilon))
	if coefficient != 1 {
		for _, g := range grads {
			g.MulInPlace(coefficient).NoteWrite("ClipGradNorm")
		}
	}
	return tensor.New(norm)
}

var nameClip = "ClipGradNorm"

// clipOnDevice is ClipGradNorm for gradients of a GPU, for which it does not wait. Since it is not
// known whether they were multiplied by less than 1, they count as written.
func clipOnDevice(grads []*tensor.Tensor, max float64, c ClipGradNormConfig) *tensor.Tensor {
	norm, ok := many.Norm(grads, c.Norm).(*tensor.Tensor)
	if !ok || norm == nil { // of no elements
		return tensor.New(0.0)
	}
	if c.ErrorIfNonFinite && !norm.AllFinite() {
		fail("clip_grad_norm", "norm %v of %d gradients is not finite", norm.Item(), len(grads))
	}
	many.Clip(grads, norm, max, &nameClip)
	return norm
}

// ClipGradValue clamps every element of the gradients of params to [-limit, limit] in place:
// infinities become ±limit, NaNs stay. It panics with a [*tensor.Error] if limit is negative or
// NaN.
func ClipGradValue(params []*tensor.Tensor, limit float64) {
	if !(limit >= 0) {
		fail("clip_grad_value", "limit %v: must be at least 0", limit)
	}
	for _, g := range gradients("clip_grad_value", params) {
		g.ClampInPlace(-limit, limit).NoteWrite("ClipGradValue")
	}
}

// gradients returns the gradients that params have, cut off from what they were computed of:
// clipping is not recorded.
func gradients(op string, params []*tensor.Tensor) []*tensor.Tensor {
	var grads []*tensor.Tensor
	for i, p := range params {
		if p == nil {
			fail(op, "parameter %d is nil", i)
		}
		if g := own.Grad(p); g != nil {
			grads = append(grads, g.Detach())
		}
	}
	return grads
}
