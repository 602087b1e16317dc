package cpu

import (
	"math"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// This file implements attention in float64, with plain loops between products of whole rows.

// A worker holds the scores of so many rows at most, so that what it holds of long sequences grows
// with their length, not with its square.
const wideRows = 64

// attend64 is attend for all rows.
func (a *attending) attend64(out *device.Array) {
	blocks := a.blocks()
	pool.Run(a.batch*blocks, func(piece int) {
		i := piece / blocks
		from, rows, keys := a.block(piece % blocks)
		p, lse := make([]float64, rows*keys), a.vector(a.lse, i)
		a.scores(p, i, from, rows, keys)
		var empty []int // rows in which nothing may be attended to: zeros, whatever the values are
		for r := range rows {
			sum := weigh(p[r*keys : (r+1)*keys])
			store(a.lse, lse.off+(from+r)*lse.step, 1, []float64{sum})
			if math.IsInf(sum, -1) {
				empty = append(empty, from+r)
			}
		}
		a.drop(p, i, from, rows, keys)
		Backend{}.MatMul(a.matrix(out, i, from, rows), denseRows(p, rows, keys),
			a.matrix(a.v, i, 0, keys), device.Epilogue{})
		for _, row := range empty {
			Backend{}.Fill(a.matrix(out, i, row, 1), 0)
		}
	})
}

// blocks returns the number of blocks of rows.
func (a *attending) blocks() int { return (a.t + wideRows - 1) / wideRows }

// block returns the rows of block i, and how many keys they can see.
func (a *attending) block(i int) (from, rows, keys int) {
	from = i * wideRows
	rows = min(wideRows, a.t-from)
	return from, rows, a.visible(from + rows)
}

// scores computes a block of scale·q·kᵀ + mask; what may not be attended to is -Inf.
func (a *attending) scores(p []float64, i, from, rows, keys int) {
	Backend{}.MatMul(denseRows(p, rows, keys), a.matrix(a.q, i, from, rows),
		turned(a.matrix(a.k, i, 0, keys)), device.Epilogue{})
	for j := range p {
		p[j] *= a.Scale
	}
	mask, closed := a.member(a.Mask, i), math.Inf(-1)
	for r := range rows {
		line := p[r*keys : (r+1)*keys]
		if a.Mask != nil {
			values := make([]float64, keys)
			load(values, a.Mask, mask.at(from+r, 0), mask.step)
			for j, v := range values {
				switch {
				case a.Mask.DType != device.Bool:
					line[j] += v
				case v == 0:
					line[j] = closed
				}
			}
		}
		for j := a.visible(from + r + 1); j < keys; j++ {
			line[j] = closed
		}
	}
}

// weigh turns a row of scores into weights that add up to 1, or to 0 where all are -Inf, and
// returns the logarithm of the sum of the exponentials.
func weigh(p []float64) float64 {
	top := math.Inf(-1)
	for _, v := range p {
		top = max(top, v)
	}
	if math.IsInf(top, -1) {
		clear(p)
		return top
	}
	sum := expSum(p, p, top)
	for j := range p {
		p[j] /= sum
	}
	return top + math.Log(sum)
}

// drop applies dropout to a block of weights or their gradients.
func (a *attending) drop(p []float64, i, from, rows, keys int) {
	if a.Keep == nil {
		return
	}
	keep := a.member(a.Keep, i)
	for r := range rows {
		stay := elems[bool](a.Keep, keep.at(from+r, 0), keep.step, keys)
		for j := range keys {
			if stay[j*keep.step] {
				p[r*keys+j] *= a.Kept
			} else {
				p[r*keys+j] = 0
			}
		}
	}
}

// gradient64 is gradient in float64.
func (a *attendingGrad) gradient64(i int) {
	rows, keys := min(wideRows, a.t), a.s
	weights, slopes := make([]float64, rows*keys), make([]float64, rows*keys)
	sumK, sumV := make([]float64, a.s*a.d), make([]float64, a.s*a.e)
	part := make([]float64, a.s*max(a.d, a.e))
	for b := range a.blocks() {
		from, rows, keys := a.block(b)
		p, ds := weights[:rows*keys], slopes[:rows*keys]
		a.weighAgain(p, i, from, rows, keys)
		g := a.matrix(a.g, i, from, rows)
		Backend{}.MatMul(denseRows(ds, rows, keys), g, turned(a.matrix(a.v, i, 0, keys)),
			device.Epilogue{})
		a.drop(ds, i, from, rows, keys)
		for r := range rows {
			y, d := p[r*keys:(r+1)*keys], ds[r*keys:(r+1)*keys]
			clear(d[min(keys, a.visible(from+r+1)):]) // what is hidden has no part in the row
			softmaxGrad(d, y, d, dot(y, d))
		}
		if a.dmask != nil {
			to := a.matrix(a.dmask, i, from, rows)
			to.Shape[1] = keys
			Backend{}.Copy(to, denseRows(ds, rows, keys))
		}
		if a.dv != nil {
			a.drop(p, i, from, rows, keys)
			addProduct(sumV, part, turned(denseRows(p, rows, keys)), g)
		}
		for j := range ds {
			ds[j] *= a.Scale
		}
		if a.dq != nil {
			Backend{}.MatMul(a.matrix(a.dq, i, from, rows), denseRows(ds, rows, keys),
				a.matrix(a.k, i, 0, keys), device.Epilogue{})
		}
		if a.dk != nil {
			addProduct(sumK, part, turned(denseRows(ds, rows, keys)), a.matrix(a.q, i, from, rows))
		}
	}
	if a.dk != nil {
		Backend{}.Copy(a.matrix(a.dk, i, 0, a.s), denseRows(sumK, a.s, a.d))
	}
	if a.dv != nil {
		Backend{}.Copy(a.matrix(a.dv, i, 0, a.s), denseRows(sumV, a.s, a.e))
	}
}

// weighAgain computes the weights of a block from the sums that Attend left.
func (a *attendingGrad) weighAgain(p []float64, i, from, rows, keys int) {
	a.scores(p, i, from, rows, keys)
	lse, at := make([]float64, rows), a.vector(a.lse, i)
	load(lse, a.lse, at.off+from*at.step, at.step)
	for r, c := range lse {
		line := p[r*keys : (r+1)*keys]
		if math.IsInf(c, -1) {
			clear(line)
			continue
		}
		expSum(line, line, c)
		clear(line[min(keys, a.visible(from+r+1)):])
	}
}

// addProduct adds x·y to sums; part is room for the product.
func addProduct(sums, part []float64, x, y *device.Array) {
	n := x.Shape[0] * y.Shape[1]
	Backend{}.MatMul(denseRows(part[:n], x.Shape[0], y.Shape[1]), x, y, device.Epilogue{})
	for j, v := range part[:n] {
		sums[j] += v
	}
}

// matrix returns rows from … from+rows-1 of matrix number i of x.
func (a *attending) matrix(x *device.Array, i, from, rows int) *device.Array {
	n := len(x.Shape)
	return &device.Array{Data: x.Data, DType: x.DType,
		Offset: a.offset(x, 2, i) + from*x.Strides[n-2],
		Shape:  []int{rows, x.Shape[n-1]}, Strides: []int{x.Strides[n-2], x.Strides[n-1]}}
}

// turned returns the transpose of a matrix.
func turned(x *device.Array) *device.Array {
	return &device.Array{Data: x.Data, DType: x.DType, Offset: x.Offset,
		Shape: []int{x.Shape[1], x.Shape[0]}, Strides: []int{x.Strides[1], x.Strides[0]}}
}

// denseRows describes a slice as a matrix.
func denseRows(values []float64, rows, columns int) *device.Array {
	a := denseArray(values, []int{rows, columns})
	return &a
}
