package apex

import (
	"math"
	"strconv"
	"strings"

	"halfnote/tensor"
	"halfnote/tensor/nn"
)

// Memory is what training keeps between steps, in bytes.
type Memory struct {
	Weights         int // of the models, buffers included
	Gradients       int // of the models' parameters
	MasterWeights   int
	MasterGradients int
	OptimizerState  int
}

// Total returns all bytes together.
func (m Memory) Total() int {
	return m.Weights + m.Gradients + m.MasterWeights + m.MasterGradients + m.OptimizerState
}

// String names the parts that hold something:
//
//	weights 52 B + gradients 52 B + master weights 104 B + optimizer state 208 B = 416 B
func (m Memory) String() string {
	var parts []string
	for _, p := range []struct {
		name string
		n    int
	}{
		{"weights", m.Weights}, {"gradients", m.Gradients}, {"master weights", m.MasterWeights},
		{"master gradients", m.MasterGradients}, {"optimizer state", m.OptimizerState},
	} {
		if p.n > 0 {
			parts = append(parts, p.name+" "+size(p.n))
		}
	}
	switch len(parts) {
	case 0:
		return "0 B"
	case 1:
		return parts[0]
	}
	return strings.Join(parts, " + ") + " = " + size(m.Total())
}

// size writes bytes in the unit that leaves few digits.
func size(n int) string {
	v, unit := float64(n), 0
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	for v >= 1024 && unit < len(units)-1 {
		v, unit = v/1024, unit+1
	}
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) + " " + units[unit]
}

// Memory measures what the models and optimizers keep now. It takes copies of the optimizers'
// states for it.
func (a *Amp) Memory() (m Memory) {
	for _, model := range a.Models {
		for _, p := range nn.Parameters(model) {
			m.Weights += bytes(p)
			m.Gradients += bytes(p.Grad())
		}
		for _, b := range nn.Buffers(model) {
			m.Weights += bytes(b)
		}
	}
	for _, o := range a.Optimizers {
		for _, s := range o.slots {
			if s.master != nil {
				m.MasterWeights += bytes(s.master)
				m.MasterGradients += bytes(s.master.Grad())
			}
		}
		for name, t := range o.Optimizer.StateDict() {
			if !strings.HasPrefix(name, "group.") && !strings.HasSuffix(name, ".step") {
				m.OptimizerState += bytes(t)
			}
		}
	}
	return m
}

func bytes(t *tensor.Tensor) int {
	if t == nil {
		return 0
	}
	return t.Numel() * t.DType().Size()
}
