package tensor

import (
	"slices"

	"halfnote/tensor/internal/device"
)

// This file implements the gradients of views whose base was written in place: the base's gradient
// is the view's, put in the view's place.

// A window says where the elements of a view lie among those of its base. Gradients of the base's
// shape are laid out in memory as the base is, so that the view's strides apply to them.
type window struct {
	base, view device.Array // only the shapes, strides and offsets in the memory they lie in
	span       int          // elements of that memory
	dense      bool         // the base is row-major without gaps
	disjoint   bool         // the view surely holds no element twice
}

// windowOf returns the place of view v in b.
func windowOf(v, b *Tensor) *window {
	w := &window{base: geometry(b), view: geometry(v), dense: b.arr.Contiguous()}
	low, high := extent(&w.base)
	w.base.Offset -= low
	w.view.Offset -= low
	w.span = high - low
	w.disjoint = disjoint(&w.view)
	return w
}

func geometry(t *Tensor) device.Array {
	return device.Array{Offset: t.arr.Offset, Shape: t.Shape(), Strides: t.Strides()}
}

// extent returns the first place of an array's elements, and the one behind the last.
func extent(a *device.Array) (low, high int) {
	if a.Numel() == 0 {
		return a.Offset, a.Offset
	}
	low, high = a.Offset, a.Offset+1
	for d, s := range a.Shape {
		reach := (s - 1) * a.Strides[d]
		low, high = low+min(0, reach), high+max(0, reach)
	}
	return low, high
}

// disjoint reports whether each stride steps over all that the smaller ones reach.
func disjoint(a *device.Array) bool {
	order := make([]int, 0, len(a.Shape))
	for d, s := range a.Shape {
		if s > 1 {
			order = append(order, d)
		}
	}
	size := func(d int) int { return max(a.Strides[d], -a.Strides[d]) }
	slices.SortFunc(order, func(i, j int) int { return size(i) - size(j) })
	reach := 0
	for _, d := range order {
		if size(d) <= reach {
			return false
		}
		reach += (a.Shape[d] - 1) * size(d)
	}
	return true
}

// on returns the elements of memory, which is laid out as the base is, at the places of g.
func on(memory *Tensor, g *device.Array) *Tensor {
	out := memory.alias(len(g.Shape))
	copy(out.arr.Shape, g.Shape)
	copy(out.arr.Strides, g.Strides)
	out.arr.Offset = memory.arr.Offset + g.Offset
	return out
}

// lay returns the elements of x, of the base's shape, laid out as the base is: in x's own memory
// where that is so already and fresh is not asked for.
func (w *window) lay(x *Tensor, fresh bool) *Tensor {
	if w.dense && !fresh && x.arr.Contiguous() {
		return x
	}
	memory := zeros("as_strided", x.Device(), x.DType(), []int{w.span})
	at := on(memory, &w.base)
	x.backend("as_strided").Copy(&at.arr, &x.arr)
	return memory
}

// whole returns the tensor of the base's shape that memory holds.
func (w *window) whole(memory *Tensor) *Tensor {
	out := on(memory, &w.base)
	out.view = false
	return out
}

// take returns the view's part of x, which has the base's shape.
func (w *window) take(x *Tensor) *Tensor {
	out := on(w.lay(x, false), &w.view)
	record("as_strided", out, w.putGrad, x)
	return out
}

// put returns zeros of the base's shape with g, of the view's shape, in the view's place. Where
// the view holds an element more than once, the gradients add up.
func (w *window) put(g *Tensor) *Tensor {
	const op = "as_strided_backward"
	dtype := g.DType()
	if !w.disjoint {
		dtype = wide(dtype)
	}
	memory := zeros(op, g.Device(), dtype, []int{w.span})
	if w.disjoint {
		at := on(memory, &w.view)
		g.backend(op).Copy(&at.arr, &g.arr)
	} else {
		NoGrad(func() {
			flat := g.contiguous().Reshape(-1)
			places := w.places(g.Device())
			g.backend(op).Scatter(device.ScatterAdd, &memory.arr, &places.arr, &flat.arr, 0)
		})
	}
	out := w.whole(memory)
	record(op, out, w.takeGrad, g)
	return out
}

// places returns where in the memory each element of the view lies, as a vector.
func (w *window) places(d Device) *Tensor {
	all := make([]int64, w.span)
	for i := range all {
		all[i] = int64(i)
	}
	return on(d.int64s(all, w.span), &w.view).contiguous().Reshape(-1)
}

// clear returns a copy of x, which has the base's shape, with zeros in the view's place.
func (w *window) clear(x *Tensor) *Tensor {
	memory := w.lay(x, true)
	at := on(memory, &w.view)
	x.backend("copy_slices").Fill(&at.arr, 0)
	out := w.whole(memory)
	record("copy_slices_backward", out, w.clearGrad, x)
	return out
}

func (w *window) takeGrad(_ *node, g *Tensor, _ int) *Tensor  { return w.take(g) }
func (w *window) putGrad(_ *node, g *Tensor, _ int) *Tensor   { return w.put(g) }
func (w *window) clearGrad(_ *node, g *Tensor, _ int) *Tensor { return w.clear(g) }

// sliceGrad is the rule of a write to the view's part: what was there before gets no gradient, and
// the new elements get theirs.
func (w *window) sliceGrad(_ *node, g *Tensor, i int) *Tensor {
	if i == 0 {
		return w.clear(g)
	}
	return w.take(g)
}
