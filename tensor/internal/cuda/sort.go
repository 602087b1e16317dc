//go:build cuda

package cuda

import (
	"math"
	"math/bits"

	"halfnote/tensor/internal/device"
)

// This file implements device.Reductions' Argsort.

type sortArgs struct {
	Out, X            array
	Count, OutBy, XBy int64
	Segment, Run      int64
	From, To          uint64
	Descending        int32
	_                 int32
	Rows              walk
}

// A sorter has the kernels for items of so many bytes.
type sorter struct {
	tiles, merge *kernel[sortArgs]
	bytes        int
}

var (
	narrowSorter = sorter{newKernel[sortArgs]("sort", "sort_tiles_narrow"), newKernel[sortArgs]("sort", "sort_merge_narrow"), 8}
	wideSorter   = sorter{newKernel[sortArgs]("sort", "sort_tiles_wide"), newKernel[sortArgs]("sort", "sort_merge_wide"), 16}
)

const sortTile = 16384 // bytes of items that a block sorts

// Argsort implements device.Reductions. Its grids have a block for each tile, and then a thread for each
// element.
func (b *Backend) Argsort(out, x *device.Array, axis int, descending bool) {
	all := out.Numel()
	if all == 0 {
		return
	}
	n := x.Shape[axis]
	s := narrowSorter
	if x.DType == device.Float64 || x.DType == device.Int64 || n >= math.MaxUint32 {
		s = wideSorter
	}
	rows := func(d int) bool { return d != axis }
	args := sortArgs{Out: arrayOf(out), X: arrayOf(x), Count: int64(n), OutBy: int64(out.Strides[axis]),
		XBy: int64(x.Strides[axis]), Rows: newWalk(only(out, rows), only(x, rows))}
	if descending {
		args.Descending = 1
	}
	tile := sortTile / s.bytes
	segment := min(tile, 1<<bits.Len(uint(n-1)))
	args.Segment = int64(segment)
	segments := int(args.Rows.Total) * ((n + segment - 1) / segment)
	g := grid{Blocks: [3]int{min((segments*segment+tile-1)/tile, 8*b.gpu.processors)}, Threads: [3]int{threads}}
	if n <= tile {
		s.tiles.launch(b, g, args, out, x)
		return
	}
	from, to := b.dense(device.Int64, all, s.bytes/8), b.dense(device.Int64, all, s.bytes/8)
	args.To = address(to)
	s.tiles.launch(b, g, args, x, to)
	for run := tile; run < n; run *= 2 {
		from, to = to, from
		args.From, args.To, args.Run = address(from), address(to), int64(run)
		if 2*run >= n {
			args.To = 0
		}
		s.merge.launch(b, b.linear(all, 1), args, out, from, to)
	}
	b.release(from)
	b.release(to)
}
