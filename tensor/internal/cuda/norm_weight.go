//go:build cuda

package cuda

import "halfnote/tensor/internal/device"

// This file implements the gradients of the weight and the bias of a normalisation.

type normScaleArgs struct {
	Scale, Variance array
	Eps             float64
	Walk            walk
}

type normWeightArgs struct {
	Dy, X, Mean, Scale, Dw, Db array
	Count, Each                int64
	Parts                      uint64
	Team                       team
	Pieces                     int32
	Kept, Reduced              walk
}

var (
	normScales       = newKernel[normScaleArgs]("norm_weight", "norm_scales")
	normWeights      = newTypedKernels[normWeightArgs]("norm_weight", "norm_weight")
	normWeightFinish = newKernel[normWeightArgs]("norm_weight", "norm_weight_finish")
)

// NormalizeWeightGrad implements device.Normalizations.
func (b *Backend) NormalizeWeightGrad(dw, db, dy, x, mean, variance *device.Array, n device.Norm) {
	of := dw
	if dw == nil {
		of = db
	}
	if of.Numel() == 0 || b.weightColumns(dw, db, dy, x, mean, variance, n) {
		return
	}
	if of.Shape[0]*of.Shape[2]*of.Shape[3]*x.Shape[0] == 1 && of.Shape[1] == x.Shape[1] && x.Numel() > 0 {
		b.weightRows(dw, db, dy, x, mean, variance, n)
		return
	}
	outs := [2]*device.Array{dw, db}
	for i, out := range outs {
		if out != nil && !out.Contiguous() {
			outs[i] = b.dense(out.DType, out.Shape...)
			defer b.release(outs[i])
		}
	}
	b.weightSums(of.Shape, outs[0], outs[1], dy, x, mean, variance, n)
	for i, out := range [2]*device.Array{dw, db} {
		if out != outs[i] {
			b.Copy(out, outs[i])
		}
	}
}

// weightSums computes dense gradients of a weight and bias of any shape. Its grid has a team for each
// element of the weight and piece of what that is summed from.
func (b *Backend) weightSums(of []int, dw, db, dy, x, mean, variance *device.Array, n device.Norm) {
	k := normWeights.of(x, dy)
	kept := func(d int) bool { return of[d] == dy.Shape[d] }
	reduced := func(d int) bool { return !kept(d) }
	rows := &device.Array{Shape: variance.Shape, Strides: rowMajor(variance.Shape)} // as scale will lie
	if mean == nil {
		mean = rows // whose place is looked up, but not read
	}
	over := newWalk(only(dy, reduced), only(x, reduced), only(mean, reduced), only(rows, reduced))
	if over.Dims > 2 || over.Total >= 1<<31 {
		k = normWeights.any
	}
	in := device.Float32
	if k == normWeights.any {
		in = device.Float64
	}
	scale := b.dense(in, variance.Shape...)
	defer b.release(scale)
	if dw != nil && scale.Numel() > 0 {
		args := normScaleArgs{arrayOf(scale), arrayOf(variance), n.Eps, newWalk(scale, variance)}
		normScales.launch(b, b.linear(scale.Numel(), 1), args, scale, variance)
	}
	a := normWeightArgs{Dy: arrayOf(dy), X: arrayOf(x), Scale: arrayOf(scale), Reduced: over,
		Kept: newWalk(only(dy, kept), only(x, kept), only(mean, kept), only(scale, kept))}
	if mean == rows {
		mean = nil
	}
	a.Mean = arrayOf(mean)
	a.Count = a.Reduced.Total
	cut := newPartition(int(a.Kept.Total), int(a.Count), a.Kept.columns(0))
	a.Each, a.Team, a.Pieces = int64(cut.each), cut.team, int32(cut.pieces)
	a.Dw, a.Db = arrayOf(dw), arrayOf(db)
	if cut.pieces == 1 {
		k.launch(b, b.grid(cut), a, dy, x, mean, scale, dw, db)
	} else {
		parts := b.dense(device.Float64, cut.pieces, cut.rows, 2)
		defer b.release(parts)
		a.Parts = address(parts)
		k.launch(b, b.grid(cut), a, dy, x, mean, scale, parts)
		normWeightFinish.launch(b, b.grid(partition{team: columnTeam, rows: cut.rows, pieces: 1}), a, parts, dw, db)
	}
}

type normRowsArgs struct {
	Variance, Dw, Db       array
	VarianceBy, DwBy, DbBy int64
	Rows                   int64
	Parts                  uint64
	Eps                    float64
	Pieces, _              int32
}

var normWeightRows = newKernel[normRowsArgs]("norm_weight", "norm_weight_rows")

// weightRows computes the gradients of a weight and bias of which each row has one element, as those of
// a batch norm's channels: the sums that the gradient of x begins with.
func (b *Backend) weightRows(dw, db, dy, x, mean, variance *device.Array, n device.Norm) {
	a, cut := newNorm(device.Norm{Eps: n.Eps}, dy, x, dy, mean, variance, nil, nil)
	parts := b.dense(device.Float64, cut.rows, cut.pieces, 2)
	defer b.release(parts)
	a.Parts, a.Phase = address(parts), 1
	normGrads.of(x, dy).launch(b, b.grid(cut), a, dy, x, mean, variance, parts)
	args := normRowsArgs{Variance: arrayOf(variance), Dw: arrayOf(dw), Db: arrayOf(db), Rows: int64(cut.rows),
		VarianceBy: int64(broadcastStride(variance, -3)), Parts: a.Parts, Eps: n.Eps, Pieces: a.Pieces}
	if dw != nil {
		args.DwBy = int64(broadcastStride(dw, -3))
	}
	if db != nil {
		args.DbBy = int64(broadcastStride(db, -3))
	}
	g := grid{Blocks: [3]int{(cut.rows + threads/32 - 1) / (threads / 32)}, Threads: [3]int{threads}}
	normWeightRows.launch(b, g, args, variance, dw, db, parts)
}
