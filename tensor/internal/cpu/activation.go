package cpu

import (
	"math"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// Activate implements device.Backend.
func (Backend) Activate(f device.Activation, order int, out, x, g *device.Array, p, q float64) {
	if g == nil {
		g = x // walked along and not read
	}
	l := makeLoop(out, x, g)
	grain := grainMath
	switch f {
	case device.LeakyReLU:
		grain = grainCheap
	case device.GELU, device.SiLU:
		grain = grainCurve
	}
	pool.Split(l.total, pieceSize(l.total, grain), func(lo, hi int) {
		part := l
		part.seek(lo, hi)
		if out.DType.ComputeIn() == device.Float64 {
			activate[float64](f, order, &part, out, x, g, p, q)
			return
		}
		activate[float32](f, order, &part, out, x, g, p, q)
	})
}

func activate[T float](f device.Activation, order int, l *loop, out, x, g *device.Array,
	p, q float64) {
	s, limit := borrow[T](!direct[T](l, 0, out) || !direct[T](l, 1, x) ||
		order > 0 && !direct[T](l, 2, g), l.n)
	defer giveBack(s)
	for {
		off, n := l.next(limit)
		if n == 0 {
			return
		}
		rx, rg := row(buffer[T](s, 1), x, off[1], l.step[1], n), []T(nil)
		if order > 0 {
			rg = row(buffer[T](s, 2), g, off[2], l.step[2], n)
		}
		ro := target(buffer[T](s, 0), out, off[0], l.step[0], n)
		activateRow(f, order, ro, rx, rg, p, q)
		if !direct[T](l, 0, out) {
			store(out, off[0], l.step[0], ro)
		}
	}
}

func activateRow[T float](f device.Activation, order int, out, x, g []T, p, q float64) {
	if o, ok := single(out); ok &&
		activateSingle(f, order, o, any(x).([]float32), any(g).([]float32), p) {
		return
	}
	curve := curves[f](order, p, q)
	for i, v := range x {
		y := curve(float64(v))
		if order > 0 {
			y *= float64(g[i])
		}
		out[i] = T(y)
	}
}

// curves give, for each function, its derivative of that order as a function of x alone.
var curves = [...]func(order int, p, q float64) func(x float64) float64{
	device.GELU:        func(order int, _, _ float64) func(float64) float64 { return gelu[order] },
	device.GELUTanh:    geluTanh,
	device.SiLU:        func(order int, _, _ float64) func(float64) float64 { return silu[order] },
	device.Softplus:    softplus,
	device.LogSigmoid:  func(k int, _, _ float64) func(float64) float64 { return logSigmoid[k] },
	device.Mish:        func(order int, _, _ float64) func(float64) float64 { return mish[order] },
	device.ELU:         elu,
	device.LeakyReLU:   leaky,
	device.Hardtanh:    hardtanh,
	device.Hardswish:   hardswish,
	device.Hardsigmoid: hardsigmoid,
	device.Huber:       huber,
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// softplus1 is log(1 + eˣ) without overflow.
func softplus1(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

func zero(x float64) float64 {
	if x != x {
		return x
	}
	return 0
}

func one(x float64) float64 { return 1 + zero(x) }

// density and distribution are φ and Φ.
func density(x float64) float64 { return math.Exp(-x*x/2) * (1 / math.Sqrt(2*math.Pi)) }

func distribution(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// times is a·b, where a = 0 makes it 0: the tails of x·Φ(x) and the like, in which the other factor
// is infinite.
func times(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a * b
}

var gelu = [...]func(float64) float64{
	func(x float64) float64 { return x * distribution(x) },
	func(x float64) float64 { return distribution(x) + times(density(x), x) },
	func(x float64) float64 { return times(density(x), 2-x*x) },
}

// geluTanh is written as x·σ(u) with u = 2·√(2/π)·(x + 0.044715·x³), which loses no digits in the
// left tail.
func geluTanh(order int, _, _ float64) func(float64) float64 {
	const k, c = 2 * math.Sqrt2 / math.SqrtPi, 0.044715
	return func(x float64) float64 {
		u, du, ddu := k*(x+c*x*x*x), k*(1+3*c*x*x), k*6*c*x
		s, t := logistic(u), logistic(-u)
		switch order {
		case 0:
			return x * s
		case 1:
			return s + times(s*t, x*du)
		}
		return times(s*t, 2*du+x*ddu+x*du*du*(t-s))
	}
}

var silu = [...]func(float64) float64{
	func(x float64) float64 { return x * logistic(x) },
	func(x float64) float64 { s := logistic(x); return s + times(s*logistic(-x), x) },
	func(x float64) float64 {
		s, t := logistic(x), logistic(-x)
		return times(s*t, 2+x*(t-s))
	},
}

func softplus(order int, beta, threshold float64) func(float64) float64 {
	return func(x float64) float64 {
		linear := x*beta > threshold
		switch {
		case order == 0 && linear:
			return x
		case order == 0:
			return softplus1(x*beta) / beta
		case order == 1 && linear:
			return 1
		case order == 1:
			return logistic(x * beta)
		case linear:
			return 0
		}
		return beta * logistic(x*beta) * logistic(-x*beta)
	}
}

var logSigmoid = [...]func(float64) float64{
	func(x float64) float64 { return 0 - softplus1(-x) },
	func(x float64) float64 { return logistic(-x) },
	func(x float64) float64 { return -logistic(x) * logistic(-x) },
}

// mish, with w = tanh(log(1 + eˣ)), of which 1 − w² is written so that it keeps its digits.
var mish = [...]func(float64) float64{
	func(x float64) float64 { return x * math.Tanh(softplus1(x)) },
	func(x float64) float64 {
		w, d := mishParts(x)
		return w + times(d, x)
	},
	func(x float64) float64 {
		w, d := mishParts(x)
		return times(d, 2+x*logistic(-x)-2*x*w*logistic(x))
	},
}

// mishParts returns w and its derivative σ(x)·(1 − w²).
func mishParts(x float64) (w, d float64) {
	sp := softplus1(x)
	c := math.Cosh(sp)
	return math.Tanh(sp), logistic(x) / (c * c)
}

func elu(order int, alpha, _ float64) func(float64) float64 {
	return func(x float64) float64 {
		switch {
		case order == 0 && x > 0:
			return x
		case order == 0:
			return alpha * math.Expm1(x)
		case x > 0 && order == 1:
			return 1
		case x > 0:
			return 0
		}
		return alpha * math.Exp(x)
	}
}

func leaky(order int, slope, _ float64) func(float64) float64 {
	return func(x float64) float64 {
		switch {
		case order == 2:
			return zero(x)
		case order == 1 && x > 0:
			return 1
		case order == 1:
			return slope
		case x > 0:
			return x
		}
		return x * slope
	}
}

// between returns a function that is inside's value for low < x < high and 0 elsewhere.
func between(low, high float64, inside func(float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		if x <= low || x >= high {
			return 0
		}
		return inside(x)
	}
}

func hardtanh(order int, low, high float64) func(float64) float64 {
	switch order {
	case 0:
		return func(x float64) float64 { return min(max(x, low), high) }
	case 1:
		return between(low, high, one)
	}
	return zero
}

func hardswish(order int, _, _ float64) func(float64) float64 {
	switch order {
	case 0:
		return func(x float64) float64 { return x * (min(max(x+3, 0), 6) / 6) }
	case 1:
		inner := between(-3, 3, func(x float64) float64 { return x/3 + 0.5 })
		return func(x float64) float64 {
			if x >= 3 {
				return 1
			}
			return inner(x)
		}
	}
	return between(-3, 3, func(x float64) float64 { return one(x) / 3 })
}

func hardsigmoid(order int, _, _ float64) func(float64) float64 {
	switch order {
	case 0:
		return func(x float64) float64 { return min(max(x+3, 0), 6) / 6 }
	case 1:
		return between(-3, 3, func(x float64) float64 { return one(x) / 6 })
	}
	return zero
}

func huber(order int, delta, _ float64) func(float64) float64 {
	return func(x float64) float64 {
		inside := math.Abs(x) <= delta
		switch {
		case order == 0 && inside:
			return x * x / 2
		case order == 0:
			return delta * (math.Abs(x) - delta/2)
		case order == 1:
			return min(max(x, -delta), delta)
		case inside:
			return 1
		}
		return zero(x)
	}
}
