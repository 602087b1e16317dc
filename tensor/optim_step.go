package tensor

import "halfnote/tensor/internal/device"

// This file implements the steps of optimizers that go through a parameter once.

var (
	nameSGD     = "SGDInPlace"
	nameAdam    = "AdamInPlace"
	nameRMSprop = "RMSpropInPlace"
	nameAdagrad = "AdagradInPlace"
)

// SGDStep says what [Tensor.SGDInPlace] does.
type SGDStep struct {
	LR, Momentum, Dampening float64 // LR, μ, τ
	WeightDecay             float64 // λ
	Nesterov, Maximize      bool    // Maximize takes -g for g
	First                   bool    // there is nothing in the buffer yet
}

// SGDInPlace does a step of gradient descent on t, a parameter θ, with its gradient g,
//
//	g ← g + λθ    b ← μb + (1-τ)g, at first b ← g    θ ← θ - LR·b, or θ - LR·(g + μb) for Nesterov
//
// in the order in which PyTorch rounds, and returns t. buffer is b, which is written; without one,
// θ ← θ - LR·g. It is never recorded: package optim has the optimizer.
func (t *Tensor) SGDInPlace(grad, buffer *Tensor, s SGDStep) *Tensor {
	grad = t.stepping(nameSGD, grad, buffer)
	p := device.Parameter{Value: &t.arr, Grad: &grad.arr, Kept: [3]*device.Array{buffer.array()},
		Step: 1, First: s.First}
	t.backend(nameSGD).SGDStep([]device.Parameter{p}, device.SGD{LR: s.LR, Momentum: s.Momentum,
		Dampening: s.Dampening, WeightDecay: s.WeightDecay, Nesterov: s.Nesterov,
		Maximize: s.Maximize}, nil)
	noteStep(&nameSGD, t, buffer)
	return t
}

// AdamStep says what [Tensor.AdamInPlace] does.
type AdamStep struct {
	LR, WeightDecay, Eps float64 // LR, λ, ε
	Betas                [2]float64
	Step                 int  // t, the number of the step, from 1
	Decoupled, Maximize  bool // Decoupled shrinks θ by LR·λ in place of adding λθ to g
}

// AdamInPlace does step t of Adam on a parameter θ with its gradient g,
//
//	g ← g + λθ    m ← β₁m + (1-β₁)g    v ← β₂v + (1-β₂)g²
//	θ ← θ - LR · m/(1-β₁ᵗ) / (√(v/(1-β₂ᵗ)) + ε)
//
// in the order in which PyTorch rounds, and returns the parameter. mean is m and square v, which
// are written; largest, which may be nil, is raised to v and takes its place under the root. It is
// never recorded: package optim has the optimizer.
func (t *Tensor) AdamInPlace(grad, mean, square, largest *Tensor, s AdamStep) *Tensor {
	given(nameAdam, mean, square)
	grad = t.stepping(nameAdam, grad, mean, square, largest)
	p := device.Parameter{Value: &t.arr, Grad: &grad.arr,
		Kept: [3]*device.Array{&mean.arr, &square.arr, largest.array()}, Step: s.Step}
	t.backend(nameAdam).AdamStep([]device.Parameter{p}, device.Adam{LR: s.LR,
		WeightDecay: s.WeightDecay, Eps: s.Eps, Betas: s.Betas, Decoupled: s.Decoupled,
		Maximize: s.Maximize}, nil)
	noteStep(&nameAdam, t, mean, square, largest)
	return t
}

// RMSpropStep says what [Tensor.RMSpropInPlace] does.
type RMSpropStep struct {
	LR, Alpha, Eps        float64 // LR, α, ε
	Momentum, WeightDecay float64 // μ, λ
	Maximize              bool    // Maximize takes -g for g
}

// RMSpropInPlace does a step of RMSprop on a parameter θ with its gradient g,
//
//	g ← g + λθ    v ← αv + (1-α)g²    b ← μb + g/(√v + ε)    θ ← θ - LR·b
//
// in the order in which PyTorch rounds, and returns the parameter. square is v, which is written.
// So are mean and buffer, which may be nil: with a mean ḡ ← ḡ + (1-α)(g - ḡ), and v - ḡ² is under
// the root; without the buffer b there is no μb. It is never recorded: package optim has the
// optimizer.
func (t *Tensor) RMSpropInPlace(grad, square, mean, buffer *Tensor, s RMSpropStep) *Tensor {
	return t.rootStep(&nameRMSprop, grad, square, mean, buffer, device.RMSprop{
		LR: s.LR, Keep: s.Alpha, Add: 1 - s.Alpha, Eps: s.Eps,
		Momentum: s.Momentum, WeightDecay: s.WeightDecay, Maximize: s.Maximize})
}

// AdagradStep says what [Tensor.AdagradInPlace] does.
type AdagradStep struct {
	LR, WeightDecay, Eps float64 // LR, λ, ε
	Maximize             bool    // Maximize takes -g for g
}

// AdagradInPlace does a step of Adagrad on a parameter θ with its gradient g,
//
//	g ← g + λθ    v ← v + g²    θ ← θ - LR · g/(√v + ε)
//
// in the order in which PyTorch rounds, and returns the parameter. sum is v, which is written. It is
// never recorded: package optim has the optimizer.
func (t *Tensor) AdagradInPlace(grad, sum *Tensor, s AdagradStep) *Tensor {
	return t.rootStep(&nameAdagrad, grad, sum, nil, nil, device.RMSprop{
		LR: s.LR, Keep: 1, Add: 1, Eps: s.Eps, WeightDecay: s.WeightDecay, Maximize: s.Maximize})
}

// rootStep does a step that divides by the root of what square keeps.
func (t *Tensor) rootStep(op *string, grad, square, mean, buffer *Tensor, r device.RMSprop) *Tensor {
	given(*op, square)
	grad = t.stepping(*op, grad, square, mean, buffer)
	p := device.Parameter{Value: &t.arr, Grad: &grad.arr,
		Kept: [3]*device.Array{&square.arr, mean.array(), buffer.array()}, Step: 1}
	t.backend(*op).RMSpropStep([]device.Parameter{p}, r, nil)
	noteStep(op, t, square, mean, buffer)
	return t
}

// stepping panics unless t can be stepped with these, of which those kept may be nil, and returns
// the gradient that no write to t changes.
func (t *Tensor) stepping(op string, grad *Tensor, kept ...*Tensor) *Tensor {
	given(op, t, grad)
	t.writable(op, grad)
	if !t.DType().IsFloat() || !grad.DType().IsFloat() {
		fail(op, "a parameter of %s with a gradient of %s; both are floating point",
			t.DType(), grad.DType())
	}
	if !equalInts(grad.arr.Shape, t.arr.Shape) {
		fail(op, "the parameter has shape %v and its gradient %v", t.arr.Shape, grad.arr.Shape)
	}
	for _, k := range kept {
		if k == nil {
			continue
		}
		k.writable(op, t)
		if !k.DType().IsFloat() || !equalInts(k.arr.Shape, t.arr.Shape) {
			fail(op, "the parameter has shape %v and what is kept for it %v of %s", t.arr.Shape,
				k.arr.Shape, k.DType())
		}
	}
	return grad.overlapFree(t)
}

// noteStep notes that op has written those that are not nil.
func noteStep(op *string, ts ...*Tensor) {
	for _, t := range ts {
		if t != nil {
			t.wrote(op)
		}
	}
}
