package cpu

import (
	"math"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// AttendGrad implements device.Backend. With weights P = softmax(S) and dropout's factors K:
//
//	dV = (P∘K)ᵀ·G    dP = (G·Vᵀ)∘K    dS = P∘(dP − Σ P∘dP)    dQ = scale·dS·K    dK = scale·dSᵀ·Q
func (Backend) AttendGrad(dq, dk, dv, dmask, g, lse, q, k, v *device.Array, a *device.Attention) {
	at := attendingGrad{newAttending(g, lse, q, k, v, a), dq, dk, dv, dmask, g}
	pool.Run(at.batch, func(i int) {
		if computeIn(g.DType) == device.Float64 || computeIn(q.DType) == device.Float64 {
			attendGrad[float64](&at, i)
			return
		}
		attendGrad[float32](&at, i)
	})
}

type attendingGrad struct {
	*attending
	dq, dk, dv, dmask, g *device.Array
}

// attendGrad computes the gradients of one member of the batch, block by block.
func attendGrad[T float](a *attendingGrad, i int) {
	rows, keys := min(attentionRows, a.t), a.s
	weights, slopes := make([]T, rows*keys), make([]T, rows*keys)
	var sumK, sumV, part []T
	if a.dk != nil {
		sumK = make([]T, a.s*a.d)
	}
	if a.dv != nil {
		sumV = make([]T, a.s*a.e)
	}
	part = make([]T, a.s*max(a.d, a.e))
	for b := range a.blocks() {
		from, rows, keys := a.block(b)
		p, ds := weights[:rows*keys], slopes[:rows*keys]
		weighAgain(a, p, i, from, rows, keys)
		g := a.matrix(a.g, i, from, rows)
		Backend{}.MatMul(denseRows(ds, rows, keys), g, turned(a.matrix(a.v, i, 0, keys)), nil)
		a.drop(func(r, off, step int) { keepRow(ds[r*keys:(r+1)*keys], a.attending, off, step) },
			i, from, rows)
		for r := range rows {
			slope(ds[r*keys:(r+1)*keys], p[r*keys:(r+1)*keys])
		}
		if a.dmask != nil {
			Backend{}.Copy(a.left(a.dmask, i, from, rows, keys), denseRows(ds, rows, keys))
		}
		if a.dv != nil {
			a.drop(func(r, off, step int) { keepRow(p[r*keys:(r+1)*keys], a.attending, off, step) },
				i, from, rows)
			addProduct(sumV, part, turned(denseRows(p, rows, keys)), g)
		}
		scale := T(a.Scale)
		for j := range ds {
			ds[j] *= scale
		}
		if a.dq != nil {
			Backend{}.MatMul(a.matrix(a.dq, i, from, rows), denseRows(ds, rows, keys),
				a.matrix(a.k, i, 0, keys), nil)
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
func weighAgain[T float](a *attendingGrad, p []T, i, from, rows, keys int) {
	scores(a.attending, p, i, from, rows, keys)
	lse := make([]T, rows)
	load(lse, a.lse, a.lseOffset(i, from), a.lse.Strides[len(a.lse.Strides)-1])
	for r := range rows {
		line := p[r*keys : (r+1)*keys]
		if math.IsInf(float64(lse[r]), -1) {
			clear(line)
			continue
		}
		for j, v := range line {
			line[j] = T(math.Exp(float64(v - lse[r])))
		}
	}
}

// slope turns a row of the gradients of weights into those of scores.
func slope[T float](ds, p []T) {
	mean := 0.0
	for j, v := range p {
		mean += float64(v) * float64(ds[j])
	}
	for j, v := range p {
		ds[j] = v * (ds[j] - T(mean))
	}
}

// left returns the first columns of rows from … of matrix number i of x.
func (a *attendingGrad) left(x *device.Array, i, from, rows, columns int) *device.Array {
	m := a.matrix(x, i, from, rows)
	m.Shape[1] = columns
	return m
}

// addProduct adds x·y to sums; part is room for the product.
func addProduct[T float](sums, part []T, x, y *device.Array) {
	n := x.Shape[0] * y.Shape[1]
	Backend{}.MatMul(denseRows(part[:n], x.Shape[0], y.Shape[1]), x, y, nil)
	for j, v := range part[:n] {
		sums[j] += v
	}
}
