package tensor

import (
	"math"

	"halfnote/tensor/internal/cpu"
	"halfnote/tensor/internal/device"
)

// This file implements tensors of random numbers: new ones by methods of a Generator and by
// functions on the default one, and existing ones by methods in place.

// The names under which the ops in place appear in messages about kept tensors.
var (
	nameUniform   = "UniformInPlace"
	nameNormal    = "NormalInPlace"
	nameBernoulli = "BernoulliInPlace"
)

// Rand returns Float32 numbers drawn evenly from 0 up to, but without, 1: multiples of 2⁻²⁴.
func Rand(shape ...int) *Tensor { return generator.Rand(shape...) }

// Randn returns Float32 numbers drawn from the normal distribution with mean 0 and deviation 1.
func Randn(shape ...int) *Tensor { return generator.Randn(shape...) }

// Randint returns Int64 numbers drawn evenly from low up to, but without, high. It panics with an
// [*Error] unless low is less than high.
func Randint(low, high int, shape ...int) *Tensor { return generator.Randint(low, high, shape...) }

// Randperm returns 0, 1, … n-1 in random order, as Int64 [n].
func Randperm(n int) *Tensor { return generator.Randperm(n) }

// Rand returns Float32 numbers drawn evenly from 0 up to, but without, 1: multiples of 2⁻²⁴.
func (g *Generator) Rand(shape ...int) *Tensor {
	return g.filled("rand", Float32, uniform("rand", 0, 1), shape)
}

// Randn returns Float32 numbers drawn from the normal distribution with mean 0 and deviation 1.
func (g *Generator) Randn(shape ...int) *Tensor {
	return g.filled("randn", Float32, normal("randn", 0, 1), shape)
}

// Uniform returns Float32 numbers drawn evenly from low up to, but without, high. It panics with
// an [*Error] unless low is less than high and both are finite.
func (g *Generator) Uniform(low, high float64, shape ...int) *Tensor {
	return g.filled("uniform", Float32, uniform("uniform", low, high), shape)
}

// Normal returns Float32 numbers drawn from the normal distribution with that mean and standard
// deviation. It panics with an [*Error] if one is not finite or the deviation is negative.
func (g *Generator) Normal(mean, deviation float64, shape ...int) *Tensor {
	return g.filled("normal", Float32, normal("normal", mean, deviation), shape)
}

// Bernoulli returns Float32 numbers that are 1 with probability p and else 0. It panics with an
// [*Error] unless p is from 0 to 1.
func (g *Generator) Bernoulli(p float64, shape ...int) *Tensor {
	return g.filled("bernoulli", Float32, bernoulli("bernoulli", p), shape)
}

// Randint returns Int64 numbers drawn evenly from low up to, but without, high. It panics with an
// [*Error] unless low is less than high.
func (g *Generator) Randint(low, high int, shape ...int) *Tensor {
	if low >= high {
		fail("randint", "no integer is at least %d and less than %d", low, high)
	}
	d := device.Draw{Kind: device.Integers, Low: int64(low), N: uint64(high) - uint64(low)}
	return g.filled("randint", Int64, d, shape)
}

// Randperm returns 0, 1, … n-1 in random order, each order equally likely, as Int64 [n]. It is
// Fisher and Yates's shuffle: from the second one on, number i changes places with one of 0 … i.
func (g *Generator) Randperm(n int) *Tensor {
	return integers("randperm", n, func(p []int64) {
		seed, offset := g.take(device.Integers.Blocks(device.Int64, n))
		for i := range p {
			j := cpu.Below(uint64(i)+1, seed, offset, i)
			p[i] = p[j]
			p[j] = int64(i)
		}
	})
}

// filled returns a new tensor of random numbers.
func (g *Generator) filled(op string, dtype DType, d device.Draw, shape []int) *Tensor {
	out := empty(op, created(op), dtype, shape)
	out.backend(op).Random(&out.arr, g.draw(d, out))
	return out
}

// UniformInPlace fills t with numbers drawn evenly from low up to, but without, high, and returns
// t. They come from the default generator unless one is given. Rounding to t's dtype keeps the
// bounds: a Float16 is never high. It panics with an [*Error] unless t is floating, low is less
// than high and both are finite.
func (t *Tensor) UniformInPlace(low, high float64, generator ...*Generator) *Tensor {
	t.floats(nameUniform)
	return t.fillRandom(&nameUniform, uniform(nameUniform, low, high), generator)
}

// NormalInPlace fills t with numbers drawn from the normal distribution with that mean and standard
// deviation, and returns t. They come from the default generator unless one is given. It panics
// with an [*Error] unless t is floating, and mean and deviation are finite, the latter at least 0.
func (t *Tensor) NormalInPlace(mean, deviation float64, generator ...*Generator) *Tensor {
	t.floats(nameNormal)
	return t.fillRandom(&nameNormal, normal(nameNormal, mean, deviation), generator)
}

// BernoulliInPlace sets each element of t, of any dtype, to 1 with probability p and else to 0, and
// returns t. The numbers come from the default generator unless one is given. It panics with an
// [*Error] unless p is from 0 to 1.
func (t *Tensor) BernoulliInPlace(p float64, generator ...*Generator) *Tensor {
	return t.fillRandom(&nameBernoulli, bernoulli(nameBernoulli, p), generator)
}

func (t *Tensor) fillRandom(name *string, d device.Draw, given []*Generator) *Tensor {
	g := chosen(*name, given)
	fill := func(x *Tensor) *Tensor {
		x.backend(*name).Random(&x.arr, g.draw(d, x))
		return x
	}
	if t.byRewrite() {
		return t.rewrite(name, func(x *Tensor) *Tensor {
			return fill(empty(*name, x.Device(), x.DType(), x.arr.Shape))
		})
	}
	t.writable(*name)
	fill(t).wrote(name)
	return t
}

// floats panics unless t is floating.
func (t *Tensor) floats(op string) {
	if t == nil {
		given(op, t)
	}
	if !t.DType().IsFloat() {
		fail(op, "a tensor of %s; floating point is needed", t.DType())
	}
}

func uniform(op string, low, high float64) device.Draw {
	if span := high - low; !(span > 0 && span <= math.MaxFloat64) {
		fail(op, "from %v to %v: finite bounds are needed, the first one the smaller", low, high)
	}
	return device.Draw{Kind: device.Uniform, A: low, B: high}
}

func normal(op string, mean, deviation float64) device.Draw {
	if !(math.Abs(mean) <= math.MaxFloat64 && deviation >= 0 && deviation <= math.MaxFloat64) {
		fail(op, "mean %v and deviation %v: both must be finite and the deviation at least 0",
			mean, deviation)
	}
	return device.Draw{Kind: device.Normal, A: mean, B: deviation}
}

func bernoulli(op string, p float64) device.Draw {
	if !(p >= 0 && p <= 1) {
		fail(op, "probability %v is not from 0 to 1", p)
	}
	return device.Draw{Kind: device.Bernoulli, A: p}
}
