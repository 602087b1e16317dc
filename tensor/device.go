package tensor

import (
	"errors"
	"strconv"

	"halfnote/tensor/internal/cpu"
	"halfnote/tensor/internal/device"
)

// A Device is a place where tensors live and are computed. The zero Device is CPU.
type Device struct {
	kind  deviceKind
	index int
}

type deviceKind uint8

const (
	cpuKind deviceKind = iota
	cudaKind
)

// CPU is the host's processor and memory.
var CPU = Device{}

// CUDA returns the GPU with the given number.
func CUDA(i int) Device { return Device{kind: cudaKind, index: i} }

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
		return "cuda:" + strconv.Itoa(d.index)
	}
	return "cpu"
}

func (Device) isTarget() {}

// backend returns what computes on d.
func (d Device) backend(op string) device.Backend {
	if d.kind == cudaKind {
		fail(op, "%v", CUDAError())
	}
	return cpu.Backend{}
}

// A Target is what Tensor.To converts to: a DType or a Device.
type Target interface{ isTarget() }
