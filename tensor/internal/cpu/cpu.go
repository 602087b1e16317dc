package cpu

import (
	"fmt"
	"unsafe"

	"halfnote/internal/memory"
	"halfnote/tensor/internal/cpu/heap"
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// addressable is what counts as the machine's memory where it is not known: what a program can
// address, 4 GiB or far more than anybody has.
const addressable = 1 << (32 + 14*(^uintptr(0)>>63))

// Backend implements device.Backend on the host's memory.
type Backend struct{}

var _ device.Backend = Backend{}

// Alloc implements device.Backend.
func (Backend) Alloc(dtype device.DType, n int, zero bool) (unsafe.Pointer, error) {
	if err := Fits(dtype, n); err != nil {
		return nil, err
	}
	return heap.Alloc(n*dtype.Size(), zero), nil
}

// Fits refuses more elements than the machine has memory for: Go would end the process.
func Fits(dtype device.DType, n int) error {
	const checked = 1 << 30 // what is smaller is not worth the question
	bytes := float64(n) * float64(dtype.Size())
	if bytes <= checked {
		return nil
	}
	have, err := memory.Size()
	if err != nil {
		have = addressable
	}
	if bytes > float64(have) {
		return fmt.Errorf("%.3g GB are asked for, and the machine has %.3g GB of memory",
			bytes/1e9, float64(have)/1e9)
	}
	return nil
}

// Free implements device.Backend.
func (Backend) Free(data unsafe.Pointer, dtype device.DType, n int) {
	if n*dtype.Size() >= heap.Smallest {
		heap.Free(data)
	}
}

// Poison fills memory that need not be cleared, where tests look for ops that count on zeros.
func Poison(p unsafe.Pointer, bytes int) { heap.Poison(p, bytes) }

// MemoryStats implements device.Backend.
func (Backend) MemoryStats() device.MemoryStats { return heap.Stats() }

// ResetPeak implements device.Backend.
func (Backend) ResetPeak() { heap.ResetPeak() }

// EmptyCache implements device.Backend.
func (Backend) EmptyCache() { heap.Empty() }

// Synchronize implements device.Backend: nothing is left for later.
func (Backend) Synchronize() {}

// Send implements device.Backend.
func (b Backend) Send(out, x *device.Array) bool { return false }

// FromHost implements device.Backend.
func (b Backend) FromHost(out, host *device.Array) { b.Copy(out, host) }

// ToHost implements device.Backend.
func (b Backend) ToHost(host, x *device.Array) { b.Copy(host, x) }

// Fill implements device.Backend.
func (Backend) Fill(out *device.Array, v float64) {
	if n := out.Numel(); n <= grainCheap && denseSingles(out) {
		simd.Fill(elems[float32](out, out.Offset, 1, n), float32(v))
		return
	}
	var bits [1]uint64 // v as an element
	one := device.Array{Data: unsafe.Pointer(&bits), DType: out.DType}
	store(&one, 0, 1, []float64{v})
	Backend{}.Copy(out, &one)
}

// Copy implements device.Backend.
func (Backend) Copy(out, x *device.Array) {
	l := makeLoop(out, x)
	if l.total <= grainCheap {
		copyRange(&l, out, x)
		return
	}
	if transposed(&l, out, x) {
		transpose(l, out, x)
		return
	}
	copyParallel(l, out, x)
}

func copyParallel(l loop, out, x *device.Array) {
	pool.Split(l.total, pieceSize(l.total, grainCheap), func(lo, hi int) {
		part := l
		part.seek(lo, hi)
		copyRange(&part, out, x)
	})
}

func copyRange(l *loop, out, x *device.Array) {
	switch {
	case out.DType == x.DType && out.DType.Size() == 8:
		move[uint64](l, out, x)
	case out.DType == x.DType && out.DType.Size() == 4:
		move[uint32](l, out, x)
	case out.DType == x.DType && out.DType.Size() == 2:
		move[uint16](l, out, x)
	case out.DType == x.DType:
		move[uint8](l, out, x)
	default:
		switch device.ConvertIn(out.DType, x.DType) {
		case device.Float64:
			copyAs[float64](l, out, x)
		case device.Int64:
			copyAs[int64](l, out, x)
		default:
			copyAs[float32](l, out, x)
		}
	}
}

// move copies elements of one dtype, bit for bit.
func move[S any](l *loop, out, x *device.Array) {
	for {
		off, n := l.next(l.n)
		if n == 0 {
			return
		}
		so, sx := l.step[0], l.step[1]
		dst, src := elems[S](out, off[0], so, n), elems[S](x, off[1], sx, n)
		if so == 1 && sx == 1 {
			copy(dst, src)
			continue
		}
		if so == 1 && sx == 0 {
			repeat(dst, src[0])
			continue
		}
		for i, j, k := 0, 0, 0; i < n; i, j, k = i+1, j+so, k+sx {
			dst[j] = src[k]
		}
	}
}

// copyAs converts through T.
func copyAs[T number](l *loop, out, x *device.Array) {
	if direct[T](l, 0, out) {
		for {
			off, n := l.next(l.n)
			if n == 0 {
				return
			}
			load(elems[T](out, off[0], 1, n), x, off[1], l.step[1])
		}
	}
	s, limit := borrow[T](!direct[T](l, 1, x), l.n)
	defer giveBack(s)
	for {
		off, n := l.next(limit)
		if n == 0 {
			return
		}
		store(out, off[0], l.step[0], row(buffer[T](s, 1), x, off[1], l.step[1], n))
	}
}

// isFloat reports whether x has elements that package gemm multiplies.
func isFloat(x *device.Array) bool { return x.DType.ComputeIn() == device.Float32 }
