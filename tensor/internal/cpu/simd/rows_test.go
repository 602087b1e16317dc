package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// onPaths runs a test on each path that this machine has.
func onPaths(t *testing.T, test func(t *testing.T)) {
	for _, p := range Paths() {
		t.Run(p.String(), func(t *testing.T) {
			defer Use(p)()
			test(t)
		})
	}
}

// special are the values at which kernels go wrong.
var special = []float32{0, float32(math.Copysign(0, -1)), 1, -1, 1.5, -2, 65504, 65520, -7e-8, 6e-8,
	math.SmallestNonzeroFloat32, -1e-40, 0x1p-126, math.MaxFloat32, -math.MaxFloat32, 1e30, -3e-30,
	float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 88.7, -103.9, 127.5, 0.5}

// random returns n numbers, a third of them special ones.
func random(rng *rand.Rand, n int) []float32 {
	xs := make([]float32, n)
	for i := range xs {
		switch rng.IntN(3) {
		case 0:
			xs[i] = special[rng.IntN(len(special))]
		case 1:
			xs[i] = math.Float32frombits(rng.Uint32())
		default:
			xs[i] = float32(rng.NormFloat64())
		}
	}
	return xs
}

const guard = 12345.0

// rows calls f for rows of 0 to 100 elements and of more at unaligned addresses, and checks what it
// writes: out[i] must be want(inputs at i), and nothing may be written behind it. The output is
// one of the inputs now and then.
func rows(t *testing.T, inputs int, f func(out []float32, in [][]float32),
	want func(x []float64) float64, same func(got float32, want float64) bool) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 110 {
		if n > 100 {
			n = n*7 + 1
		}
		in := make([][]float32, inputs)
		for k := range in {
			in[k] = random(rng, n+k+2)[k+1 : k+1+n]
		}
		whole := make([]float32, n+20)
		for i := range whole {
			whole[i] = guard
		}
		out := whole[3 : 3+n]
		given := make([][]float32, inputs)
		for k := range in {
			given[k] = append([]float32(nil), in[k]...)
		}
		if n%3 == 1 {
			copy(out, in[inputs-1])
			in[inputs-1] = out
		}
		f(out, in)
		x := make([]float64, inputs)
		for i, got := range out {
			for k := range x {
				x[k] = float64(given[k][i])
			}
			if w := want(x); !same(got, w) {
				t.Fatalf("%d elements: %v gives %v, want %v", n, x, got, float32(w))
			}
		}
		for i, v := range whole {
			if (i < 3 || i >= 3+n) && v != guard {
				t.Fatalf("%d elements: element %d was written", n, i-3)
			}
		}
	}
}

// exactly reports whether got is want rounded to float32, the sign of zeros too.
func exactly(got float32, want float64) bool {
	if want != want {
		return got != got
	}
	return math.Float32bits(got) == math.Float32bits(float32(want))
}

func TestArithmetic(t *testing.T) {
	r := func(v float64) float64 { return float64(float32(v)) } // a rounding on the way
	unary := func(f func(out, x []float32)) func([]float32, [][]float32) {
		return func(out []float32, in [][]float32) { f(out, in[0]) }
	}
	binary := func(f func(out, a, b []float32)) func([]float32, [][]float32) {
		return func(out []float32, in [][]float32) { f(out, in[0], in[1]) }
	}
	type test struct {
		name   string
		inputs int
		f      func(out []float32, in [][]float32)
		want   func(x []float64) float64
	}
	tests := []test{
		{"Add", 2, binary(Add), func(x []float64) float64 { return x[0] + x[1] }},
		{"Sub", 2, binary(Sub), func(x []float64) float64 { return x[0] - x[1] }},
		{"Mul", 2, binary(Mul), func(x []float64) float64 { return x[0] * x[1] }},
		{"Div", 2, binary(Div), func(x []float64) float64 { return x[0] / x[1] }},
		{"Max", 2, binary(Max), func(x []float64) float64 { return max(x[0], x[1]) }},
		{"Min", 2, binary(Min), func(x []float64) float64 { return min(x[0], x[1]) }},
		{"ReLUGrad", 2, binary(ReLUGrad), func(x []float64) float64 {
			if x[0] <= 0 {
				return 0
			}
			return x[1]
		}},
		{"TanhGrad", 2, binary(TanhGrad), func(x []float64) float64 { return x[1] * r(1-r(x[0]*x[0])) }},
		{"SigmoidGrad", 2, binary(SigmoidGrad), func(x []float64) float64 { return r(x[1]*r(1-x[0])) * x[0] }},
		{"Neg", 1, unary(Neg), func(x []float64) float64 { return -x[0] }},
		{"Abs", 1, unary(Abs), func(x []float64) float64 { return math.Abs(x[0]) }},
		{"Sqrt", 1, unary(Sqrt), func(x []float64) float64 { return math.Sqrt(x[0]) }},
		{"Rsqrt", 1, unary(Rsqrt), func(x []float64) float64 { return 1 / math.Sqrt(x[0]) }},
	}
	for _, c := range []float32{0, -0.3, float32(math.NaN()), float32(math.Inf(1)), 1e-40} {
		p := float64(c)
		scalar := func(name string, f func(out, x []float32, c float32), want func(x float64) float64) {
			tests = append(tests, test{fmt.Sprint(name, "/", c), 1,
				func(out []float32, in [][]float32) { f(out, in[0], c) },
				func(x []float64) float64 { return want(x[0]) }})
		}
		scalar("Fill", func(out, _ []float32, c float32) { Fill(out, c) }, func(float64) float64 { return p })
		scalar("AddScalar", AddScalar, func(x float64) float64 { return x + p })
		scalar("ScalarSub", ScalarSub, func(x float64) float64 { return p - x })
		scalar("ScalarDiv", ScalarDiv, func(x float64) float64 { return p / x })
		scalar("MulScalar", MulScalar, func(x float64) float64 { return x * p })
		scalar("DivScalar", DivScalar, func(x float64) float64 { return x / p })
		scalar("MaxScalar", MaxScalar, func(x float64) float64 { return max(x, p) })
		scalar("MinScalar", MinScalar, func(x float64) float64 { return min(x, p) })
		tests = append(tests,
			test{fmt.Sprint("Axpy/", c), 2,
				func(out []float32, in [][]float32) { Axpy(out, in[0], in[1], c) },
				func(x []float64) float64 { return x[0] + r(p*x[1]) }},
			test{fmt.Sprint("LeakyReLU/", c), 2,
				func(out []float32, in [][]float32) { LeakyReLU(out, in[0], in[1], c) },
				func(x []float64) float64 {
					if x[0] > 0 {
						return x[1]
					}
					return x[1] * p
				}},
			test{fmt.Sprint("Addcmul/", c), 3,
				func(out []float32, in [][]float32) { Addcmul(out, in[0], in[1], in[2], c) },
				func(x []float64) float64 { return x[0] + r(r(p*x[1])*x[2]) }},
			test{fmt.Sprint("Addcdiv/", c), 3,
				func(out []float32, in [][]float32) { Addcdiv(out, in[0], in[1], in[2], c) },
				func(x []float64) float64 { return x[0] + r(r(p*x[1])/x[2]) }})
	}
	onPaths(t, func(t *testing.T) {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) { rows(t, test.inputs, test.f, test.want, exactly) })
		}
	})
}

// TestAdam: a step in one go is bit for bit that of the functions for each operation, of rows of every
// remainder, and writes nothing behind them.
func TestAdam(t *testing.T) {
	const way, keep, add, root, eps, rate = 0.1, 0.999, 0.001, 0.3, 1e-8, -0.02
	rng := rand.New(rand.NewPCG(3, 4))
	onPaths(t, func(t *testing.T) {
		for n := range 140 {
			var got, want [3][]float32 // theta, mean and square
			for k := range got {
				got[k] = random(rng, n+1)
				want[k] = append([]float32(nil), got[k]...)
			}
			grad, below := random(rng, n+1)[1:], make([]float32, n)
			Adam(got[0][:n], got[1], got[2], grad, way, keep, add, root, eps, rate)
			theta, mean, square := want[0][:n], want[1][:n], want[2][:n]
			Sub(below, grad, mean)
			Axpy(mean, mean, below, way)
			MulScalar(square, square, keep)
			Addcmul(square, square, grad, grad, add)
			Sqrt(below, square)
			DivScalar(below, below, root)
			AddScalar(below, below, eps)
			Addcdiv(theta, theta, mean, below, rate)
			for k := range got {
				for i, v := range got[k] {
					if w := want[k][i]; v != w && (v == v || w == w) {
						t.Fatalf("array %d of %d: element %d is %v, want %v", k, n, i, v, w)
					}
				}
			}
		}
	})
}

// TestRootStep is TestAdam for RootStep.
func TestRootStep(t *testing.T) {
	const keep, add, eps, rate = 0.99, 0.01, 1e-8, -0.02
	rng := rand.New(rand.NewPCG(5, 6))
	onPaths(t, func(t *testing.T) {
		for n := range 140 {
			var got, want [2][]float32 // theta and square
			for k := range got {
				got[k] = random(rng, n+1)
				want[k] = append([]float32(nil), got[k]...)
			}
			grad, below := random(rng, n+1)[1:], make([]float32, n)
			RootStep(got[0][:n], got[1], grad, keep, add, eps, rate)
			theta, square := want[0][:n], want[1][:n]
			MulScalar(square, square, keep)
			Addcmul(square, square, grad, grad, add)
			Sqrt(below, square)
			AddScalar(below, below, eps)
			Addcdiv(theta, theta, grad, below, rate)
			for k := range got {
				for i, v := range got[k] {
					if w := want[k][i]; v != w && (v == v || w == w) {
						t.Fatalf("array %d of %d: element %d is %v, want %v", k, n, i, v, w)
					}
				}
			}
		}
	})
}

// TestLongRows: rows that are stored past the caches, at addresses that allow it and others, with
// the output apart and in place.
func TestLongRows(t *testing.T) {
	const n = 1<<17 + 77
	x, y, out := make([]float32, n+1), make([]float32, n+1), make([]float32, n+2)
	for i := range x {
		x[i], y[i] = float32(i%2047), float32(i%13)
	}
	short := make([]uint16, n+2)
	onPaths(t, func(t *testing.T) {
		for _, from := range []int{0, 1} {
			clear(out)
			clear(short)
			Add(out[from:from+n], x[:n], y[:n])
			for i, got := range out[from : from+n] {
				if got != x[i]+y[i] {
					t.Fatalf("Add from %d: element %d is %v", from, i, got)
				}
			}
			Add(out[from:from+n], out[from:from+n], y[:n])
			if got, want := out[from+n-1], x[n-1]+2*y[n-1]; got != want || out[from+n] != 0 {
				t.Errorf("Add in place: %v, want %v; behind it is %v", got, want, out[from+n])
			}
			NarrowHalf(short[from:from+n], x[:n])
			WidenHalf(out[from:from+n], short[from:from+n])
			for i, got := range out[from : from+n] {
				if got != x[i] {
					t.Fatalf("float16 from %d: element %d is %v", from, i, got)
				}
			}
			NarrowBFloat(short[from:from+n], y[:n])
			WidenBFloat(out[from:from+n], short[from:from+n])
			for i, got := range out[from : from+n] {
				if got != y[i] {
					t.Fatalf("bfloat16 from %d: element %d is %v", from, i, got)
				}
			}
			if short[from+n] != 0 || out[from+n] != 0 {
				t.Errorf("from %d: written behind the end", from)
			}
		}
	})
}
