//go:build cuda

package cuda

// #include "driver.h"
// #cgo noescape hn_set
// #cgo nocallback hn_set
import "C"

import (
	"runtime"
	"slices"
	"unsafe"

	"halfnote/tensor/internal/device"
)

// A block is memory of a GPU. The Data of arrays points at it, so that it lives as long as one of
// them, and a finalizer takes it back.
type block struct {
	self    *block // tells a block from memory of the host
	address uint64
	bytes   int // that were asked for
	chunk   *chunk
	stream  *stream
	others  []*stream // that have used it too
	freed   bool
	graphs  int  // that use it
	late    bool // it was given back, and goes when no graph uses it
}

// blockOf returns the block that a lies in.
//
//go:nocheckptr // which would end the program where Data is the host's, and use says that better
func blockOf(a *device.Array) *block { return (*block)(a.Data) }

// address returns where a's first element lies.
func address(a *device.Array) uint64 {
	return blockOf(a).address + uint64(a.Offset*a.DType.Size())
}

// use checks that a can be used by b's op, and notes that b's stream does.
func (b *Backend) use(a *device.Array) {
	if a == nil {
		return
	}
	m := blockOf(a)
	if m == nil || m.self != m || m.freed || m.stream != b.stream {
		b.useOther(m)
	}
}

// useOther is use for what is not b's stream's own.
func (b *Backend) useOther(m *block) {
	switch {
	case m == nil || m.self == m && m.freed:
		b.fail("a tensor was freed before this op")
	case m.self != m:
		b.fail("devices cpu and %s differ; move one with To", b.gpu)
	case m.stream.gpu != b.gpu:
		b.fail("devices %s and %s differ; move one with To", m.stream.gpu, b.gpu)
	case m.stream.graph != nil:
		m.stream.graph.check(b)
	}
	if b.stream.recording() {
		b.stream.graph.use(m)
		return
	}
	m.usedBy(b.stream)
}

// usedBy notes that s uses m: its memory then waits for what s has to do.
func (m *block) usedBy(s *stream) {
	p := &m.stream.gpu.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Contains(m.others, s) {
		m.others = append(m.others, s)
	}
}

// Alloc implements device.Memory.
func (b *Backend) Alloc(dtype device.DType, n int, zero bool) (unsafe.Pointer, error) {
	m, err := b.gpu.pool.take(b.stream, n*dtype.Size())
	if err != nil {
		return nil, explain(err)
	}
	runtime.SetFinalizer(m, (*block).unused)
	switch {
	case n == 0:
	case zero:
		b.set(m, 0)
	case poison:
		b.set(m, 0xff)
	}
	return unsafe.Pointer(m), nil
}

// set writes a byte to all of m.
func (b *Backend) set(m *block, value byte) {
	b.check(b.gpu.set(b.stream, m.address, value, m.bytes), "cannot write to its memory")
}

// set writes a byte to so many bytes of memory, in the order of s.
func (g *GPU) set(s *stream, address uint64, value byte, bytes int) error {
	return failed(C.hn_set(g.ctx(), C.CUdeviceptr(address), C.uchar(value), C.size_t(bytes), s.c()))
}

// Free implements device.Memory.
func (b *Backend) Free(data unsafe.Pointer, dtype device.DType, n int) {
	m := (*block)(data)
	if m == nil || m.self != m || m.freed {
		b.fail("memory is freed twice")
	}
	runtime.SetFinalizer(m, nil)
	m.unused()
}

// unused gives m back to its pool.
func (m *block) unused() {
	m.freed = true
	m.stream.gpu.pool.give(m)
}

// MemoryStats implements device.Memory.
func (b *Backend) MemoryStats() device.MemoryStats { return b.gpu.pool.read() }

// ResetPeak implements device.Memory.
func (b *Backend) ResetPeak() { b.gpu.pool.resetPeak() }

// EmptyCache implements device.Memory.
func (b *Backend) EmptyCache() { b.gpu.pool.release() }

// Synchronize implements device.Memory.
func (b *Backend) Synchronize() {
	b.unrecorded("it waits for the GPU")
	b.check(b.gpu.wait(), "fails")
}
