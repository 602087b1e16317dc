//go:build cuda

package cuda

import (
	"slices"

	"halfnote/tensor/internal/device"
)

// An array is where elements begin, and their type: Array in kernels/common.cuh.
type array struct {
	Data  uint64
	DType int32
	_     int32
}

// arrayOf returns a for kernels. A nil a gives one whose Data is 0.
func arrayOf(a *device.Array) array {
	if a == nil {
		return array{}
	}
	return array{Data: address(a), DType: int32(a.DType)}
}

const maxArrays = 4

// A walk goes through up to four arrays of one shape together: Walk in kernels/walk.cuh.
type walk struct {
	Total  int64
	Dims   int32
	Dense  int32
	Size   [device.MaxDims]int64
	Stride [maxArrays][device.MaxDims]int64
}

// newWalk returns the walk through arrays, of which the first gives the shape and the others are
// broadcast to it. Dimensions of one element are left out, and neighbours that all arrays cross in
// equal steps are taken together.
func newWalk(arrays ...*device.Array) walk {
	w := walk{Total: int64(arrays[0].Numel())}
	shape := arrays[0].Shape
	for d, size := range shape {
		if size == 1 {
			continue
		}
		var strides [maxArrays]int64
		for k, a := range arrays {
			strides[k] = int64(broadcastStride(a, d-len(shape)))
		}
		if w.Dims > 0 && w.together(strides[:len(arrays)], size) {
			last := w.Dims - 1
			w.Size[last] *= int64(size)
			for k := range arrays {
				w.Stride[k][last] = strides[k]
			}
			continue
		}
		w.Size[w.Dims] = int64(size)
		for k := range arrays {
			w.Stride[k][w.Dims] = strides[k]
		}
		w.Dims++
	}
	w.Dense = 1
	for k := range arrays {
		if w.Dims > 1 || w.Dims == 1 && w.Stride[k][0] != 1 {
			w.Dense = 0
		}
	}
	return w
}

// together reports whether a dimension of these strides and size continues w's last one.
func (w *walk) together(strides []int64, size int) bool {
	for k, s := range strides {
		if w.Stride[k][w.Dims-1] != s*int64(size) {
			return false
		}
	}
	return true
}

// broadcastStride returns a's stride in dimension d, which counts from the end: 0 where it has none or
// one element.
func broadcastStride(a *device.Array, d int) int {
	if d += len(a.Shape); d < 0 || a.Shape[d] == 1 {
		return 0
	}
	return a.Strides[d]
}

// dense returns a new array of this type and shape in row-major order, whose elements may be anything.
func (b *Backend) dense(dtype device.DType, shape ...int) *device.Array {
	a := &device.Array{DType: dtype, Shape: slices.Clone(shape), Strides: rowMajor(shape)}
	data, err := b.Alloc(dtype, a.Numel(), false)
	if err != nil {
		b.fail("shape %v of %v for the op's own use: %v", shape, suffixes[dtype], err)
	}
	a.Data = data
	return a
}

// release frees an array that dense made, in the order of the stream.
func (b *Backend) release(a *device.Array) { b.Free(a.Data, a.DType, a.Numel()) }

func rowMajor(shape []int) []int {
	strides := make([]int, len(shape))
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = step
		step *= shape[i]
	}
	return strides
}
