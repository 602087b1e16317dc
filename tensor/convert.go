package tensor

// To returns t converted to a dtype, or moved to a device; t itself where it is so already. The
// conversion is recorded: its gradient is cast back to t's dtype.
func (t *Tensor) To(target Target) *Tensor {
	switch x := target.(type) {
	case DType:
		return t.toDType(x)
	case Device:
		if x != t.Device() {
			x.backend("to")
		}
	}
	return t
}

func (t *Tensor) toDType(d DType) *Tensor {
	if d == t.DType() {
		return t
	}
	if d < Float64 || d > Bool {
		fail("to", "the dtype is %s; choose one of float64 float32 float16 bfloat16 int64 bool", d)
	}
	out := empty("to", t.Device(), d, t.arr.Shape)
	t.backend("to").Copy(&out.arr, &t.arr)
	record("to", out, sameGrad, t) // the engine casts the gradient back
	return out
}
