package tensor

import (
	"fmt"

	"halfnote/tensor/internal/cuda"
)

// A CUDADevice tells what is known of one GPU.
type CUDADevice struct {
	Device     Device
	Name       string // such as NVIDIA H200
	Capability string // the compute capability: 9.0
	Memory     int64  // bytes
	Driver     string // the newest CUDA that its driver knows: 13.0
	BLAS       string // what multiplies large matrices: cuBLAS, or "" for halfnote's own kernels
	Err        error  // why it cannot be computed on, or nil
}

// CUDADevices returns the GPUs that the driver has, also those that are too old to compute on. The
// error says why there are none; it is nil where there is one.
func CUDADevices() ([]CUDADevice, error) {
	found, err := cuda.Describe()
	if err != nil {
		return nil, err
	}
	list := make([]CUDADevice, len(found))
	for i, f := range found {
		list[i] = CUDADevice{CUDA(i), f.Name, f.Capability, f.Memory, f.Driver, f.BLAS, f.Err}
	}
	return list, nil
}

// String returns for instance cuda:0: NVIDIA H200, compute capability 9.0, 139.8 GiB, driver for CUDA
// 13.0, large products by cuBLAS.
func (d CUDADevice) String() string {
	text := fmt.Sprintf("%s: %s, compute capability %s, %.1f GiB, driver for CUDA %s", d.Device, d.Name,
		d.Capability, float64(d.Memory)/(1<<30), d.Driver)
	switch {
	case d.Err != nil:
		text += "; not used: " + d.Err.Error()
	case d.BLAS == "":
		text += ", all products by halfnote's kernels"
	default:
		text += ", large products by " + d.BLAS
	}
	return text
}
