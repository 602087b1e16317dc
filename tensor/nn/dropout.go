package nn

import (
	"fmt"

	"halfnote/tensor"
)

// Dropout is the module that in training sets elements to 0 with probability P and divides the
// others by 1 − P, and in evaluation passes everything on: see [Train].
type Dropout struct {
	P         float64
	Generator *tensor.Generator `nn:"-"` // where the numbers come from; nil is the default one

	evaluate bool
}

// NewDropout returns a [Dropout] in training mode. It draws from the default generator unless one
// is given. It panics with a [*tensor.Error] unless p is from 0 to 1.
func NewDropout(p float64, generator ...*tensor.Generator) *Dropout {
	d := newDropout("dropout", p, generator)
	return &d
}

func newDropout(op string, p float64, generator []*tensor.Generator) Dropout {
	if !(p >= 0 && p <= 1) {
		fail(op, "probability %v is not from 0 to 1", p)
	}
	return Dropout{P: p, Generator: option(op, generator)}
}

// Train says whether elements are dropped.
func (d *Dropout) Train(on bool) { d.evaluate = !on }

// Training reports whether elements are dropped.
func (d *Dropout) Training() bool { return !d.evaluate }

// Forward returns x with elements dropped in training, and x itself in evaluation or if P is 0.
func (d *Dropout) Forward(x *tensor.Tensor) *tensor.Tensor {
	given("dropout", x)
	if d.evaluate || d.P == 0 {
		return ran(d, x)
	}
	return ran(d, x.Dropout(d.P, d.Generator))
}

// String names the module and its probability.
func (d *Dropout) String() string { return fmt.Sprintf("Dropout(%g)", d.P) }

// Dropout2d is [Dropout] of whole channels of x [N, C, ...].
type Dropout2d struct {
	Dropout `nn:"-"`
}

// NewDropout2d returns a [Dropout2d] in training mode, as [NewDropout] does.
func NewDropout2d(p float64, generator ...*tensor.Generator) *Dropout2d {
	return &Dropout2d{newDropout("dropout2d", p, generator)}
}

// Forward returns x with channels dropped in training, and x itself in evaluation.
func (d *Dropout2d) Forward(x *tensor.Tensor) *tensor.Tensor {
	given("dropout2d", x)
	if d.evaluate {
		return ran(d, x)
	}
	return ran(d, x.Dropout2d(d.P, d.Generator))
}

// String names the module and its probability.
func (d *Dropout2d) String() string { return fmt.Sprintf("Dropout2d(%g)", d.P) }
