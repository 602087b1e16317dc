package nn

import (
	"fmt"
	"math"

	"halfnote/tensor"
)

// Linear is the affine map y = x·Wᵀ + b of x [..., in] to y [..., out].
type Linear struct {
	Weight *tensor.Tensor `nn:"weight"` // [out, in]
	Bias   *tensor.Tensor `nn:"bias"`   // [out], or nil
}

// LinearConfig holds the options of [NewLinear].
type LinearConfig struct {
	NoBias bool // y = x·Wᵀ
}

// NewLinear returns a layer from in to out features in float32, drawn as PyTorch draws it: weight
// and bias uniform in [-1/√in, 1/√in), which for the weight is He's initialisation with a = √5.
// It panics with a [*tensor.Error] if a size is less than 1.
func NewLinear(in, out int, config ...LinearConfig) *Linear {
	if in < 1 || out < 1 {
		fail("linear", "%d inputs and %d outputs: both must be at least 1", in, out)
	}
	c := option("linear", config)
	bound := 1 / math.Sqrt(float64(in))
	l := &Linear{Weight: uniform(bound, out, in)}
	if !c.NoBias {
		l.Bias = uniform(bound, out)
	}
	return l
}

// Forward returns x·Wᵀ + b; under autocast it computes in float16.
func (l *Linear) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ran(l, tensor.Linear(x, l.Weight, l.Bias))
}

// String names the layer and its sizes.
func (l *Linear) String() string {
	shape := l.Weight.Shape()
	if l.Bias == nil {
		return fmt.Sprintf("Linear(%d, %d, no bias)", shape[1], shape[0])
	}
	return fmt.Sprintf("Linear(%d, %d)", shape[1], shape[0])
}
