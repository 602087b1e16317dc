package cpu

import (
	"unsafe"

	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// number is what ops compute in.
type number interface{ float32 | float64 | int64 }

// float is what ops with fractions compute in.
type float interface{ float32 | float64 }

// chunk is the length of the conversion buffers: three of them fit in the first-level cache, and
// clearing them costs little beside a small op.
const chunk = 256

// elems returns the elements from a.Data on that a row of n with this stride can reach.
func elems[S any](a *device.Array, off, stride, n int) []S {
	if n == 0 {
		return nil
	}
	first := unsafe.Add(a.Data, off*int(unsafe.Sizeof(*new(S))))
	return unsafe.Slice((*S)(first), (n-1)*stride+1)
}

// dtypeOf returns the element type that T has in memory.
func dtypeOf[T number]() device.DType {
	switch any(*new(T)).(type) {
	case float64:
		return device.Float64
	case int64:
		return device.Int64
	}
	return device.Float32
}

// load converts len(dst) elements of x that begin at off into dst.
func load[T number](dst []T, x *device.Array, off, stride int) {
	n := len(dst)
	switch x.DType {
	case device.Float64:
		convert(dst, elems[float64](x, off, stride, n), stride)
	case device.Float32:
		convert(dst, elems[float32](x, off, stride, n), stride)
	case device.Int64:
		convert(dst, elems[int64](x, off, stride, n), stride)
	case device.Float16:
		src := elems[uint16](x, off, stride, n)
		for i, j := 0, 0; i < n; i, j = i+1, j+stride {
			dst[i] = T(simd.Float16ToFloat32(src[j]))
		}
	case device.BFloat16:
		src := elems[uint16](x, off, stride, n)
		for i, j := 0, 0; i < n; i, j = i+1, j+stride {
			dst[i] = T(simd.BFloat16ToFloat32(src[j]))
		}
	case device.Bool:
		src := elems[uint8](x, off, stride, n) // 0 or 1, which takes no branch
		for i, j := 0, 0; i < n; i, j = i+1, j+stride {
			dst[i] = T(src[j])
		}
	}
}

func convert[T, S number](dst []T, src []S, stride int) {
	switch stride {
	case 0:
		v := T(src[0])
		for i := range dst {
			dst[i] = v
		}
	case 1:
		src = src[:len(dst)]
		for i, v := range src {
			dst[i] = T(v)
		}
	default:
		for i, j := 0, 0; i < len(dst); i, j = i+1, j+stride {
			dst[i] = T(src[j])
		}
	}
}

// store converts src to the dtype of out and writes it from off on. Float64 reaches the 16-bit
// formats by way of float32, as in PyTorch.
func store[T number](out *device.Array, off, stride int, src []T) {
	n := len(src)
	switch out.DType {
	case device.Float64:
		scatter(elems[float64](out, off, stride, n), stride, src)
	case device.Float32:
		scatter(elems[float32](out, off, stride, n), stride, src)
	case device.Int64:
		scatter(elems[int64](out, off, stride, n), stride, src)
	case device.Float16:
		dst := elems[uint16](out, off, stride, n)
		for i, j := 0, 0; i < n; i, j = i+1, j+stride {
			dst[j] = simd.Float32ToFloat16(float32(src[i]))
		}
	case device.BFloat16:
		dst := elems[uint16](out, off, stride, n)
		for i, j := 0, 0; i < n; i, j = i+1, j+stride {
			dst[j] = simd.Float32ToBFloat16(float32(src[i]))
		}
	case device.Bool:
		dst := elems[bool](out, off, stride, n)
		for i, j := 0, 0; i < n; i, j = i+1, j+stride {
			dst[j] = src[i] != 0
		}
	}
}

func scatter[D, T number](dst []D, stride int, src []T) {
	if stride == 1 {
		dst = dst[:len(src)]
		for i, v := range src {
			dst[i] = D(v)
		}
		return
	}
	for i, j := 0, 0; i < len(src); i, j = i+1, j+stride {
		dst[j] = D(src[i])
	}
}

// row returns n elements of x as T: in place where they are dense and of that type, else
// converted into buf.
func row[T number](buf []T, x *device.Array, off, stride, n int) []T {
	if x.DType == dtypeOf[T]() && stride == 1 {
		return elems[T](x, off, 1, n)
	}
	buf = buf[:n]
	load(buf, x, off, stride)
	return buf
}
