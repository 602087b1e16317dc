package device

// Optimizers are the steps of the optimizers that most models are trained with, each in one go
// through parameters, their gradients and what is kept for them, which are of one shape and change
// in place. Every operation of the formulas is rounded to the dtype of what it changes, in the order
// of PyTorch, so that the steps are those of its optimizers.
//
// skip, a float32 that may be nil, is on the device: where it is not 0 nothing changes.
type Optimizers interface {
	// SGDStep does g ← g + λθ, b ← μb + (1−τ)g, or b ← g at first, and θ ← θ − LR·b, or θ − LR·(g +
	// μb) for Nesterov. Kept is b, which is nil without momentum.
	SGDStep(ps []Parameter, s SGD, skip *Array)
	// AdamStep does g ← g + λθ, m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g² and θ ← θ −
	// LR/(1−β₁ᵗ)·m/(√(v/(1−β₂ᵗ)) + ε). Kept is m, v and the largest v so far, which may be nil: it is
	// raised to v and divided by in its place. Decoupled decay shrinks θ by LR·λ at first, and g is
	// left as it is.
	AdamStep(ps []Parameter, a Adam, skip *Array)
	// RMSpropStep does g ← g + λθ, v ← keep·v + add·g², b ← μb + g/(√v + ε) and θ ← θ − LR·b. Kept is
	// v, a mean and b. b is nil without momentum. With a mean m, which may be nil, m ← m + add·(g −
	// m) and v − m² is under the root. LR is divided by 1 + (t−1)·decay.
	RMSpropStep(ps []Parameter, r RMSprop, skip *Array)
}

// A Parameter is what a step changes, and by what.
type Parameter struct {
	Value, Grad *Array
	Kept        [3]*Array

	// Step is the number of the step, t, from 1. Where Steps is given, an int64 array of two on the
	// device, it is one more than the first of them, and First whether the second is 0: both are
	// raised, unless the step is skipped, the second only where the step has momentum.
	Step  int
	First bool // nothing is in SGD's buffer yet
	Steps *Array
}

// SGD is what a step of gradient descent does.
type SGD struct {
	LR, Momentum, Dampening float64 // LR, μ, τ
	WeightDecay             float64 // λ
	Nesterov, Maximize      bool    // Maximize takes −g for g
}

// Adam is what a step of Adam does.
type Adam struct {
	LR, WeightDecay, Eps float64
	Betas                [2]float64
	Decoupled, Maximize  bool
}

// RMSprop is what a step of RMSprop does, or of Adagrad, which keeps and adds all.
type RMSprop struct {
	LR, Keep, Add, Eps    float64
	Momentum, WeightDecay float64 // μ, λ
	Decay                 float64 // of LR
	Maximize              bool
}
