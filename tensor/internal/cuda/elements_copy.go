//go:build cuda

package cuda

import (
	"slices"
	"unsafe"

	"halfnote/tensor/internal/cpu"
	"halfnote/tensor/internal/device"
)

type copyArgs struct {
	Out, X array
	Walk   walk
}

type transposeArgs struct {
	Out, X          array
	Batch           walk
	Rows, Columns   int64
	OutRow, XColumn int64
}

type fillArgs struct {
	Out     array
	Walk    walk
	Pattern [2]uint64
}

var (
	moves = map[int]*kernel[copyArgs]{
		1: newKernel[copyArgs]("copy", "copy_1"), 2: newKernel[copyArgs]("copy", "copy_2"),
		4: newKernel[copyArgs]("copy", "copy_4"), 8: newKernel[copyArgs]("copy", "copy_8"),
		16: newKernel[copyArgs]("copy", "copy_16"),
	}
	fills = map[int]*kernel[fillArgs]{
		1: newKernel[fillArgs]("copy", "fill_1"), 2: newKernel[fillArgs]("copy", "fill_2"),
		4: newKernel[fillArgs]("copy", "fill_4"), 8: newKernel[fillArgs]("copy", "fill_8"),
		16: newKernel[fillArgs]("copy", "fill_16"),
	}
	transposes = map[int]*kernel[transposeArgs]{
		1: newKernel[transposeArgs]("copy", "transpose_1"), 2: newKernel[transposeArgs]("copy", "transpose_2"),
		4: newKernel[transposeArgs]("copy", "transpose_4"), 8: newKernel[transposeArgs]("copy", "transpose_8"),
	}
	converts = family[elements]{any: newKernels[elements]("copy", "convert_any", allCompute...)}
)

// allCompute are the types that ops compute in.
var allCompute = []device.DType{device.Float32, device.Float64, device.Int64}

// Copy implements device.Memory.
func (b *Backend) Copy(out, x *device.Array) {
	n := out.Numel()
	if n == 0 {
		return
	}
	if out.DType != x.DType {
		converts.run(b, device.ConvertIn(out.DType, x.DType), 1, plain, out, x)
		return
	}
	if args, ok := newTranspose(out, x); ok {
		// A block has a tile of 32 · 32 elements or more at a time.
		transposes[out.DType.Size()].launch(b, b.linear(n, 4), args, out, x)
		return
	}
	args := copyArgs{arrayOf(out), arrayOf(x), newWalk(out, x)}
	size := args.Walk.larger(out, x)
	moves[size].launch(b, b.linear(int(args.Walk.Total), 4), args, out, x)
}

// newTranspose returns the arguments of a copy of which the output's rows lie across those of x, and false
// for other copies, and where rows or columns are too few for tiles.
func newTranspose(out, x *device.Array) (args transposeArgs, ok bool) {
	const least = 16
	w := newWalk(out, x)
	last := int(w.Dims) - 1
	if last < 1 || w.Stride[0][last] != 1 || w.Stride[1][last] == 1 || w.Size[last] < least {
		return args, false
	}
	row := slices.Index(w.Stride[1][:last], 1)
	if row < 0 || w.Size[row] < least {
		return args, false
	}
	args = transposeArgs{
		Out: arrayOf(out), X: arrayOf(x), Rows: w.Size[row], Columns: w.Size[last],
		OutRow: w.Stride[0][row], XColumn: w.Stride[1][last],
	}
	args.Batch.Total = 1
	for d := range last {
		if d == row {
			continue
		}
		to := args.Batch.Dims
		args.Batch.Size[to] = w.Size[d]
		args.Batch.Stride[0][to], args.Batch.Stride[1][to] = w.Stride[0][d], w.Stride[1][d]
		args.Batch.Total *= w.Size[d]
		args.Batch.Dims++
	}
	return args, true
}

// plain are arguments that need nothing more.
func plain(e elements) elements { return e }

// larger makes w a walk through larger elements, where the arrays have rows of so many that lie
// without gaps, and returns how many bytes each has. All arrays have elements of one size.
func (w *walk) larger(arrays ...*device.Array) int {
	size := arrays[0].DType.Size()
	last := int(w.Dims) - 1
	if last < 0 {
		return size
	}
	for k := range arrays {
		if w.Stride[k][last] != 1 {
			return size
		}
	}
	for to := 16; to > size; to /= 2 {
		if w.fits(int64(to/size), to, arrays) {
			each := int64(to / size)
			w.Total /= each
			w.Size[last] /= each
			for k := range arrays {
				for d := range last {
					w.Stride[k][d] /= each
				}
			}
			return to
		}
	}
	return size
}

// fits reports whether each elements, which have so many bytes, lie as a larger one may.
func (w *walk) fits(each int64, bytes int, arrays []*device.Array) bool {
	last := w.Dims - 1
	if w.Size[last]%each != 0 {
		return false
	}
	for k, a := range arrays {
		if address(a)%uint64(bytes) != 0 {
			return false
		}
		for _, s := range w.Stride[k][:last] {
			if s%each != 0 {
				return false
			}
		}
	}
	return true
}

// Fill implements device.Memory.
func (b *Backend) Fill(out *device.Array, v float64) {
	if out.Numel() == 0 {
		return
	}
	args := fillArgs{Out: arrayOf(out), Walk: newWalk(out)}
	size := args.Walk.larger(out)
	from := device.Array{Data: unsafe.Pointer(&v), DType: device.Float64, Shape: []int{1}, Strides: []int{0}}
	side := 16 / out.DType.Size() // elements side by side
	cpu.Backend{}.Copy(&device.Array{Data: unsafe.Pointer(&args.Pattern), DType: out.DType, Shape: []int{side}, Strides: []int{1}}, &from)
	fills[size].launch(b, b.linear(int(args.Walk.Total), 1), args, out)
}
