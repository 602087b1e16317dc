package device

// Activations are the functions of a network's layers, with their derivatives in one step each.
type Activations interface {
	// Activate computes out = f(x) for order 0, and out = g·f′(x) or g·f″(x) for order 1 or 2. p and
	// q are the function's parameters. g is nil for order 0.
	Activate(f Activation, order int, out, x, g *Array, p, q float64)
}

// MaxOrder is the highest derivative that Activate computes.
const MaxOrder = 2

// Activation names a function f.
type Activation uint8

// The functions. φ and Φ are the density and distribution of the normal distribution, σ the
// logistic function. At a kink the derivative is the one named.
const (
	GELU        Activation = iota // x·Φ(x)
	GELUTanh                      // ½x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))
	SiLU                          // x·σ(x)
	Softplus                      // log(1 + eᵖˣ)/p, and x where p·x > q
	LogSigmoid                    // log σ(x)
	Mish                          // x·tanh(log(1 + eˣ))
	ELU                           // x where x > 0, else p·(eˣ − 1); the latter's derivative at 0
	LeakyReLU                     // x where x > 0, else p·x; the latter's derivative at 0
	Hardtanh                      // x between p and q, else the nearer of them; 0 at both
	Hardswish                     // x·min(max(x + 3, 0), 6)/6; 0 at −3, 1 at 3
	Hardsigmoid                   // min(max(x + 3, 0), 6)/6; 0 at both
	Huber                         // ½x² where |x| ≤ p, else p·(|x| − ½p)
)
