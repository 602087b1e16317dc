//go:build cuda

package cuda

import (
	"slices"

	"halfnote/tensor/internal/device"
)

// maxMany is how many arrays a launch goes through: MaxMany in kernels/gradient.cu.
const maxMany = 128

// manyPiece is how many elements of an array a block takes at a time: Piece in kernels/gradient.cu.
const manyPiece = 8192

// A member is one of many arrays.
type member struct {
	Data  uint64
	N     int64
	First uint32 // number of its first piece
	DType int32
}

// many are the arrays of one launch, and their pieces.
type many struct {
	Count  int32
	Pieces uint32
	Part   [maxMany]member
}

// batches yields arrays whose elements lie without gaps, as many as a launch takes, by the place of the
// first one. Those that are empty have no pieces.
func batches(xs []*device.Array) func(yield func(at int, m *many) bool) {
	return func(yield func(at int, m *many) bool) {
		at := 0
		for some := range slices.Chunk(xs, maxMany) {
			m := many{Count: int32(len(some))}
			for i, x := range some {
				n := x.Numel()
				m.Part[i] = member{First: m.Pieces, N: int64(n), DType: int32(x.DType)}
				if n > 0 {
					m.Part[i].Data = address(x)
				}
				m.Pieces += uint32((n + manyPiece - 1) / manyPiece)
			}
			if m.Pieces > 0 && !yield(at, &m) {
				return
			}
			at += len(some)
		}
	}
}

// with returns the arrays of m, which begin at xs[at], and others that a launch uses.
func (m *many) with(xs []*device.Array, at int, others ...*device.Array) []*device.Array {
	return append(slices.Clone(xs[at:at+int(m.Count)]), others...)
}

// pieces returns a grid whose blocks take so many pieces in turn.
func (b *Backend) pieces(n uint32) grid {
	return grid{Blocks: [3]int{min(int(n), resident*b.gpu.processors)}, Threads: [3]int{threads}}
}

// packed returns arrays with the elements of xs that lie without gaps: xs themselves in most cases,
// else copies, which done writes back where changed, and gives away.
func (b *Backend) packed(xs []*device.Array, changed bool) (all []*device.Array, done func()) {
	all = xs
	for i, x := range xs {
		if x.Numel() == 0 || gapless(x) {
			continue
		}
		if &all[0] == &xs[0] {
			all = slices.Clone(xs)
		}
		all[i] = b.dense(x.DType, x.Shape...)
		b.Copy(all[i], x)
	}
	return all, func() {
		for i, x := range xs {
			if x == all[i] {
				continue
			}
			if changed {
				b.Copy(x, all[i])
			}
			b.release(all[i])
		}
	}
}

// gapless reports whether a's elements lie one after another, in any order of the dimensions.
func gapless(a *device.Array) bool {
	var order [device.MaxDims]int
	dims := order[:0]
	for d, size := range a.Shape {
		if size != 1 {
			dims = append(dims, d)
		}
	}
	slices.SortFunc(dims, func(i, j int) int { return a.Strides[i] - a.Strides[j] })
	want := 1
	for _, d := range dims {
		if a.Strides[d] != want {
			return false
		}
		want *= a.Shape[d]
	}
	return true
}
