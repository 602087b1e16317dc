//go:build cuda

package cuda

import (
	"math"

	"halfnote/tensor/internal/device"
)

// This file implements device.Reductions' folds; scan.go and sort.go have the other two.

type reduceArgs struct {
	Out, X        array
	P             float64
	Count, Each   int64
	Parts         uint64
	Op            int32
	Map           reduceMap
	Best          int32 // 1 where the largest is looked for, -1 where the smallest
	Team          team
	Pieces        int32
	Vectors       int32
	Kept, Reduced walk
}

// A reduceMap is what is made of elements before they are added: Map in kernels/reduce.cu.
type reduceMap int32

const (
	addNothing reduceMap = iota
	addSame
	addNonzero
	addZero
	addSize
	addSquare
	addPower
	addExp
)

// recipe says how an op folds.
func (a *reduceArgs) recipe(op device.ReduceOp, p float64, squares bool) {
	a.Op, a.P, a.Map = int32(op), p, addSame
	switch op {
	case device.Any:
		a.Map = addNonzero
	case device.All:
		a.Map = addZero
	case device.Max, device.ArgMax:
		a.Map, a.Best = addNothing, 1
	case device.Min, device.ArgMin:
		a.Map, a.Best = addNothing, -1
	case device.Var:
		a.Map = addSquare
	case device.LogSumExp:
		a.Map, a.Best = addExp, 1
	case device.PNorm:
		switch {
		case p == 0:
			a.Map = addNonzero
		case p == 1:
			a.Map = addSize
		case p == 2 && squares:
			a.Map = addSquare
		default:
			a.Map, a.Best = addPower, 1
			if p < 0 {
				a.Best = -1
			}
			if math.IsInf(p, 0) {
				a.Map = addNothing
			}
		}
	}
}

var (
	reduces        = newKernels[reduceArgs]("reduce", "reduce", device.Float64, device.Float32, device.Float16, device.BFloat16, device.Int64)
	reduceFinishes = newKernels[reduceArgs]("reduce", "reduce_finish", device.Float64, device.Int64)
)

// Reduce implements device.Reductions. Its grid has a team for each row and piece.
func (b *Backend) Reduce(op device.ReduceOp, out, x *device.Array, p float64) {
	outputs := out.Numel()
	if outputs == 0 {
		return
	}
	reduced := func(d int) bool { return out.Shape[d] == 1 && x.Shape[d] != 1 }
	a := reduceArgs{Out: arrayOf(out), X: arrayOf(x),
		Kept:    newWalk(out, only(x, func(d int) bool { return !reduced(d) })),
		Reduced: newWalk(only(x, reduced))}
	a.Count = a.Reduced.Total
	if b.sumColumns(op, out, x, &a.Kept, &a.Reduced) {
		return
	}
	cut := newPartition(outputs, int(a.Count), a.Count > 1 && a.Kept.columns(1))
	a.Each, a.Team, a.Pieces = int64(cut.each), cut.team, int32(cut.pieces)
	in := reduceIn(op, out, x, p) // no square of what is less than float64 overflows
	a.recipe(op, p, in != device.Float64)
	if in.ComputeIn() == device.Float32 && (a.Reduced.Dims > 2 || a.Count >= 1<<31) {
		in = device.Float64 // whose kernel goes along any dimensions
	}
	if in.ComputeIn() == device.Float32 {
		a.Vectors = vectors(&a.Kept, &a.Reduced, x)
	}
	kept := device.Float64
	if in == device.Int64 {
		kept = in
	}
	if cut.pieces == 1 {
		reduces[in].launch(b, b.grid(cut), a, out, x)
		return
	}
	parts := b.dense(kept, outputs, cut.pieces, 2)
	a.Parts = address(parts)
	reduces[in].launch(b, b.grid(cut), a, x, parts)
	reduceFinishes[kept].launch(b, b.grid(partition{team: warpTeam, rows: outputs, pieces: 1}), a, out, parts)
	b.release(parts)
}

// reduceIn returns the type of the kernel for a fold: that of x where the fold is a usual one, or
// what any type is computed in.
func reduceIn(op device.ReduceOp, out, x *device.Array, p float64) device.DType {
	if x.DType.ComputeIn() == device.Int64 && out.DType.ComputeIn() == device.Int64 {
		return device.Int64
	}
	switch op {
	case device.Prod, device.Any, device.All, device.LogSumExp:
		return device.Float64
	case device.PNorm:
		if p != 2 {
			return device.Float64
		}
	}
	if x.DType.ComputeIn() == device.Float32 {
		return x.DType
	}
	return device.Float64
}

// vectors reports, as 1, whether the elements of a row lie one after another, and rows begin where
// vectors of 16 bytes do.
func vectors(kept, reduced *walk, x *device.Array) int32 {
	if reduced.Dims == 1 && reduced.Stride[0][0] == 1 && packs(x, 0) && kept.packs(1, x) {
		return 1
	}
	return 0
}
