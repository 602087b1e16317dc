//go:build cuda

package cuda

import (
	"slices"

	"halfnote/tensor/internal/device"
)

type gatherArgs struct {
	Out, X, Index array
	Walk          walk
	Stride        int64
}

type scatterArgs struct {
	Out, Index, Src                   array
	Walk                              walk
	Sources, Places                   int64
	OutStride, IndexStride, SrcStride int64
	Op, Columns                       int32
	Width, Span                       int64
}

var (
	gathers = map[int]*kernel[gatherArgs]{
		1: newKernel[gatherArgs]("index", "gather_1"), 2: newKernel[gatherArgs]("index", "gather_2"),
		4: newKernel[gatherArgs]("index", "gather_4"), 8: newKernel[gatherArgs]("index", "gather_8"),
		16: newKernel[gatherArgs]("index", "gather_16"),
	}
	scattersLines = newKernels[scatterArgs]("index", "scatter_lines", device.Float32, device.Float64, device.Int64)
	scattersOwned = newKernels[scatterArgs]("index", "scatter_owned", device.Float32, device.Float64, device.Int64)
)

// Gather implements device.Indexings.
func (b *Backend) Gather(out, x, index *device.Array, axis int) {
	if out.Numel() == 0 {
		return
	}
	from := device.Array{Data: x.Data, DType: x.DType, Offset: x.Offset, Shape: index.Shape, Strides: slices.Clone(x.Strides)}
	from.Strides[axis] = 0
	args := gatherArgs{arrayOf(out), arrayOf(x), arrayOf(index), newWalk(out, &from, index), int64(x.Strides[axis])}
	size := args.widen(x.DType.Size())
	gathers[size].launch(b, b.linear(int(args.Walk.Total), 1), args, out, x, index)
}

// widen takes neighbours in rows that have one position as one element, and returns its size.
func (a *gatherArgs) widen(size int) int {
	const out, x, index = 0, 1, 2
	w := &a.Walk
	last := w.Dims - 1
	if last < 0 || w.Stride[out][last] != 1 || w.Stride[x][last] != 1 || w.Stride[index][last] != 0 {
		return size
	}
	all := uint64(w.Size[last]) | uint64(a.Stride) // what all have to be multiples
	for d := range last {
		all |= uint64(w.Stride[out][d]) | uint64(w.Stride[x][d])
	}
	all = all*uint64(size) | a.Out.Data | a.X.Data
	wide := 16
	for wide > size && all%uint64(wide) != 0 {
		wide /= 2
	}
	by := int64(wide / size)
	w.Size[last] /= by
	w.Total /= by
	a.Stride /= by
	for d := range last {
		w.Stride[out][d] /= by
		w.Stride[x][d] /= by
	}
	return wide
}

// Scatter implements device.Indexings.
func (b *Backend) Scatter(op device.ScatterOp, out, index, src *device.Array, axis int) {
	if src.Numel() == 0 {
		return
	}
	w := newWalk(across(src, axis, src.Shape), across(index, axis, src.Shape), across(out, axis, src.Shape))
	args := scatterArgs{Out: arrayOf(out), Index: arrayOf(index), Src: arrayOf(src), Walk: w,
		Sources: int64(src.Shape[axis]), Places: int64(out.Shape[axis]), OutStride: int64(out.Strides[axis]),
		IndexStride: int64(index.Strides[axis]), SrcStride: int64(src.Strides[axis]), Op: int32(op)}
	lines := int(w.Total)
	const short = 32 // sources that a thread goes through in less time than blocks list them
	by := out.DType.ComputeIn()
	if args.Sources <= short || lines >= threads*b.gpu.processors {
		scattersLines[by].launch(b, b.linear(lines, 1), args, out, index, src)
		return
	}
	scattersOwned[by].launch(b, args.own(b), args, out, index, src)
}

// own shares the work out among blocks, so that each owns places.
func (a *scatterArgs) own(b *Backend) grid {
	const index = 1
	a.Width, a.Columns = 1, 1
	if last := a.Walk.Dims - 1; last >= 0 && a.Walk.Stride[index][last] == 0 {
		a.Width = a.Walk.Size[last]
	}
	for a.Columns < threads && int64(a.Columns) < a.Width {
		a.Columns *= 2
	}
	groups := a.Walk.Total / a.Width * ((a.Width + int64(a.Columns) - 1) / int64(a.Columns))
	const blocks = 4 // for each multiprocessor, as some get more sources than others
	spans := min(max(1, int64(blocks*b.gpu.processors)/groups), a.Places)
	a.Span = (a.Places + spans - 1) / spans
	spans = (a.Places + a.Span - 1) / a.Span
	return grid{Blocks: [3]int{int(groups), int(spans)}, Threads: [3]int{threads}}
}

// across returns x at position 0 of axis, as an array of this shape without that dimension.
func across(x *device.Array, axis int, shape []int) *device.Array {
	return &device.Array{Data: x.Data, DType: x.DType, Offset: x.Offset,
		Shape:   slices.Delete(slices.Clone(shape), axis, axis+1),
		Strides: slices.Delete(slices.Clone(x.Strides), axis, axis+1)}
}
