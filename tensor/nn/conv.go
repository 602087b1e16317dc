package nn

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"halfnote/tensor"
)

// A ConvConfig holds the options of the convolutions. Kernel, Stride, Padding, Dilation and
// OutputPadding hold one number for all dimensions, or one for each, rows before columns.
type ConvConfig struct {
	Kernel   []int // sizes of a kernel that is no square, in place of the argument
	Stride   []int // steps between windows; nil means 1
	Padding  []int // zeros around the input; nil means 0
	Dilation []int // steps between the elements of a window; nil means 1
	Groups   int   // parts that the channels are cut into; 0 means 1
	Same     bool  // pad so that the output has the input's size
	NoBias   bool

	OutputPadding []int // of transposed convolutions: more at the output's end; nil means 0
}

// Conv2d slides kernels over x [N, in, H, W] or [in, H, W]; see [tensor.Conv2d].
type Conv2d struct {
	Weight *tensor.Tensor `nn:"weight"` // [out, in/groups, K, L]
	Bias   *tensor.Tensor `nn:"bias"`   // [out], or nil

	config ConvConfig
}

// Conv1d slides kernels over x [N, in, L] or [in, L]; see [tensor.Conv1d]. Its Weight is
// [out, in/groups, K].
type Conv1d Conv2d

// ConvTranspose2d is the transposed convolution of x [N, in, H, W] or [in, H, W], which makes
// planes larger; see [tensor.ConvTranspose2d]. Its Weight is [in, out/groups, K, L].
type ConvTranspose2d Conv2d

// ConvTranspose1d is the transposed convolution of x [N, in, L] or [in, L]; see
// [tensor.ConvTranspose1d]. Its Weight is [in, out/groups, K].
type ConvTranspose1d Conv2d

// NewConv2d returns a layer from in to out channels with kernels of size kernel × kernel in
// float32, drawn as PyTorch draws it: weight and bias uniform in [-1/√n, 1/√n), where n is the
// number of places that a kernel looks at, in all its channels. It panics with a [*tensor.Error]
// if a size is less than 1, or the groups do not divide the channels.
func NewConv2d(in, out, kernel int, config ...ConvConfig) *Conv2d {
	l := newConv("conv2d", 2, in, out, kernel, false, config)
	return &l
}

// NewConv1d returns a layer from in to out channels with kernels of that size; see [NewConv2d].
func NewConv1d(in, out, kernel int, config ...ConvConfig) *Conv1d {
	l := Conv1d(newConv("conv1d", 1, in, out, kernel, false, config))
	return &l
}

// NewConvTranspose2d returns a layer from in to out channels with kernels of size
// kernel × kernel. As in PyTorch, weight and bias are drawn as if its input were its output; see
// [NewConv2d].
func NewConvTranspose2d(in, out, kernel int, config ...ConvConfig) *ConvTranspose2d {
	l := ConvTranspose2d(newConv("conv_transpose2d", 2, in, out, kernel, true, config))
	return &l
}

// NewConvTranspose1d returns a layer from in to out channels with kernels of that size; see
// [NewConvTranspose2d].
func NewConvTranspose1d(in, out, kernel int, config ...ConvConfig) *ConvTranspose1d {
	l := ConvTranspose1d(newConv("conv_transpose1d", 1, in, out, kernel, true, config))
	return &l
}

func newConv(op string, dims, in, out, kernel int, transposed bool, config []ConvConfig) Conv2d {
	c := option(op, config)
	if c.Groups == 0 {
		c.Groups = 1
	}
	sizes := kernelSizes(op, dims, kernel, c.Kernel)
	if in < 1 || out < 1 {
		fail(op, "%d inputs and %d outputs: both must be at least 1", in, out)
	}
	if c.Groups < 1 || in%c.Groups != 0 || out%c.Groups != 0 {
		fail(op, "%d inputs and %d outputs: both must divide into %d groups", in, out, c.Groups)
	}
	shape := []int{out, in / c.Groups}
	if transposed {
		shape = []int{in, out / c.Groups}
	}
	places := shape[1]
	for _, k := range sizes {
		places *= k
	}
	bound := 1 / math.Sqrt(float64(places))
	l := Conv2d{Weight: uniform(bound, append(shape, sizes...)...), config: c}
	if !c.NoBias {
		l.Bias = uniform(bound, out)
	}
	return l
}

// kernelSizes returns the size of a kernel in each dimension.
func kernelSizes(op string, dims, kernel int, each []int) []int {
	sizes := make([]int, dims)
	for i := range sizes {
		sizes[i] = kernel
	}
	switch len(each) {
	case 0:
	case 1, dims:
		for i := range sizes {
			sizes[i] = each[min(i, len(each)-1)]
		}
	default:
		fail(op, "kernel %v: must be one number, or one for each of %d dimensions", each, dims)
	}
	if slices.Min(sizes) < 1 {
		fail(op, "kernel %v: must be at least 1", sizes)
	}
	return sizes
}

// options returns the config for package tensor.
func (c *ConvConfig) options() tensor.ConvConfig {
	return tensor.ConvConfig{Stride: c.Stride, Padding: c.Padding, Dilation: c.Dilation,
		Groups: c.Groups, Same: c.Same, OutputPadding: c.OutputPadding}
}

// Forward returns the convolution of x; under autocast it computes in float16.
func (l *Conv2d) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ran(l, tensor.Conv2d(x, l.Weight, l.Bias, l.config.options()))
}

// Forward returns the convolution of x; under autocast it computes in float16.
func (l *Conv1d) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ran(l, tensor.Conv1d(x, l.Weight, l.Bias, l.config.options()))
}

// Forward returns the transposed convolution of x; under autocast it computes in float16.
func (l *ConvTranspose2d) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ran(l, tensor.ConvTranspose2d(x, l.Weight, l.Bias, l.config.options()))
}

// Forward returns the transposed convolution of x; under autocast it computes in float16.
func (l *ConvTranspose1d) Forward(x *tensor.Tensor) *tensor.Tensor {
	return ran(l, tensor.ConvTranspose1d(x, l.Weight, l.Bias, l.config.options()))
}

// String names the layer, its channels, its kernel and what differs from the usual.
func (l *Conv2d) String() string { return l.text("Conv2d", false) }

// String names the layer, its channels, its kernel and what differs from the usual.
func (l *Conv1d) String() string { return (*Conv2d)(l).text("Conv1d", false) }

// String names the layer, its channels, its kernel and what differs from the usual.
func (l *ConvTranspose2d) String() string { return (*Conv2d)(l).text("ConvTranspose2d", true) }

// String names the layer, its channels, its kernel and what differs from the usual.
func (l *ConvTranspose1d) String() string { return (*Conv2d)(l).text("ConvTranspose1d", true) }

func (l *Conv2d) text(name string, transposed bool) string {
	shape, groups := l.Weight.Shape(), l.config.Groups
	in, out := shape[1]*groups, shape[0]
	if transposed {
		in, out = shape[0], shape[1]*groups
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s(%d, %d, kernel %s", name, in, out, sizesText(shape[2:]))
	writeSizes(&b, "stride", l.config.Stride)
	writeSizes(&b, "padding", l.config.Padding)
	writeSizes(&b, "dilation", l.config.Dilation)
	writeSizes(&b, "output padding", l.config.OutputPadding)
	if l.config.Same {
		b.WriteString(", same size")
	}
	if groups > 1 {
		fmt.Fprintf(&b, ", groups %d", groups)
	}
	if l.Bias == nil {
		b.WriteString(", no bias")
	}
	return b.String() + ")"
}

// writeSizes writes what was given under a name.
func writeSizes(b *strings.Builder, what string, sizes []int) {
	if len(sizes) > 0 {
		fmt.Fprintf(b, ", %s %s", what, sizesText(sizes))
	}
}

// sizesText returns 3 for sizes 3 and 3, and 3×2 for 3 and 2.
func sizesText(sizes []int) string {
	if len(slices.Compact(slices.Clone(sizes))) == 1 {
		return fmt.Sprint(sizes[0])
	}
	parts := make([]string, len(sizes))
	for i, n := range sizes {
		parts[i] = fmt.Sprint(n)
	}
	return strings.Join(parts, "×")
}
