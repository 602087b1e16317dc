package simd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// lengths are those of every remainder and of several rounds.
func lengths() (ns []int) {
	for n := range 101 {
		ns = append(ns, n)
	}
	return append(ns, 255, 256, 1000, 4099)
}

// near reports whether got is want but for the rounding of sums of n float64 of a size.
func near(got, want, size float64, n int) bool {
	if want-want != 0 { // infinite or NaN
		return got == want || got != got && want != want
	}
	return math.Abs(got-want) <= size*float64(n)*0x1p-52
}

func TestSums(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		for _, n := range lengths() {
			for _, wild := range []bool{false, true} {
				a, b := make([]float32, n+1)[1:], make([]float32, n+3)[3:]
				for i := range a {
					a[i], b[i] = float32(rng.NormFloat64()), float32(rng.NormFloat64())
				}
				if wild {
					copy(a, random(rng, n))
				}
				var sum, squares, dot, size, sizes, sizeDot float64
				var exact, along, sizeAlong float64
				for i, v := range a {
					x, y := float64(v), float64(b[i])
					exact += x * x
					z := x * y * y
					along, sizeAlong = along+z, sizeAlong+math.Abs(z)
					sum, size = sum+x, size+math.Abs(x)
					squares, sizes = squares+(x-0.25)*(x-0.25), sizes+(x-0.25)*(x-0.25)
					dot, sizeDot = dot+x*y, sizeDot+math.Abs(x*y)
				}
				first, second := Moments(a)
				total, slope := NormSums(a, b, b)
				for _, c := range []struct {
					name            string
					got, want, size float64
				}{
					{"Sum", Sum(a), sum, size}, {"SumSquares", SumSquares(a, 0.25), squares, sizes},
					{"Dot", Dot(a, b), dot, sizeDot},
					{"Moments: sum", first, sum, size}, {"Moments: squares", second, exact, exact},
					{"NormSums: sum", total, dot, sizeDot},
					{"NormSums: along", slope, along, sizeAlong},
				} {
					if !near(c.got, c.want, c.size, n+1) {
						t.Errorf("%s of %d: got %v, want %v", c.name, n, c.got, c.want)
					}
				}
			}
		}
	})
}

func TestAccumulate(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		for _, n := range lengths() {
			sums, xs := make([]float64, n+5), random(rng, n+1)[1:]
			for i := range sums {
				sums[i] = float64(i)
			}
			Accumulate(sums[2:2+n], xs)
			for i, got := range sums {
				want := float64(i)
				if i >= 2 && i < 2+n {
					want += float64(xs[i-2])
				}
				if got != want && (got == got || want == want) {
					t.Fatalf("%d elements: sum %d is %v, want %v", n, i-2, got, want)
				}
			}
		}
	})
}

// TestAccumulate4 also sees that the rows are added in their order.
func TestAccumulate4(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 7))
		for _, n := range lengths() {
			sums, want := make([]float64, n+5), make([]float64, n+5)
			var rows [4][]float32
			for k := range rows {
				rows[k] = random(rng, n+k)[k:]
			}
			for i := range sums {
				sums[i] = 0x1p-60 * float64(i)
				want[i] = sums[i]
				for k := 0; k < 4 && i >= 2 && i < 2+n; k++ {
					want[i] += float64(rows[k][i-2])
				}
			}
			Accumulate4(sums[2:2+n], rows[0], rows[1], rows[2], rows[3])
			for i, got := range sums {
				if got != want[i] && (got == got || want[i] == want[i]) {
					t.Fatalf("%d elements: sum %d is %v, want %v", n, i-2, got, want[i])
				}
			}
		}
	})
}

// TestAccumulateNorms compares with the plain Go twin, which rounds at the same places.
func TestAccumulateNorms(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 8))
		for _, n := range lengths() {
			var in [4][]float32
			for k := range in {
				in[k] = random(rng, n+k)[k:]
			}
			sums, want := make([]float64, 2*n+3), make([]float64, 2*n+3)
			for i := range sums {
				sums[i] = 0x1p-60 * float64(i)
				want[i] = sums[i]
			}
			AccumulateNorms(sums[1:1+n], sums[2+n:2+2*n], in[0], in[1], in[2], in[3], 0.3, 1.7, -2, 3)
			accumulateNormsGo(want[1:1+n], want[2+n:2+2*n], in[0], in[1], in[2], in[3], 0.3, 1.7, -2, 3)
			for i, got := range sums {
				if got != want[i] && (got == got || want[i] == want[i]) {
					t.Fatalf("%d elements: sum %d is %v, want %v", n, i, got, want[i])
				}
			}
		}
	})
}

func TestExtremes(t *testing.T) {
	negativeZero := float32(math.Copysign(0, -1))
	onPaths(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 8))
		check := func(xs []float32) {
			t.Helper()
			if got, want := Largest(xs), slices.Max(xs); !exactly(got, float64(want)) {
				t.Errorf("Largest of %d: got %v, want %v", len(xs), got, want)
			}
			if got, want := Smallest(xs), slices.Min(xs); !exactly(got, float64(want)) {
				t.Errorf("Smallest of %d: got %v, want %v", len(xs), got, want)
			}
		}
		for _, n := range lengths()[1:] {
			xs := random(rng, n+1)[1:]
			check(xs)
			for i := range xs {
				if xs[i] != xs[i] {
					xs[i] = 7
				}
			}
			check(xs)
			for i := range xs {
				xs[i] = negativeZero
			}
			check(xs)
			xs[rng.IntN(n)] = 0
			check(xs)
			for i := range xs { // the best number must not be one that is not there
				xs[i] = float32(math.Inf(1 - 2*(n%2)))
			}
			check(xs)
		}
	})
}

func TestUnscale(t *testing.T) {
	const limit float32 = 65519.996
	onPaths(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(9, 10))
		for _, n := range lengths() {
			for _, bad := range []float32{1, -1e6, float32(math.Inf(-1)), float32(math.NaN()), limit} {
				xs := make([]float32, n+4)
				for i := range xs {
					xs[i] = float32(rng.NormFloat64())
				}
				given := slices.Clone(xs)
				if n > 0 {
					given[1+rng.IntN(n)] = bad
				}
				copy(xs, given)
				row := xs[1 : 1+n]
				over := math.Signbit(float64(Unscale(row, row, 0.5, limit/2)))
				if want := n > 0 && !(math.Abs(float64(bad)) <= float64(limit)); over != want {
					t.Errorf("%d elements with %v: over is %v", n, bad, over)
				}
				for i, got := range xs {
					want := given[i]
					if i >= 1 && i <= n {
						want *= 0.5
					}
					if !exactly(got, float64(want)) {
						t.Fatalf("%d elements: element %d is %v, want %v", n, i-1, got, want)
					}
				}
			}
		}
	})
}

// TestNormalizations compares what norms and softmax do to rows with the plain Go twins, which round
// at the same places.
func TestNormalizations(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		for name, f := range map[string][2]func(out []float32, in [3][]float32){
			"Normalize": {
				func(out []float32, in [3][]float32) { Normalize(out, in[0], in[1], in[2], 0.3, 1.7) },
				func(out []float32, in [3][]float32) { normalizeGo(out, in[0], in[1], in[2], 0.3, 1.7) },
			},
			"NormalizeGrad": {
				func(out []float32, in [3][]float32) {
					NormalizeGrad(out, in[0], in[1], in[2], 0.3, 1.7, -2, 3)
				},
				func(out []float32, in [3][]float32) {
					normalizeGradGo(out, in[0], in[1], in[2], 0.3, 1.7, -2, 3)
				},
			},
			"SubTwice": {
				func(out []float32, in [3][]float32) { SubTwice(out, in[0], 0.6, -1.7) },
				func(out []float32, in [3][]float32) { subTwiceGo(out, in[0], 0.6, -1.7) },
			},
			"SoftmaxGrad": {
				func(out []float32, in [3][]float32) { SoftmaxGrad(out, in[0], in[1], 0.6) },
				func(out []float32, in [3][]float32) { softmaxGradGo(out, in[0], in[1], 0.6) },
			},
		} {
			rng := rand.New(rand.NewPCG(11, 12))
			for _, n := range lengths() {
				var in [3][]float32
				for k := range in {
					in[k] = random(rng, n+k)[k:]
				}
				whole, want := make([]float32, n+20), make([]float32, n)
				f[0](whole[1:1+n], in)
				f[1](want, in)
				for i, got := range whole {
					w := float32(0)
					if i >= 1 && i <= n {
						w = want[i-1]
					}
					if !exactly(got, float64(w)) {
						t.Fatalf("%s of %d: element %d is %v, want %v", name, n, i-1, got, w)
					}
				}
			}
		}
	})
}
