package tensor

import "halfnote/tensor/internal/device"

// reduceShape returns the shape of a reduction over axes, or over all where there are none: with
// the reduced dimensions as 1, and without them.
func (t *Tensor) reduceShape(op string, axes []int) (kept, dropped []int) {
	kept = make([]int, len(t.arr.Shape), 2*len(t.arr.Shape))
	copy(kept, t.arr.Shape)
	var gone [device.MaxDims]bool
	for _, a := range axes {
		a = t.axis(op, a)
		if gone[a] {
			fail(op, "dimension %d is given twice", a)
		}
		gone[a] = true
	}
	dropped = kept[len(kept):]
	for d := range kept {
		if len(axes) == 0 || gone[d] {
			kept[d] = 1
			continue
		}
		dropped = append(dropped, kept[d])
	}
	return kept, dropped
}

// reduction computes a fold over axes and returns it without the reduced dimensions, and the
// shape that still has them.
func (t *Tensor) reduction(op string, code device.ReduceOp, dtype DType, axes []int) (
	out *Tensor, kept []int) {
	kept, dropped := t.reduceShape(op, axes)
	if code >= device.Max && t.Numel() == 0 {
		fail(op, "shape %v has no elements to choose from", t.arr.Shape)
	}
	out = empty(op, t.Device(), dtype, dropped)
	wide := device.Array{Data: out.arr.Data, DType: out.arr.DType, Shape: kept}
	var strides [device.MaxDims]int
	wide.Strides = strides[:len(kept)]
	rowMajor(wide.Strides, kept)
	t.backend(op).Reduce(code, &wide, &t.arr)
	return out, kept
}

// Sum returns the sum over axes, or over all elements. Integers and bools give Int64; 16-bit
// floats are added in a wider type and rounded once.
func (t *Tensor) Sum(axes ...int) *Tensor { return t.SumAs(0, axes...) }

// SumAs is Sum with the dtype of the result given; zero means the usual one.
func (t *Tensor) SumAs(dtype DType, axes ...int) *Tensor {
	t, dtype = castDType("sum", t, dtype)
	if dtype == 0 {
		dtype = t.DType()
		if !dtype.IsFloat() {
			dtype = Int64
		}
	}
	out, kept := t.reduction("sum", device.Sum, dtype, axes)
	if n := record("sum", out, spreadGrad, t); n != nil {
		n.ints, n.number = append(kept, t.arr.Shape...), 1
	}
	return out
}

// spreadGrad repeats the gradient over the reduced dimensions, divided by n.number.
func spreadGrad(n *node, g *Tensor, _ int) *Tensor {
	if n.number != 1 {
		g = g.Div(n.number)
	}
	dims := len(n.ints) / 2
	return g.Reshape(n.ints[:dims]...).Expand(n.ints[dims:]...)
}

// Mean returns the mean over axes, or over all elements. Integers give Float32. The mean of no
// elements is NaN.
func (t *Tensor) Mean(axes ...int) *Tensor {
	t = cast("mean", t)
	out, kept := t.reduction("mean", device.Mean, floating(t.DType()), axes)
	if n := record("mean", out, spreadGrad, t); n != nil {
		n.ints = append(kept, t.arr.Shape...)
		n.number = float64(t.Numel()) / float64(max(1, out.Numel()))
	}
	return out
}

// Max returns the largest element over axes, or of all. Equal largest elements share the gradient.
func (t *Tensor) Max(axes ...int) *Tensor { return t.best("amax", device.Max, axes) }

// Min returns the smallest element over axes, or of all; see Max.
func (t *Tensor) Min(axes ...int) *Tensor { return t.best("amin", device.Min, axes) }

func (t *Tensor) best(op string, code device.ReduceOp, axes []int) *Tensor {
	t = cast(op, t)
	out, kept := t.reduction(op, code, t.DType(), axes)
	if n := record(op, out, bestGrad, t); n != nil {
		n.ints = kept
		n.keep(t, out)
	}
	return out
}

func bestGrad(n *node, g *Tensor, _ int) *Tensor {
	x, y := n.get(0), n.get(1)
	chosen := x.Eq(y.Reshape(n.ints...)).To(wide(g.DType()))
	var axes []int
	for d, s := range n.ints {
		if s == 1 {
			axes = append(axes, d)
		}
	}
	if len(axes) == 0 {
		return g.Reshape(n.ints...).Mul(chosen)
	}
	return g.Reshape(n.ints...).Mul(chosen).Div(chosen.Sum(axes...).Reshape(n.ints...))
}

// Argmax returns, as Int64, the position of the largest element along axis. Of equal elements the
// first counts; NaN is larger than any number.
func (t *Tensor) Argmax(axis int) *Tensor { return t.where("argmax", device.ArgMax, axis) }

// Argmin returns, as Int64, the position of the smallest element along axis; see Argmax.
func (t *Tensor) Argmin(axis int) *Tensor { return t.where("argmin", device.ArgMin, axis) }

func (t *Tensor) where(op string, code device.ReduceOp, axis int) *Tensor {
	out, _ := t.reduction(op, code, Int64, []int{t.axis(op, axis)})
	return out
}
