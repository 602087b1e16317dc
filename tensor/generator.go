package tensor

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"halfnote/tensor/internal/cpu"
	"halfnote/tensor/internal/device"
)

// A Generator draws random numbers. They depend on its seed and on how much was drawn from it
// before, and on nothing else: neither on the device, nor on how many cores compute, nor on the
// strides of the result. (Normal numbers go through a logarithm and a sine in float64, whose last
// bit is not the same on all processors.)
//
// It is Philox4x32-10 of Salmon, Moraes, Dror and Shaw ("Parallel random numbers: as easy as 1, 2,
// 3", 2011), a function of a key, which is the seed, and of a counter, which is the offset: a draw
// of n elements takes n/4 counts, or n/2 where an element needs 64 bits, rounded up. PyTorch uses
// the same function on GPUs, but lays the counter out otherwise, so its numbers are others.
//
// Many goroutines may draw from one Generator; which of them gets which numbers then depends on
// who comes first. A Generator is a [rand.Source] too.
type Generator struct {
	mu           sync.Mutex
	seed, offset uint64
}

// defaultSeed is where the default generator starts, so that a program repeats itself run by run.
const defaultSeed = 0

// generator is the default one. It is locked because every cell of a notebook runs on another
// goroutine.
var generator = NewGenerator(defaultSeed)

// NewGenerator returns a generator with that seed.
func NewGenerator(seed uint64) *Generator { return &Generator{seed: seed} }

// DefaultGenerator returns the generator that Rand, Randn, Dropout, the layers of package nn and
// all else draw from that is given no other.
func DefaultGenerator() *Generator { return generator }

// Seed restarts the default generator, so that what is drawn from it repeats.
func Seed(n uint64) { generator.Seed(n) }

// Seed restarts the generator, so that what is drawn from it repeats.
func (g *Generator) Seed(n uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seed, g.offset = n, 0
}

// Clone returns a generator that will draw the same numbers as g, independently of it.
func (g *Generator) Clone() *Generator {
	g.mu.Lock()
	defer g.mu.Unlock()
	return &Generator{seed: g.seed, offset: g.offset}
}

// String shows where the generator stands: Generator(seed 7, offset 12).
func (g *Generator) String() string {
	c := g.Clone()
	return fmt.Sprintf("Generator(seed %d, offset %d)", c.seed, c.offset)
}

// take advances the generator by that many blocks and returns where it stood, for numbers that the host
// draws. Inside of Checkpoint the place is noted, or is the one that was.
func (g *Generator) take(blocks uint64) (seed, offset uint64) {
	at := g.takeIn(nil, blocks)
	return at.seed, at.offset
}

// takeIn is take for a draw that a graph may record.
func (g *Generator) takeIn(graph *recording, blocks uint64) drawn {
	if l := current(); l != nil && l.draws != nil {
		return l.draws.take(g, blocks, graph)
	}
	return g.advanceIn(graph, blocks)
}

func (g *Generator) advanceIn(graph *recording, blocks uint64) drawn {
	if graph != nil {
		return graph.advance(g, blocks)
	}
	return g.advance(blocks)
}

func (g *Generator) advance(blocks uint64) drawn {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := drawn{seed: g.seed, offset: g.offset, blocks: blocks}
	g.offset += blocks
	return at
}

// draw completes d for the elements of t.
func (g *Generator) draw(d device.Draw, t *Tensor) device.Draw {
	at := g.takeIn(recordingOf(t.Device()), d.Kind.Blocks(t.arr.DType, t.Numel()))
	d.Seed, d.Counter, d.From = at.seed, at.offset, at.place.array()
	return d
}

// chosen returns the generator given as an optional argument, or the default one.
func chosen(op string, given []*Generator) *Generator {
	if g := one(op, given); g != nil {
		return g
	}
	return generator
}

// Uint64 draws 64 random bits. With it [rand.New] makes Go's own generator of a Generator, for
// distributions that are not here.
func (g *Generator) Uint64() uint64 {
	seed, offset := g.take(1)
	return cpu.Below(0, seed, offset, 0)
}

// Draw calls f with Go's random generator on top of the default one.
func Draw(f func(r *rand.Rand)) {
	checkFunction("draw", f != nil)
	f(rand.New(generator))
}

// Perm returns 0, 1, … n-1 in random order, each order equally likely; see [Generator.Randperm].
func (g *Generator) Perm(n int) []int {
	values := g.Randperm(n).Int64s()
	p := make([]int, n)
	for i, v := range values {
		p[i] = int(v)
	}
	return p
}

// The names in a generator's state dict.
const (
	stateSeed   = "seed"
	stateOffset = "offset"
)

// StateDict returns seed and offset as Int64 numbers, bit for bit, so that a file of tensors can
// hold them.
func (g *Generator) StateDict() map[string]*Tensor {
	c := g.Clone()
	return map[string]*Tensor{
		stateSeed: New(int64(c.seed)), stateOffset: New(int64(c.offset)),
	}
}

// LoadStateDict makes g go on where the one stood that state was taken of. An error names all that
// is missing, unexpected or not one Int64 number, and leaves g as it is.
func (g *Generator) LoadStateDict(state map[string]*Tensor) error {
	var faults []string
	for _, name := range []string{stateSeed, stateOffset} {
		switch t := state[name]; {
		case t == nil:
			faults = append(faults, name+" is missing")
		case t.DType() != Int64 || t.Numel() != 1:
			faults = append(faults, fmt.Sprintf("%s is %s of shape %v, not one int64",
				name, t.DType(), t.Shape()))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(state)) {
		if name != stateSeed && name != stateOffset {
			faults = append(faults, name+" is not a generator's")
		}
	}
	if faults != nil {
		return fmt.Errorf("generator: load state dict: %s", strings.Join(faults, "; "))
	}
	seed, offset := uint64(state[stateSeed].Int64s()[0]), uint64(state[stateOffset].Int64s()[0])
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seed, g.offset = seed, offset
	return nil
}
