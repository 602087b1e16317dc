package apex

import (
	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/nn"
)

// Model is a module under a [Level]. Its tensors have the names that they have in the module.
type Model struct {
	Module nn.Module `nn:",inline"`
	amp    *Amp      `nn:"-"`
}

// Forward casts x to the model's dtype where the level casts the model, runs the module, at O1 in
// an autocast region, and returns its result in float32, for the loss.
func (m *Model) Forward(x *tensor.Tensor) *tensor.Tensor {
	p := m.amp.properties
	switch {
	case m.amp.disabled:
		return m.Module.Forward(x)
	case p.PatchFunctions:
		y := amp.Wrap(m.Module.Forward)(x)
		if y.DType().Size() == 2 && y.DType().IsFloat() {
			return y.To(tensor.Float32)
		}
		return y
	case p.CastModelType == 0:
		return m.Module.Forward(x)
	}
	return cast(m.Module.Forward(cast(x, p.CastModelType)), tensor.Float32)
}

// cast converts a floating tensor.
func cast(t *tensor.Tensor, dtype tensor.DType) *tensor.Tensor {
	if !t.DType().IsFloat() {
		return t
	}
	return t.To(dtype)
}

// String names the module.
func (m *Model) String() string { return nn.ModuleName(m.Module) }
