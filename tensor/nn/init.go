package nn

import (
	"math"

	"halfnote/tensor"
)

// This file implements the functions that draw a parameter anew. They write into a leaf in place,
// whether or not it requires a gradient, and return it.

// InitConfig holds the options of the functions that draw parameters. Its zero value is PyTorch's
// defaults.
type InitConfig struct {
	// Nonlinearity is what follows the layer: "relu", "leaky_relu", "tanh", "sigmoid", "selu" or
	// "linear". Its gain multiplies the deviation. Without it Kaiming's functions take leaky_relu
	// and Xavier's linear.
	Nonlinearity string
	A            float64           // the slope of leaky_relu below 0; at 0 it is relu
	Gain         float64           // in place of the nonlinearity's gain, where it is not 0
	FanOut       bool              // Kaiming: keep the variance of gradients and not of activations
	Generator    *tensor.Generator // where the numbers come from; nil is the default generator
}

// KaimingUniform draws a weight evenly from [-b, b), b = gain·√(3/fan), so that layers with the
// nonlinearity keep the variance. The fan is how many inputs an output depends on: shape[1] times
// the size of the kernel for weights [out, in, kernel...]; with FanOut it is shape[0] times that.
// It panics with a [*tensor.Error] unless t has two dimensions and more, none of them empty.
//
// K. He et al., "Delving deep into rectifiers", 2015, https://arxiv.org/abs/1502.01852.
func KaimingUniform(t *tensor.Tensor, config ...InitConfig) *tensor.Tensor {
	c := option("kaiming_uniform", config)
	bound := math.Sqrt(3) * kaiming("kaiming_uniform", t, c)
	return fill(t, func() { t.UniformInPlace(-bound, bound, c.Generator) })
}

// KaimingNormal draws a weight from the normal distribution with mean 0 and deviation gain/√fan;
// see [KaimingUniform].
func KaimingNormal(t *tensor.Tensor, config ...InitConfig) *tensor.Tensor {
	c := option("kaiming_normal", config)
	deviation := kaiming("kaiming_normal", t, c)
	return fill(t, func() { t.NormalInPlace(0, deviation, c.Generator) })
}

// XavierUniform draws a weight evenly from [-b, b), b = gain·√(6/(fanIn + fanOut)), a compromise
// between keeping the variance of activations and of gradients. It panics as [KaimingUniform] does.
//
// X. Glorot and Y. Bengio, "Understanding the difficulty of training deep feedforward neural
// networks", 2010, https://proceedings.mlr.press/v9/glorot10a.html.
func XavierUniform(t *tensor.Tensor, config ...InitConfig) *tensor.Tensor {
	c := option("xavier_uniform", config)
	bound := math.Sqrt(3) * xavier("xavier_uniform", t, c)
	return fill(t, func() { t.UniformInPlace(-bound, bound, c.Generator) })
}

// XavierNormal draws a weight from the normal distribution with mean 0 and deviation
// gain·√(2/(fanIn + fanOut)); see [XavierUniform].
func XavierNormal(t *tensor.Tensor, config ...InitConfig) *tensor.Tensor {
	c := option("xavier_normal", config)
	deviation := xavier("xavier_normal", t, c)
	return fill(t, func() { t.NormalInPlace(0, deviation, c.Generator) })
}

// Uniform draws t evenly from [low, high).
func Uniform(t *tensor.Tensor, low, high float64, config ...InitConfig) *tensor.Tensor {
	c := option("uniform", config)
	given("uniform", t)
	return fill(t, func() { t.UniformInPlace(low, high, c.Generator) })
}

// Normal draws t from the normal distribution with that mean and standard deviation.
func Normal(t *tensor.Tensor, mean, deviation float64, config ...InitConfig) *tensor.Tensor {
	c := option("normal", config)
	given("normal", t)
	return fill(t, func() { t.NormalInPlace(mean, deviation, c.Generator) })
}

// TruncatedNormal draws t from the normal distribution with that mean and standard deviation, of
// which only what lies between low and high is kept. As in PyTorch the bounds are values, not
// multiples of the deviation. It panics with a [*tensor.Error] where nothing lies between them, or
// so little that float64 does not tell it from nothing.
func TruncatedNormal(t *tensor.Tensor, mean, deviation, low, high float64,
	config ...InitConfig) *tensor.Tensor {
	const op = "truncated_normal"
	c := option(op, config)
	given(op, t)
	if !(deviation > 0 && low < high) {
		fail(op, "deviation %v, from %v to %v: need a deviation above 0 and low below high",
			deviation, low, high)
	}
	// Both bounds are brought below the mean, where the distribution function is small and exact.
	sign, least, most := 1.0, low, high
	if low > mean {
		sign, least, most = -1, 2*mean-high, 2*mean-low
	}
	below := func(x float64) float64 { return math.Erfc((mean-x)/(deviation*math.Sqrt2)) / 2 }
	from, to := below(least), below(most)
	if !(from < to) {
		fail(op, "mean %v and deviation %v: nothing lies between %v and %v",
			mean, deviation, low, high)
	}
	values := tensor.Zeros(t.Numel()).To(tensor.Float64).UniformInPlace(from, to, c.Generator)
	numbers := values.Float64s()
	for i, u := range numbers {
		x := mean - deviation*math.Sqrt2*math.Erfcinv(2*u)
		numbers[i] = min(max(mean+sign*(x-mean), low), high)
	}
	return fill(t, func() { t.CopyFrom(tensor.FromFloat64(numbers, t.Shape()...)) })
}

// Constant sets every element of t to v.
func Constant(t *tensor.Tensor, v float64) *tensor.Tensor {
	given("constant", t)
	return fill(t, func() { t.FillInPlace(v) })
}

// Orthogonal draws a weight, taken as a matrix of shape[0] rows, whose rows, or columns where there
// are fewer of them, are orthogonal and of length Gain (1 where that is 0): all such matrices are
// equally likely. It is computed in float64. It panics with a [*tensor.Error] unless t has two
// dimensions and more.
//
// A. Saxe et al., "Exact solutions to the nonlinear dynamics of learning in deep linear neural
// networks", 2013, https://arxiv.org/abs/1312.6120.
func Orthogonal(t *tensor.Tensor, config ...InitConfig) *tensor.Tensor {
	const op = "orthogonal"
	c := option(op, config)
	given(op, t)
	if t.Dim() < 2 {
		fail(op, "shape %v: at least two dimensions are needed", t.Shape())
	}
	if t.Numel() == 0 {
		return t
	}
	rows := t.Size(0)
	columns := t.Numel() / rows
	count, length := min(rows, columns), max(rows, columns)
	drawn := tensor.Zeros(count, length).To(tensor.Float64).NormalInPlace(0, 1, c.Generator)
	m := drawn.Float64s()
	for i := range count {
		orthonormal(m[i*length:][:length], m[:i*length], length)
	}
	q := tensor.FromFloat64(m, count, length)
	if rows > columns {
		q = q.T()
	}
	q = q.Mul(gain(op, c, "linear")).Reshape(t.Shape()...)
	return fill(t, func() { t.CopyFrom(q) })
}

// orthonormal makes v orthogonal to the rows before it, and of length 1, by Gram and Schmidt's
// method. Done twice it is as exact as can be.
func orthonormal(v, before []float64, length int) {
	for range 2 {
		for i := 0; i < len(before); i += length {
			row, dot := before[i:][:length], 0.0
			for k, x := range row {
				dot += x * v[k]
			}
			for k, x := range row {
				v[k] -= dot * x
			}
		}
	}
	norm := 0.0
	for _, x := range v {
		norm += x * x
	}
	for k := range v {
		v[k] /= math.Sqrt(norm)
	}
}

// fill writes a parameter's elements without recording it.
func fill(t *tensor.Tensor, write func()) *tensor.Tensor {
	tensor.NoGrad(write)
	return t
}

// kaiming returns the deviation gain/√fan.
func kaiming(op string, t *tensor.Tensor, c InitConfig) float64 {
	in, out := fans(op, t)
	if c.FanOut {
		in = out
	}
	return gain(op, c, "leaky_relu") / math.Sqrt(in)
}

// xavier returns the deviation gain·√(2/(fanIn + fanOut)).
func xavier(op string, t *tensor.Tensor, c InitConfig) float64 {
	in, out := fans(op, t)
	return gain(op, c, "linear") * math.Sqrt(2/(in+out))
}

// fans returns how many inputs an output of the weight depends on, and the other way round.
func fans(op string, t *tensor.Tensor) (in, out float64) {
	given(op, t)
	if t.Dim() < 2 || t.Numel() == 0 {
		fail(op, "shape %v: two dimensions [out, in] and more are needed, none of them empty",
			t.Shape())
	}
	kernel := float64(t.Numel()) / float64(t.Size(0)) / float64(t.Size(1))
	return float64(t.Size(1)) * kernel, float64(t.Size(0)) * kernel
}

// gain returns what a nonlinearity asks the deviation to be multiplied by, as PyTorch's
// calculate_gain does.
func gain(op string, c InitConfig, otherwise string) float64 {
	if c.Gain != 0 {
		return c.Gain
	}
	if c.Nonlinearity != "" {
		otherwise = c.Nonlinearity
	}
	switch otherwise {
	case "linear", "sigmoid":
		return 1
	case "tanh":
		return 5.0 / 3
	case "relu":
		return math.Sqrt2
	case "leaky_relu":
		return math.Sqrt(2 / (1 + c.A*c.A))
	case "selu":
		return 0.75
	}
	fail(op, "no gain is known for %q; it is for relu, leaky_relu, tanh, sigmoid, selu, linear, "+
		"and Gain sets any other", c.Nonlinearity)
	return 0
}

// uniform draws a new float32 parameter from [-bound, bound).
func uniform(bound float64, shape ...int) *tensor.Tensor {
	return tensor.Zeros(shape...).UniformInPlace(-bound, bound).SetRequiresGrad(true)
}
