package nn

import (
	"fmt"
	"slices"
	"strings"

	"halfnote/tensor"
)

// StateDict returns copies of all leaf tensors in m by their paths: the parameters, and tensors
// that need no gradient. Unlike PyTorch's it is a snapshot: training on does not change it.
//
// It panics with a [*tensor.Error] if two tensors have the same path.
func StateDict(m any) map[string]*tensor.Tensor {
	state := map[string]*tensor.Tensor{}
	for _, n := range tensors(m) {
		if state[n.name] != nil {
			fail("state dict", "two tensors are called %q: a tag `nn:\"name\"` names one otherwise",
				n.name)
		}
		state[n.name] = n.tensor.Detach().Clone()
	}
	return state
}

// LoadStateDict copies the tensors of state into those of m with the same paths, converting to
// each tensor's dtype and device. Paths and shapes must be exactly those of m, and floating tensors
// cannot become whole ones; otherwise the error names what differs, and m keeps every value.
func LoadStateDict(m any, state map[string]*tensor.Tensor) error {
	var faults []string
	all := tensors(m)
	known := map[string]bool{}
	for _, n := range all {
		known[n.name] = true
		switch from := state[n.name]; {
		case from == nil:
			faults = append(faults, n.name+" is missing")
		case !slices.Equal(from.Shape(), n.tensor.Shape()):
			faults = append(faults, fmt.Sprintf("%s has shape %v, the module has %v",
				n.name, from.Shape(), n.tensor.Shape()))
		case from.DType().IsFloat() && !n.tensor.DType().IsFloat():
			faults = append(faults, fmt.Sprintf("%s is %s, and in the module %s",
				n.name, from.DType(), n.tensor.DType()))
		case repeats(n.tensor):
			faults = append(faults, fmt.Sprintf("%s repeats its elements in the module "+
				"(strides %v): put a Clone there", n.name, n.tensor.Strides()))
		}
	}
	for name := range state {
		if !known[name] {
			faults = append(faults, name+" is not in the module")
		}
	}
	if faults != nil {
		slices.Sort(faults)
		const most = 12
		if more := len(faults) - most; more > 0 {
			faults = append(faults[:most], fmt.Sprintf("and %d more: is it another model's?", more))
		}
		return fmt.Errorf("load state dict: %s", strings.Join(faults, "; "))
	}
	tensor.NoGrad(func() {
		for _, n := range all {
			n.tensor.CopyFrom(state[n.name].Detach().To(n.tensor.Device()))
		}
	})
	return nil
}

// repeats reports whether t was expanded, so that it cannot be written to.
func repeats(t *tensor.Tensor) bool {
	for axis, stride := range t.Strides() {
		if stride == 0 && t.Size(axis) > 1 {
			return true
		}
	}
	return false
}
