//go:build cuda

package cuda

import "halfnote/tensor/internal/device"

// This file implements device.Normalizations.

type normArgs struct {
	Out, X, Dy, Mean, Variance, Weight, Bias array
	By                                       [7][4]int64
	Shape                                    [4]int64
	Each                                     int64
	Parts                                    uint64
	Eps                                      float64
	Team                                     team
	Pieces, Phase, Given, Plain, Vectors     int32
}

var (
	norms     = newTypedKernels[normArgs]("norm", "norm")
	normGrads = newTypedKernels[normArgs]("norm", "norm_grad")
)

// newNorm describes the arrays of a normalisation, of which some may be nil, and how its rows are cut.
func newNorm(n device.Norm, out, x, dy, mean, variance, weight, bias *device.Array) (normArgs, partition) {
	a := normArgs{Out: arrayOf(out), X: arrayOf(x), Dy: arrayOf(dy), Mean: arrayOf(mean),
		Variance: arrayOf(variance), Weight: arrayOf(weight), Bias: arrayOf(bias), Eps: n.Eps, Plain: 1}
	if n.Given {
		a.Given = 1
	}
	for d, size := range x.Shape {
		a.Shape[d] = int64(size)
	}
	for k, of := range []*device.Array{out, x, dy, mean, variance, weight, bias} {
		if of == nil {
			continue
		}
		for d := range a.By[k] {
			a.By[k][d] = int64(broadcastStride(of, d-4))
		}
	}
	if a.Shape[2] == 1 || a.Shape[3] == 1 { // a row is one line
		if a.Shape[3] == 1 {
			for k := range a.By {
				a.By[k][3] = a.By[k][2]
			}
			a.Shape[2], a.Shape[3] = 1, a.Shape[2]
		}
	} else {
		for _, by := range a.By {
			if by[2] != by[3]*a.Shape[3] {
				a.Plain = 0
			}
		}
	}
	rows, count := int(a.Shape[0]*a.Shape[1]), int(a.Shape[2]*a.Shape[3])
	neighbours := a.By[1][1] == 1 && a.Shape[1] >= teamColumns/2 || a.By[1][0] == 1 && a.Shape[1] == 1 && rows >= teamColumns/2
	cut := newPartition(rows, count, neighbours && a.By[1][3] != 1)
	a.Each, a.Team, a.Pieces = int64(cut.each), cut.team, int32(cut.pieces)
	if cut.team != columnTeam && a.packs(out, x, dy, weight, bias) {
		a.Vectors = 1
	}
	return a, cut
}

// packs reports whether threads can look at vectors of elements.
func (a *normArgs) packs(out, x, dy, weight, bias *device.Array) bool {
	for k, of := range map[int]*device.Array{0: out, 1: x, 2: dy, 5: weight, 6: bias} {
		if of == nil || k >= 5 && a.By[k] == [4]int64{} {
			continue
		}
		if a.By[k][3] != 1 {
			if k >= 5 && a.By[k][3] == 0 {
				continue // one number for a line
			}
			return false
		}
		if !packs(of, int(a.Shape[3])) {
			return false
		}
		for _, by := range a.By[k][:3] {
			if int(by)*of.DType.Size()%16 != 0 {
				return false
			}
		}
	}
	// A line has whole vectors of every array then, also where x's elements are smaller than the weight's.
	return a.Shape[3]*int64(x.DType.Size())%16 == 0
}

// beside returns the one of k for x and what has its type, beside a weight and bias that may be float32.
func (k *typedKernels[A]) beside(weight, bias *device.Array, arrays ...*device.Array) *kernel[A] {
	for _, a := range []*device.Array{weight, bias} {
		if a != nil && a.DType != device.Float32 {
			arrays = append(arrays, a)
		}
	}
	return k.of(arrays...)
}

// Normalize implements device.Normalizations. Its grids have a team for each row and piece.
func (b *Backend) Normalize(y, x, mean, variance, weight, bias *device.Array, n device.Norm) {
	a, cut := newNorm(n, y, x, nil, mean, variance, weight, bias)
	b.inPieces(norms.beside(weight, bias, x, y), a, cut, y, x, mean, variance, weight, bias)
}

// NormalizeGrad implements device.Normalizations. Its grids have a team for each row and piece.
func (b *Backend) NormalizeGrad(dx, dy, x, mean, variance, weight *device.Array, n device.Norm) {
	a, cut := newNorm(n, dx, x, dy, mean, variance, weight, nil)
	b.inPieces(normGrads.beside(weight, nil, x, dy, dx), a, cut, dx, dy, x, mean, variance, weight)
}

// inPieces launches k: once for rows of one piece, otherwise for the parts of the pieces first.
func (b *Backend) inPieces(k *kernel[normArgs], a normArgs, cut partition, arrays ...*device.Array) {
	if cut.rows == 0 {
		return
	}
	if cut.pieces > 1 && a.Given == 0 {
		parts := b.dense(device.Float64, cut.rows, cut.pieces, 2)
		defer b.release(parts)
		arrays = append(arrays, parts)
		a.Parts, a.Phase = address(parts), 1
		k.launch(b, b.grid(cut), a, arrays...)
		a.Phase = 2
	}
	k.launch(b, b.grid(cut), a, arrays...)
}
