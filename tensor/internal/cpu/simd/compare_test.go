package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestComparisons(t *testing.T) {
	const c = 1
	scalar := func(f func([]bool, []float32, float32)) func(out []bool, a, b []float32) {
		return func(out []bool, a, _ []float32) { f(out, a, c) }
	}
	tests := []struct {
		name string
		f    func(out []bool, a, b []float32)
		want func(a, b float32) bool
	}{
		{"Equal", Equal, func(a, b float32) bool { return a == b }},
		{"NotEqual", NotEqual, func(a, b float32) bool { return a != b }},
		{"Less", Less, func(a, b float32) bool { return a < b }},
		{"LessEqual", LessEqual, func(a, b float32) bool { return a <= b }},
		{"EqualScalar", scalar(EqualScalar), func(a, _ float32) bool { return a == c }},
		{"NotEqualScalar", scalar(NotEqualScalar), func(a, _ float32) bool { return a != c }},
		{"LessScalar", scalar(LessScalar), func(a, _ float32) bool { return a < c }},
		{"LessEqualScalar", scalar(LessEqualScalar), func(a, _ float32) bool { return a <= c }},
		{"GreaterScalar", scalar(GreaterScalar), func(a, _ float32) bool { return a > c }},
		{"GreaterEqualScalar", scalar(GreaterEqualScalar), func(a, _ float32) bool { return a >= c }},
		{"IsFinite", func(out []bool, a, _ []float32) { IsFinite(out, a) }, func(a, _ float32) bool {
			return !math.IsInf(float64(a), 0) && !math.IsNaN(float64(a))
		}},
	}
	onPaths(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		for n := range 150 {
			a, b := random(rng, n+1)[1:], random(rng, n+2)[2:]
			for i := range a {
				if i%3 == 0 {
					b[i] = a[i]
				}
			}
			for _, test := range tests {
				out := make([]bool, n+40)
				test.f(out[5:5+n], a, b)
				for i, got := range out {
					want := false
					if i >= 5 && i < 5+n {
						want = test.want(a[i-5], b[i-5])
					}
					if got != want {
						t.Fatalf("%s, %d elements: element %d is %v", test.name, n, i-5, got)
					}
				}
			}
			cond, out := make([]bool, n), make([]float32, n+1)
			Less(cond, a, b)
			out[n] = guard
			Where(out[:n], cond, a, b)
			for i, got := range out[:n] {
				want := b[i]
				if cond[i] {
					want = a[i]
				}
				if math.Float32bits(got) != math.Float32bits(want) || out[n] != guard {
					t.Fatalf("Where, %d elements: element %d is %v, want %v", n, i, got, want)
				}
			}
		}
	})
}
