package cpu

import (
	"unsafe"

	"halfnote/tensor/internal/device"
)

// This file has what ops do that want arrays to be dense.

// denseSingles reports whether all arrays are float32 and one row of equal length.
func denseSingles(arrays ...*device.Array) bool {
	n := arrays[0].Numel()
	for _, a := range arrays {
		if a.DType != device.Float32 || !a.Contiguous() || a.Numel() != n {
			return false
		}
	}
	return true
}

// source returns x with dense elements of T or of 16 bits: those of x if they are so, else a copy.
func source[T number](x *device.Array) *device.Array {
	if x.Contiguous() && (x.DType == dtypeOf[T]() || dtypeOf[T]() == device.Float32 && isFloat(x)) {
		return x
	}
	a := denseArray(dense[T](x), x.Shape)
	return &a
}

// through calls f with out if it is dense, else with a dense array that it then copies to out.
func through[T number](b Backend, out *device.Array, f func(dense *device.Array)) {
	if out.Contiguous() {
		f(out)
		return
	}
	values := denseArray(make([]T, out.Numel()), out.Shape)
	f(&values)
	b.Copy(out, &values)
}

// dense returns the elements of a in row-major order as T: in place where they lie so, else a copy.
func dense[T number](a *device.Array) []T {
	n := a.Numel()
	if a.DType == dtypeOf[T]() && a.Contiguous() {
		return elems[T](a, a.Offset, 1, n)
	}
	values := make([]T, n)
	out := denseArray(values, a.Shape)
	Backend{}.Copy(&out, a)
	return values
}

// optional is dense, or nil for nil.
func optional[T number](a *device.Array) []T {
	if a == nil {
		return nil
	}
	return dense[T](a)
}

// into calls f with the elements of out in row-major order as T, or with zeros that are then
// converted into out, which begins as zeros in either case.
func into[T number](b Backend, out *device.Array, f func(values []T)) {
	if out.DType == dtypeOf[T]() && out.Contiguous() {
		f(elems[T](out, out.Offset, 1, out.Numel()))
		return
	}
	values := make([]T, out.Numel())
	f(values)
	from := denseArray(values, out.Shape)
	b.Copy(out, &from)
}

// denseCopy returns the elements of a, with their type, in row-major order.
func denseCopy(a *device.Array) *device.Array {
	memory, err := Backend{}.Alloc(a.DType, a.Numel(), false)
	if err != nil {
		panic(err) // a itself takes as much
	}
	out := rowMajor(memory, a.DType, a.Shape)
	Backend{}.Copy(&out, a)
	return &out
}

// denseArray describes values as a row-major array.
func denseArray[T number](values []T, shape []int) device.Array {
	return rowMajor(unsafe.Pointer(unsafe.SliceData(values)), dtypeOf[T](), shape)
}

// rowMajor describes memory as a row-major array.
func rowMajor(memory unsafe.Pointer, dtype device.DType, shape []int) device.Array {
	a := device.Array{Data: memory, DType: dtype, Shape: shape, Strides: make([]int, len(shape))}
	step := 1
	for d := len(shape) - 1; d >= 0; d-- {
		a.Strides[d] = step
		step *= shape[d]
	}
	return a
}
