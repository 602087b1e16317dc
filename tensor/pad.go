package tensor

import (
	"slices"
	"strconv"

	"halfnote/tensor/internal/device"
)

// Pad returns t with elements added at the ends of its last dimensions, or taken away where a width
// is negative. widths holds two numbers for each dimension, before and behind, the last dimension
// first, as in PyTorch: [1, 2] widens the rows, [1, 2, 3, 4] the columns too. The mode is constant,
// which adds value; reflect, which mirrors without repeating the edge; replicate, which repeats
// the edge; or circular, which goes on at the other end.
func (t *Tensor) Pad(widths []int, mode string, value float64) *Tensor {
	if len(widths)%2 != 0 || len(widths) > 2*t.Dim() {
		fail("pad", "%d widths for shape %v; they are two for each dimension, from the last one on",
			len(widths), t.arr.Shape)
	}
	dims := strconv.Itoa(len(widths)/2) + "d"
	switch mode {
	case "constant", "":
		t = cast("constant_pad_nd", t)
		t.padShape("pad", widths)
		return t.padConstant(widths, value)
	case "reflect":
		return cast("reflection_pad"+dims, t).padIndexed("pad", widths, mode, reflected)
	case "replicate":
		return cast("replication_pad"+dims, t).padIndexed("pad", widths, mode, replicated)
	case "circular":
		return t.padIndexed("pad", widths, mode, circled)
	}
	fail("pad", "mode %q; it is constant, reflect, replicate or circular", mode)
	return nil
}

// padShape returns the shape of the result.
func (t *Tensor) padShape(op string, widths []int) []int {
	shape := t.Shape()
	for i := 0; i < len(widths); i += 2 {
		d := len(shape) - 1 - i/2
		if s := shape[d] + widths[i] + widths[i+1]; s < 0 {
			fail(op, "widths %d and %d take more than the %d elements of dimension %d of shape %v",
				widths[i], widths[i+1], shape[d], d, t.arr.Shape)
		}
		shape[d] += widths[i] + widths[i+1]
	}
	checkShape(op, shape)
	return shape
}

// padConstant copies t into its place in a tensor that is filled with value.
func (t *Tensor) padConstant(widths []int, value float64) *Tensor {
	const op = "constant_pad_nd"
	out := zeros(op, t.Device(), t.DType(), t.padShape(op, widths))
	if value != 0 {
		t.backend(op).Fill(&out.arr, value)
	}
	NoGrad(func() {
		from, to := t, out
		for i := 0; i < len(widths); i += 2 {
			d := t.Dim() - 1 - i/2
			before, behind := widths[i], widths[i+1]
			from = from.Slice(d, max(0, -before), max(0, t.arr.Shape[d]+min(0, behind)))
			to = to.Slice(d, max(0, before), max(0, out.arr.Shape[d]-max(0, behind)))
		}
		if from.Numel() > 0 && to.Numel() > 0 {
			t.backend(op).Copy(&to.arr, &from.arr)
		}
	})
	if n := record(op, out, padConstantGrad, t); n != nil {
		for _, w := range widths {
			n.ints = append(n.ints, -w)
		}
	}
	return out
}

func padConstantGrad(n *node, g *Tensor, _ int) *Tensor { return g.padConstant(n.ints, 0) }

// padIndexed takes each position of the result from one of t, which source works out.
func (t *Tensor) padIndexed(op string, widths []int, mode string,
	source func(i, n int) (int, bool)) *Tensor {
	shape := t.padShape(op, widths)
	var axes []int
	var indices []*Tensor
	for i := 0; i < len(widths); i += 2 {
		d := t.Dim() - 1 - i/2
		axes = append(axes, d)
		indices = append(indices, vectorOf(op, t.Device(), shape[d], func(j int) int {
			from, ok := source(j-widths[i], t.arr.Shape[d])
			if !ok {
				fail(op, "widths %d and %d are too large to %s dimension %d of shape %v",
					widths[i], widths[i+1], padWords[mode], d, t.arr.Shape)
			}
			return from
		}))
	}
	return t.picked(op, axes, indices)
}

var padWords = map[string]string{
	"reflect": "reflect", "replicate": "replicate", "circular": "go around in",
}

func reflected(i, n int) (int, bool) {
	switch {
	case i <= -n || i >= 2*n-1:
		return 0, false
	case i < 0:
		i = -i
	case i >= n:
		i = 2*(n-1) - i
	}
	return i, true
}

func replicated(i, n int) (int, bool) { return min(max(i, 0), n-1), n > 0 }

func circled(i, n int) (int, bool) {
	if i < -n || i >= 2*n {
		return 0, false
	}
	return (i + n) % n, n > 0
}

// picked returns t with each of the axes replaced by the positions that a vector names. It is one
// entry of the tape, so that the gradient is rounded once.
func (t *Tensor) picked(op string, axes []int, indices []*Tensor) *Tensor {
	out := t
	NoGrad(func() {
		for i, axis := range axes {
			out = out.gather(op, axis, out.along(axis, indices[i]))
		}
		if out == t {
			out = t.Clone()
		}
	})
	shape := t.Shape()
	record(op, out, func(_ *node, g *Tensor, _ int) *Tensor {
		return g.addedUp(op, axes, indices, shape)
	}, t)
	return out
}

// addedUp undoes picked for a gradient: what was picked several times adds up.
func (t *Tensor) addedUp(op string, axes []int, indices []*Tensor, shape []int) *Tensor {
	out := t
	now := t.Shape()
	for i, axis := range slices.Backward(axes) {
		now[axis] = shape[axis]
		sums := zeros(op, t.Device(), wide(t.DType()), now)
		index := out.along(axis, indices[i])
		out = sums.scatter(op, device.ScatterAdd, axis, index, out)
	}
	return out
}
