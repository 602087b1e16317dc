package cpu

import (
	"sync"
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

// A scratch has rows to convert elements in: with those of the arrays they fit in the first-level
// cache. It comes from a pool, as clearing one for each op would cost more than a small op does.
type scratch [maxArrays][scratchBytes / 8]uint64

const scratchBytes = 4096

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// buffer returns the k-th row of s.
func buffer[T number](s *scratch, k int) []T {
	if s == nil {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&s[k])), scratchBytes/unsafe.Sizeof(*new(T)))
}

// borrow returns a scratch and how many elements of T its rows have; or nil and n, where none is
// wanted.
func borrow[T number](wanted bool, n int) (*scratch, int) {
	if !wanted {
		return nil, n
	}
	return scratches.Get().(*scratch), int(scratchBytes / unsafe.Sizeof(*new(T)))
}

func giveBack(s *scratch) {
	if s != nil {
		scratches.Put(s)
	}
}

// begin returns where the elements of x begin, or nil where it has none. A pointer to behind x's memory
// must not be: to Go's collector it is one to what lies there, or to what no object can be, after
// which the process ends.
func begin(x *device.Array) unsafe.Pointer {
	if x.Numel() == 0 {
		return nil
	}
	return unsafe.Add(x.Data, x.Offset*x.DType.Size())
}

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
		if dst, ok := any(dst).([]float32); ok && stride == 1 {
			simd.WidenHalf(dst, src)
			return
		}
		for i, j := 0, 0; i < n; i, j = i+1, j+stride {
			dst[i] = T(simd.Float16ToFloat32(src[j]))
		}
	case device.BFloat16:
		src := elems[uint16](x, off, stride, n)
		if dst, ok := any(dst).([]float32); ok && stride == 1 {
			simd.WidenBFloat(dst, src)
			return
		}
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
		repeat(dst, T(src[0]))
	case 1:
		src = src[:len(dst)]
		if src, ok := any(src).([]T); ok {
			copy(dst, src)
			return
		}
		for i, v := range src {
			dst[i] = T(v)
		}
	default:
		for i, j := 0, 0; i < len(dst); i, j = i+1, j+stride {
			dst[i] = T(src[j])
		}
	}
}

// repeat fills dst with v.
func repeat[T any](dst []T, v T) {
	if unsafe.Sizeof(v) == 4 {
		simd.Fill(unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(dst))), len(dst)),
			*(*float32)(unsafe.Pointer(&v)))
		return
	}
	const first = 64 // what is copied from then on, in longer and longer pieces up to a page
	for i := range min(first, len(dst)) {
		dst[i] = v
	}
	for i := first; i < len(dst); {
		i += copy(dst[i:], dst[:min(i, 4096)])
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
		if src, ok := any(src).([]float32); ok && stride == 1 {
			simd.NarrowHalf(dst, src)
			return
		}
		for i, j := 0, 0; i < n; i, j = i+1, j+stride {
			dst[j] = simd.Float32ToFloat16(float32(src[i]))
		}
	case device.BFloat16:
		dst := elems[uint16](out, off, stride, n)
		if src, ok := any(src).([]float32); ok && stride == 1 {
			simd.NarrowBFloat(dst, src)
			return
		}
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
		if src, ok := any(src).([]D); ok {
			copy(dst, src)
			return
		}
		for i, v := range src {
			dst[i] = D(v)
		}
		return
	}
	for i, j := 0, 0; i < len(src); i, j = i+1, j+stride {
		dst[j] = D(src[i])
	}
}

// single returns dst as a row of float32 where it is one.
func single[T number](dst []T) ([]float32, bool) {
	s, ok := any(dst).([]float32)
	return s, ok
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
