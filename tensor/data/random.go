package data

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"halfnote/tensor"
)

// This file implements what is drawn at random. All numbers are made from a source's 64 bits here,
// because recorded runs hang on them, and math/rand/v2 promises its sources alone.

// drawSeed takes one draw from the generator of tensor.Seed.
func drawSeed() (seed uint64) {
	tensor.Draw(func(r *rand.Rand) { seed = r.Uint64() })
	return seed
}

// A bits64 is a source of random bits: a *rand.PCG or a *rand.Rand.
type bits64 interface{ Uint64() uint64 }

// permutation is Fisher and Yates's shuffle of 0 … n-1.
func permutation(n int, source bits64) []int {
	p := make([]int, n)
	for i := range p {
		j := below(source, i+1)
		p[i] = p[j]
		p[j] = i
	}
	return p
}

// below returns a number from 0 up to, but without, n, uniform up to a bias of n·2^-64.
func below(source bits64, n int) int {
	j, _ := bits.Mul64(source.Uint64(), uint64(n))
	return int(j)
}

// uniform returns a number from 0 up to, but without, 1.
func uniform(source bits64) float64 { return float64(source.Uint64()>>11) * 0x1p-53 }

// normals returns n numbers with mean 0 and deviation 1, by the method of Box and Muller.
func normals(source bits64, n int) []float32 {
	out := make([]float32, n)
	for i := 0; i < n; i += 2 {
		radius := math.Sqrt(-2 * math.Log(1-uniform(source)))
		sin, cos := math.Sincos(2 * math.Pi * uniform(source))
		out[i] = float32(radius * cos)
		if i+1 < n {
			out[i+1] = float32(radius * sin)
		}
	}
	return out
}
