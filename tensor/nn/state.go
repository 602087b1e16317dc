package nn

import (
	"fmt"
	"slices"
	"strings"

	"halfnote/tensor"
)

// StateDict returns copies of all leaf tensors in m by their paths: the parameters, and tensors
// that need no gradient. Unlike PyTorch's it is a snapshot: training on does not change it.
func StateDict(m any) map[string]*tensor.Tensor {
	state := map[string]*tensor.Tensor{}
	for _, n := range tensors(m) {
		state[n.name] = n.tensor.Detach().Clone()
	}
	return state
}

// LoadStateDict copies the tensors of state into those of m with the same paths, converting to
// each tensor's dtype and device. Paths and shapes must be exactly those of m; otherwise the error
// names all that differ, and m keeps every value.
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
		}
	}
	for name := range state {
		if !known[name] {
			faults = append(faults, name+" is not in the module")
		}
	}
	if faults != nil {
		slices.Sort(faults)
		return fmt.Errorf("load state dict: %s", strings.Join(faults, "; "))
	}
	tensor.NoGrad(func() {
		for _, n := range all {
			n.tensor.CopyFrom(state[n.name])
		}
	})
	return nil
}
