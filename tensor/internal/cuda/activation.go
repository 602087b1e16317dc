//go:build cuda

package cuda

import "halfnote/tensor/internal/device"

type activationArgs struct {
	elements
	In int32
	_  int32
}

var (
	activations    = newFamily[elements]("activation", "activation", false)
	slopes         = newFamily[elements]("activation", "slope", false)
	activationRare = newKernel[activationArgs]("activation", "activation_rare")
)

// Activate implements device.Activations.
func (b *Backend) Activate(f device.Activation, order int, out, x, g *device.Array, p, q float64) {
	n := out.Numel()
	if n == 0 {
		return
	}
	in := device.Float32
	if out.DType == device.Float64 {
		in = device.Float64
	}
	set := func(e elements) elements {
		e.Op, e.Order, e.P, e.Q = int32(f), int32(order), p, q
		return e
	}
	arrays, hot := []*device.Array{out, x}, &activations
	if order > 0 {
		arrays, hot = append(arrays, g), &slopes
	}
	if order <= 1 && in == device.Float32 && sameDType(arrays) && !(order == 1 && f == device.Mish) {
		hot.run(b, in, 1, set, out, arrays[1:]...)
		return
	}
	args := activationArgs{elements: set(newElements(1, out, arrays[1:]...)), In: int32(in)}
	activationRare.launch(b, b.linear(n, 1), args, arrays...)
}
