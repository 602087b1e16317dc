//go:build cuda

package cuda

import (
	"slices"

	"halfnote/tensor/internal/device"
)

// The arrays of attention: AttentionArray in kernels/attention.cuh.
const (
	attendOut = iota
	attendLse
	attendQ
	attendK
	attendV
	attendMask
	attendKeep
	attendGrad
	attendDMask
	attendMean
	attendArrays
)

const leadDims = device.MaxDims - 2

type attendArgs struct {
	Array        [attendArrays]array
	Lead         [attendArrays][leadDims]int64
	Row, Col     [attendArrays]int64
	Size         [leadDims]int64
	T, S, D, E   int32
	Scale, Kept  float64
	Dims, Causal int32
	Apart        int32
	Splits, Deep int32
	_            int32
	Parts, Heads uint64
}

// An attending is one call of Attend or AttendGrad.
type attending struct {
	args   attendArgs
	held   [attendArrays]*device.Array
	lead   []int
	batch  int
	engine engine
}

// An engine is what makes the products: a struct in kernels/attention_tile.cuh or attention_core.cuh.
type engine struct {
	dtype                  device.DType // that names its kernels
	rows, columns, threads int
	tile, stage            int // bytes of shared memory for scores, and beside them
	slot                   int // bytes for each matrix of rows
}

const bfloatCores = 80 // the capability from which on tensor cores take bfloat16

const attendState = 2048 // bytes of State in kernels/attention.cuh

var (
	tile32 = engine{dtype: device.Float32, rows: 64, columns: 64, threads: 256, tile: 64 * 68 * 4, stage: 2 * 16 * 68 * 4}
	tile64 = engine{dtype: device.Float64, rows: 32, columns: 64, threads: 256, tile: 32 * 34 * 8, stage: 2 * 16 * 34 * 8}
)

// core returns the tensor cores' engine for matrices of so many columns.
func core(dtype device.DType, columns int) engine {
	pitch := (columns+15)/16*16 + 8
	return engine{dtype: dtype, rows: 64, columns: 128, threads: 128, tile: 64 * 68 * 4, slot: 64 * pitch * 2}
}

// shared returns the bytes of shared memory for so many tiles of scores and matrices.
func (e *engine) shared(tiles, slots int) int {
	return attendState + tiles*e.tile + e.stage + slots*e.slot
}

// choose sets a's engine for computing in by, with so many tiles and matrices in shared memory, where
// all inputs have the type same, if that is not 0.
func (a *attending) choose(b *Backend, by, same device.DType, tiles, slots int) {
	switch {
	case by == device.Float64:
		a.engine = tile64
		return
	case same == device.Float16, same == device.BFloat16 && b.gpu.capability >= bfloatCores:
		a.engine = core(same, int(max(a.args.D, a.args.E)))
		if a.engine.shared(tiles, slots) <= b.gpu.sharedLimit {
			return
		}
	}
	a.engine = tile32
}

// sameType returns the type that all arrays have, or 0.
func sameType(arrays ...*device.Array) device.DType {
	for _, x := range arrays {
		if x.DType != arrays[0].DType {
			return 0
		}
	}
	return arrays[0].DType
}

var engineTypes = []device.DType{device.Float32, device.Float64, device.Float16, device.BFloat16}

var (
	attends     = newKernels[attendArgs]("attention", "attend", engineTypes...)
	attendsWide = newKernel[attendArgs]("attention", "attend_wide_f32") // with twice the columns
	attendJoins = newKernels[attendArgs]("attention", "attend_join", device.Float32, device.Float64)
	attendMeans = newKernels[attendArgs]("attention_grad", "attend_mean", engineTypes...)
	attendDQs   = newKernels[attendArgs]("attention_grad", "attend_dq", engineTypes...)
	attendDKs   = newKernels[attendArgs]("attention_grad", "attend_dk", engineTypes...)
	attendDVs   = newKernels[attendArgs]("attention_grad", "attend_dv", engineTypes...)
)

func newAttending(g, lse, q, k, v *device.Array, a *device.Attention) *attending {
	n := len(g.Shape)
	at := &attending{lead: g.Shape[:n-2], batch: 1}
	at.args = attendArgs{T: int32(g.Shape[n-2]), S: int32(k.Shape[len(k.Shape)-2]), D: int32(k.Shape[len(k.Shape)-1]),
		E: int32(g.Shape[n-1]), Scale: a.Scale, Kept: 1, Dims: int32(n - 2), Splits: 1}
	if a.Causal {
		at.args.Causal = 1
	}
	for d, size := range at.lead {
		at.args.Size[d] = int64(size)
		at.batch *= size
	}
	at.set(attendLse, lse, 1)
	at.set(attendQ, q, 2)
	at.set(attendK, k, 2)
	at.set(attendV, v, 2)
	at.set(attendMask, a.Mask, 2)
	if a.Keep != nil {
		at.set(attendKeep, a.Keep, 2)
		at.args.Kept = a.Kept
	}
	return at
}

// set makes x one of the arrays. tail is how many dimensions it has beside the leading ones.
func (a *attending) set(which int, x *device.Array, tail int) {
	a.held[which] = x
	a.args.Array[which] = arrayOf(x)
	if x == nil {
		return
	}
	if tail == 2 {
		a.args.Col[which] = int64(broadcastStride(x, -1))
	}
	a.args.Row[which] = int64(broadcastStride(x, -tail))
	for d := range a.lead {
		a.args.Lead[which][d] = int64(broadcastStride(x, d-len(a.lead)-tail))
	}
}

// grid has a block for each tile of n rows, and of so many columns.
func (a *attending) grid(n, width, tiles, slots int) grid {
	e := &a.engine
	return grid{
		Blocks:  [3]int{a.batch * ((n + e.rows - 1) / e.rows), max(1, (width+e.columns-1)/e.columns), int(a.args.Splits)},
		Threads: [3]int{e.threads}, Shared: e.shared(tiles, slots),
	}
}

// launch puts a kernel into the stream with the arrays that there are, and more.
func (a *attending) launch(b *Backend, k *kernel[attendArgs], g grid, more ...*device.Array) {
	held := slices.DeleteFunc(append(more, a.held[:]...), func(x *device.Array) bool { return x == nil })
	k.launch(b, g, a.args, held...)
}

// split cuts the keys into parts where queries are too few for each multiprocessor to have a block. It
// does not depend on the GPU, and so the sums do not.
func (a *attending) split() {
	const least = 4 // tiles of keys in a part
	e, keys := &a.engine, int(a.args.S)
	if a.args.Causal != 0 {
		keys = min(keys, int(a.args.T))
	}
	g := a.grid(int(a.args.T), int(a.args.E), 0, 0)
	blocks, tiles := g.Blocks[0]*g.Blocks[1], (keys+e.rows-1)/e.rows
	if blocks == 0 || blocks >= nominalProcessors || a.args.E == 0 || tiles < 2*least {
		return
	}
	splits := min(2*nominalProcessors/blocks, tiles/least)
	deep := (tiles + splits - 1) / splits
	a.args.Splits, a.args.Deep = int32((tiles+deep-1)/deep), int32(deep*e.rows)
}

// Attend implements device.Attentions.
func (b *Backend) Attend(out, lse, q, k, v *device.Array, a *device.Attention) {
	const tiles, slots = 1, 3 // of scores; queries, keys and values
	at := newAttending(out, lse, q, k, v, a)
	at.set(attendOut, out, 2)
	at.choose(b, fractionsIn(out.DType), sameType(q, k, v), tiles, slots)
	kernel := attends[at.engine.dtype]
	if at.engine == tile32 && out.Shape[len(out.Shape)-1] > tile32.columns {
		kernel = attendsWide
		at.engine.columns *= 2
	}
	at.split()
	g := at.grid(int(at.args.T), int(at.args.E), tiles, slots)
	if at.args.Splits == 1 {
		at.launch(b, kernel, g)
		return
	}
	sums, rows := at.engine.dtype.ComputeIn(), at.batch*int(at.args.T)
	parts := b.dense(sums, int(at.args.Splits), rows, int(at.args.E))
	defer b.release(parts)
	heads := b.dense(device.Float64, int(at.args.Splits), rows, 2)
	defer b.release(heads)
	at.args.Parts, at.args.Heads = address(parts), address(heads)
	at.launch(b, kernel, g, parts, heads)
	at.launch(b, attendJoins[sums], b.linear(out.Numel(), 1), parts, heads)
}

// AttendGrad implements device.Attentions.
func (b *Backend) AttendGrad(dq, dk, dv, dmask, g, lse, q, k, v *device.Array, a *device.Attention) {
	const tiles = 2 // of weights and their gradients
	at := newAttending(g, lse, q, k, v, a)
	at.set(attendGrad, g, 2)
	by := fractionsIn(g.DType)
	if q.DType == device.Float64 {
		by = q.DType
	}
	slots := 3 // two matrices stay, and others come to the third place in turns
	at.choose(b, by, sameType(q, k, v, g), tiles, slots)
	if at.engine.shared(tiles, slots+1) <= b.gpu.sharedLimit {
		slots++
		at.args.Apart = 1
	}
	t, s, d, e, dtype := int(at.args.T), int(at.args.S), int(at.args.D), int(at.args.E), at.engine.dtype
	if dq != nil || dk != nil || dmask != nil {
		mean := b.dense(by, g.Shape[:len(g.Shape)-1]...)
		defer b.release(mean)
		at.set(attendMean, mean, 1)
		at.launch(b, attendMeans[dtype], at.grid(t, 0, tiles, slots))
	}
	if dq != nil || dmask != nil {
		at.set(attendOut, dq, 2)
		at.set(attendDMask, dmask, 2)
		width := 0
		if dq != nil {
			width = d
		}
		at.launch(b, attendDQs[dtype], at.grid(t, width, tiles, slots))
		at.set(attendDMask, nil, 2)
	}
	if dk != nil {
		at.set(attendOut, dk, 2)
		at.launch(b, attendDKs[dtype], at.grid(s, d, tiles, slots))
	}
	if dv != nil {
		at.set(attendOut, dv, 2)
		at.launch(b, attendDVs[dtype], at.grid(s, e, tiles, slots))
	}
}
