//go:build cuda

package cuda

import "halfnote/tensor/internal/device"

// This file sums the columns of matrices whose rows lie in vectors of 16 bytes.

type columnsArgs struct {
	Dy, X, Mean, Variance         array
	Dw, Db                        array
	Rows, Columns, Each           int64
	DyBy, XBy, MeanBy, VarianceBy int64
	DwBy, DbBy                    int64
	Parts                         uint64
	Eps, Count                    float64
	Pieces, _                     int32
}

var (
	columnSums   = newKernels[columnsArgs]("columns", "columns", device.Float32, device.Float16, device.BFloat16)
	columnFinish = newKernel[columnsArgs]("columns", "columns_finish")
)

// A matrix is what an array is as rows of columns.
type matrix struct {
	rows, columns, by int
}

// inVectors reports whether m's rows of elements of a type are whole vectors of 16 bytes, of which
// there are enough.
func (m matrix) inVectors(a *device.Array) bool {
	return columnSums[a.DType] != nil && packs(a, m.columns) && m.by*a.DType.Size()%16 == 0 &&
		m.columns >= 16 && m.rows >= 16
}

// columns fills in the sizes, and launches both kernels. Their grids have a block of 32 vectors of
// columns for each piece of the rows.
func (b *Backend) columns(a columnsArgs, m matrix, dy *device.Array, arrays ...*device.Array) {
	const least, busy = 64, 1024 // rows of a block, and blocks that keep a GPU busy
	wide := teamColumns * 16 / dy.DType.Size()
	across := (m.columns + wide - 1) / wide
	pieces := max(1, min(m.rows/least, busy/across))
	each := (m.rows + pieces - 1) / pieces
	pieces = (m.rows + each - 1) / each
	parts := b.dense(device.Float64, pieces, m.columns, 2)
	defer b.release(parts)
	a.Dy, a.DyBy = arrayOf(dy), int64(m.by)
	a.Rows, a.Columns, a.Each, a.Pieces, a.Parts = int64(m.rows), int64(m.columns), int64(each), int32(pieces), address(parts)
	arrays = append(arrays, dy, parts)
	block := [3]int{teamColumns, threads / teamColumns}
	columnSums[dy.DType].launch(b, grid{Blocks: [3]int{across, pieces}, Threads: block}, a, arrays...)
	columnFinish.launch(b, grid{Blocks: [3]int{(m.columns + teamColumns - 1) / teamColumns}, Threads: block}, a, arrays...)
}

// sumColumns computes a sum or mean if x's is one of such columns.
func (b *Backend) sumColumns(op device.ReduceOp, out, x *device.Array, kept, reduced *walk) bool {
	if op != device.Sum && op != device.Mean || kept.Dims != 1 || reduced.Dims != 1 || kept.Stride[1][0] != 1 {
		return false
	}
	m := matrix{int(reduced.Total), int(kept.Total), int(reduced.Stride[0][0])}
	if !m.inVectors(x) || out.DType.ComputeIn() == device.Int64 {
		return false
	}
	a := columnsArgs{Db: arrayOf(out), DbBy: kept.Stride[0][0], Count: 1}
	if op == device.Mean {
		a.Count = float64(m.rows)
	}
	b.columns(a, m, x, out)
	return true
}

// weightColumns computes the gradients of a weight and bias of one row, of a normalisation of rows along
// the first dimension, if they are such columns.
func (b *Backend) weightColumns(dw, db, dy, x, mean, variance *device.Array, n device.Norm) bool {
	of := dw
	if dw == nil {
		of = db
	}
	rows := func(a *device.Array) matrix { return matrix{a.Shape[0], a.Shape[3], a.Strides[0]} }
	m := rows(dy)
	if dy.Shape[1] != 1 || dy.Shape[2] != 1 || of.Shape[0] != 1 || of.Shape[3] != m.columns || dy.Strides[3] != 1 || !m.inVectors(dy) ||
		x.Strides[3] != 1 || x.DType != dy.DType || !rows(x).inVectors(x) || variance.DType != device.Float32 {
		return false
	}
	a := columnsArgs{Dw: arrayOf(dw), Db: arrayOf(db), Eps: n.Eps, Count: 1, Variance: arrayOf(variance),
		VarianceBy: int64(variance.Strides[0])}
	if dw != nil {
		a.X, a.XBy, a.DwBy = arrayOf(x), int64(x.Strides[0]), int64(dw.Strides[3])
	}
	if db != nil {
		a.DbBy = int64(db.Strides[3])
	}
	if mean != nil {
		if mean.DType != device.Float32 {
			return false
		}
		a.Mean, a.MeanBy = arrayOf(mean), int64(mean.Strides[0])
	}
	b.columns(a, m, dy, dw, db, x, mean, variance)
	return true
}
