package tensor

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"halfnote/tensor/internal/cpu"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/cuda"
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

// CUDAAvailable reports whether a GPU can be used.
func CUDAAvailable() bool { return CUDAError() == nil }

// CUDAError returns nil where a GPU can be used, and otherwise the reason why not.
func CUDAError() error { return cuda.Error() }

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

// home is where tensors are created, and what was wrong with the environment's wish.
var home, homeError = namedDevice(os.Getenv("HALFNOTE_DEVICE"))

// DefaultDevice returns where functions that make tensors of numbers, such as New, Zeros and Randn,
// put them: CPU, unless the environment variable HALFNOTE_DEVICE named another when the program
// started: cpu, cuda:0 and so on, or best for [BestDevice]. The error says why that cannot be had;
// tensors are not made somewhere else then, but nowhere.
func DefaultDevice() (Device, error) { return home, homeError }

// namedDevice returns the device that String gives that name.
func namedDevice(name string) (Device, error) {
	switch name {
	case "", "cpu":
		return CPU, nil
	case "best":
		return BestDevice(), nil
	}
	digits, isCUDA := strings.CutPrefix(name, "cuda:")
	i, err := strconv.ParseUint(digits, 10, 15)
	if !isCUDA || err != nil {
		return CPU, fmt.Errorf("HALFNOTE_DEVICE=%s: devices are cpu, cuda:0, cuda:1, …, and best", name)
	}
	if _, err := cuda.Open(int(i)); err != nil {
		return CUDA(int(i)), fmt.Errorf("HALFNOTE_DEVICE=%s: %w", name, err)
	}
	return CUDA(int(i)), nil
}

// created returns where op creates tensors.
func created(op string) Device {
	if homeError != nil {
		fail(op, "%v", homeError)
	}
	return home
}

// oneDevice returns the device that an op was given, if any, or else the default one.
func oneDevice(op string, given []Device) Device {
	if len(given) == 0 {
		return created(op)
	}
	return one(op, given)
}

// backend returns what computes on d.
func (d Device) backend(op string) device.Backend {
	var b device.Backend = cpu.Backend{}
	if d.kind == cudaKind {
		b = d.queue(op).On(op)
	}
	if p := profiling.Load(); p != nil {
		return &timed{b, p, op}
	}
	return b
}

func init() { device.Fail = func(op, text string) { fail(op, "%s", text) } }

// A Target is what Tensor.To converts to: a DType or a Device.
type Target interface{ isTarget() }
