package apex

import (
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
