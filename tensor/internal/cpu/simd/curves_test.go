package simd

import (
	"math"
	"testing"
)

// A curve is a function with the exact value to compare it with and the largest error allowed, in
// units in the last place of float32. accuracy.md says how the errors were measured.
type curve struct {
	name string
	f    func(out, x []float32)
	want func(x float64) float64
	ulps float64
	// scale is the size of what cancels near a zero of the function
	scale func(x float64) float64
}

// ones are the slopes that gradients are multiplied by.
var ones = func() []float32 {
	xs := make([]float32, 1<<13)
	for i := range xs {
		xs[i] = 1
	}
	return xs
}()

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func density(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

func distribution(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// times is a·b, or 0 where a is: ∞·0 as the limit of what the functions make of it.
func times(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a * b
}

var curves = []curve{
	{"Exp", Exp, math.Exp, 2, nil},
	{"Log", Log, math.Log, 2, nil},
	{"Tanh", Tanh, math.Tanh, 2, nil},
	{"Sigmoid", Sigmoid, logistic, 2, nil},
	{"Erf", Erf, math.Erf, 2, nil},
	{"GELU", GELU, func(x float64) float64 { return x * distribution(x) }, 2, nil},
	{"SiLU", SiLU, func(x float64) float64 { return x * logistic(x) }, 2, nil},
	{"GELUGrad", func(out, x []float32) { GELUGrad(out, x, ones[:len(x)]) },
		func(x float64) float64 { return distribution(x) + times(density(x), x) }, 3,
		func(x float64) float64 { return distribution(x) + times(density(x), math.Abs(x)) }},
	{"SiLUGrad", func(out, x []float32) { SiLUGrad(out, x, ones[:len(x)]) },
		func(x float64) float64 { return times(logistic(x), 1+times(logistic(-x), x)) }, 3,
		func(x float64) float64 { return times(logistic(x), 1+times(logistic(-x), math.Abs(x))) }},
}

// ulps returns the error of got in units in the last place of float32, where results near zero that
// other results cancel to count as scale.
func ulps(got float32, want, scale float64) float64 {
	if want != want || math.IsInf(float64(float32(want)), 0) || math.IsInf(float64(got), 0) {
		if exactly(got, want) || want != want && got != got {
			return 0
		}
		return math.Inf(1)
	}
	_, e := math.Frexp(max(math.Abs(want), scale, math.SmallestNonzeroFloat32))
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(e-24, -149))
}

// TestCurves sweeps over all floats in equal steps of their bits.
func TestCurves(t *testing.T) {
	const step = 20011
	x, out := make([]float32, len(ones)), make([]float32, len(ones))
	onPaths(t, func(t *testing.T) {
		for _, c := range curves {
			worst, at := 0.0, float32(0)
			for i := uint64(0); i < 1<<32; {
				for j := range x {
					x[j] = math.Float32frombits(uint32(i))
					i += step
				}
				c.f(out, x)
				for j, v := range x {
					if e := c.error(out[j], float64(v)); !(e <= worst) {
						worst, at = e, v
					}
				}
			}
			t.Logf("%s: %.2f at %v", c.name, worst, at)
			if !(worst <= c.ulps) {
				t.Errorf("%s(%v) is off by %.2f units in the last place", c.name, at, worst)
			}
		}
	})
}

func (c curve) error(got float32, x float64) float64 {
	if x == 0 && c.want(x) == 0 && math.Signbit(float64(got)) != math.Signbit(x) {
		return math.Inf(1)
	}
	scale := 0.0
	if c.scale != nil {
		scale = c.scale(x)
	}
	return ulps(got, c.want(x), scale)
}

// TestCurveRows: special values, every remainder and nothing written behind the end.
func TestCurveRows(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		for _, c := range curves {
			t.Run(c.name, func(t *testing.T) {
				rows(t, 1, func(out []float32, in [][]float32) { c.f(out, in[0]) },
					func(x []float64) float64 { return x[0] },
					func(got float32, x float64) bool { return c.error(got, x) <= c.ulps })
			})
		}
	})
}

// TestExpSum compares rows of every length with sums in float64.
func TestExpSum(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		for _, n := range append(lengths(), 5000) {
			x, out := make([]float32, n), make([]float32, n+1)
			for i := range x {
				x[i] = float32(i%23) - 20
			}
			out[n] = guard
			got, want := ExpSum(out[:n], x, 2.5), 0.0
			for i, v := range x {
				exact := math.Exp(float64(v) - 2.5)
				if e := ulps(out[i], exact, 0); e > 2 {
					t.Fatalf("%d elements: e^%v is off by %v", n, v-2.5, e)
				}
				want += float64(out[i])
			}
			if !near(got, want, want, n+1) || out[n] != guard {
				t.Fatalf("%d elements: the sum is %v, want %v; behind it is %v", n, got, want, out[n])
			}
		}
	})
}
