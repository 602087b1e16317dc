package tensor

import "strconv"

// To returns t converted to a dtype, or moved to a device; t itself where it is so already. The
// conversion is recorded: its gradient is cast back to t's dtype.
func (t *Tensor) To(target Target) *Tensor {
	switch x := target.(type) {
	case DType:
		return t.toDType(x)
	case Device:
		return t.toDevice(x)
	}
	fail("to", "the target is nil; give a dtype or a device")
	return nil
}

// toDevice moves from one device of a kind to another, or by way of the host.
func (t *Tensor) toDevice(d Device) *Tensor {
	if d == t.Device() {
		return t
	}
	out := empty("to", d, t.DType(), t.arr.Shape)
	from, to := t.backend("to"), d.backend("to")
	switch {
	case d == CPU:
		t.toHost("to", &out.arr)
	case t.Device() == CPU:
		to.FromHost(&out.arr, &t.arr)
	case !from.Send(&out.arr, &t.arr):
		host := empty("to", CPU, t.DType(), t.arr.Shape)
		t.toHost("to", &host.arr)
		to.FromHost(&out.arr, &host.arr)
	}
	record("to", out, toDeviceGrad, t)
	return out
}

func toDeviceGrad(n *node, g *Tensor, _ int) *Tensor { return g.To(n.inputs[0].device) }

func (t *Tensor) toDType(d DType) *Tensor {
	if d == t.DType() {
		return t
	}
	if d < Float64 || d > Bool {
		what := d.String()
		if d != 0 {
			what = "unknown: " + strconv.Itoa(int(d))
		}
		fail("to", "the dtype is %s; choose one of float64 float32 float16 bfloat16 int64 bool", what)
	}
	out := empty("to", t.Device(), d, t.arr.Shape)
	t.backend("to").Copy(&out.arr, &t.arr)
	record("to", out, sameGrad, t) // the engine casts the gradient back
	return out
}
