package nn

import (
	"fmt"

	"halfnote/tensor"
)

// This file implements the modules of functions that work element by element.

// ReLU is the module of y = max(x, 0).
type ReLU struct{ _ distinct }

// NewReLU returns a [ReLU].
func NewReLU() *ReLU { return new(ReLU) }

// Forward returns max(x, 0).
func (m *ReLU) Forward(x *tensor.Tensor) *tensor.Tensor { return ran(m, x.ReLU()) }

// String names the module.
func (*ReLU) String() string { return "ReLU()" }

// Sigmoid is the module of y = 1 / (1 + e⁻ˣ).
type Sigmoid struct{ _ distinct }

// NewSigmoid returns a [Sigmoid].
func NewSigmoid() *Sigmoid { return new(Sigmoid) }

// Forward returns 1 / (1 + e⁻ˣ).
func (m *Sigmoid) Forward(x *tensor.Tensor) *tensor.Tensor { return ran(m, x.Sigmoid()) }

// String names the module.
func (*Sigmoid) String() string { return "Sigmoid()" }

// Tanh is the module of the hyperbolic tangent.
type Tanh struct{ _ distinct }

// NewTanh returns a [Tanh].
func NewTanh() *Tanh { return new(Tanh) }

// Forward returns tanh x.
func (m *Tanh) Forward(x *tensor.Tensor) *tensor.Tensor { return ran(m, x.Tanh()) }

// String names the module.
func (*Tanh) String() string { return "Tanh()" }

// GELU is the module of y = x·Φ(x), where Φ is the distribution of the normal distribution.
type GELU struct {
	_           distinct
	approximate string
}

// NewGELU returns a [GELU]; "tanh" computes PyTorch's approximation by tanh. It panics with a
// [*tensor.Error] for any other word than "tanh" and "none".
func NewGELU(approximate ...string) *GELU {
	m := &GELU{approximate: option("gelu", approximate)}
	switch m.approximate {
	case "", "none", "tanh":
		return m
	}
	fail("gelu", "approximation %q: it is tanh or none", m.approximate)
	return nil
}

// Forward returns x·Φ(x).
func (m *GELU) Forward(x *tensor.Tensor) *tensor.Tensor {
	if m.approximate == "tanh" {
		return ran(m, x.GELU("tanh"))
	}
	return ran(m, x.GELU())
}

// String names the module, and the approximation.
func (m *GELU) String() string { return "GELU(" + m.approximate + ")" }

// SiLU is the module of y = x / (1 + e⁻ˣ), which is also called swish.
type SiLU struct{ _ distinct }

// NewSiLU returns a [SiLU].
func NewSiLU() *SiLU { return new(SiLU) }

// Forward returns x / (1 + e⁻ˣ).
func (m *SiLU) Forward(x *tensor.Tensor) *tensor.Tensor { return ran(m, x.SiLU()) }

// String names the module.
func (*SiLU) String() string { return "SiLU()" }

// Mish is the module of y = x·tanh(log(1 + eˣ)).
type Mish struct{ _ distinct }

// NewMish returns a [Mish].
func NewMish() *Mish { return new(Mish) }

// Forward returns x·tanh(log(1 + eˣ)).
func (m *Mish) Forward(x *tensor.Tensor) *tensor.Tensor { return ran(m, x.Mish()) }

// String names the module.
func (*Mish) String() string { return "Mish()" }

// LeakyReLU is the module of y = x where x > 0, and slope·x below.
type LeakyReLU struct{ slope float64 }

// NewLeakyReLU returns a [LeakyReLU]; without a slope it is PyTorch's 0.01.
func NewLeakyReLU(slope ...float64) *LeakyReLU {
	return &LeakyReLU{orDefault("leaky_relu", slope, 0.01)}
}

// Forward returns x, below 0 times the slope.
func (m *LeakyReLU) Forward(x *tensor.Tensor) *tensor.Tensor { return ran(m, x.LeakyReLU(m.slope)) }

// String names the module and its slope.
func (m *LeakyReLU) String() string { return fmt.Sprintf("LeakyReLU(%v)", m.slope) }

// ELU is the module of y = x where x > 0, and α·(eˣ - 1) below.
type ELU struct{ alpha float64 }

// NewELU returns an [ELU]; without an α it is 1.
func NewELU(alpha ...float64) *ELU { return &ELU{orDefault("elu", alpha, 1)} }

// Forward returns x, below 0 α·(eˣ - 1).
func (m *ELU) Forward(x *tensor.Tensor) *tensor.Tensor { return ran(m, x.ELU(m.alpha)) }

// String names the module and α.
func (m *ELU) String() string { return fmt.Sprintf("ELU(%v)", m.alpha) }

// Softplus is the module of y = log(1 + e^(β·x)) / β, a smooth ReLU.
type Softplus struct{ config SoftplusConfig }

// SoftplusConfig holds the options of [NewSoftplus].
type SoftplusConfig struct {
	Beta      float64 // β; zero means 1
	Threshold float64 // where β·x is above it, y is x itself; zero means 20
}

// NewSoftplus returns a [Softplus].
func NewSoftplus(config ...SoftplusConfig) *Softplus {
	c := option("softplus", config)
	if c.Beta == 0 {
		c.Beta = 1
	}
	if c.Threshold == 0 {
		c.Threshold = 20
	}
	return &Softplus{c}
}

// Forward returns log(1 + e^(β·x)) / β.
func (m *Softplus) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ran(m, x.Softplus(m.config.Beta, m.config.Threshold))
}

// String names the module and β.
func (m *Softplus) String() string { return fmt.Sprintf("Softplus(%v)", m.config.Beta) }

// Hardtanh is the module that limits x to low … high.
type Hardtanh struct{ config HardtanhConfig }

// HardtanhConfig holds the options of [NewHardtanh].
type HardtanhConfig struct {
	Low, High float64 // both zero mean -1 and 1
}

// NewHardtanh returns a [Hardtanh]. It panics with a [*tensor.Error] unless Low is below High.
func NewHardtanh(config ...HardtanhConfig) *Hardtanh {
	c := option("hardtanh", config)
	if c == (HardtanhConfig{}) {
		c = HardtanhConfig{Low: -1, High: 1}
	}
	if !(c.Low < c.High) {
		fail("hardtanh", "limits %v and %v: the first must be below the second", c.Low, c.High)
	}
	return &Hardtanh{c}
}

// Forward returns x limited to low … high.
func (m *Hardtanh) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ran(m, x.Hardtanh(m.config.Low, m.config.High))
}

// String names the module and its limits.
func (m *Hardtanh) String() string {
	return fmt.Sprintf("Hardtanh(%v, %v)", m.config.Low, m.config.High)
}

// PReLU is the module of y = x where x > 0, and w·x below, with slopes w that are trained.
type PReLU struct {
	Weight *tensor.Tensor `nn:"weight"` // [1], or [channels]
}

// PReLUConfig holds the options of [NewPReLU].
type PReLUConfig struct {
	Channels int     // a slope for each channel, the second dimension; zero means one for all
	Init     float64 // what the slopes are at first; zero means 0.25
}

// NewPReLU returns a [PReLU] in float32. It panics with a [*tensor.Error] if Channels is negative.
func NewPReLU(config ...PReLUConfig) *PReLU {
	c := option("prelu", config)
	if c.Channels < 0 {
		fail("prelu", "%d channels: must be at least 1", c.Channels)
	}
	if c.Init == 0 {
		c.Init = 0.25
	}
	return &PReLU{tensor.Full(c.Init, max(c.Channels, 1)).SetRequiresGrad(true)}
}

// Forward returns x, below 0 times w; under autocast it computes in float16.
func (m *PReLU) Forward(x *tensor.Tensor) *tensor.Tensor { return ran(m, x.PReLU(m.Weight)) }

// String names the module and its number of slopes.
func (m *PReLU) String() string { return fmt.Sprintf("PReLU(%d)", m.Weight.Numel()) }

// Softmax is the module of eˣ divided by its sum along a dimension.
type Softmax struct{ axis int }

// NewSoftmax returns a [Softmax] along axis; a negative one counts from the end.
func NewSoftmax(axis int) *Softmax { return &Softmax{axis} }

// Forward returns eˣ / Σ eˣ; under autocast it computes in float32.
func (m *Softmax) Forward(x *tensor.Tensor) *tensor.Tensor { return ran(m, x.Softmax(m.axis)) }

// String names the module and the dimension.
func (m *Softmax) String() string { return fmt.Sprintf("Softmax(%d)", m.axis) }

// LogSoftmax is the module of the logarithm of [Softmax].
type LogSoftmax struct{ axis int }

// NewLogSoftmax returns a [LogSoftmax] along axis; a negative one counts from the end.
func NewLogSoftmax(axis int) *LogSoftmax { return &LogSoftmax{axis} }

// Forward returns x - log Σ eˣ; under autocast it computes in float32.
func (m *LogSoftmax) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ran(m, x.LogSoftmax(m.axis))
}

// String names the module and the dimension.
func (m *LogSoftmax) String() string { return fmt.Sprintf("LogSoftmax(%d)", m.axis) }

// Identity is the module that returns its input, to take the place of another one.
type Identity struct{ _ distinct }

// NewIdentity returns an [Identity].
func NewIdentity() *Identity { return new(Identity) }

// Forward returns x.
func (m *Identity) Forward(x *tensor.Tensor) *tensor.Tensor {
	given("identity", x)
	return ran(m, x)
}

// String names the module.
func (*Identity) String() string { return "Identity()" }

// orDefault returns an optional number, or its default when it is not given.
func orDefault(op string, given []float64, usual float64) float64 {
	if len(given) == 0 {
		return usual
	}
	return option(op, given)
}
