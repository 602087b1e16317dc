//go:build cuda

package cuda

// #include "driver.h"
// #cgo noescape hn_launch
// #cgo nocallback hn_launch
import "C"

import (
	"fmt"
	"reflect"
	"runtime"
	"sync/atomic"
	"unsafe"

	"gorgonia.org/cu"

	"halfnote/tensor/internal/device"
)

// A kernel is a function in kernels/ whose argument is a struct like A.
type kernel[A any] struct {
	entry
}

// An entry is what all kernels are known by.
type entry struct {
	file, name string
	args       reflect.Type
	bytes      uintptr // of its argument
	functions  [maxGPUs]atomic.Pointer[cu.Function]
	shared     [maxGPUs]atomic.Int64 // bytes of dynamic shared memory that were asked for so far
}

const maxGPUs = 64

// entries are all kernels, for tests.
var entries []*entry

// newKernel declares the kernel of this name in kernels/file.cu.
func newKernel[A any](file, name string) *kernel[A] {
	k := &kernel[A]{entry{file: file, name: name, args: reflect.TypeFor[A](), bytes: unsafe.Sizeof(*new(A))}}
	entries = append(entries, &k.entry)
	return k
}

// A kernelSet has a kernel for each of several element types.
type kernelSet[A any] map[device.DType]*kernel[A]

// suffixes name element types in the names of kernels.
var suffixes = map[device.DType]string{
	device.Float64: "f64", device.Float32: "f32", device.Float16: "f16", device.BFloat16: "bf16",
	device.Int64: "i64", device.Bool: "bool",
}

// newKernels declares the kernels name_f32 and so on in kernels/file.cu.
func newKernels[A any](file, name string, dtypes ...device.DType) kernelSet[A] {
	all := kernelSet[A]{}
	for _, d := range dtypes {
		all[d] = newKernel[A](file, name+"_"+suffixes[d])
	}
	return all
}

// A grid is how many threads a launch has: blocks, threads in each, and bytes of dynamic shared
// memory. Zeros in Blocks and Threads from the second on mean 1.
type grid struct {
	Blocks, Threads [3]int
	Shared          int
}

const (
	threads  = 256 // in a block of kernels that need no other number
	resident = 8   // such blocks that a multiprocessor has room for
)

// linear returns a grid for kernels whose threads go through n numbers in strides, so many at a time.
func (b *Backend) linear(n, each int) grid {
	if few := (n + each - 1) / each; few <= threads/2 { // idle ones cost the stand-in time
		return grid{Blocks: [3]int{min(n, 1)}, Threads: [3]int{max(32, (few+31)&^31)}}
	}
	blocks := (n + each*threads - 1) / (each * threads)
	return grid{Blocks: [3]int{min(blocks, resident*b.gpu.processors)}, Threads: [3]int{threads}}
}

// launch puts k into b's stream. arrays are all that it reads and writes: they must not have been
// freed, and live until the launch is done. A grid without blocks is none.
func (k *kernel[A]) launch(b *Backend, g grid, args A, arrays ...*device.Array) {
	if g.Blocks[0] == 0 {
		return
	}
	for _, a := range arrays {
		b.use(a)
	}
	fn := k.function(b)
	if g.Shared > defaultShared {
		k.raise(b, fn, g.Shared)
	}
	blocks, threads := &g.Blocks, &g.Threads
	r := C.hn_launch(b.gpu.ctx(), fn, some(blocks[0]), some(blocks[1]), some(blocks[2]), some(threads[0]),
		some(threads[1]), some(threads[2]), C.uint(g.Shared), b.stream.c(), unsafe.Pointer(&args))
	for _, a := range arrays {
		runtime.KeepAlive(a)
	}
	if r != C.CUDA_SUCCESS {
		b.check(failed(r), "cannot launch "+k.name)
	}
	if Synchronous {
		b.check(b.stream.wait(), "fails in "+k.name)
	}
}

// some returns a number of blocks or threads.
func some(n int) C.uint { return C.uint(max(n, 1)) }

// function returns k on b's GPU.
func (k *entry) function(b *Backend) C.CUfunction {
	at := &k.functions[b.gpu.number]
	fn := at.Load()
	if fn == nil {
		m, err := b.gpu.module(k.file)
		b.check(err, "is not ready")
		var f cu.Function
		b.check(b.gpu.do(func() error {
			f, err = m.Function(k.name)
			return ownError(err)
		}), fmt.Sprintf("has no kernel %s", k.name))
		fn = &f
		at.Store(fn)
	}
	return *(*C.CUfunction)(unsafe.Pointer(fn))
}

const defaultShared = 48 << 10 // bytes of dynamic shared memory that need no asking

// raise allows k so many bytes of dynamic shared memory.
func (k *entry) raise(b *Backend, fn C.CUfunction, bytes int) {
	if had := &k.shared[b.gpu.number]; had.Load() < int64(bytes) {
		b.check(failed(C.hn_set_shared(b.gpu.ctx(), fn, C.int(bytes))),
			fmt.Sprintf("has not the %d bytes of shared memory for %s", bytes, k.name))
		had.Store(int64(bytes))
	}
}
