package amp

import (
	"fmt"

	"halfnote/tensor"
)

// The reasons of [StepResult.Reason].
const (
	FoundInf    = "found inf"    // a gradient is inf or NaN
	NoGradients = "no gradients" // no parameter of the optimizer has one
)

// StepResult tells what [GradScaler.Step] did. Its methods read the device when they are called.
type StepResult struct {
	disabled bool // the scaler is: nothing was checked
	checks   checks

	clippedBy string    // what clipped the gradients while they were scaled
	scale     lateScale // by which
}

// Skipped reports whether nothing was updated: the optimizer was not called, or is [SelfScaling]
// and was told to skip. That the loss scale went down says less: another optimizer's overflow
// lowers it too.
func (r *StepResult) Skipped() bool { return r.Reason() != "" }

// Reason returns why the step was skipped, [FoundInf] or [NoGradients], and "" when it was not.
func (r *StepResult) Reason() string {
	switch {
	case r.disabled:
		return ""
	case len(r.checks) == 0:
		return NoGradients
	case r.checks.foundInf():
		return FoundInf
	}
	return ""
}

// Parameter returns the name of the first parameter whose gradient holds an inf or NaN, "" when
// none does. Parameters have names once nn.NamedParameters has walked their module, and else
// numbers.
func (r *StepResult) Parameter() string {
	if p, place := r.checks.first(); p != nil {
		return paramName(p, place)
	}
	return ""
}

// Infs returns how many elements of all gradients are inf, those that became so by unscaling
// included.
func (r *StepResult) Infs() int { return r.checks.total(0) }

// NaNs returns how many elements of all gradients are NaN.
func (r *StepResult) NaNs() int { return r.checks.total(1) }

// String returns one line, with the warning if there is one: "stepped", or
// "skipped: found inf: 3 inf and 0 NaN, first in 0.weight".
func (r *StepResult) String() string {
	text := "stepped"
	switch reason := r.Reason(); reason {
	case "":
	case FoundInf:
		text = fmt.Sprintf("skipped: %s: %d inf and %d NaN, first in %s",
			reason, r.Infs(), r.NaNs(), r.Parameter())
	default:
		text = "skipped: " + reason
	}
	if warning := r.Warning(); warning != "" {
		text += "; " + warning
	}
	return text
}

func paramName(p *tensor.Tensor, i int) string {
	if name := p.Name(); name != "" {
		return name
	}
	return fmt.Sprintf("parameter %d", i)
}
