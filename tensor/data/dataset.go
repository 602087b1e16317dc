package data

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"halfnote/tensor"
)

// A Dataset is a set of samples: inputs x and labels or targets y, each of any shape and dtype. It
// is never written to after it was made, so several goroutines may read it at once. It keeps its
// samples on the CPU.
type Dataset struct {
	name     string
	x, y     column
	rows     []int // which samples of the columns are its own, in order
	classes  []string
	features []string
	picture  picture

	order atomic.Pointer[order] // nil: tensor's generator
}

// An order is a data set's own source of permutations.
type order struct {
	seed   uint64
	passes atomic.Uint64
}

// New returns a data set of copies of the samples in x [n, …] and y [n, …], as TensorDataset does:
// y is usually int64 [n], the labels, or float [n, …], the targets. Samples of shape [height,
// width], [1, height, width] or [3, height, width] show as pictures.
// It panics with a [*tensor.Error] if x and y have not the same number of samples.
func New(x, y *tensor.Tensor) *Dataset {
	switch {
	case x == nil || y == nil:
		fail("data.new", "x and y are needed, and one is nil")
	case x.Dim() == 0 || y.Dim() == 0:
		fail("data.new", "shapes %v and %v: the first dimension numbers the samples",
			x.Shape(), y.Shape())
	case x.Size(0) != y.Size(0):
		fail("data.new", "shapes %v and %v: %d inputs and %d labels",
			x.Shape(), y.Shape(), x.Size(0), y.Size(0))
	}
	return newDataset("data", columnOf(x), columnOf(y), x.Size(0))
}

// newDataset returns the data set of the first n samples of both columns.
func newDataset(name string, x, y column, n int) *Dataset {
	return &Dataset{name: name, x: x, y: y, rows: upTo(n), picture: pictureOf(x.shape)}
}

// Named returns the data set under another name, and with the names of the classes 0, 1, … where
// they are given. The order of passes is that of a new data set, see [Dataset.Seed].
func (d *Dataset) Named(name string, classes ...string) *Dataset {
	named := d.like(name)
	if len(classes) > 0 {
		named.classes = slices.Clone(classes)
	}
	return named
}

// like returns a data set of the same samples, with an order of its own.
func (d *Dataset) like(name string) *Dataset {
	return &Dataset{
		name: name, x: d.x, y: d.y, rows: d.rows, classes: d.classes, features: d.features,
		picture: d.picture,
	}
}

// Len returns the number of samples.
func (d *Dataset) Len() int { return len(d.rows) }

// Classes returns the names of the classes 0, 1, …, or nil where they have none.
func (d *Dataset) Classes() []string { return slices.Clone(d.classes) }

// Features returns the names of the columns of x, for a table that named them, or nil.
func (d *Dataset) Features() []string { return slices.Clone(d.features) }

// Tensors returns all samples in their fixed order: x [n, …] and y [n, …], for [Digits] float32
// [n, 64] and int64 [n]. Both are copies, so writing to them leaves the data set as it is.
func (d *Dataset) Tensors() (x, y *tensor.Tensor) { return d.take(d.rows) }

// At returns copies of the samples with the given numbers: x [len(rows), …] and y [len(rows), …].
// It panics with a [*tensor.Error] where there is no sample of a number.
func (d *Dataset) At(rows ...int) (x, y *tensor.Tensor) {
	for _, r := range rows {
		if r < 0 || r >= d.Len() {
			fail("at", "sample %d: there are %d, numbered from 0", r, d.Len())
		}
	}
	return d.at(rows)
}

// at returns the samples of which the numbers in d are known to be right.
func (d *Dataset) at(rows []int) (x, y *tensor.Tensor) {
	own := make([]int, len(rows))
	for i, r := range rows {
		own[i] = d.rows[r]
	}
	return d.take(own)
}

// take returns samples by their numbers in the columns.
func (d *Dataset) take(rows []int) (x, y *tensor.Tensor) { return d.x.batch(rows), d.y.batch(rows) }

// Batches returns a sequence of batches of n samples: x [n, …] and y [n, …].
// Every sample comes once in each pass; the last batch is shorter when n does not divide
// [Dataset.Len]. The order is drawn anew whenever a pass begins, see [Dataset.Seed]. Each batch is
// new memory. A [Loader] does more: it makes batches ahead, transforms them and can be resumed.
// It panics with a [*tensor.Error] if n is less than 1.
func (d *Dataset) Batches(n int) iter.Seq2[*tensor.Tensor, *tensor.Tensor] {
	if n < 1 {
		fail("batches", "size %d: must be at least 1", n)
	}
	return func(yield func(x, y *tensor.Tensor) bool) {
		for rows := range slices.Chunk(d.permutation(), n) {
			if !yield(d.at(rows)) {
				return
			}
		}
	}
}

// Seed gives the data set an order of its own: after equal seeds follow equal passes, whatever else
// is drawn. Without it every pass takes one draw from the generator of [tensor.Seed].
func (d *Dataset) Seed(n uint64) { d.order.Store(&order{seed: n}) }

// permutation draws the order of the next pass.
func (d *Dataset) permutation() []int {
	if o := d.order.Load(); o != nil {
		return passOrder(d.Len(), o.seed, o.passes.Add(1))
	}
	return passOrder(d.Len(), drawSeed(), 0)
}

// passOrder is the order of the pass of a number, from 1 on, after a seed.
func passOrder(n int, seed, pass uint64) []int { return permutation(n, rand.NewPCG(seed, pass)) }

// String names the data set and its tensors.
func (d *Dataset) String() string {
	return fmt.Sprintf("%s: %d samples, x %s %v, y %s %v", d.name, d.Len(),
		d.x.dtype(), shaped(d.Len(), d.x.shape), d.y.dtype(), shaped(d.Len(), d.y.shape))
}
