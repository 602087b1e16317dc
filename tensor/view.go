package tensor

import "slices"

// alias returns a tensor on the same elements, whose shape and strides the caller fills in.
func (t *Tensor) alias(dims int) *Tensor {
	out := newTensor(t.store, dims)
	out.arr.Data, out.arr.DType, out.arr.Offset = t.arr.Data, t.arr.DType, t.arr.Offset
	out.view = true
	return out
}

// Reshape returns the same elements in row-major order with another shape, of which one size may
// be -1 and is worked out. It is a view where the strides allow it, else a copy.
func (t *Tensor) Reshape(shape ...int) *Tensor {
	shape = t.fill("reshape", shape)
	if out := t.restride(shape); out != nil {
		return reshaped("reshape", out, t)
	}
	return reshaped("reshape", t.contiguous().restride(shape), t)
}

// View is Reshape without the copy: it panics where a copy would be needed.
func (t *Tensor) View(shape ...int) *Tensor {
	shape = t.fill("view", shape)
	out := t.restride(shape)
	if out == nil {
		fail("view", "strides %v of shape %v do not allow a view of shape %v; use Reshape",
			t.arr.Strides, t.arr.Shape, shape)
	}
	return reshaped("view", out, t)
}

// Flatten joins the dimensions from the one given on. An element without dimensions becomes a
// vector.
func (t *Tensor) Flatten(from int) *Tensor {
	if t.Dim() == 0 {
		return t.Reshape(1).Flatten(from)
	}
	from = t.axis("flatten", from)
	n := volume(t.arr.Shape[from:])
	return t.Reshape(append(slices.Clone(t.arr.Shape[:from]), n)...)
}

func reshaped(op string, out, t *Tensor) *Tensor {
	if n := record(op, out, reshapeGrad, t); n != nil {
		n.ints = slices.Clone(t.arr.Shape)
	}
	return out
}

func reshapeGrad(n *node, g *Tensor, _ int) *Tensor { return g.Reshape(n.ints...) }

// fill replaces a size of -1 in shape and checks that the number of elements stays.
func (t *Tensor) fill(op string, shape []int) []int {
	n, hole := 1, -1
	shape = slices.Clone(shape)
	for i, s := range shape {
		if s == -1 && hole < 0 {
			hole = i
			continue
		}
		if s < 0 {
			fail(op, "shape %v has more than one size to work out, or a negative one", shape)
		}
		n *= s
	}
	if hole >= 0 && n > 0 && t.Numel()%n == 0 {
		shape[hole] = t.Numel() / n
		n = t.Numel()
	}
	if hole >= 0 && shape[hole] < 0 || n != t.Numel() {
		fail(op, "shape %v has %d elements, which do not fit shape %v",
			t.arr.Shape, t.Numel(), shape)
	}
	checkShape(op, shape)
	return shape
}

// restride returns a view with that shape, or nil where no strides give it.
func (t *Tensor) restride(shape []int) *Tensor {
	out := t.alias(len(shape))
	copy(out.arr.Shape, shape)
	if t.arr.Contiguous() {
		rowMajor(out.arr.Strides, shape)
		return out
	}
	// Sizes are matched from the last dimension on: a run of old dimensions that are dense among
	// themselves can be cut anew.
	d := len(shape) - 1
	old := t.arr.Shape
	for i := len(old) - 1; i >= 0; {
		step, n := t.arr.Strides[i], old[i]
		for i--; i >= 0 && (old[i] == 1 || t.arr.Strides[i] == step*n); i-- {
			n *= old[i]
		}
		at := 1
		for ; d >= 0 && (at < n || shape[d] == 1); d-- {
			out.arr.Strides[d] = step * at
			at *= shape[d]
		}
		if at != n {
			return nil
		}
	}
	return out
}

// T swaps the last two dimensions.
func (t *Tensor) T() *Tensor {
	if t.Dim() < 2 {
		fail("t", "shape %v has fewer than two dimensions", t.arr.Shape)
	}
	return t.Transpose(-2, -1)
}

// Transpose returns a view with dimensions a and b swapped.
func (t *Tensor) Transpose(a, b int) *Tensor {
	if t.Dim() == 0 {
		return t.Reshape(1).Transpose(a, b).Reshape()
	}
	a, b = t.axis("transpose", a), t.axis("transpose", b)
	out := t.Detach()
	sh, st := out.arr.Shape, out.arr.Strides
	sh[a], sh[b] = sh[b], sh[a]
	st[a], st[b] = st[b], st[a]
	if n := record("transpose", out, transposeGrad, t); n != nil {
		n.ints = []int{a, b}
	}
	return out
}

func transposeGrad(n *node, g *Tensor, _ int) *Tensor { return g.Transpose(n.ints[0], n.ints[1]) }

// Permute returns a view whose dimension i is t's dimension axes[i].
func (t *Tensor) Permute(axes ...int) *Tensor {
	if len(axes) != t.Dim() {
		fail("permute", "%d axes given for shape %v", len(axes), t.arr.Shape)
	}
	out := t.alias(t.Dim())
	back := make([]int, len(axes))
	for i := range back {
		back[i] = -1
	}
	for i, a := range axes {
		a = t.axis("permute", a)
		if back[a] >= 0 {
			fail("permute", "axes %v name dimension %d twice", axes, a)
		}
		back[a] = i
		out.arr.Shape[i], out.arr.Strides[i] = t.arr.Shape[a], t.arr.Strides[a]
	}
	if n := record("permute", out, permuteGrad, t); n != nil {
		n.ints = back
	}
	return out
}

func permuteGrad(n *node, g *Tensor, _ int) *Tensor { return g.Permute(n.ints...) }

// Movedim returns a view in which dimension from stands at place to, and the others keep their
// order.
func (t *Tensor) Movedim(from, to int) *Tensor {
	if t.Dim() == 0 {
		return t.Reshape(1).Movedim(from, to).Reshape()
	}
	from, to = t.axis("movedim", from), t.axis("movedim", to)
	axes := make([]int, t.Dim())
	for i := range axes {
		axes[i] = i
	}
	axes = slices.Insert(slices.Delete(axes, from, from+1), to, from)
	return t.Permute(axes...)
}

// Expand returns a view in which dimensions of size 1 repeat up to the sizes given; a size of -1
// stays as it is, and dimensions may be added in front.
func (t *Tensor) Expand(shape ...int) *Tensor {
	extra := len(shape) - t.Dim()
	if extra < 0 {
		fail("expand", "shape %v has more dimensions than %v", t.arr.Shape, shape)
	}
	out := t.alias(len(shape))
	for i, s := range shape {
		from, step := 1, 0
		if i >= extra {
			from, step = t.arr.Shape[i-extra], t.arr.Strides[i-extra]
		}
		if s == -1 && i >= extra {
			s = from
		}
		if s != from {
			if from != 1 || s < 0 {
				fail("expand", "shape %v does not stretch to %v: only a size of 1 repeats",
					t.arr.Shape, shape)
			}
			step = 0
		}
		out.arr.Shape[i], out.arr.Strides[i] = s, step
	}
	checkShape("expand", out.arr.Shape)
	record("expand", out, sameGrad, t)
	return out
}

// sameGrad is the rule of ops whose gradient is that of the output; the engine sums it down.
func sameGrad(_ *node, g *Tensor, _ int) *Tensor { return g }

// Unsqueeze returns a view with a dimension of size 1 inserted at axis.
func (t *Tensor) Unsqueeze(axis int) *Tensor {
	axis = checkAxis("unsqueeze", axis, t.Dim()+1, t.arr.Shape)
	shape := slices.Insert(slices.Clone(t.arr.Shape), axis, 1)
	return reshaped("unsqueeze", t.restrideInserted(shape, axis), t)
}

// restrideInserted is restride for one more dimension of size 1, which any strides allow.
func (t *Tensor) restrideInserted(shape []int, axis int) *Tensor {
	out := t.alias(len(shape))
	checkShape("unsqueeze", shape)
	copy(out.arr.Shape, shape)
	copy(out.arr.Strides, t.arr.Strides[:axis])
	copy(out.arr.Strides[axis+1:], t.arr.Strides[axis:])
	return out
}

// Squeeze returns a view without dimension axis where that has size 1; otherwise a view of t.
func (t *Tensor) Squeeze(axis int) *Tensor {
	if t.Dim() == 0 {
		return t.Reshape(1).Squeeze(axis)
	}
	axis = t.axis("squeeze", axis)
	if t.arr.Shape[axis] != 1 {
		return reshaped("squeeze", t.Detach(), t)
	}
	out := t.alias(t.Dim() - 1)
	copy(out.arr.Shape, slices.Delete(slices.Clone(t.arr.Shape), axis, axis+1))
	copy(out.arr.Strides, slices.Delete(slices.Clone(t.arr.Strides), axis, axis+1))
	return reshaped("squeeze", out, t)
}

// contiguous returns t, or a row-major copy of it that is not on the tape.
func (t *Tensor) contiguous() *Tensor {
	if t.arr.Contiguous() {
		return t
	}
	out := empty("contiguous", t.Device(), t.DType(), t.arr.Shape)
	t.backend("contiguous").Copy(&out.arr, &t.arr)
	return out
}

// Contiguous returns t, or a copy of it in row-major order.
func (t *Tensor) Contiguous() *Tensor {
	out := t.contiguous()
	if out != t {
		record("contiguous", out, sameGrad, t)
	}
	return out
}

// Clone returns a row-major copy. Gradients flow through it to t.
func (t *Tensor) Clone() *Tensor {
	out := empty("clone", t.Device(), t.DType(), t.arr.Shape)
	t.backend("clone").Copy(&out.arr, &t.arr)
	record("clone", out, sameGrad, t)
	return out
}
