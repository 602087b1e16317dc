package nn

import (
	"halfnote/internal/own"
	"halfnote/tensor"
)

// This file implements the way of values through the layers of a container. What one layer of this
// package has made for the next, and nobody else has seen, is free as soon as neither that nor
// Backward needs it.

// A value is a tensor between two layers.
type value struct {
	*tensor.Tensor
	own bool // nothing outside of the container has seen it
}

// through returns what m makes of v.
func (v value) through(m Module) value {
	y := ran(m, m.Forward(v.Tensor))
	if !keepsNothing(m) {
		return value{y, false} // both may have been put away
	}
	return v.became(y)
}

// became returns y as the value that layers of this package have made of v, which they need no
// more.
func (v value) became(y *tensor.Tensor) value {
	if own.Shares(v.Tensor, y) {
		return value{y, v.own}
	}
	v.done()
	return value{y, true}
}

// plus returns v + w, of which neither is needed any more.
func (v value) plus(w value) value {
	sum := value{v.Add(w.Tensor), true}
	v.done()
	w.done()
	return sum
}

// kept returns v as a value that is needed afterwards too.
func (v value) kept() value { return value{Tensor: v.Tensor} }

// beside returns what layer m of this package makes of v, which is needed afterwards too.
func (v value) beside(m Module) value { return v.kept().through(m) }

// done says that v is needed no more.
func (v value) done() {
	if v.own {
		own.Drop(v.Tensor)
	}
}

// keepsNothing reports whether m is a layer of this package whose Forward puts neither its argument
// nor its result away, and whose result is new, or has the argument's elements. What a program
// makes of such a layer, by embedding one for instance, has a type of its own.
func keepsNothing(m Module) bool {
	switch m := m.(type) {
	case *Sequential:
		for _, part := range m.modules {
			if !keepsNothing(part) {
				return false
			}
		}
		return true
	case *TransformerEncoderLayer:
		return keepsNothing(m.activation)
	case *TransformerEncoder:
		for _, l := range m.Layers {
			if !keepsNothing(l) {
				return false
			}
		}
		return true
	case *Linear, *Conv1d, *Conv2d, *ConvTranspose1d, *ConvTranspose2d, *MultiheadAttention,
		*LayerNorm, *RMSNorm, *GroupNorm, *BatchNorm1d, *BatchNorm2d,
		*Dropout, *Dropout2d, *Flatten, *Identity,
		*Embedding, *SinusoidalPositions, *LearnedPositions,
		*MaxPool1d, *MaxPool2d, *AvgPool1d, *AvgPool2d,
		*AdaptiveAvgPool1d, *AdaptiveAvgPool2d, *AdaptiveMaxPool1d, *AdaptiveMaxPool2d,
		*ReLU, *LeakyReLU, *PReLU, *ELU, *GELU, *SiLU, *Mish, *Sigmoid, *Tanh, *Hardtanh,
		*Softplus, *Softmax, *LogSoftmax:
		return true
	}
	return false
}
