//go:build cuda

package cuda

// #include "driver.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"gorgonia.org/cu"

	"halfnote/tensor/internal/device"
)

// A GPU is one that ops compute on, with its context, its stream and its memory.
type GPU struct {
	number  int
	device  cu.Device
	context cu.CUContext
	stream  *stream // the default one
	pool    pool
	staging staging
	streams struct { // beside the default one
		sync.Mutex
		all   []*stream
		given int
	}
	events struct {
		sync.Mutex
		idle []event
	}
	reached [maxGPUs]sync.Once // by copies to other GPUs

	// What launches are planned by.
	processors  int // streaming multiprocessors
	sharedLimit int // bytes of shared memory that a block may ask for
	capability  int // 90 for compute capability 9.0
}

// The least compute capability that there are kernels for.
const leastCapability = 75

// driver starts the driver once, and remembers why it cannot be used.
var driver = sync.OnceValues(func() (gpus int, err error) {
	if C.halfnote_cuda_state() != 0 {
		return 0, errors.New("cuda: " + C.GoString(C.halfnote_cuda_why()))
	}
	n, err := cu.NumDevices()
	switch {
	case err != nil:
		return 0, fmt.Errorf("cuda: the driver does not count its GPUs: %w", ownError(err))
	case n == 0:
		return 0, errors.New("cuda: the driver is there, but no GPU")
	}
	return n, nil
})

// Error returns nil where the first GPU can be computed on, and otherwise the reason why not.
func Error() error {
	_, err := Open(0)
	return err
}

var gpus struct {
	sync.Mutex
	errs map[int]error // of those that do not open
}

// opened are the GPUs that ops have asked for already.
var opened [maxGPUs]atomic.Pointer[GPU]

// Open returns the i-th GPU, or says why it cannot be computed on.
func Open(i int) (*GPU, error) {
	if uint(i) < maxGPUs {
		if g := opened[i].Load(); g != nil {
			return g, nil
		}
	}
	n, err := driver()
	n = min(n, maxGPUs)
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= n {
		return nil, fmt.Errorf("cuda: there is no GPU %d: they are numbered 0 to %d", i, n-1)
	}
	gpus.Lock()
	defer gpus.Unlock()
	if g, err := opened[i].Load(), gpus.errs[i]; g != nil || err != nil {
		return g, err
	}
	g, err := open(i)
	if gpus.errs == nil {
		gpus.errs = map[int]error{}
	}
	gpus.errs[i] = err
	opened[i].Store(g)
	return g, err
}

func open(i int) (*GPU, error) {
	d, err := cu.GetDevice(i)
	if err != nil {
		return nil, fmt.Errorf("cuda: GPU %d: %w", i, ownError(err))
	}
	g := &GPU{number: i, device: d}
	major, minor, err := d.ComputeCapability()
	if err != nil {
		return nil, fmt.Errorf("cuda: GPU %d: %w", i, ownError(err))
	}
	if g.capability = 10*major + minor; g.capability < leastCapability {
		name, _ := d.Name()
		return nil, fmt.Errorf("cuda: GPU %d (%s) has compute capability %d.%d, kernels need %d.%d or more",
			i, name, major, minor, leastCapability/10, leastCapability%10)
	}
	for _, a := range []struct {
		of cu.DeviceAttribute
		to *int
	}{
		{cu.MultiprocessorCount, &g.processors},
		{maxSharedPerBlockOptin, &g.sharedLimit},
	} {
		if *a.to, err = d.Attribute(a.of); err != nil {
			return nil, fmt.Errorf("cuda: GPU %d: %w", i, ownError(err))
		}
	}
	if g.context, err = d.RetainPrimaryCtx(); err != nil {
		return nil, fmt.Errorf("cuda: GPU %d: no context: %w", i, ownError(err))
	}
	total, err := d.TotalMem()
	if err != nil {
		return nil, fmt.Errorf("cuda: GPU %d: %w", i, ownError(err))
	}
	g.pool.start(g, int(total))
	g.staging.gpu = g
	err = g.do(func() error {
		g.stream, err = g.newStream()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cuda: GPU %d: no stream: %w", i, err)
	}
	if err := g.loadable(); err != nil {
		return nil, err
	}
	return g, nil
}

// maxSharedPerBlockOptin is CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN.
const maxSharedPerBlockOptin cu.DeviceAttribute = 97

// do calls f on a thread whose context is g's.
func (g *GPU) do(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cu.SetCurrentContext(g.context); err != nil {
		return ownError(err)
	}
	return f()
}

// ctx is g's context for functions in C.
func (g *GPU) ctx() C.CUcontext { return *(*C.CUcontext)(unsafe.Pointer(&g.context)) }

// For returns what computes an op of this name on g, in its default stream.
func (g *GPU) For(op string) device.Backend { return g.stream.On(op) }

// A Backend computes one op.
type Backend struct {
	gpu    *GPU
	stream *stream
	op     string
}
