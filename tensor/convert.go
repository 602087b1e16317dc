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

// toDevice moves by way of the host.
func (t *Tensor) toDevice(d Device) *Tensor {
	if d == t.Device() {
		return t
	}
	host := empty("to", CPU, t.DType(), t.arr.Shape)
	t.backend("to").ToHost(&host.arr, &t.arr)
	out := host
	if d != CPU {
		out = empty("to", d, t.DType(), t.arr.Shape)
		d.backend("to").FromHost(&out.arr, &host.arr)
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
