package data

import (
	"fmt"
	"iter"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"halfnote/tensor"
)

// A Dataset is a set of labelled pictures: float32 pixels from 0 to 1 and int64 labels.
// It is never written to after it was made, so several goroutines may read it at once.
type Dataset struct {
	name          string
	width, height int
	pixels        []float32 // [n, width·height], row-major
	labels        []int64   // [n]

	order atomic.Pointer[order] // nil: tensor's generator
}

// An order is a data set's own source of permutations.
type order struct {
	seed   uint64
	passes atomic.Uint64
}

// Len returns the number of samples.
func (d *Dataset) Len() int { return len(d.labels) }

// Tensors returns all samples in their fixed order: x float32 [n, pixels] and y int64 [n].
// Both are copies, so writing to them leaves the data set as it is.
func (d *Dataset) Tensors() (x, y *tensor.Tensor) {
	return d.rows(nil)
}

// Batches returns a sequence of batches of n samples: x float32 [n, pixels] and y int64 [n].
// Every sample comes once in each pass; the last batch is shorter when n does not divide
// [Dataset.Len]. The order is drawn anew whenever a pass begins, see [Dataset.Seed]. Each batch is
// new memory.
// It panics with a [*tensor.Error] if n is less than 1.
func (d *Dataset) Batches(n int) iter.Seq2[*tensor.Tensor, *tensor.Tensor] {
	if n < 1 {
		panic(&tensor.Error{Op: "batches", Msg: fmt.Sprintf("size %d: must be at least 1", n)})
	}
	return func(yield func(x, y *tensor.Tensor) bool) {
		for rows := range slices.Chunk(d.permutation(), n) {
			if !yield(d.rows(rows)) {
				return
			}
		}
	}
}

// Seed gives the data set an order of its own: after equal seeds follow equal passes, whatever else
// is drawn. Without it every pass takes one draw from the generator of [tensor.Seed].
func (d *Dataset) Seed(n uint64) { d.order.Store(&order{seed: n}) }

// String names the data set and its tensors.
func (d *Dataset) String() string {
	return fmt.Sprintf("%s: %d samples, x float32 [%d %d], y int64 [%d]",
		d.name, d.Len(), d.Len(), d.width*d.height, d.Len())
}

// rows copies the given samples, or all of them in order if rows is nil.
func (d *Dataset) rows(rows []int) (x, y *tensor.Tensor) {
	size := d.width * d.height
	pixels, labels := slices.Clone(d.pixels), slices.Clone(d.labels)
	if rows != nil {
		pixels, labels = make([]float32, 0, len(rows)*size), make([]int64, 0, len(rows))
		for _, r := range rows {
			pixels = append(pixels, d.pixels[r*size:(r+1)*size]...)
			labels = append(labels, d.labels[r])
		}
	}
	return tensor.FromFloat32(pixels, len(labels), size), tensor.FromInt64(labels, len(labels))
}

// permutation draws the order of the next pass.
func (d *Dataset) permutation() []int {
	if o := d.order.Load(); o != nil {
		return permutation(d.Len(), rand.NewPCG(o.seed, o.passes.Add(1)))
	}
	var seed uint64
	tensor.Draw(func(r *rand.Rand) { seed = r.Uint64() })
	return permutation(d.Len(), rand.NewPCG(seed, 0))
}

// permutation is Fisher and Yates's shuffle of 0 … n-1. It is written out because the fixed split
// and all recorded runs hang on its result, and math/rand/v2 promises its sources alone.
func permutation(n int, source *rand.PCG) []int {
	p := make([]int, n)
	for i := range p {
		j, _ := bits.Mul64(source.Uint64(), uint64(i+1)) // uniform in 0 … i up to a bias of 2^-53
		p[i] = p[j]
		p[j] = i
	}
	return p
}
