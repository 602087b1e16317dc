package data

import (
	"fmt"
	"slices"

	"halfnote/tensor"
)

// This file implements how a data set keeps its samples: as slices of Go's numbers, from which the
// rows of a batch are copied into a new tensor.

// A column is the inputs or the labels of all samples.
type column struct {
	store
	shape []int // of a sample
}

// size returns the number of elements of a sample.
func (c column) size() int { return numel(c.shape) }

// batch returns a tensor [n, shape…] with copies of the given samples.
func (c column) batch(rows []int) *tensor.Tensor {
	return c.take(rows, c.size(), append([]int{len(rows)}, c.shape...))
}

// A store holds the elements of a column, sample by sample.
type store interface {
	dtype() tensor.DType

	// take returns a tensor of the given shape with copies of samples of size elements each.
	take(rows []int, size int, shape []int) *tensor.Tensor
}

// values is a store of the elements as they are.
type values[T any] struct {
	data []T
	kind tensor.DType
	make func(data []T, shape ...int) *tensor.Tensor
}

func (v *values[T]) dtype() tensor.DType { return v.kind }

func (v *values[T]) take(rows []int, size int, shape []int) *tensor.Tensor {
	return v.make(gather(v.data, rows, size), shape...)
}

// pick returns a tensor whose element i is element index[i] of the store, and zero for -1.
func (v *values[T]) pick(index, shape []int) *tensor.Tensor {
	out := make([]T, len(index))
	for i, from := range index {
		if from >= 0 {
			out[i] = v.data[from]
		}
	}
	return v.make(out, shape...)
}

// gather copies samples of size elements each.
func gather[T any](data []T, rows []int, size int) []T {
	out := make([]T, 0, len(rows)*size)
	for _, r := range rows {
		out = append(out, data[r*size:(r+1)*size]...)
	}
	return out
}

// picker is what values of every type offer to the transforms that move elements.
type picker interface {
	store
	pick(index, shape []int) *tensor.Tensor
}

func float32Values(data []float32) *values[float32] {
	return &values[float32]{data, tensor.Float32, tensor.FromFloat32}
}

func int64Values(data []int64) *values[int64] {
	return &values[int64]{data, tensor.Int64, tensor.FromInt64}
}

// valuesOf copies the elements of t, from whatever device it is on.
func valuesOf(t *tensor.Tensor) picker {
	switch t.DType() {
	case tensor.Float64:
		return &values[float64]{t.Float64s(), tensor.Float64, tensor.FromFloat64}
	case tensor.Float16:
		return &values[tensor.Half]{t.Halves(), tensor.Float16, tensor.FromHalf}
	case tensor.BFloat16:
		exact := t.Float32s()
		rounded := make([]tensor.BFloat, len(exact))
		for i, v := range exact {
			rounded[i] = tensor.ToBFloat(v)
		}
		return &values[tensor.BFloat]{rounded, tensor.BFloat16, tensor.FromBFloat}
	case tensor.Int64:
		return int64Values(t.Int64s())
	case tensor.Bool:
		return &values[bool]{t.Bools(), tensor.Bool, tensor.FromBool}
	}
	return float32Values(t.Float32s())
}

// columnOf copies the samples of t, whose first dimension numbers them.
func columnOf(t *tensor.Tensor) column {
	return column{valuesOf(t), t.Shape()[1:]}
}

// pixels is a store of bytes that come as float32 from 0 to 1, in a quarter of the memory.
type pixels []byte

// pixelValues are the values of a byte: v/255.
var pixelValues = func() (values [256]float32) {
	for i := range values {
		values[i] = float32(i) / 255
	}
	return values
}()

func (pixels) dtype() tensor.DType { return tensor.Float32 }

func (p pixels) take(rows []int, size int, shape []int) *tensor.Tensor {
	out := make([]float32, 0, len(rows)*size)
	for _, r := range rows {
		for _, v := range p[r*size : (r+1)*size] {
			out = append(out, pixelValues[v])
		}
	}
	return tensor.FromFloat32(out, shape...)
}

// windows is a store of pieces of one long row of numbers, which begin stride apart.
type windows struct {
	ids    []int32
	stride int
}

func (windows) dtype() tensor.DType { return tensor.Int64 }

func (w windows) take(rows []int, size int, shape []int) *tensor.Tensor {
	out := make([]int64, 0, len(rows)*size)
	for _, r := range rows {
		for _, id := range w.ids[r*w.stride : r*w.stride+size] {
			out = append(out, int64(id))
		}
	}
	return tensor.FromInt64(out, shape...)
}

// numel returns the number of elements of a shape.
func numel(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

// fail panics with a *tensor.Error.
func fail(op, format string, args ...any) {
	panic(&tensor.Error{Op: op, Msg: fmt.Sprintf(format, args...)})
}

// upTo returns 0 … n-1.
func upTo(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// shaped returns the shape of n samples.
func shaped(n int, sample []int) []int { return slices.Concat([]int{n}, sample) }
