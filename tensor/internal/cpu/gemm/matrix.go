package gemm

import (
	"unsafe"

	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// A Matrix is a window on memory: element (i, j) lies i·Row + j·Col elements behind Data. A stride
// of zero repeats a row or a column. The element type is Float32, Float16 or BFloat16.
type Matrix struct {
	Data     unsafe.Pointer
	DType    device.DType
	Row, Col int
}

// At returns the part of x that begins at row i and column j.
func (x Matrix) At(i, j int) Matrix {
	x.Data = x.ptr(i, j)
	return x
}

// T returns the transpose.
func (x Matrix) T() Matrix {
	x.Row, x.Col = x.Col, x.Row
	return x
}

func (x *Matrix) size() int {
	if x.DType == device.Float32 {
		return 4
	}
	return 2
}

func (x *Matrix) ptr(i, j int) unsafe.Pointer {
	return unsafe.Add(x.Data, (i*x.Row+j*x.Col)*x.size())
}

func (x *Matrix) elem() simd.Elem { return Elem(x.DType) }

// Elem returns the name that package simd has for a type that is multiplied here.
func Elem(d device.DType) simd.Elem {
	switch d {
	case device.Float16:
		return simd.Half
	case device.BFloat16:
		return simd.BFloat
	}
	return simd.Float
}

// pair returns the two bfloat16 at (i, j) and (i+1, j), or one and zero where last.
func (x *Matrix) pair(i, j int, last bool) uint32 {
	v := uint32(*(*uint16)(x.ptr(i, j)))
	if !last {
		v |= uint32(*(*uint16)(x.ptr(i+1, j))) << 16
	}
	return v
}

// floats returns n float32 at p.
func floats(p unsafe.Pointer, n int) []float32 { return unsafe.Slice((*float32)(p), n) }

// halves returns n 16-bit elements at p.
func halves(p unsafe.Pointer, n int) []uint16 { return unsafe.Slice((*uint16)(p), n) }

// line writes n elements of row i from column j on as float32 into dst.
func (x *Matrix) line(dst []float32, i, j int) {
	p := x.ptr(i, j)
	if x.Col == 1 {
		switch x.DType {
		case device.Float16:
			simd.WidenHalf(dst, halves(p, len(dst)))
		case device.BFloat16:
			simd.WidenBFloat(dst, halves(p, len(dst)))
		default:
			copy(dst, floats(p, len(dst)))
		}
		return
	}
	step := x.Col * x.size()
	for c := range dst {
		switch at := unsafe.Add(p, c*step); x.DType {
		case device.Float16:
			dst[c] = simd.Float16ToFloat32(*(*uint16)(at))
		case device.BFloat16:
			dst[c] = simd.BFloat16ToFloat32(*(*uint16)(at))
		default:
			dst[c] = *(*float32)(at)
		}
	}
}

// view returns len(buf) elements of row i from column j on as float32: where they lie, or in buf.
func (x *Matrix) view(buf []float32, i, j int) []float32 {
	if x.DType == device.Float32 && x.Col == 1 {
		return floats(x.ptr(i, j), len(buf))
	}
	x.line(buf, i, j)
	return buf
}

// store rounds src to row i of x from column j on.
func (x *Matrix) store(src []float32, i, j int) {
	p := x.ptr(i, j)
	if x.Col == 1 {
		switch x.DType {
		case device.Float16:
			simd.NarrowHalf(halves(p, len(src)), src)
		case device.BFloat16:
			simd.NarrowBFloat(halves(p, len(src)), src)
		default:
			copy(floats(p, len(src)), src)
		}
		return
	}
	step := x.Col * x.size()
	for c, v := range src {
		switch at := unsafe.Add(p, c*step); x.DType {
		case device.Float16:
			*(*uint16)(at) = simd.Float32ToFloat16(v)
		case device.BFloat16:
			*(*uint16)(at) = simd.Float32ToBFloat16(v)
		default:
			*(*float32)(at) = v
		}
	}
}

// move moves x by n elements.
func (x *Matrix) move(n int) {
	if n != 0 {
		x.Data = unsafe.Add(x.Data, n*x.size())
	}
}
