package tensor

import (
	"errors"
	"strconv"

	"halfnote/tensor/internal/cpu"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// A Device is a place where tensors live and are computed. The zero Device is CPU.
type Device struct {
	kind  deviceKind
	index int32
}

type deviceKind uint8

const (
	cpuKind deviceKind = iota
	cudaKind
)

// CPU is the host's processor and memory.
var CPU = Device{}

// CPUPath returns which vector instructions tensors on CPU are computed with: avx512bf16, avx512,
// avx2, neon, or go where there are none. The environment variable HALFNOTE_CPU names another that
// this machine has, and is read once, when the program starts; the error says why it could not be
// followed and what there is. With avx512bf16, products take bfloat16 numbers below 1.2e-38 for zeros,
// as that instruction does; all else keeps them.
func CPUPath() (string, error) {
	p, err := simd.Current()
	return p.String(), err
}

// CUDA returns the GPU with the given number.
func CUDA(i int) Device { return Device{kind: cudaKind, index: int32(i)} }

var errNoCUDA = errors.New("cuda: built without tag cuda")

// CUDAAvailable reports whether a GPU can be used.
func CUDAAvailable() bool { return CUDAError() == nil }

// CUDAError returns nil where a GPU can be used, and otherwise the reason why not.
func CUDAError() error { return errNoCUDA }

// BestDevice returns the first GPU where one can be used, else CPU.
func BestDevice() Device {
	if CUDAAvailable() {
		return CUDA(0)
	}
	return CPU
}

// String returns cpu or, for instance, cuda:0.
func (d Device) String() string {
	if d.kind == cudaKind {
		return "cuda:" + strconv.Itoa(int(d.index))
	}
	return "cpu"
}

func (Device) isTarget() {}

// backend returns what computes on d.
func (d Device) backend(op string) device.Backend {
	if d.kind == cudaKind {
		fail(op, "%v", CUDAError())
	}
	if p := profiling.Load(); p != nil {
		return &timed{cpu.Backend{}, p, op}
	}
	return cpu.Backend{}
}

// A Target is what Tensor.To converts to: a DType or a Device.
type Target interface{ isTarget() }
