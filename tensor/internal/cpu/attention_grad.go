package cpu

import (
	"math"
	"unsafe"

	"halfnote/tensor/internal/cpu/gemm"
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// The tiles of the gradient. Sequences of one tile of keys need no second look at the scores.
const (
	gradientRows = 32
	gradientKeys = 2048
)

// AttendGrad implements device.Backend. With weights P = softmax(S) and dropout's factors K:
//
//	dV = (P∘K)ᵀ·G    dP = (G·Vᵀ)∘K    dS = P∘(dP − Σ P∘dP)    dQ = scale·dS·K    dK = scale·dSᵀ·Q
func (Backend) AttendGrad(dq, dk, dv, dmask, g, lse, q, k, v *device.Array, a *device.Attention) {
	at := &attendingGrad{newAttending(g, lse, q, k, v, a), dq, dk, dv, dmask, g}
	wide := g.DType.ComputeIn() == device.Float64 || q.DType.ComputeIn() == device.Float64
	pool.Run(at.batch, func(i int) {
		if wide {
			at.gradient64(i)
		} else {
			at.gradient(i)
		}
	})
}

type attendingGrad struct {
	*attending
	dq, dk, dv, dmask, g *device.Array
}

// A gradientTile is what the gradient of one member of the batch is computed with.
type gradientTile struct {
	*attendingGrad
	lse, mask, keep, dmask member
	from, rows             int       // queries
	k0, keys               int       // keys, of which the queries see
	seen                   int       // so many
	stepQ, stepG, stepP    int       // from row to row
	kt, vt, ks             []float32 // all keys and values, packed for each tile
	sizeT, sizeV, sizeK    int       // of their tiles
	q, g, panelsQ, panelsG []float32 // queries times the scale, and gradients, as rows and packed
	p, ds                  []float32 // weights and slopes
	dq, dk, dv             []float32 // dk and dv are those of all keys
	spare                  []float32
	means                  [gradientRows]float64 // Σ P∘dP of each row
}

// gradient computes the gradients of one member of the batch, tile by tile.
func (a *attendingGrad) gradient(i int) {
	rows, width := min(gradientRows, a.t), min(gradientKeys, a.s)
	tiles := (a.s + gradientKeys - 1) / gradientKeys
	w := gradientTile{attendingGrad: a, stepQ: gemm.Pitch(a.d), stepG: gemm.Pitch(a.e), stepP: gemm.Pitch(width),
		lse: a.vector(a.attending.lse, i), mask: a.member(a.Mask, i), keep: a.member(a.Keep, i),
		dmask: a.member(a.dmask, i),
		sizeT: packedSize(a.d, width), sizeV: packedSize(a.e, width), sizeK: packedSize(width, a.d)}
	defer carve(piece{&w.kt, tiles * w.sizeT}, piece{&w.vt, tiles * w.sizeV},
		piece{&w.ks, tiles * w.sizeK}, piece{&w.q, rows * w.stepQ}, piece{&w.g, rows * w.stepG},
		piece{&w.panelsQ, packedSize(rows, a.d)}, piece{&w.panelsG, packedSize(rows, a.e)},
		piece{&w.p, rows * w.stepP}, piece{&w.ds, rows * w.stepP}, piece{&w.dq, rows * w.stepQ},
		piece{&w.dk, a.s * w.stepQ}, piece{&w.dv, a.s * w.stepG}, piece{&w.spare, width}).release()
	clear(w.dk)
	clear(w.dv)
	k, v := a.member(a.k, i), a.member(a.v, i)
	for j := range tiles {
		k0 := j * gradientKeys
		n := min(gradientKeys, a.s-k0)
		gemm.Pack(w.kt[j*w.sizeT:], k.matrix(k0).T(), a.d, n)
		gemm.Pack(w.vt[j*w.sizeV:], v.matrix(k0).T(), a.e, n)
		gemm.Pack(w.ks[j*w.sizeK:], k.matrix(k0), n, a.d)
	}
	g, dq := a.member(a.g, i), a.member(a.dq, i)
	for w.from = 0; w.from < a.t; w.from += gradientRows {
		w.rows = min(gradientRows, a.t-w.from)
		a.queries(w.q, w.stepQ, i, w.from, w.rows)
		for r := range w.rows {
			g.load(w.g[r*w.stepG:][:a.e], w.from+r, 0)
		}
		gemm.Pack(w.panelsQ, denseMatrix(w.q, w.stepQ), w.rows, a.d)
		gemm.Pack(w.panelsG, denseMatrix(w.g, w.stepG), w.rows, a.e)
		w.block()
		for r := 0; dq.Array != nil && r < w.rows; r++ {
			line := w.dq[r*w.stepQ:][:a.d]
			simd.MulScalar(line, line, float32(a.Scale))
			dq.store(line, w.from+r, 0)
		}
	}
	dk, dv := a.member(a.dk, i), a.member(a.dv, i)
	for r := range a.s {
		if dk.Array != nil {
			dk.store(w.dk[r*w.stepQ:][:a.d], r, 0)
		}
		if dv.Array != nil {
			dv.store(w.dv[r*w.stepG:][:a.e], r, 0)
		}
	}
}

// block computes what the rows of a block add to the gradients. The mean of a row's slopes has to
// be known first, so that long rows are computed twice.
func (w *gradientTile) block() {
	clear(w.means[:])
	clear(w.dq)
	keys := w.visible(w.from + w.rows)
	for k0 := 0; k0 < keys; k0 += gradientKeys {
		w.weigh(k0, keys)
		for r := range w.rows {
			w.means[r] += simd.Dot(w.p[r*w.stepP:][:w.seen], w.ds[r*w.stepP:][:w.seen])
		}
	}
	for k0 := 0; k0 < keys; k0 += gradientKeys {
		if keys > gradientKeys {
			w.weigh(k0, keys)
		}
		w.add()
	}
}

// weigh computes the weights and their gradients for a tile of keys.
func (w *gradientTile) weigh(k0, keys int) {
	w.k0, w.keys = k0, min(gradientKeys, w.s-k0)
	w.seen = min(w.keys, keys-k0)
	tile := k0 / gradientKeys
	gemm.Block(w.p, w.stepP, w.q, w.stepQ, 1, w.kt[tile*w.sizeT:], w.rows, w.seen, w.d, false)
	gemm.Block(w.ds, w.stepP, w.g, w.stepG, 1, w.vt[tile*w.sizeV:], w.rows, w.seen, w.e, false)
	for r := range w.rows {
		row, p, ds := w.from+r, w.p[r*w.stepP:][:w.keys], w.ds[r*w.stepP:][:w.keys]
		own := max(0, min(w.keys, w.visible(row+1)-k0))
		clear(p[own:])
		clear(ds[own:])
		p, ds = p[:own], ds[:own]
		w.mask.apply(p, row, k0, w.spare)
		if lse := elems[float32](w.lse.Array, w.lse.off+row*w.lse.step, 1, 1)[0]; math.IsInf(
			float64(lse), -1) {
			clear(p)
		} else {
			simd.ExpSub(p, p, lse)
		}
		w.drop(ds, row)
	}
}

// drop applies dropout to the weights of a row or their gradients.
func (w *gradientTile) drop(line []float32, row int) {
	if w.Keep != nil {
		w.keep.choose(line, row, w.k0, &dropped)
		simd.MulScalar(line, line, float32(w.Kept))
	}
}

// add adds what a tile gives to the gradients.
func (w *gradientTile) add() {
	for r := range w.rows {
		p, ds := w.p[r*w.stepP:][:w.seen], w.ds[r*w.stepP:][:w.seen]
		simd.SoftmaxGrad(ds, p, ds, float32(w.means[r]))
		if w.dmask.Array != nil {
			w.dmask.store(ds, w.from+r, w.k0)
		}
		w.drop(p, w.from+r)
	}
	if w.attendingGrad.dq != nil {
		ks := w.ks[w.k0/gradientKeys*w.sizeK:]
		gemm.Block(w.dq, w.stepQ, w.ds, w.stepP, 1, ks, w.rows, w.d, w.keys, true)
	}
	if w.attendingGrad.dk != nil {
		gemm.Block(w.dk[w.k0*w.stepQ:], w.stepQ, w.ds, 1, w.stepP, w.panelsQ, w.seen, w.d,
			w.rows, true)
	}
	if w.attendingGrad.dv != nil {
		gemm.Block(w.dv[w.k0*w.stepG:], w.stepG, w.p, 1, w.stepP, w.panelsG, w.seen, w.e,
			w.rows, true)
	}
}

// denseMatrix describes rows of float32.
func denseMatrix(rows []float32, step int) gemm.Matrix {
	return gemm.Matrix{Data: unsafe.Pointer(unsafe.SliceData(rows)), DType: device.Float32,
		Row: step, Col: 1}
}
