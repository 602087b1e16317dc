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
	reason string
	params []*tensor.Tensor
	counts *tensor.Tensor // [len(params), 2]: infs and NaNs; nil when nothing was checked
}

// Skipped reports whether the optimizer was not called.
func (r *StepResult) Skipped() bool { return r.reason != "" }

// Reason returns why the step was skipped, [FoundInf] or [NoGradients], and "" when it was not.
func (r *StepResult) Reason() string { return r.reason }

// Parameter returns the name of the first parameter whose gradient holds an inf or NaN, "" when
// none does. Parameters have names once nn.NamedParameters has walked their module, and else
// numbers.
func (r *StepResult) Parameter() string {
	for i, c := range r.pairs() {
		if c[0]+c[1] > 0 {
			return paramName(r.params[i], i)
		}
	}
	return ""
}

// Infs returns how many elements of all gradients are inf, those that became so by unscaling
// included.
func (r *StepResult) Infs() int { return r.total(0) }

// NaNs returns how many elements of all gradients are NaN.
func (r *StepResult) NaNs() int { return r.total(1) }

// String returns one line: "stepped", or "skipped: found inf: 3 inf and 0 NaN, first in 0.weight".
func (r *StepResult) String() string {
	switch r.reason {
	case "":
		return "stepped"
	case FoundInf:
		return fmt.Sprintf("skipped: %s: %d inf and %d NaN, first in %s",
			r.reason, r.Infs(), r.NaNs(), r.Parameter())
	}
	return "skipped: " + r.reason
}

func (r *StepResult) total(kind int) int {
	n := int64(0)
	for _, c := range r.pairs() {
		n += c[kind]
	}
	return int(n)
}

func (r *StepResult) pairs() [][2]int64 {
	if r.counts == nil {
		return nil
	}
	flat := r.counts.Int64s()
	pairs := make([][2]int64, len(r.params))
	for i := range pairs {
		pairs[i] = [2]int64(flat[2*i:])
	}
	return pairs
}

func paramName(p *tensor.Tensor, i int) string {
	if name := p.Name(); name != "" {
		return name
	}
	return fmt.Sprintf("parameter %d", i)
}
