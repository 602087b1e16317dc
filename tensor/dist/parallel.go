package dist

import (
	"fmt"
	"slices"

	"halfnote/tensor"
	"halfnote/tensor/nn"
)

// Config describes what [DataParallelWith] makes.
type Config struct {
	Devices []tensor.Device // a replica for each; the first holds the parameters
	State   StateCopy       // what the replicas get of the caller's autocast state
}

// Parallel is a module that runs replicas of another one, see [DataParallel].
type Parallel struct {
	Module  nn.Module       `nn:"module"` // the names of its tensors begin with module, as in PyTorch
	devices []tensor.Device `nn:"-"`
	state   StateCopy       `nn:"-"`
}

// DataParallel returns a module whose Forward runs a replica of m on a part of the batch for each
// device, all at once. A device may come several times, as the CPU for several of its cores.
// Without devices there is one replica, on [tensor.BestDevice]. The parameters of m must be on the
// first device.
//
// The replicas get the caller's autocast state whole, dtype included, and whether ops are recorded
// for Backward. PyTorch copied nothing of the state up to release 1.6, and later all but the dtype:
// [DataParallelWith] shows both.
//
// It panics with a [*tensor.Error] when m is nil or has a parameter on another device.
func DataParallel(m nn.Module, devices ...tensor.Device) *Parallel {
	return DataParallelWith(m, Config{Devices: devices})
}

// DataParallelWith is [DataParallel] with options.
func DataParallelWith(m nn.Module, config Config) *Parallel {
	if m == nil {
		fail("data parallel", "the module is nil")
	}
	devices := slices.Clone(config.Devices)
	if len(devices) == 0 {
		devices = []tensor.Device{tensor.BestDevice()}
	}
	checkHome("data parallel", m, devices[0])
	return &Parallel{Module: m, devices: devices, state: config.State}
}

// Forward splits x [n, …] by [Scatter], runs the replicas, and joins their outputs by [Gather] on
// the first device. A batch of fewer rows than devices leaves some without work. With one part the
// module itself runs, on the calling goroutine.
//
// The module itself is the first replica: what its Forward writes to buffers, such as a batch
// norm's running statistics of the first part of the batch, and to its fields stays; what other
// replicas write is lost.
//
// A panic in a replica comes out as an [*Error] that says in which, when all have ended.
func (p *Parallel) Forward(x *tensor.Tensor) *tensor.Tensor {
	parts := Scatter(x, p.devices)
	if len(parts) == 1 {
		return p.Module.Forward(parts[0])
	}
	replicas := replicate("data parallel", p.Module, p.devices[:len(parts)])
	return Gather(ParallelApply(replicas, parts, p.state), p.devices[0])
}

// Devices returns the devices, a replica for each.
func (p *Parallel) Devices() []tensor.Device { return slices.Clone(p.devices) }

// String names the module and the devices.
func (p *Parallel) String() string {
	return fmt.Sprintf("DataParallel(%s on %v)", nn.ModuleName(p.Module), p.devices)
}

// checkHome panics unless all parameters of m are on a device.
func checkHome(op string, m nn.Module, device tensor.Device) {
	for name, p := range nn.NamedParameters(m) {
		if p.Device() != device {
			fail(op, "parameter %s is on %v and the first device is %v; move the module with nn.To",
				name, p.Device(), device)
		}
	}
}

// fail panics with a *tensor.Error.
func fail(op, format string, args ...any) {
	panic(&tensor.Error{Op: op, Msg: fmt.Sprintf(format, args...)})
}
