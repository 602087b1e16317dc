//go:build cuda

package cuda

// #include "driver.h"
// #cgo noescape hn_from_host
// #cgo nocallback hn_from_host
// #cgo noescape hn_to_host
// #cgo nocallback hn_to_host
// #cgo noescape hn_to_peer
// #cgo nocallback hn_to_peer
// #cgo noescape hn_pinned
// #cgo nocallback hn_pinned
import "C"

import (
	"runtime"
	"sync"
	"unsafe"

	"halfnote/tensor/internal/cpu"
	"halfnote/tensor/internal/device"
)

// Copies between the host and the GPU go through pinned memory, which the GPU reads and writes by
// itself: what comes from the host is converted straight into it, and the op does not wait for the
// copy. Large arrays go in pieces, of which one is converted while the next is on its way.

const (
	smallPiece = 64 << 10 // bytes
	largePiece = 4 << 20

	smallPieces = 64 // at most: so many copies may be on their way to a GPU that is busy
	largePieces = 8
)

// staging has the pinned memory of a GPU.
type staging struct {
	gpu          *GPU
	mu           sync.Mutex
	small, large ring
}

// A ring has pieces of pinned memory, which are used in turn.
type ring struct {
	free  []*pinned
	made  int
	freed sync.Cond // signalled when a piece is free again
}

// A pinned is a piece of pinned memory. Whoever has it gives it back with the event after which it is unused.
type pinned struct {
	ring *ring
	data unsafe.Pointer
	used event
	busy bool // used was recorded, and nobody has waited for it since
}

// pinned returns memory for so many bytes, or as much of them as pieces have.
func (b *Backend) pinned(bytes int) *pinned {
	st := &b.gpu.staging
	p, err := st.take(bytes)
	b.check(err, "has no pinned memory")
	if p.busy {
		if !p.done() {
			waits()
		}
		p.busy = false
		if err := p.used.wait(); err != nil {
			st.give(p)
			b.check(err, "cannot copy")
		}
	}
	return p
}

func (st *staging) take(bytes int) (*pinned, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	r, size, most := &st.small, smallPiece, smallPieces
	if bytes > smallPiece {
		r, size, most = &st.large, largePiece, largePieces
	}
	r.freed.L = &st.mu
	for {
		if n := len(r.free); n > 0 && (r.made == most || r.free[0].done()) {
			p := r.free[0] // the one that was given back first
			copy(r.free, r.free[1:])
			r.free = r.free[:n-1]
			return p, nil
		}
		if r.made < most {
			r.made++
			p := &pinned{ring: r}
			e, err := st.gpu.event()
			if err == nil {
				p.used = e
				err = failed(C.hn_pinned(st.gpu.ctx(), &p.data, C.size_t(size)))
			}
			if err != nil {
				r.made--
				return nil, err
			}
			return p, nil
		}
		r.freed.Wait()
	}
}

func (p *pinned) done() bool { return !p.busy || p.used.done() }

func (st *staging) give(p *pinned) {
	st.mu.Lock()
	defer st.mu.Unlock()
	p.ring.free = append(p.ring.free, p)
	p.ring.freed.Signal()
}

// stretches calls f for the parts of n elements of that size that one piece has room for each.
func stretches(n, size int, f func(from, n int)) {
	for from := 0; from < n; from += largePiece / size {
		f(from, min(largePiece/size, n-from))
	}
}

// stretch returns n elements of a dense array as a vector.
func stretch(a *device.Array, from, n int) *device.Array {
	return &device.Array{Data: a.Data, DType: a.DType, Offset: a.Offset + from, Shape: []int{n}, Strides: []int{1}}
}

// FromHost implements device.Memory.
func (b *Backend) FromHost(out, host *device.Array) {
	n, size := out.Numel(), out.DType.Size()
	if n == 0 {
		return
	}
	b.use(out)
	if b.stream.recording() {
		if n > 1 { // each launch would copy the same
			b.unrecorded(bytesText(n*size) + " are copied from the host")
		}
		b.constant(out, host)
		return
	}
	to := out
	if !out.Contiguous() {
		to = b.dense(out.DType, out.Shape...)
		defer b.release(to)
	}
	from := spread(host, out.Shape)
	if n*size > largePiece && !from.Contiguous() {
		from = cpuDense(from)
	}
	stretches(n, size, func(at, n int) {
		p := b.pinned(n * size)
		defer b.gpu.staging.give(p)
		here := &device.Array{Data: p.data, DType: out.DType, Shape: out.Shape, Strides: rowMajor(out.Shape)}
		x := from
		if n < out.Numel() {
			here, x = stretch(here, 0, n), stretch(from, at, n)
		}
		cpu.Backend{}.Copy(here, x)
		b.check(failed(C.hn_from_host(b.gpu.ctx(), C.CUdeviceptr(address(to)+uint64(at*size)), p.data,
			C.size_t(n*size), b.stream.c())), "cannot copy from the host")
		b.mark(p)
	})
	if to != out {
		b.Copy(out, to)
	}
	runtime.KeepAlive(out)
}

// mark records that p is used until all that is in the stream now is done.
func (b *Backend) mark(p *pinned) {
	b.check(p.used.record(b.stream), "cannot copy")
	p.busy = true
}

// ToHost implements device.Memory.
func (b *Backend) ToHost(host, x *device.Array) {
	n, size := x.Numel(), x.DType.Size()
	if n == 0 {
		return
	}
	b.unrecorded("the program reads numbers of the GPU")
	b.use(x)
	from := x
	if !x.Contiguous() {
		from = b.dense(x.DType, x.Shape...)
		defer b.release(from)
		b.Copy(from, x)
	}
	to := host
	if n*size > largePiece && !host.Contiguous() {
		to = cpuDense(host)
		defer cpu.Backend{}.Copy(host, to)
	}
	var before func()
	stretches(n, size, func(at, n int) {
		p := b.pinned(n * size)
		arrive := func() {
			defer b.gpu.staging.give(p)
			if p.busy {
				p.busy = false
				waits()
				b.check(p.used.wait(), "fails")
			}
			here := &device.Array{Data: p.data, DType: x.DType, Shape: x.Shape, Strides: rowMajor(x.Shape)}
			out := to
			if n < x.Numel() {
				here, out = stretch(here, 0, n), stretch(to, at, n)
			}
			cpu.Backend{}.Copy(out, here)
		}
		r := failed(C.hn_to_host(b.gpu.ctx(), p.data, C.CUdeviceptr(address(from)+uint64(at*size)),
			C.size_t(n*size), b.stream.c()))
		if r == nil {
			r = p.used.record(b.stream)
		}
		if r != nil {
			b.gpu.staging.give(p)
			b.check(r, "cannot copy to the host")
		}
		p.busy = true
		if before != nil {
			before()
		}
		before = arrive
	})
	before()
	runtime.KeepAlive(x)
}

// cpuDense returns the elements of an array of the host's in row-major order.
func cpuDense(a *device.Array) *device.Array {
	n := a.Numel()
	buf := make([]uint64, (n*a.DType.Size()+7)/8)
	out := &device.Array{Data: unsafe.Pointer(unsafe.SliceData(buf)), DType: a.DType, Shape: a.Shape, Strides: rowMajor(a.Shape)}
	cpu.Backend{}.Copy(out, a)
	return out
}

// spread returns a with this shape.
func spread(a *device.Array, shape []int) *device.Array {
	if len(a.Shape) == len(shape) && a.Numel() == volume(shape) {
		return a
	}
	out := &device.Array{Data: a.Data, DType: a.DType, Offset: a.Offset, Shape: shape, Strides: make([]int, len(shape))}
	for d := range shape {
		out.Strides[d] = broadcastStride(a, d-len(shape))
	}
	return out
}

func volume(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

// Send implements device.Memory.
func (b *Backend) Send(out, x *device.Array) bool {
	n, size := out.Numel(), out.DType.Size()
	if n == 0 {
		return true
	}
	b.unrecorded("a copy to another GPU")
	m := blockOf(out)
	there := m.stream.On(b.op).(*Backend) // out was just made in the stream that will use it
	there.use(out)
	b.use(x)
	from := x
	if !x.Contiguous() {
		from = b.dense(x.DType, x.Shape...)
		defer b.release(from)
		b.Copy(from, x)
	}
	b.reach(there.gpu)
	b.check(between(there.stream, b.stream), "cannot wait for "+there.gpu.String())
	b.check(failed(C.hn_to_peer(b.gpu.ctx(), C.CUdeviceptr(address(out)), there.gpu.ctx(),
		C.CUdeviceptr(address(from)), C.size_t(n*size), b.stream.c())), "cannot copy to "+there.gpu.String())
	there.check(between(b.stream, there.stream), "cannot wait for "+b.gpu.String())
	runtime.KeepAlive(out)
	runtime.KeepAlive(x)
	return true
}

// reach lets g's copies to another GPU go the short way, where there is one.
func (b *Backend) reach(other *GPU) {
	b.gpu.reached[other.number].Do(func() {
		C.hn_reach(b.gpu.ctx(), C.CUdevice(b.gpu.device), other.ctx(), C.CUdevice(other.device)) // else longer
	})
}
