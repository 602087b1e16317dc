package tensor

import (
	"math"
	"slices"

	"halfnote/tensor/internal/device"
)

// A PoolConfig says which windows a pooling op slides over its input. Kernel, Stride, Padding and
// Dilation hold one number for all dimensions, or one for each, rows before columns.
type PoolConfig struct {
	Kernel   []int // size of a window; always given
	Stride   []int // steps between windows; nil means the kernel's size
	Padding  []int // places around the input that windows may cover; nil means 0
	Dilation []int // steps between the elements of a window, for maxima; nil means 1
	Ceil     bool  // windows may reach over the end, so that nothing of the input is left out

	// For averages only. PyTorch's count_include_pad is the opposite of ExcludePadding.
	ExcludePadding bool // padding does not count in the divisor
	Divisor        int  // instead of the window's size; 0 means none
}

// maxPlaces is how many windows may lie along one dimension: each takes some memory to describe.
const maxPlaces = 1 << 24

// A pooling is a checked op on planes [N, H, W].
type pooling struct {
	op         string
	dims       int // 1 or 2, what the caller sees
	rows, cols []device.Span
	in         []int // the shape of the planes
}

// MaxPool1d returns the largest element of each window of x, of shape [N, C, L] or [C, L]. NaN is
// larger than any number. Of equal elements the first one gets the gradient.
func MaxPool1d(x *Tensor, config PoolConfig) *Tensor {
	out, index := maxPool("max_pool1d", 1, x, config)
	index.drop()
	return out
}

// MaxPool2d returns the largest element of each window of x, of shape [N, C, H, W] or [C, H, W];
// see MaxPool1d.
func MaxPool2d(x *Tensor, config PoolConfig) *Tensor {
	out, index := maxPool("max_pool2d", 2, x, config)
	index.drop()
	return out
}

// MaxPool1dIndex is MaxPool1d that returns also, as Int64, where in x's last dimension each largest
// element lies.
func MaxPool1dIndex(x *Tensor, config PoolConfig) (values, indices *Tensor) {
	return maxPool("max_pool1d", 1, x, config)
}

// MaxPool2dIndex is MaxPool2d that returns also, as Int64, the position of each largest element in
// its plane, counted in row-major order.
func MaxPool2dIndex(x *Tensor, config PoolConfig) (values, indices *Tensor) {
	return maxPool("max_pool2d", 2, x, config)
}

// AvgPool1d returns the mean of each window of x, of shape [N, C, L] or [C, L]. Padding counts as
// zeros. 16-bit floats are added in a wider type and rounded once.
func AvgPool1d(x *Tensor, config PoolConfig) *Tensor {
	return avgPool("avg_pool1d", 1, x, config)
}

// AvgPool2d returns the mean of each window of x, of shape [N, C, H, W] or [C, H, W]; see
// AvgPool1d.
func AvgPool2d(x *Tensor, config PoolConfig) *Tensor {
	return avgPool("avg_pool2d", 2, x, config)
}

// AdaptiveAvgPool1d cuts x, of shape [N, C, L] or [C, L], into size parts as even as possible, and
// returns the mean of each.
func AdaptiveAvgPool1d(x *Tensor, size int) *Tensor {
	return adaptiveAvg("adaptive_avg_pool1d", 1, x, size)
}

// AdaptiveAvgPool2d cuts the planes of x, of shape [N, C, H, W] or [C, H, W], into size rows and
// columns of parts as even as possible, and returns the mean of each part. One size counts for
// both dimensions, and 1 is the mean of the whole plane; -1 keeps x's size, as None does in
// PyTorch.
func AdaptiveAvgPool2d(x *Tensor, size ...int) *Tensor {
	return adaptiveAvg("adaptive_avg_pool2d", 2, x, size...)
}

// AdaptiveMaxPool1d is AdaptiveAvgPool1d with the largest element in place of the mean.
func AdaptiveMaxPool1d(x *Tensor, size int) *Tensor {
	out, index := adaptiveMax("adaptive_max_pool1d", 1, x, size)
	index.drop()
	return out
}

// AdaptiveMaxPool2d is AdaptiveAvgPool2d with the largest element in place of the mean.
func AdaptiveMaxPool2d(x *Tensor, size ...int) *Tensor {
	out, index := adaptiveMax("adaptive_max_pool2d", 2, x, size...)
	index.drop()
	return out
}

// AdaptiveMaxPool2dIndex is AdaptiveMaxPool2d that returns also, as Int64, the position of each
// largest element in its plane, counted in row-major order.
func AdaptiveMaxPool2dIndex(x *Tensor, size ...int) (values, indices *Tensor) {
	return adaptiveMax("adaptive_max_pool2d", 2, x, size...)
}

func maxPool(op string, dims int, x *Tensor, config PoolConfig) (values, indices *Tensor) {
	if config.ExcludePadding || config.Divisor != 0 {
		fail(op, "ExcludePadding and Divisor belong to averages")
	}
	x = cast(op, x)
	return newPooling(op, dims, x, config).max(x)
}

func avgPool(op string, dims int, x *Tensor, config PoolConfig) *Tensor {
	if config.Dilation != nil {
		fail(op, "dilation %v belongs to maxima", config.Dilation)
	}
	if config.Divisor < 0 {
		fail(op, "divisor %d; it is positive", config.Divisor)
	}
	x = cast(op, x)
	needFloat(op, x)
	return newPooling(op, dims, x, config).average(x)
}

func adaptiveMax(op string, dims int, x *Tensor, size ...int) (values, indices *Tensor) {
	x = cast(op, x)
	return newAdaptive(op, dims, x, size).max(x)
}

func adaptiveAvg(op string, dims int, x *Tensor, size ...int) *Tensor {
	x = cast(op, x)
	needFloat(op, x)
	return newAdaptive(op, dims, x, size).average(x)
}

func needFloat(op string, x *Tensor) {
	if !x.DType().IsFloat() {
		fail(op, "values of %s; floating point is needed", x.DType())
	}
}

// newPool returns a pooling whose spans are still to be made, and the two sizes of x's planes.
func newPool(op string, dims int, x *Tensor) (*pooling, [2]int) {
	if x.Dim() != dims+1 && x.Dim() != dims+2 {
		fail(op, "input of shape %v; it has %d dimensions, or one less without a batch",
			x.arr.Shape, dims+2)
	}
	size := [2]int{1, x.arr.Shape[x.Dim()-1]}
	if dims == 2 {
		size[0] = x.arr.Shape[x.Dim()-2]
	}
	planes := volume(x.arr.Shape[:x.Dim()-dims])
	return &pooling{op: op, dims: dims, in: []int{planes, size[0], size[1]}}, size
}

func newPooling(op string, dims int, x *Tensor, config PoolConfig) *pooling {
	p, size := newPool(op, dims, x)
	if len(config.Kernel) == 0 {
		fail(op, "no kernel given; Kernel: []int{2} takes windows of 2")
	}
	stride := config.Stride
	if len(stride) == 0 {
		stride = config.Kernel
	}
	kernels := pair(op, "kernel", dims, config.Kernel, 1, 1)
	strides := pair(op, "stride", dims, stride, 1, 1)
	paddings := pair(op, "padding", dims, config.Padding, 0, 0)
	dilations := pair(op, "dilation", dims, config.Dilation, 1, 1)
	var spans [2][]device.Span
	for i := range 2 {
		w := pooledDim{op: op, shape: x.arr.Shape, n: size[i], kernel: kernels[i],
			stride: strides[i], padding: paddings[i], dilation: dilations[i]}
		spans[i] = w.spans(config.Ceil)
		for k := range spans[i] {
			s := &spans[i][k]
			switch {
			case config.Divisor != 0 && i == 0:
				s.Count = config.Divisor
			case config.Divisor != 0:
				s.Count = 1
			case config.ExcludePadding:
				s.Count = s.To - s.From
			}
		}
	}
	p.rows, p.cols = spans[0], spans[1]
	return p
}

// A pooledDim is how one dimension of n elements is pooled.
type pooledDim struct {
	op                                string
	shape                             []int
	n                                 int
	kernel, stride, padding, dilation int
}

// spans returns the windows cut off where the input ends. Their counts include the padding.
func (w *pooledDim) spans(ceil bool) []device.Span {
	reach := w.dilation*(w.kernel-1) + 1
	if 2*w.padding > reach {
		fail(w.op, "padding %d is more than half of a window of %d", w.padding, reach)
	}
	room := w.n + 2*w.padding - reach
	if ceil {
		room += w.stride - 1
	}
	if w.n == 0 || room < 0 {
		fail(w.op, "a window of %d elements does not fit into %d of shape %v with padding %d",
			reach, w.n, w.shape, w.padding)
	}
	count := room/w.stride + 1
	if ceil && (count-1)*w.stride >= w.n+w.padding {
		count-- // a window that begins behind the input would be empty
	}
	if count > maxPlaces {
		fail(w.op, "%d windows along one dimension of shape %v; %d is the most",
			count, w.shape, maxPlaces)
	}
	spans := make([]device.Span, count)
	for i := range spans {
		from := i*w.stride - w.padding
		s := device.Span{From: from, To: min(from+reach, w.n), Step: w.dilation,
			Count: min(from+w.kernel, w.n+w.padding) - from}
		if from < 0 {
			s.From += (-from + w.dilation - 1) / w.dilation * w.dilation
		}
		if s.From >= s.To {
			fail(w.op, "window %d with dilation %d holds nothing of the %d elements of shape %v",
				i, w.dilation, w.n, w.shape)
		}
		spans[i] = s
	}
	return spans
}

func newAdaptive(op string, dims int, x *Tensor, sizes []int) *pooling {
	p, in := newPool(op, dims, x)
	if len(sizes) != 1 && len(sizes) != dims {
		fail(op, "output size %v; it is one number, or one for each of %d dimensions", sizes, dims)
	}
	var spans [2][]device.Span
	for i := range 2 {
		n, size := in[i], sizes[0]
		switch {
		case i < 2-dims:
			size = 1
		case len(sizes) > 1:
			size = sizes[i]
		}
		if size == -1 {
			size = n
		}
		if size < 0 || size > maxPlaces || n == 0 || n > math.MaxInt32 {
			fail(op, "output size %v of input shape %v; sizes lie between 0 and %d, and the input "+
				"is not empty", sizes, x.arr.Shape, maxPlaces)
		}
		spans[i] = make([]device.Span, size)
		for k := range spans[i] {
			from, to := k*n/size, ((k+1)*n+size-1)/size
			spans[i][k] = device.Span{From: from, To: to, Step: 1, Count: to - from}
		}
	}
	p.rows, p.cols = spans[0], spans[1]
	return p
}

// planes returns x as planes [N, H, W].
func (p *pooling) planes(x *Tensor) *Tensor { return x.Reshape(p.in...) }

// restore gives out, [N, P, Q], the leading dimensions of x.
func (p *pooling) restore(out, x *Tensor) *Tensor {
	shape := slices.Clone(x.arr.Shape[:x.Dim()-p.dims])
	return out.Reshape(append(shape, out.arr.Shape[3-p.dims:]...)...)
}

func (p *pooling) shape() []int { return []int{p.in[0], len(p.rows), len(p.cols)} }

func (p *pooling) max(x *Tensor) (values, indices *Tensor) {
	values = composed(func() *Tensor {
		in := p.planes(x)
		out := empty(p.op, x.Device(), x.DType(), p.shape())
		indices = empty(p.op, x.Device(), Int64, p.shape())
		x.backend(p.op).MaxPool(&out.arr, &indices.arr, &in.arr, p.rows, p.cols)
		if n := record(p.op, out, p.maxGrad, in); n != nil {
			n.keep(indices)
		}
		return p.restore(out, x)
	})
	return values, p.restore(indices, x)
}

// maxGrad puts the gradient where the largest elements were.
func (p *pooling) maxGrad(n *node, g *Tensor, _ int) *Tensor {
	index := n.get(0)
	out := empty(p.op, g.Device(), g.DType(), p.in)
	g.backend(p.op).MaxPoolGrad(&out.arr, &g.arr, &index.arr, p.rows, p.cols)
	if n := record(p.op+"_backward", out, p.pickGrad, g); n != nil {
		n.keep(index)
	}
	return out
}

// pickGrad takes from a gradient what maxGrad has put there.
func (p *pooling) pickGrad(n *node, g *Tensor, _ int) *Tensor {
	index, places := n.get(0), len(p.rows)*len(p.cols)
	picked := g.Reshape(p.in[0], p.in[1]*p.in[2]).Gather(1, index.Reshape(p.in[0], places))
	return picked.Reshape(p.shape()...)
}

func (p *pooling) average(x *Tensor) *Tensor {
	return composed(func() *Tensor { return p.restore(p.avg(nil, p.planes(x), 0), x) })
}

// avg and deal are linear, and each is the gradient of the other.
func (p *pooling) avg(_ *node, x *Tensor, _ int) *Tensor {
	out := empty(p.op, x.Device(), x.DType(), p.shape())
	x.backend(p.op).AvgPool(&out.arr, &x.arr, p.rows, p.cols)
	record(p.op, out, p.deal, x)
	return out
}

func (p *pooling) deal(_ *node, g *Tensor, _ int) *Tensor {
	out := empty(p.op, g.Device(), g.DType(), p.in)
	g.backend(p.op).AvgPoolGrad(&out.arr, &g.arr, p.rows, p.cols)
	record(p.op+"_backward", out, p.avg, g)
	return out
}
