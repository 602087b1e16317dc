package amp

import (
	"fmt"
	"strings"

	"halfnote/internal/own"
)

// This file implements the warning about gradients that were clipped before they were unscaled.

// clippedBy returns the name of nn's function that clipped a gradient of opt, and "" where none
// was the last to write them.
func clippedBy(opt Optimizer) string {
	for _, p := range opt.Params() {
		if g := own.Grad(p); g != nil && strings.HasPrefix(g.WrittenBy(), "ClipGrad") {
			return g.WrittenBy()
		}
	}
	return ""
}

// Warning says what is most likely wrong in the loop although the step was made, and is "" where
// nothing is: gradients that nn.ClipGradNorm or nn.ClipGradValue changed while they were scaled.
// The limit was compared with numbers that are too large by the loss scale, so that training goes
// on with tiny gradients. On a GPU gradients that were below the limit all the same count, too.
func (r *StepResult) Warning() string {
	if r.clippedBy == "" || r.scale.value() == 1 {
		return ""
	}
	return fmt.Sprintf("%s clipped gradients that were still multiplied by the loss scale %g: "+
		"call Unscale before it", r.clippedBy, r.scale.value())
}
