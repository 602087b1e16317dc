package dist

import "halfnote/tensor"

// Scatter splits x [n, …] along its first dimension into a part for each device, and moves each
// there. All parts have ⌈n / devices⌉ rows but the last, which may have fewer; there are fewer
// parts than devices when the rows do not reach, and one part of no rows when there are none. The
// parts are recorded: x gets its gradient through them. It panics with a [*tensor.Error] when x has
// no dimension or devices is empty.
func Scatter(x *tensor.Tensor, devices []tensor.Device) []*tensor.Tensor {
	if len(devices) == 0 {
		fail("scatter", "no devices: at least one must be given")
	}
	if x == nil {
		fail("scatter", "argument 1 is nil")
	}
	if x.Dim() == 0 {
		fail("scatter", "a tensor of shape [] has no rows to split; it needs one dimension")
	}
	n := x.Size(0)
	if n == 0 || len(devices) == 1 {
		return []*tensor.Tensor{x.To(devices[0])}
	}
	size := (n-1)/len(devices) + 1
	var parts []*tensor.Tensor
	for from := 0; from < n; from += size {
		part := x.Narrow(0, from, min(size, n-from))
		parts = append(parts, part.To(devices[len(parts)]))
	}
	return parts
}

// Gather joins outputs along their first dimension, in their order, on a device. Outputs without
// dimensions, such as a loss of each replica, become a vector of one element each. It panics with a
// [*tensor.Error] when there is none, or their other dimensions differ.
func Gather(outputs []*tensor.Tensor, device tensor.Device) *tensor.Tensor {
	if len(outputs) == 0 {
		fail("gather", "no outputs: at least one must be given")
	}
	here := make([]*tensor.Tensor, len(outputs))
	for i, out := range outputs {
		if out == nil {
			fail("gather", "argument %d is nil", i+1)
		}
		here[i] = out.To(device)
	}
	if here[0].Dim() == 0 {
		return tensor.Stack(here, 0)
	}
	return tensor.Cat(here, 0)
}
