//go:build cuda

package cuda

import (
	"math"
	"slices"

	"halfnote/tensor/internal/device"
)

type (
	unscaleArgs struct {
		Counts, Found, Scale uint64
		Inv                  float32
		_                    int32
		Xs                   many
	}
	togetherArgs struct {
		Parts uint64
		Kind  int32
		_     int32
		Xs    many
	}
	togetherAllArgs struct {
		Out, Parts uint64
		Pieces     int64
		Kind       int32
		_          int32
	}
	clipArgs struct {
		Norm uint64
		Most float64
		Xs   many
	}
	statsArgs struct {
		Out, Parts, By uint64
		Scale          float64
		Xs             many
	}
	adaptArgs struct {
		Scale, Track                 uint64
		Growth, Backoff, Least, Most float64
		Interval, Hysteresis         int64
		Count                        int64
		Found                        [maxFound]uint64
	}
)

const maxFound = 256 // MaxFound in kernels/gradient.cu

var (
	unscales   = newKernel[unscaleArgs]("gradient", "unscale")
	normParts  = newKernel[togetherArgs]("gradient", "norm_parts")
	normAll    = newKernel[togetherAllArgs]("gradient", "norm_all")
	clips      = newKernel[clipArgs]("gradient", "clip")
	statsParts = newKernel[statsArgs]("gradient", "stats_parts")
	statsAll   = newKernel[statsArgs]("gradient", "stats_all")
	adapts     = newKernel[adaptArgs]("gradient", "adapt")
)

// optional is the address of an array that may be nil.
func optional(a *device.Array) uint64 {
	if a == nil {
		return 0
	}
	return address(a)
}

// Unscale implements device.Gradients, with a block for each piece of the gradients.
func (b *Backend) Unscale(xs []*device.Array, counts, found *device.Array, inv float32, scale *device.Array) {
	all, done := b.packed(xs, true)
	for at, m := range batches(all) {
		args := unscaleArgs{Counts: address(counts) + uint64(16*at), Found: optional(found),
			Scale: optional(scale), Inv: inv, Xs: *m}
		unscales.launch(b, b.pieces(m.Pieces), args, m.with(all, at, counts, found, scale)...)
	}
	done()
}

// Norm implements device.Gradients: the sums of the pieces with a block for each, and then their sum
// with one block. Powers that few ask for are those of Reduce.
func (b *Backend) Norm(out *device.Array, xs []*device.Array, p float64) {
	kind := slices.Index([]float64{1, 2, math.Inf(1)}, p)
	if kind < 0 {
		b.normByReduce(out, xs, p)
		return
	}
	all, done := b.packed(xs, false)
	defer done()
	pieces := 0
	for _, x := range all {
		pieces += (x.Numel() + manyPiece - 1) / manyPiece
	}
	sums := b.dense(device.Float64, max(pieces, 1), 3)
	defer b.release(sums)
	before := 0
	for at, m := range batches(all) {
		args := togetherArgs{Parts: address(sums) + uint64(24*before), Kind: int32(kind), Xs: *m}
		normParts.launch(b, b.pieces(m.Pieces), args, m.with(all, at, sums)...)
		before += int(m.Pieces)
	}
	args := togetherAllArgs{Out: address(out), Parts: address(sums), Pieces: int64(pieces), Kind: int32(kind)}
	normAll.launch(b, grid{Blocks: [3]int{1}, Threads: [3]int{threads}}, args, out, sums)
}

func (b *Backend) normByReduce(out *device.Array, xs []*device.Array, p float64) {
	norms := b.dense(device.Float64, len(xs))
	defer b.release(norms)
	n := 0
	for _, x := range xs {
		if x.Numel() > 0 { // of no elements some norms are infinite
			b.Reduce(device.PNorm, element(norms, n, len(x.Shape)), x, p)
			n++
		}
	}
	norms.Shape[0] = n
	b.Reduce(device.PNorm, element(out, 0, 1), norms, p)
	norms.Shape[0] = len(xs)
}

// element returns element i of a as an array of so many dimensions.
func element(a *device.Array, i, dims int) *device.Array {
	ones := slices.Repeat([]int{1}, dims)
	return &device.Array{Data: a.Data, DType: a.DType, Offset: a.Offset + i, Shape: ones, Strides: ones}
}

// Clip implements device.Gradients, with a block for each piece of the gradients.
func (b *Backend) Clip(xs []*device.Array, norm *device.Array, most float64) {
	all, done := b.packed(xs, true)
	for at, m := range batches(all) {
		clips.launch(b, b.pieces(m.Pieces), clipArgs{Norm: address(norm), Most: most, Xs: *m},
			m.with(all, at, norm)...)
	}
	done()
}

// Stats implements device.Gradients: those of the pieces with a block for each, and those of the
// arrays with a block for each.
func (b *Backend) Stats(out *device.Array, xs []*device.Array, scale float64, by *device.Array) {
	all, done := b.packed(xs, false)
	defer done()
	if len(xs) > 0 {
		b.check(b.gpu.set(b.stream, address(out), 0, 8*device.StatsLen*len(xs)), "cannot clear memory")
	}
	for at, m := range batches(all) {
		sums := b.dense(device.Float64, int(m.Pieces), device.StatsLen)
		args := statsArgs{Out: address(out) + uint64(8*device.StatsLen*at), Parts: address(sums),
			By: optional(by), Scale: scale, Xs: *m}
		arrays := m.with(all, at, out, sums, by)
		statsParts.launch(b, b.pieces(m.Pieces), args, arrays...)
		statsAll.launch(b, grid{Blocks: [3]int{int(m.Count)}, Threads: [3]int{threads}}, args, arrays...)
		b.release(sums)
	}
}

// Adapt implements device.Gradients, with one thread.
func (b *Backend) Adapt(scale, track *device.Array, found []*device.Array, s device.Scaling) {
	if len(found) > maxFound {
		b.fail("the gradients of %d optimizers between two updates: at most %d", len(found), maxFound)
	}
	args := adaptArgs{Scale: address(scale), Track: address(track), Growth: s.Growth, Backoff: s.Backoff,
		Least: s.Least, Most: s.Most, Interval: int64(s.Interval), Hysteresis: int64(s.Hysteresis),
		Count: int64(len(found))}
	for i, f := range found {
		args.Found[i] = address(f)
	}
	adapts.launch(b, grid{Blocks: [3]int{1}, Threads: [3]int{1}}, args, append(slices.Clone(found), scale, track)...)
}
