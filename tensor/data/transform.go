package data

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"halfnote/tensor"
)

// A Transform makes the samples of a batch into others: x [n, …] and y [n, …], with one n for both
// results. It may not write to x and y. What it draws at random it draws from r, a generator of
// package math/rand/v2, not of math/rand, so that a run can be repeated; a [Loader] gives every
// batch a generator of its own.
//
//	import "math/rand/v2"
//
//	double := func(x, y *tensor.Tensor, r *rand.Rand) (*tensor.Tensor, *tensor.Tensor) {
//		return x.Mul(2), y
//	}
type Transform func(x, y *tensor.Tensor, r *rand.Rand) (*tensor.Tensor, *tensor.Tensor)

// Compose returns a transform that applies all of them in order.
func Compose(transforms ...Transform) Transform {
	transforms = slices.Clone(transforms)
	return func(x, y *tensor.Tensor, r *rand.Rand) (*tensor.Tensor, *tensor.Tensor) {
		for i, t := range transforms {
			if t == nil {
				fail("transform", "transform %d of %d is nil", i+1, len(transforms))
			}
			x, y = t(x, y, r)
			checkSamples(x, y)
		}
		return x, y
	}
}

// checkSamples panics unless x and y hold the same number of samples.
func checkSamples(x, y *tensor.Tensor) {
	switch {
	case x == nil || y == nil:
		fail("transform", "its result has an x or y that is nil")
	case x.Dim() == 0 || y.Dim() == 0 || x.Size(0) != y.Size(0):
		fail("transform", "its results of shapes %v and %v have not the same number of samples",
			x.Shape(), y.Shape())
	}
}

// onX returns a transform that leaves y as it is.
func onX(f func(x *tensor.Tensor, r *rand.Rand) *tensor.Tensor) Transform {
	return func(x, y *tensor.Tensor, r *rand.Rand) (*tensor.Tensor, *tensor.Tensor) {
		return f(x, r), y
	}
}

// Normalize returns (x - mean) / std, in x's dtype where that is floating and else in float32.
// [Dataset.MeanStd] finds the two.
func Normalize(mean, std float64) Transform {
	return NormalizeChannels([]float64{mean}, []float64{std})
}

// NormalizeChannels is [Normalize] with a mean and a deviation for each channel of x
// [n, channels, …], or for each column of x [n, columns].
func NormalizeChannels(mean, std []float64) Transform {
	if len(mean) != len(std) || len(mean) == 0 {
		fail("normalize", "%d means and %d deviations; give one of each a channel",
			len(mean), len(std))
	}
	for i, s := range std {
		if !(s > 0) {
			fail("normalize", "deviation %v of channel %d: must be above 0", s, i)
		}
	}
	mean, std = slices.Clone(mean), slices.Clone(std)
	return onX(func(x *tensor.Tensor, _ *rand.Rand) *tensor.Tensor {
		dtype := x.DType()
		if !dtype.IsFloat() {
			dtype = tensor.Float32
		}
		wide := tensor.Float32 // of 16-bit floats too, so that they are rounded once
		if dtype == tensor.Float64 {
			wide = tensor.Float64
		}
		if len(mean) == 1 {
			return x.To(wide).Sub(mean[0]).Div(std[0]).To(dtype)
		}
		if x.Dim() < 2 || x.Size(1) != len(mean) {
			fail("normalize", "x of shape %v has not %d channels, as there are means",
				x.Shape(), len(mean))
		}
		shape := []int{len(mean)}
		for range x.Dim() - 2 {
			shape = append(shape, 1)
		}
		m := tensor.FromFloat64(mean, shape...).To(wide).To(x.Device())
		s := tensor.FromFloat64(std, shape...).To(wide).To(x.Device())
		return x.To(wide).Sub(m).Div(s).To(dtype)
	})
}

// Reshape returns x with samples of another shape; one size may be -1.
func Reshape(shape ...int) Transform {
	shape = slices.Clone(shape)
	return onX(func(x *tensor.Tensor, _ *rand.Rand) *tensor.Tensor {
		return x.Reshape(shaped(x.Size(0), sampleShape("reshape", x.Shape()[1:], shape))...)
	})
}

// Flatten returns x [n, …] as [n, elements].
func Flatten() Transform { return Reshape(-1) }

// ToDType returns x in another dtype.
func ToDType(dtype tensor.DType) Transform {
	return onX(func(x *tensor.Tensor, _ *rand.Rand) *tensor.Tensor { return x.To(dtype) })
}

// OneHot returns the labels y [n, …], from 0 up to classes, as Float32 [n, …, classes]: 1 at the
// label and 0 elsewhere.
func OneHot(classes int) Transform {
	return func(x, y *tensor.Tensor, _ *rand.Rand) (*tensor.Tensor, *tensor.Tensor) {
		if y.DType() != tensor.Int64 || classes < 1 {
			fail("one_hot", "labels of dtype %s and %d classes; labels are int64, and there is at "+
				"least one class", y.DType(), classes)
		}
		labels := y.Int64s()
		hot := make([]float32, len(labels)*classes)
		for i, label := range labels {
			if label < 0 || label >= int64(classes) {
				fail("one_hot", "label %d of sample %d is not from 0 to %d", label,
					i/max(1, numel(y.Shape()[1:])), classes-1)
			}
			hot[i*classes+int(label)] = 1
		}
		return x, tensor.FromFloat32(hot, append(y.Shape(), classes)...).To(y.Device())
	}
}

// RandomFlip mirrors each sample with probability p, left to right: along its last dimension.
func RandomFlip(p float64) Transform {
	if !(p >= 0 && p <= 1) {
		fail("random_flip", "probability %v: must be from 0 to 1", p)
	}
	return onX(func(x *tensor.Tensor, r *rand.Rand) *tensor.Tensor {
		_, width := pictureSize("random_flip", x)
		return moved(x, width, func() func(row, column int) (int, int) {
			if uniform(r) >= p {
				return func(row, column int) (int, int) { return row, column }
			}
			return func(row, column int) (int, int) { return row, width - 1 - column }
		}, 0)
	})
}

// RandomShift moves each sample by up to pixels rows and as many columns, by whole ones, each drawn
// for itself; what comes in from outside is 0. The last two dimensions are the rows and columns.
func RandomShift(pixels int) Transform {
	return onX(func(x *tensor.Tensor, r *rand.Rand) *tensor.Tensor {
		height, width := pictureSize("random_shift", x)
		return crop("random_shift", x, height, width, pixels, r)
	})
}

// RandomCrop adds padding zeros at each edge of the pictures and cuts out a part of the given size,
// at a place drawn for each sample. The last two dimensions are the rows and columns.
func RandomCrop(height, width, padding int) Transform {
	return onX(func(x *tensor.Tensor, r *rand.Rand) *tensor.Tensor {
		return crop("random_crop", x, height, width, padding, r)
	})
}

func crop(op string, x *tensor.Tensor, height, width, padding int, r *rand.Rand) *tensor.Tensor {
	h, w := pictureSize(op, x)
	if padding < 0 || height < 1 || width < 1 || height > h+2*padding || width > w+2*padding {
		fail(op, "%d×%d pixels of pictures %d×%d with %d more at each edge: too many, or too few",
			height, width, h, w, padding)
	}
	return moved(x, width, func() func(row, column int) (int, int) {
		top := below(r, h+2*padding-height+1) - padding
		left := below(r, w+2*padding-width+1) - padding
		return func(row, column int) (int, int) { return row + top, column + left }
	}, height)
}

// pictureSize returns the sizes of the last two dimensions of x; the first numbers the samples.
func pictureSize(op string, x *tensor.Tensor) (height, width int) {
	if x.Dim() < 3 {
		fail(op, "x of shape %v holds no pictures [n, …, height, width]; Reshape it before",
			x.Shape())
	}
	return x.Size(-2), x.Size(-1)
}

// moved returns pictures of the given size, of height 0 meaning that of x, whose pixels are those
// of x at the place that from says. For each sample it is asked anew. Outside of x is 0.
func moved(x *tensor.Tensor, width int, from func() func(row, column int) (int, int),
	height int) *tensor.Tensor {
	shape := x.Shape()
	dims := len(shape)
	h, w := shape[dims-2], shape[dims-1]
	if height == 0 {
		height = h
	}
	shape[dims-2], shape[dims-1] = height, width
	index := make([]int, 0, numel(shape))
	planes := numel(shape[1 : dims-2])
	for sample := range shape[0] {
		place := from()
		for plane := range planes {
			start := (sample*planes + plane) * h * w
			for row := range height {
				for column := range width {
					r, c := place(row, column)
					at := -1
					if r >= 0 && r < h && c >= 0 && c < w {
						at = start + r*w + c
					}
					index = append(index, at)
				}
			}
		}
	}
	return valuesOf(x).pick(index, shape).To(x.Device())
}

// Noise adds normal noise of deviation std to x, which is floating.
func Noise(std float64) Transform {
	if !(std >= 0) {
		fail("noise", "deviation %v: must not be below 0", std)
	}
	return onX(func(x *tensor.Tensor, r *rand.Rand) *tensor.Tensor {
		if !x.DType().IsFloat() {
			fail("noise", "x of dtype %s; make it floating with ToDType before", x.DType())
		}
		noise := tensor.FromFloat32(normals(r, x.Numel()), x.Shape()...).Mul(std)
		return x.Add(noise.To(x.Device())).To(x.DType())
	})
}

// MeanStd returns the mean of all elements of x and their deviation (divided by their number), in
// float64, for [Normalize]. Take them from the samples that are trained with.
func (d *Dataset) MeanStd() (mean, std float64) {
	return meanStd(func(yield func([]float64) bool) {
		for rows := range slices.Chunk(d.rows, 1024) { // not all at once in float64
			if !yield(d.x.batch(rows).Float64s()) {
				return
			}
		}
	})
}

// meanStd goes over the values twice, because the difference of large sums would lose digits.
func meanStd(parts iter.Seq[[]float64]) (mean, std float64) {
	n := 0
	for part := range parts {
		for _, v := range part {
			mean += v
		}
		n += len(part)
	}
	mean /= float64(n)
	for part := range parts {
		for _, v := range part {
			std += (v - mean) * (v - mean)
		}
	}
	return mean, math.Sqrt(std / float64(n))
}
