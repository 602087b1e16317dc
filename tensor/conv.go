package tensor

import (
	"math"
	"slices"

	"halfnote/tensor/internal/device"
)

// A ConvConfig changes how a convolution moves its kernel. Stride, Padding, Dilation and
// OutputPadding hold one number for all dimensions, or one for each, rows before columns.
type ConvConfig struct {
	Stride   []int // steps between windows; nil means 1
	Padding  []int // zeros around the input; nil means 0
	Dilation []int // steps between the elements of a window; nil means 1
	Groups   int   // parts that the channels are cut into; 0 means 1
	Same     bool  // pad so that the output has the input's size: PyTorch's padding="same"

	// OutputPadding makes the output of a transposed convolution larger at its end, for a stride
	// leaves its size open; nil means 0.
	OutputPadding []int
}

// A conv is a checked ConvConfig in two dimensions.
type conv struct {
	device.Conv
	op       string
	dims     int // 1 or 2, what the caller sees
	same     bool
	outer    [2]int // output padding
	batched  bool
	original []int // the caller's shapes, for messages
	shapeW   []int
}

// Conv1d slides w of shape [O, C/groups, K] over x of shape [N, C, L] or [C, L], adds b of shape
// [O], which may be nil, and returns shape [N, O, M] or [O, M], where
// M = (L + 2·padding − dilation·(K − 1) − 1)/stride + 1, rounded down. As in PyTorch the kernel is
// not mirrored. 16-bit floats are summed in float32 and rounded once, behind the bias.
func Conv1d(x, w, b *Tensor, config ...ConvConfig) *Tensor {
	return convolve("conv1d", 1, x, w, b, one("conv1d", config))
}

// Conv2d slides w of shape [O, C/groups, K, L] over x of shape [N, C, H, W] or [C, H, W], adds b of
// shape [O], which may be nil, and returns shape [N, O, P, Q] or [O, P, Q]; see Conv1d.
func Conv2d(x, w, b *Tensor, config ...ConvConfig) *Tensor {
	return convolve("conv2d", 2, x, w, b, one("conv2d", config))
}

// ConvTranspose1d is the gradient of Conv1d with respect to its input, as an op of its own: x of
// shape [N, C, L] or [C, L] and w of shape [C, O/groups, K] give shape [N, O, M] or [O, M], where
// M = (L − 1)·stride − 2·padding + dilation·(K − 1) + output padding + 1.
func ConvTranspose1d(x, w, b *Tensor, config ...ConvConfig) *Tensor {
	return convolveTransposed("conv_transpose1d", 1, x, w, b, one("conv_transpose1d", config))
}

// ConvTranspose2d is the gradient of Conv2d with respect to its input, as an op of its own: x of
// shape [N, C, H, W] or [C, H, W] and w of shape [C, O/groups, K, L] give shape [N, O, P, Q] or
// [O, P, Q]; see ConvTranspose1d.
func ConvTranspose2d(x, w, b *Tensor, config ...ConvConfig) *Tensor {
	return convolveTransposed("conv_transpose2d", 2, x, w, b, one("conv_transpose2d", config))
}

func convolve(op string, dims int, x, w, b *Tensor, config ConvConfig) *Tensor {
	before := [...]*Tensor{x, w, b}
	args := castAll(op, 2, before[:])
	x, w, b = args[0], args[1], args[2]
	if config.OutputPadding != nil {
		fail(op, "output padding %v belongs to a transposed convolution", config.OutputPadding)
	}
	c := newConv(op, dims, x, w, b, config)
	channels, outputs := x.arr.Shape[x.Dim()-dims-1], w.arr.Shape[0]
	if channels != w.arr.Shape[1]*c.Groups {
		fail(op, "input of shape %v has %d channels, and weight of shape %v with %d groups takes %d",
			c.original, channels, c.shapeW, c.Groups, w.arr.Shape[1]*c.Groups)
	}
	if outputs%c.Groups != 0 {
		fail(op, "weight of shape %v: %d output channels do not divide into %d groups",
			c.shapeW, outputs, c.Groups)
	}
	c.checkBias(b, outputs)
	out := composed(func() *Tensor {
		x, w := c.spread(x, w)
		shape := []int{x.arr.Shape[0], outputs, 0, 0}
		for i := range 2 {
			shape[2+i] = c.size(i, x.arr.Shape[2+i], w.arr.Shape[2+i])
		}
		return c.restore(c.forward(x, w, b, shape))
	})
	dropCasts(before[:], args)
	return out
}

func convolveTransposed(op string, dims int, x, w, b *Tensor, config ConvConfig) *Tensor {
	before := [...]*Tensor{x, w, b}
	args := castAll(op, 2, before[:])
	x, w, b = args[0], args[1], args[2]
	if config.Same {
		fail(op, "padding cannot be the same: a transposed convolution takes numbers")
	}
	c := newConv(op, dims, x, w, b, config)
	if channels := x.arr.Shape[x.Dim()-dims-1]; channels != w.arr.Shape[0] {
		fail(op, "input of shape %v has %d channels, and weight of shape %v takes %d",
			c.original, channels, c.shapeW, w.arr.Shape[0])
	}
	if w.arr.Shape[0]%c.Groups != 0 {
		fail(op, "weight of shape %v: %d input channels do not divide into %d groups",
			c.shapeW, w.arr.Shape[0], c.Groups)
	}
	outputs := w.arr.Shape[1] * c.Groups
	c.checkBias(b, outputs)
	out := composed(func() *Tensor {
		x, w := c.spread(x, w)
		shape := []int{x.arr.Shape[0], outputs, 0, 0}
		for i := range 2 {
			shape[2+i] = c.sizeTransposed(i, x.arr.Shape[2+i], w.arr.Shape[2+i])
		}
		return c.restore(c.input(x, w, b, shape))
	})
	dropCasts(before[:], args)
	return out
}

// newConv checks what both kinds of convolution have in common.
func newConv(op string, dims int, x, w, b *Tensor, config ConvConfig) *conv {
	c := &conv{op: op, dims: dims, same: config.Same, batched: x.Dim() == dims+2,
		original: x.arr.Shape, shapeW: w.arr.Shape}
	if !c.batched && x.Dim() != dims+1 || w.Dim() != dims+2 {
		fail(op, "input of shape %v and weight of shape %v; they have %d dimensions, the input "+
			"one less without a batch", c.original, c.shapeW, dims+2)
	}
	sameDType(op, x, w)
	sameDType(op, x, b)
	if !x.DType().IsFloat() {
		fail(op, "values of %s; floating point is needed", x.DType())
	}
	if c.Groups = config.Groups; c.Groups == 0 {
		c.Groups = 1
	}
	if c.Groups < 0 {
		fail(op, "%d groups; there is at least one", c.Groups)
	}
	if config.Same && config.Padding != nil {
		fail(op, "padding %v beside Same; leave one out", config.Padding)
	}
	c.Stride = pair(op, "stride", dims, config.Stride, 1, 1)
	c.Padding = pair(op, "padding", dims, config.Padding, 0, 0)
	c.Dilation = pair(op, "dilation", dims, config.Dilation, 1, 1)
	c.outer = pair(op, "output padding", dims, config.OutputPadding, 0, 0)
	for i := range 2 {
		if c.same && c.Stride[i] != 1 {
			fail(op, "stride %v with Same; the output has the input's size only with stride 1",
				config.Stride)
		}
		if c.outer[i] >= max(c.Stride[i], c.Dilation[i]) {
			fail(op, "output padding %v is not below stride %d or dilation %d",
				config.OutputPadding, c.Stride[i], c.Dilation[i])
		}
	}
	return c
}

// pair returns a config's numbers as one for rows and one for columns. In one dimension the rows
// have the usual number.
func pair(op, what string, dims int, given []int, usual, least int) [2]int {
	both := [2]int{usual, usual}
	if len(given) != 0 && len(given) != 1 && len(given) != dims {
		fail(op, "%s %v; it is one number, or one for each of %d dimensions", what, given, dims)
	}
	for i := range dims {
		if len(given) > 0 {
			both[2-dims+i] = given[min(i, len(given)-1)]
		}
	}
	for _, n := range given {
		if n < least {
			fail(op, "%s %v; it is at least %d", what, given, least)
		}
		if n > math.MaxInt32 {
			fail(op, "%s %v; %d is the most", what, given, math.MaxInt32)
		}
	}
	return both
}

func (c *conv) checkBias(b *Tensor, outputs int) {
	if b != nil && (b.Dim() != 1 || b.arr.Shape[0] != outputs) {
		fail(c.op, "bias of shape %v for %d output channels; it is [%d]",
			b.arr.Shape, outputs, outputs)
	}
}

// spread returns input and weight in two dimensions, with a batch.
func (c *conv) spread(x, w *Tensor) (*Tensor, *Tensor) {
	if !c.batched {
		x = x.Unsqueeze(0)
	}
	if c.dims == 1 {
		x, w = x.Unsqueeze(2), w.Unsqueeze(2)
	}
	return x, w
}

// restore undoes spread for the output.
func (c *conv) restore(out *Tensor) *Tensor {
	if c.dims == 1 {
		out = out.Squeeze(2)
	}
	if !c.batched {
		out = out.Squeeze(0)
	}
	return out
}

// size returns the size of the output in dimension i. With Same it sets the padding.
func (c *conv) size(i, n, kernel int) int {
	if kernel < 1 {
		fail(c.op, "weight of shape %v has a kernel without elements", c.shapeW)
	}
	reach := c.reach(i, kernel)
	if c.same {
		c.Padding[i] = (reach - 1) / 2 // what is odd comes behind
		return n
	}
	if n+2*c.Padding[i] < reach {
		fail(c.op, "a kernel that reaches over %d elements does not fit into %d of input shape %v "+
			"with padding %d", reach, n, c.original, c.Padding[i])
	}
	return (n+2*c.Padding[i]-reach)/c.Stride[i] + 1
}

// sizeTransposed returns the size of the output of a transposed convolution in dimension i.
func (c *conv) sizeTransposed(i, n, kernel int) int {
	if kernel < 1 {
		fail(c.op, "weight of shape %v has a kernel without elements", c.shapeW)
	}
	if n > math.MaxInt32 {
		fail(c.op, "input of shape %v is too large", c.original)
	}
	size := (n-1)*c.Stride[i] - 2*c.Padding[i] + c.reach(i, kernel) + c.outer[i]
	if n == 0 || size < 1 {
		fail(c.op, "input of shape %v with padding %d leaves an output of size %d",
			c.original, c.Padding[i], size)
	}
	return size
}

// reach returns how many elements lie between the first and the last of a window, both included.
func (c *conv) reach(i, kernel int) int {
	if kernel > math.MaxInt32 {
		fail(c.op, "weight of shape %v is too large", c.shapeW)
	}
	return c.Dilation[i]*(kernel-1) + 1
}

// The three products of a convolution are linear in both of their tensors, and the gradient of each
// is made of the two others. The names are those of x ⋆ w = y in all three.

// forward returns y.
func (c *conv) forward(x, w, b *Tensor, shape []int) *Tensor {
	out := empty(c.op, x.Device(), x.DType(), shape)
	x.backend(c.op).Conv(&out.arr, &x.arr, &w.arr, b.array(), &c.Conv)
	c.record("convolution", out, convGrad, x, w, b)
	return out
}

// input returns x.
func (c *conv) input(y, w, b *Tensor, shape []int) *Tensor {
	out := empty(c.op, y.Device(), y.DType(), shape)
	y.backend(c.op).ConvInput(&out.arr, &y.arr, &w.arr, b.array(), &c.Conv)
	c.record("convolution_transpose", out, convInputGrad, y, w, b)
	return out
}

// kernel returns w.
func (c *conv) kernel(x, y *Tensor, shape []int) *Tensor {
	out := empty(c.op, x.Device(), x.DType(), shape)
	x.backend(c.op).ConvWeight(&out.arr, &x.arr, &y.arr, &c.Conv)
	c.record("convolution_weight", out, convKernelGrad, x, y, nil)
	return out
}

func (c *conv) record(op string, out *Tensor, r rule, a, b, bias *Tensor) {
	if n := record(op, out, r, a, b, bias); n != nil {
		n.keep(n.unless(1, a), n.unless(0, b))
		n.ints = slices.Concat(c.Stride[:], c.Padding[:], c.Dilation[:], []int{c.Groups})
	}
}

// conv returns the convolution that was recorded.
func (n *node) conv() *conv {
	c := &conv{op: n.op}
	copy(c.Stride[:], n.ints)
	copy(c.Padding[:], n.ints[2:])
	copy(c.Dilation[:], n.ints[4:])
	c.Groups = n.ints[6]
	return c
}

// convGrad: ∂(x ⋆ w + b).
func convGrad(n *node, g *Tensor, i int) *Tensor {
	switch i {
	case 0:
		return n.conv().input(g, n.get(1), nil, n.inputs[0].shape)
	case 1:
		return n.conv().kernel(n.get(0), g, n.inputs[1].shape)
	}
	return g.Sum(0, 2, 3)
}

// convInputGrad: the gradient of x with respect to y, w and b.
func convInputGrad(n *node, g *Tensor, i int) *Tensor {
	switch i {
	case 0:
		return n.conv().forward(g, n.get(1), nil, n.inputs[0].shape)
	case 1:
		return n.conv().kernel(g, n.get(0), n.inputs[1].shape)
	}
	return g.Sum(0, 2, 3)
}

// convKernelGrad: the gradient of w with respect to x and y.
func convKernelGrad(n *node, g *Tensor, i int) *Tensor {
	if i == 0 {
		return n.conv().input(n.get(1), g, nil, n.inputs[0].shape)
	}
	return n.conv().forward(n.get(0), g, nil, n.inputs[1].shape)
}
