package tensor

import (
	"math/rand/v2"
	"sync"
)

// defaultSeed is where the default generator starts, so that a program repeats itself run by run.
const defaultSeed = 0

// generator is the one random generator that Rand, Randn and the packages above draw from. It is
// locked because every cell of a notebook runs on another goroutine.
var generator struct {
	sync.Mutex
	*rand.Rand
}

func init() { Seed(defaultSeed) }

// Seed restarts the default random generator, so that what is drawn from it repeats.
func Seed(n uint64) {
	generator.Lock()
	defer generator.Unlock()
	generator.Rand = rand.New(rand.NewPCG(n, 0x9e3779b97f4a7c15))
}

// Draw calls f with the default random generator, locked for as long. f must not call Seed, Rand,
// Randn or Draw.
func Draw(f func(r *rand.Rand)) {
	generator.Lock()
	defer generator.Unlock()
	f(generator.Rand)
}

// Rand returns Float32 numbers drawn evenly from 0 up to, but without, 1.
func Rand(shape ...int) *Tensor {
	return drawn("rand", shape, func(r *rand.Rand) float32 { return r.Float32() })
}

// Randn returns Float32 numbers drawn from the normal distribution with mean 0 and deviation 1.
func Randn(shape ...int) *Tensor {
	return drawn("randn", shape, func(r *rand.Rand) float32 { return float32(r.NormFloat64()) })
}

func drawn(op string, shape []int, next func(r *rand.Rand) float32) *Tensor {
	values := make([]float32, checkShape(op, shape))
	Draw(func(r *rand.Rand) {
		for i := range values {
			values[i] = next(r)
		}
	})
	return FromFloat32(values, shape...)
}
