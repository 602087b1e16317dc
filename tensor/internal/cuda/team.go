//go:build cuda

package cuda

import (
	"math"

	"halfnote/tensor/internal/device"
)

// A team is the threads that have one row of an op: see Team in kernels/reduce.cuh.
type team int32

const (
	warpTeam   team = iota // 8 rows a block
	blockTeam              // 1 row
	columnTeam             // 32 rows that are neighbours in memory
)

// A partition says how the rows of an op are cut up. It depends on the shapes alone, so that sums do
// not depend on the GPU.
type partition struct {
	team   team
	rows   int
	pieces int // of a row, each with a team of its own
	each   int // elements in a piece
}

// newPartition returns the one for rows of so many elements; columns says that neighbours in memory
// belong to different rows.
func newPartition(rows, count int, columns bool) partition {
	const (
		short = 512  // elements that a warp goes through alone,
		many  = 1024 // or four times as many where there are so many rows
		busy  = 1024 // blocks that keep a GPU busy
		least = 16   // elements that a thread should have before there are more pieces
	)
	p := partition{team: blockTeam, rows: rows, pieces: 1, each: max(count, 1)}
	threadsOfRow, blocks := threads, rows
	switch {
	case columns:
		p.team, threadsOfRow, blocks = columnTeam, threads/teamColumns, (rows+teamColumns-1)/teamColumns
	case count <= short, count <= 4*short && rows >= many:
		p.team = warpTeam
		return p
	}
	if most := min(count/(threadsOfRow*least), busy/max(blocks, 1)); most > 1 {
		p.each = (count + most - 1) / most
		p.each = (p.each + 7) / 8 * 8 // as vectors begin at multiples
		p.pieces = (count + p.each - 1) / p.each
	}
	return p
}

const teamColumns = 32

// whole is p with rows in one piece.
func (p partition) whole() partition {
	p.each *= p.pieces
	p.pieces = 1
	return p
}

// columns reports whether the last dimension of w, which goes through rows, is one of neighbours in
// the memory of array k.
func (w *walk) columns(k int) bool {
	last := w.Dims - 1
	return last >= 0 && w.Stride[k][last] == 1 && w.Size[last] >= teamColumns/2
}

// grid has a team for each row and piece, or goes through the rows in strides.
func (b *Backend) grid(p partition) grid {
	if p.rows > math.MaxUint32 || p.each >= 1<<31 {
		b.fail("%d rows of %d elements: kernels number them with 32 bits", p.rows, p.each)
	}
	g := grid{Threads: [3]int{threads}}
	rows := 1
	switch p.team {
	case warpTeam:
		rows = threads / 32
	case columnTeam:
		rows, g.Threads = teamColumns, [3]int{teamColumns, threads / teamColumns}
	}
	blocks := (p.rows + rows - 1) / rows
	g.Blocks = [3]int{min(blocks, max(1, 16*b.gpu.processors/p.pieces)), p.pieces}
	return g
}

// only returns a with the dimensions that keep says, and the others as one element.
func only(a *device.Array, keep func(d int) bool) *device.Array {
	if a == nil {
		return nil
	}
	with := *a
	with.Shape = make([]int, len(a.Shape))
	for d, n := range a.Shape {
		if with.Shape[d] = 1; keep(d) {
			with.Shape[d] = n
		}
	}
	return &with
}

// packs reports whether a begins where vectors of 16 bytes do, and n elements fill some.
func packs(a *device.Array, n int) bool {
	return address(a)%16 == 0 && n*a.DType.Size()%16 == 0
}

// packs reports whether w's steps in a, its array k, are of whole vectors.
func (w *walk) packs(k int, a *device.Array) bool {
	for d := range w.Dims {
		if int(w.Stride[k][d])*a.DType.Size()%16 != 0 {
			return false
		}
	}
	return true
}

// A typedKernels has the kernels of an op on rows: one for each of the types that its arrays mostly
// have, and one for any types, which computes in float64.
type typedKernels[A any] struct {
	typed kernelSet[A]
	any   *kernel[A]
}

func newTypedKernels[A any](file, name string) typedKernels[A] {
	return typedKernels[A]{newKernels[A](file, name, device.Float32, device.Float16, device.BFloat16),
		newKernel[A](file, name+"_any")}
}

// of returns the kernel for arrays.
func (k *typedKernels[A]) of(arrays ...*device.Array) *kernel[A] {
	for _, a := range arrays[1:] {
		if a.DType != arrays[0].DType {
			return k.any
		}
	}
	if own := k.typed[arrays[0].DType]; own != nil {
		return own
	}
	return k.any
}
