package nn

import "halfnote/tensor"

// ReLU is the module of y = max(x, 0), element by element.
type ReLU struct{}

// NewReLU returns a [ReLU].
func NewReLU() *ReLU { return new(ReLU) }

// Forward returns max(x, 0).
func (*ReLU) Forward(x *tensor.Tensor) *tensor.Tensor { return x.ReLU() }

// String names the module.
func (*ReLU) String() string { return "ReLU()" }

// Sigmoid is the module of y = 1 / (1 + e⁻ˣ), element by element.
type Sigmoid struct{}

// NewSigmoid returns a [Sigmoid].
func NewSigmoid() *Sigmoid { return new(Sigmoid) }

// Forward returns 1 / (1 + e⁻ˣ).
func (*Sigmoid) Forward(x *tensor.Tensor) *tensor.Tensor { return x.Sigmoid() }

// String names the module.
func (*Sigmoid) String() string { return "Sigmoid()" }

// Tanh is the module of the hyperbolic tangent, element by element.
type Tanh struct{}

// NewTanh returns a [Tanh].
func NewTanh() *Tanh { return new(Tanh) }

// Forward returns tanh x.
func (*Tanh) Forward(x *tensor.Tensor) *tensor.Tensor { return x.Tanh() }

// String names the module.
func (*Tanh) String() string { return "Tanh()" }
