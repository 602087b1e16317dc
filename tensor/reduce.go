package tensor

import (
	"math"

	"halfnote/tensor/internal/device"
)

// reduceShape returns the shape of a reduction over axes, or over all where there are none: with
// the reduced dimensions as 1, and without them. A tensor without dimensions has its element along
// axis 0, as in PyTorch.
func (t *Tensor) reduceShape(op string, axes []int) (kept, dropped []int) {
	kept = make([]int, len(t.arr.Shape), 2*len(t.arr.Shape))
	copy(kept, t.arr.Shape)
	var gone [device.MaxDims]bool
	for _, a := range axes {
		a = checkAxis(op, a, max(1, len(kept)), kept) // of no dimensions, 0 is the one element
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
	return t.reductionBy(op, code, dtype, 0, axes)
}

// reductionBy is reduction for the folds that have a parameter, p.
func (t *Tensor) reductionBy(op string, code device.ReduceOp, dtype DType, p float64,
	axes []int) (out *Tensor, kept []int) {
	kept, dropped := t.reduceShape(op, axes)
	if code >= device.Max && code <= device.ArgMin {
		t.mustHave(op, kept)
	}
	out = empty(op, t.Device(), dtype, dropped)
	with := out.withDims(kept)
	t.backend(op).Reduce(code, &with, &t.arr, p)
	return out, kept
}

// mustHave panics where a reduced dimension, which is 1 in kept, has no elements.
func (t *Tensor) mustHave(op string, kept []int) {
	for d, s := range t.arr.Shape {
		if s == 0 && kept[d] == 1 {
			fail(op, "shape %v has no elements to choose from", t.arr.Shape)
		}
	}
}

// withDims returns t's elements, which are dense, as an array of shape kept.
func (t *Tensor) withDims(kept []int) device.Array {
	strides := make([]int, len(kept))
	rowMajor(strides, kept)
	return device.Array{Data: t.arr.Data, DType: t.arr.DType, Shape: kept, Strides: strides}
}

// Sum returns the sum over axes, or over all elements. Integers and bools give Int64; 16-bit
// floats are added in a wider type and rounded once.
func (t *Tensor) Sum(axes ...int) *Tensor { return t.SumAs(0, axes...) }

// SumAs is Sum with the dtype of the result given; zero means the usual one.
func (t *Tensor) SumAs(dtype DType, axes ...int) *Tensor {
	t, dtype = castDType("sum", t, dtype)
	if dtype == 0 {
		dtype = sumType(t.DType())
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
	if g.Dim() == 0 {
		return g.Expand(n.ints[dims:]...)
	}
	return g.Reshape(n.ints[:dims]...).Expand(n.ints[dims:]...)
}

// Mean returns the mean over axes, or over all elements. Integers give Float32. The mean of no
// elements is NaN.
func (t *Tensor) Mean(axes ...int) *Tensor {
	t = cast("mean", t)
	out, kept := t.reduction("mean", device.Mean, floating(t.DType()), axes)
	if n := record("mean", out, spreadGrad, t); n != nil {
		n.ints = append(kept, t.arr.Shape...)
		n.number = max(1, float64(t.Numel())/float64(max(1, out.Numel())))
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
	return g.Reshape(n.ints...).Mul(chosen).Div(chosen.sumTo(n.ints))
}

// Argmax returns, as Int64, the position of the largest element along an axis, or without one that
// in t.Flatten(0). Of equal elements the first counts; NaN is larger than any number.
func (t *Tensor) Argmax(axis ...int) *Tensor { return t.where("argmax", device.ArgMax, axis) }

// Argmin returns, as Int64, the position of the smallest element along an axis, or of all; see
// Argmax. NaN is smaller than any number here.
func (t *Tensor) Argmin(axis ...int) *Tensor { return t.where("argmin", device.ArgMin, axis) }

func (t *Tensor) where(op string, code device.ReduceOp, axis []int) *Tensor {
	if len(axis) > 1 {
		fail(op, "%d axes given; one is the most, and none means all elements", len(axis))
	}
	out, _ := t.reduction(op, code, Int64, axis)
	return out
}

// MaxIndex returns the largest elements along axis and, as Int64, their positions; see Argmax. The
// gradient goes to the elements at these positions alone.
func (t *Tensor) MaxIndex(axis int) (values, indices *Tensor) {
	return t.chosen("max", device.ArgMax, axis)
}

// MinIndex returns the smallest elements along axis and their positions; see MaxIndex.
func (t *Tensor) MinIndex(axis int) (values, indices *Tensor) {
	return t.chosen("min", device.ArgMin, axis)
}

func (t *Tensor) chosen(op string, code device.ReduceOp, axis int) (values, indices *Tensor) {
	indices = t.where(op, code, []int{axis})
	return t.at(axis, indices), indices
}

// at returns the elements at the positions along axis that indices, without that dimension, gives.
func (t *Tensor) at(axis int, indices *Tensor) *Tensor {
	return composed(func() *Tensor {
		if t.Dim() == 0 {
			return t.Clone()
		}
		axis := t.axis("gather", axis)
		return t.Gather(axis, indices.Unsqueeze(axis)).Squeeze(axis)
	})
}

// Any reports, as Bool, whether some element over axes, or of all, differs from zero. NaN does. Of
// no elements it is false.
func (t *Tensor) Any(axes ...int) *Tensor {
	out, _ := t.reduction("any", device.Any, Bool, axes)
	return out
}

// All reports, as Bool, whether every element over axes, or of all, differs from zero. Of no
// elements it is true.
func (t *Tensor) All(axes ...int) *Tensor {
	out, _ := t.reduction("all", device.All, Bool, axes)
	return out
}

// Median returns the middle one of all elements in their order, the lower of two; NaN where there
// is one, and of no floating elements. Equal elements share the gradient.
func (t *Tensor) Median() *Tensor {
	t = cast("median", t)
	kept, _ := t.reduceShape("median", nil)
	if t.Numel() == 0 && t.DType().IsFloat() {
		return full(t, math.NaN())
	}
	t.mustHave("median", kept)
	var out *Tensor
	quietly(func() { out, _ = t.Reshape(-1).MedianIndex(0) })
	out = out.Detach()
	if n := record("median", out, bestGrad, t); n != nil {
		n.ints = kept
		n.keep(t, out)
	}
	return out
}

// MedianIndex returns the middle elements along axis and, as Int64, their positions; see Median.
// The gradient goes to the elements at these positions alone.
func (t *Tensor) MedianIndex(axis int) (values, indices *Tensor) {
	t = cast("median", t)
	if t.Dim() == 0 {
		checkAxis("median", axis, 1, t.arr.Shape)
		return t.Clone(), t.Device().int64s([]int64{0})
	}
	axis = t.axis("median", axis)
	n := t.arr.Shape[axis]
	kept, _ := t.reduceShape("median", []int{axis})
	t.mustHave("median", kept)
	// NaN is sorted last: the first of them, or else the middle.
	nans := t.IsNaN().Sum(axis)
	place := Where(nans.Gt(0), nans.Neg().Add(n), full(nans, float64((n-1)/2)))
	indices = t.Argsort(axis, false).at(axis, place)
	return t.at(axis, indices), indices
}
