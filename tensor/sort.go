package tensor

// Sort returns t's elements in order along axis and, as Int64, the positions that they had. Equal
// elements keep their order (PyTorch's stable=True); NaN is the largest: last, or first where
// descending is set.
func (t *Tensor) Sort(axis int, descending bool) (values, indices *Tensor) {
	t = cast("sort", t)
	indices = t.argsort("sort", axis, descending)
	return t.gathered(axis, indices), indices
}

// Argsort returns, as Int64, the positions of t's elements in order along axis; see Sort.
func (t *Tensor) Argsort(axis int, descending bool) *Tensor {
	return t.argsort("argsort", axis, descending)
}

func (t *Tensor) argsort(op string, axis int, descending bool) *Tensor {
	if t.Dim() == 0 {
		checkAxis(op, axis, 1, t.arr.Shape)
		return zeros(op, t.Device(), Int64, nil)
	}
	out := empty(op, t.Device(), Int64, t.arr.Shape)
	t.backend(op).Argsort(&out.arr, &t.arr, t.axis(op, axis), descending)
	return out
}

// gathered is Gather that takes tensors without dimensions.
func (t *Tensor) gathered(axis int, indices *Tensor) *Tensor {
	return composed(func() *Tensor {
		if t.Dim() == 0 {
			return t.Clone()
		}
		return t.Gather(axis, indices)
	})
}

// TopK returns the k largest elements along axis, in falling order, and their positions as Int64;
// of equal ones the first come first. Under largest=false it returns the k smallest, in rising
// order.
func (t *Tensor) TopK(k, axis int, largest ...bool) (values, indices *Tensor) {
	t = cast("topk", t)
	descending := one("topk", largest) || len(largest) == 0
	n := 1
	if t.Dim() > 0 {
		n = t.arr.Shape[t.axis("topk", axis)]
	}
	if k < 0 || k > n || k == 0 && t.Dim() == 0 {
		fail("topk", "%d elements asked for, of %d in dimension %d of shape %v", k, n, axis,
			t.arr.Shape)
	}
	indices = t.argsort("topk", axis, descending)
	if t.Dim() > 0 {
		indices = indices.Narrow(axis, 0, k).Contiguous()
	}
	return t.gathered(axis, indices), indices
}
