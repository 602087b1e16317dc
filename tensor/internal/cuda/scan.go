//go:build cuda

package cuda

import (
	"math"

	"halfnote/tensor/internal/device"
)

// This file implements device.Reductions' Scan.

type scanArgs struct {
	Out, A, B    array
	Start        float64
	Whole        int64
	Count        int64
	By           [3]int64
	Reverse, Lag int32
	Each         int64
	Parts        uint64
	Pieces       int32
	Phase        int32
	Rows         walk
}

var (
	scanRows   = newKernels[scanArgs]("scan", "scan_rows", device.Float64, device.Int64)
	scanBlocks = newKernels[scanArgs]("scan", "scan_block", device.Float64, device.Int64)
)

// Scan implements device.Reductions. Its grid has a thread for each row where rows are short, or many,
// and otherwise a block.
func (b *Backend) Scan(out, x, y *device.Array, axis int, c device.ScanConfig) {
	if out.Numel() == 0 {
		return
	}
	args := scanArgs{Out: arrayOf(out), A: arrayOf(x), B: arrayOf(y), Start: c.Start, Count: int64(out.Shape[axis])}
	if !math.IsNaN(c.Start) {
		args.Whole = int64(c.Start)
	}
	if c.Reverse {
		args.Reverse = 1
	}
	if c.Lag {
		args.Lag = 1
	}
	rows := func(d int) bool { return d != axis }
	all := [3]*device.Array{out, x, y}
	for i, a := range all {
		if a == nil {
			a = out // whose place is looked up, but not read
		}
		args.By[i] = int64(a.Strides[axis])
		all[i] = only(a, rows)
	}
	args.Rows = newWalk(all[:]...)
	in := device.Float64
	if out.DType.ComputeIn() == device.Int64 {
		in = device.Int64
	}
	const short, many = 16, 1 << 14
	n := int(args.Rows.Total)
	if args.Count <= short || n >= many && args.Rows.columns(0) {
		scanRows[in].launch(b, b.linear(n, 1), args, out, x, y)
		return
	}
	cut := partition{team: blockTeam, rows: n, pieces: 1, each: out.Shape[axis]}
	if x == nil || in == device.Int64 {
		cut.split()
	}
	args.Each, args.Pieces = int64(cut.each), int32(cut.pieces)
	if cut.pieces == 1 {
		scanBlocks[in].launch(b, b.grid(cut), args, out, x, y)
		return
	}
	parts := b.dense(in, n, cut.pieces, 2)
	defer b.release(parts)
	args.Parts, args.Phase = address(parts), 1
	scanBlocks[in].launch(b, b.grid(cut), args, x, y, parts)
	args.Phase = 2
	scanBlocks[in].launch(b, b.grid(cut), args, out, x, y, parts)
}

// split cuts a few long rows of a scan into pieces.
func (p *partition) split() {
	const least, busy, most = 4096, 512, 256 // elements of a piece, blocks, and pieces of a row
	if n := min(p.each/least, busy/p.rows, most); n > 1 {
		count := p.each
		p.each = (count/n + threads) / threads * threads
		p.pieces = (count + p.each - 1) / p.each
	}
}
