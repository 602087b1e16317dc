package tensor

import (
	"math"
	"slices"
	"strconv"

	"halfnote/tensor/internal/device"
)

// An InterpolateConfig says to which size Interpolate brings a tensor, and how.
type InterpolateConfig struct {
	Size         []int     // of the result; or
	Scale        []float64 // by which each size is multiplied; one number counts for all
	Mode         string    // nearest if empty; see Interpolate
	AlignCorners bool      // the first and last elements of both lie upon each other
}

// Interpolate resizes the dimensions of t, of shape [N, C, …], behind the first two. The mode is
// nearest, which for 1 to 3 dimensions picks the element before, as PyTorch does; nearest-exact,
// which picks the nearest; linear, bilinear and trilinear, for 1, 2 and 3 dimensions; or bicubic,
// for 2. Corners are aligned in the linear and cubic modes only.
func (t *Tensor) Interpolate(config InterpolateConfig) *Tensor {
	const op = "interpolate"
	dims := t.Dim() - 2
	name, ok := config.name(dims)
	if !ok {
		fail(op, "mode %q for shape %v; nearest, nearest-exact take [N, C, …] with up to three more "+
			"dimensions, linear one, bilinear and bicubic two, trilinear three",
			config.Mode, t.arr.Shape)
	}
	if !t.DType().IsFloat() {
		fail(op, "elements of %s; floating point is needed", t.DType())
	}
	sizes, steps := config.sizes(t.arr.Shape[2:])
	t = cast(name, t)
	checkShape(op, slices.Concat(t.arr.Shape[:2], sizes))
	taps := make([]*device.Taps, dims)
	for d := range taps {
		n := t.arr.Shape[2+d]
		if n == 0 || sizes[d] < 1 || sizes[d] > math.MaxInt32 {
			fail(op, "shape %v to sizes %v; sizes are from 1 to 2³¹-1", t.arr.Shape, sizes)
		}
		taps[d] = config.taps(n, sizes[d], steps[d])
	}
	return t.resampled(name, name+"_backward", 2, sizes, taps)
}

// name returns PyTorch's name of the op for so many resized dimensions.
func (c *InterpolateConfig) name(dims int) (string, bool) {
	if dims < 1 || dims > 3 {
		return "", false
	}
	d := strconv.Itoa(dims) + "d"
	switch mode := c.Mode; {
	case mode == "" || mode == "nearest":
		return "upsample_nearest" + d, true
	case mode == "nearest-exact":
		return "_upsample_nearest_exact" + d, true
	case mode == "linear" && dims == 1, mode == "bilinear" && dims == 2,
		mode == "trilinear" && dims == 3, mode == "bicubic" && dims == 2:
		return "upsample_" + mode + d, true
	}
	return "", false
}

// sizes returns the new sizes of dimensions, and how far apart in them neighbours of the result
// lie; 0 where the sizes say it.
func (c *InterpolateConfig) sizes(shape []int) (sizes []int, steps []float64) {
	const op = "interpolate"
	exact := c.Mode == "" || c.Mode == "nearest" || c.Mode == "nearest-exact"
	switch {
	case exact && c.AlignCorners:
		fail(op, "mode %q has no corners to align", c.Mode)
	case (c.Size == nil) == (c.Scale == nil):
		fail(op, "size %v and scale %v; one of them is given", c.Size, c.Scale)
	case c.Size != nil && len(c.Size) != len(shape):
		fail(op, "size %v for the %d dimensions %v", c.Size, len(shape), shape)
	case c.Scale != nil && len(c.Scale) != 1 && len(c.Scale) != len(shape):
		fail(op, "scale %v for the %d dimensions %v", c.Scale, len(shape), shape)
	}
	steps = make([]float64, len(shape))
	if c.Size != nil {
		return slices.Clone(c.Size), steps
	}
	sizes = make([]int, len(shape))
	for d, n := range shape {
		scale := c.Scale[min(d, len(c.Scale)-1)]
		size := math.Floor(float64(n) * scale)
		if !(scale > 0 && size < math.MaxInt32) {
			fail(op, "scale %v of size %d", scale, n)
		}
		sizes[d], steps[d] = int(size), 1/scale
	}
	return sizes, steps
}

// taps returns what each of the to elements of the result is the sum of, out of from.
func (c *InterpolateConfig) taps(from, to int, step float64) *device.Taps {
	if step == 0 {
		step = float64(from) / float64(to)
	}
	if c.AlignCorners {
		step = 0
		if to > 1 {
			step = float64(from-1) / float64(to-1)
		}
	}
	taps := &device.Taps{Starts: []int{0}}
	for i := range to {
		at := step*(float64(i)+0.5) - 0.5 // in the source, of the middle of element i
		if c.AlignCorners {
			at = step * float64(i)
		}
		switch c.Mode {
		case "", "nearest":
			tap(taps, from, int(step*float64(i)), 1)
		case "nearest-exact":
			tap(taps, from, int(step*(float64(i)+0.5)), 1)
		case "bicubic":
			cubic(taps, from, at)
		default:
			at = max(at, 0)
			low := min(int(at), from-1)
			share := at - float64(low)
			tap(taps, from, low, 1-share)
			tap(taps, from, low+1, share)
		}
		taps.Starts = append(taps.Starts, len(taps.Places))
	}
	return taps
}

// tap adds an element with its weight; elements outside are those at the edge.
func tap(taps *device.Taps, from, place int, weight float64) {
	if weight != 0 {
		taps.Places = append(taps.Places, min(max(place, 0), from-1))
		taps.Weights = append(taps.Weights, weight)
	}
}

// cubic adds the four elements around a place, by Keys' cubic convolution (R. Keys, 1981).
func cubic(taps *device.Taps, from int, at float64) {
	const a = -0.75 // PyTorch's choice
	low := math.Floor(at)
	share := at - low
	near := func(x float64) float64 { return ((a+2)*x-(a+3))*x*x + 1 }
	far := func(x float64) float64 { return ((a*x-5*a)*x+8*a)*x - 4*a }
	for k, w := range []float64{far(share + 1), near(share), near(1 - share), far(2 - share)} {
		tap(taps, from, int(low)-1+k, w)
	}
}

// resampled resizes the dimensions from the one given on to sizes. It is one entry of the tape, so
// that 16-bit floats are rounded once; its gradient is named back.
func (t *Tensor) resampled(op, back string, first int, sizes []int,
	taps []*device.Taps) *Tensor {
	out := t
	for d, size := range sizes {
		shape, dtype := out.Shape(), wide(t.DType())
		shape[first+d] = size
		if d == len(sizes)-1 {
			dtype = t.DType()
		}
		next := empty(op, t.Device(), dtype, shape)
		t.backend(op).Resample(&next.arr, &out.arr, first+d, taps[d])
		out = next
	}
	before := slices.Clone(t.arr.Shape[first:])
	record(op, out, func(_ *node, g *Tensor, _ int) *Tensor {
		turned := make([]*device.Taps, len(taps))
		for d := range taps {
			turned[d] = transposed(taps[d], before[d])
		}
		return g.resampled(back, op, first, before, turned)
	}, t)
	return out
}

// transposed turns taps around: what each of the n sources goes into.
func transposed(taps *device.Taps, n int) *device.Taps {
	out := &device.Taps{Starts: make([]int, n+1), Places: make([]int, len(taps.Places)),
		Weights: make([]float64, len(taps.Weights))}
	for _, p := range taps.Places {
		out.Starts[p+1]++
	}
	for i := range n {
		out.Starts[i+1] += out.Starts[i]
	}
	next := slices.Clone(out.Starts[:n])
	for i := range len(taps.Starts) - 1 {
		for k := taps.Starts[i]; k < taps.Starts[i+1]; k++ {
			p := taps.Places[k]
			out.Places[next[p]], out.Weights[next[p]] = i, taps.Weights[k]
			next[p]++
		}
	}
	return out
}
