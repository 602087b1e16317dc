package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"halfnote/tensor"
)

// This file implements the data sets that are made of others. They share the samples' memory, but
// not the order of passes: where it should be repeated, call Seed on the new set.

// Subset returns the samples from one number up to, but without, another.
// It panics with a [*tensor.Error] where the range is not within the data set.
func (d *Dataset) Subset(from, to int) *Dataset {
	if from < 0 || to < from || to > d.Len() {
		fail("subset", "range %d to %d: there are %d samples, numbered from 0", from, to, d.Len())
	}
	return d.part(d.rows[from:to])
}

// Take returns the first n samples, or all where there are fewer.
func (d *Dataset) Take(n int) *Dataset { return d.Subset(0, min(max(0, n), d.Len())) }

// Split shuffles the samples and cuts them in two, the first part of which is the given fraction of
// all. The same seed gives the same parts. Split one part again to have three.
//
//	train, valid := d.Split(0.9, 1)
//
// It panics with a [*tensor.Error] where the fraction is not within 0 and 1.
func (d *Dataset) Split(fraction float64, seed uint64) (first, second *Dataset) {
	if !(fraction >= 0 && fraction <= 1) {
		fail("split", "fraction %v: must be from 0 to 1", fraction)
	}
	rows := make([]int, d.Len())
	for i, r := range permutation(d.Len(), rand.NewPCG(seed, 0)) {
		rows[i] = d.rows[r]
	}
	cut := int(math.Round(fraction * float64(d.Len())))
	return d.part(rows[:cut]), d.part(rows[cut:])
}

// part returns the data set of some of the columns' samples.
func (d *Dataset) part(rows []int) *Dataset {
	p := d.like(fmt.Sprintf("%s, %d of %d", d.name, len(rows), d.Len()))
	p.rows = slices.Clip(rows)
	return p
}

// Reshape returns the same samples with x of another shape, that of one sample: after
// train.Reshape(1, 28, 28) a batch is [n, 1, 28, 28]. One size may be -1, which is then computed.
// It panics with a [*tensor.Error] where the number of elements is another.
func (d *Dataset) Reshape(shape ...int) *Dataset {
	r := d.like(d.name)
	r.x.shape = sampleShape("reshape", d.x.shape, shape)
	if p := pictureOf(r.x.shape); p.width > 0 {
		r.picture = p
	}
	return r
}

// sampleShape returns the shape wanted for samples of the shape given, its -1 filled in.
func sampleShape(op string, given, wanted []int) []int {
	shape, n, free := slices.Clone(wanted), 1, -1
	for i, s := range shape {
		switch {
		case s >= 0:
			n *= s
		case s == -1 && free < 0:
			free = i
		default:
			fail(op, "sample shape %v has a negative size", wanted)
		}
	}
	size := numel(given)
	if free >= 0 && n > 0 && size%n == 0 {
		shape[free], n = size/n, size
	} else if free >= 0 {
		n = -1
	}
	if n != size {
		fail(op, "samples of shape %v have %d elements, which do not fill %v", given, size, wanted)
	}
	return shape
}

// Map returns a data set of all samples as transforms leave them, one after the other. What they
// draw comes from one draw of the generator of [tensor.Seed], taken only if a transform draws, and
// is the same in every pass; to draw anew each time give the transforms to a [Loader].
func (d *Dataset) Map(transforms ...Transform) *Dataset {
	x, y := d.Tensors()
	r := rand.New(&lazySource{})
	tensor.NoGrad(func() { x, y = Compose(transforms...)(x, y, r) })
	m := New(x, y)
	m.name, m.classes = d.name, d.classes
	if slices.Equal(m.x.shape, d.x.shape) {
		m.features = d.features
	}
	if m.picture.width == 0 && m.x.size() == d.x.size() {
		m.picture = d.picture
	}
	return m
}

// A lazySource is a source that takes its seed from tensor's generator when it is first used.
type lazySource struct{ *rand.PCG }

func (s *lazySource) Uint64() uint64 {
	if s.PCG == nil {
		s.PCG = rand.NewPCG(drawSeed(), 0)
	}
	return s.PCG.Uint64()
}
