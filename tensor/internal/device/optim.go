package device

// Optimizers are the steps of the optimizers that most models are trained with, each in one go
// through a parameter, its gradient and what is kept for it, which are of one shape and change in
// place. Every operation of the formulas is rounded to the dtype of what it changes, in the order
// of PyTorch, so that the steps are those of its optimizers.
type Optimizers interface {
	// SGDStep does g ← g + λθ, b ← μb + (1−τ)g, or b ← g at first, and θ ← θ − LR·b, or θ − LR·(g +
	// μb) for Nesterov. buffer is b, and nil without momentum.
	SGDStep(param, grad, buffer *Array, s SGD)
	// AdamStep does g ← g + λθ, m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g² and θ ← θ −
	// LR/(1−β₁ᵗ)·m/(√(v/(1−β₂ᵗ)) + ε). mean is m and square v. largest, which may be nil, is raised to
	// v and divided by in its place. Decoupled decay shrinks θ by LR·λ at first, and g is left as it
	// is.
	AdamStep(param, grad, mean, square, largest *Array, a Adam)
	// RMSpropStep does g ← g + λθ, v ← keep·v + add·g², b ← μb + g/(√v + ε) and θ ← θ − LR·b. square
	// is v, and buffer b, which is nil without momentum. With a mean m, m ← m + add·(g − m) and v −
	// m² is under the root.
	RMSpropStep(param, grad, square, mean, buffer *Array, r RMSprop)
}

// SGD is what a step of gradient descent does.
type SGD struct {
	LR, Momentum, Dampening float64 // LR, μ, τ
	WeightDecay             float64 // λ
	Nesterov, Maximize      bool    // Maximize takes −g for g
	First                   bool    // there is nothing in the buffer yet
}

// Adam is what a step of Adam does.
type Adam struct {
	LR, WeightDecay, Eps float64
	Betas                [2]float64
	Step                 int // t, from 1
	Decoupled, Maximize  bool
}

// RMSprop is what a step of RMSprop does, or of Adagrad, which keeps and adds all.
type RMSprop struct {
	LR, Keep, Add, Eps    float64
	Momentum, WeightDecay float64 // μ, λ
	Maximize              bool
}
