//go:build cuda

package cuda

import (
	"math"

	"halfnote/tensor/internal/device"
)

// convArgs is ConvArgs in kernels/conv.cuh.
type convArgs struct {
	Out, A, B, Bias                         array
	Parts                                   uint64
	StrideOut, StrideA, StrideB             [4]int64
	StepBias                                int64
	Deep                                    int64
	Images, Groups, Written, Read           int32
	X, Y, Kernel, Stride, Padding, Dilation [2]int32
	TilesM, TilesN, Splits, VectorOut       int32
}

// A convKind is one of the three products: Kind in kernels/conv.cuh.
type convKind int

const (
	convForward convKind = iota
	convInput
	convWeight
)

// The kernels, by kind and type: tiles on tensor cores with few or many rows of channels, those of
// other types, and those for groups of few channels.
var convNarrow, convWide, convPlain, convGroup [3]kernelSet[convArgs]

func init() {
	for kind, name := range []string{"forward", "input", "weight"} {
		convNarrow[kind] = newKernels[convArgs]("conv_half", "conv_"+name, device.Float16, device.BFloat16)
		convWide[kind] = newKernels[convArgs]("conv_half", "conv_wide_"+name, device.Float16, device.BFloat16)
		convPlain[kind] = newKernels[convArgs]("conv", "conv_"+name, device.Float32, device.Float64)
		convGroup[kind] = newKernels[convArgs]("conv_group", "conv_group_"+name,
			device.Float64, device.Float32, device.Float16, device.BFloat16)
	}
}

// A convolution is one of the products, out from the factor a and what is gathered from b.
type convolution struct {
	convArgs
	kind            convKind
	in              device.DType
	out, a, b, bias *device.Array
}

// Conv implements device.Convolutions.
func (b *Backend) Conv(y, x, w, bias *device.Array, c *device.Conv) {
	if b.points(y, w, x, bias, c) {
		return
	}
	b.convolve(convForward, y, w, x, bias, x, w, y, c)
}

// ConvInput implements device.Convolutions.
func (b *Backend) ConvInput(x, y, w, bias *device.Array, c *device.Conv) {
	if b.points(x, transposed(w), y, bias, c) {
		return
	}
	b.convolve(convInput, x, w, y, bias, x, w, y, c)
}

// ConvWeight implements device.Convolutions.
func (b *Backend) ConvWeight(w, x, y *device.Array, c *device.Conv) {
	if b.pointsWeight(w, x, y, c) {
		return
	}
	b.convolve(convWeight, w, y, x, nil, x, w, y, c)
}

// transposed returns w with its first two dimensions swapped.
func transposed(w *device.Array) *device.Array {
	return &device.Array{Data: w.Data, DType: w.DType, Offset: w.Offset,
		Shape:   []int{w.Shape[1], w.Shape[0], w.Shape[2], w.Shape[3]},
		Strides: []int{w.Strides[1], w.Strides[0], w.Strides[2], w.Strides[3]}}
}

// points computes out[n] = w·in[n] + bias as a product of matrices, where each place is multiplied by
// itself, all channels at a time. It reports false where that is not so.
func (b *Backend) points(out, w, in, bias *device.Array, c *device.Conv) bool {
	outs, ins, ok := pointwise(out, w, in, c)
	if !ok || out.Numel() == 0 {
		return false
	}
	factor := &device.Array{Data: w.Data, DType: w.DType, Offset: w.Offset, Shape: w.Shape[:2], Strides: w.Strides[:2]}
	b.matmul(outs, factor, ins, device.Epilogue{Bias: bias}, true)
	return true
}

// pointsWeight computes the gradient of such a w, Σ y[n]·x[n]ᵀ, as a product for each image and their sum,
// if the products are less to write and read than the images are.
func (b *Backend) pointsWeight(w, x, y *device.Array, c *device.Conv) bool {
	ys, xs, ok := pointwise(y, w, x, c)
	if !ok || x.Numel() == 0 || y.Numel() == 0 {
		return false
	}
	n, o, i, places := x.Shape[0], w.Shape[0], w.Shape[1], xs.Shape[2]
	if n > 1 && (4*o*i > (o+i)*places || n*o*i > mostParts) {
		return false
	}
	xs.Shape[1], xs.Shape[2], xs.Strides[1], xs.Strides[2] = places, i, xs.Strides[2], xs.Strides[1]
	sum := &device.Array{Data: w.Data, DType: w.DType, Offset: w.Offset, Shape: []int{1, o, i}, Strides: []int{1, w.Strides[0], w.Strides[1]}}
	if n == 1 {
		b.matmul(sum, ys, xs, device.Epilogue{}, false)
		return true
	}
	parts := b.dense(fractionsIn(w.DType), n, o, i)
	defer b.release(parts)
	b.matmul(parts, ys, xs, device.Epilogue{}, false)
	b.Reduce(device.Sum, sum, parts, 0)
	return true
}

// pointwise returns out and in with their places as one dimension, if w joins each with itself.
func pointwise(out, w, in *device.Array, c *device.Conv) (outs, ins *device.Array, ok bool) {
	one := [2]int{1, 1}
	if [2]int(w.Shape[2:]) != one || c.Groups != 1 || c.Stride != one || c.Padding != [2]int{} ||
		[2]int(out.Shape[2:]) != [2]int(in.Shape[2:]) || out.DType.ComputeIn() == device.Int64 {
		return nil, nil, false
	}
	outs, okOut := planes(out)
	ins, okIn := planes(in)
	return outs, ins, okOut && okIn
}

// planes returns x with its last two dimensions taken together, if they lie so.
func planes(x *device.Array) (*device.Array, bool) {
	h, w := x.Shape[2], x.Shape[3]
	step := x.Strides[3]
	if w == 1 {
		step = x.Strides[2]
	} else if h > 1 && x.Strides[2] != w*step {
		return nil, false
	}
	return &device.Array{Data: x.Data, DType: x.DType, Offset: x.Offset, Shape: []int{x.Shape[0], x.Shape[1], h * w},
		Strides: []int{x.Strides[0], x.Strides[1], step}}, true
}

// convolve computes out. x, w and y are the three arrays, one of which is out.
func (b *Backend) convolve(kind convKind, out, first, second, bias, x, w, y *device.Array, c *device.Conv) {
	if out.Numel() == 0 {
		return
	}
	const most = math.MaxInt32 - 256 // places, which tiles go beyond
	if x.Shape[0]*y.Shape[2]*y.Shape[3] > most || x.Shape[0]*x.Shape[2]*x.Shape[3] > most {
		b.fail("input of shape %v is too large", x.Shape)
	}
	in := out.DType.ComputeIn()
	if in != device.Float64 {
		in = device.Float32
	}
	sums := in
	if in == device.Float32 && first.DType == second.DType && b.hasTensorCores(first.DType) &&
		w.Shape[2]*w.Shape[3] <= convArea && near(x) && near(y) && near(w) {
		in = first.DType
	}
	first, doneFirst := b.as(in, first)
	defer doneFirst()
	second, doneSecond := b.as(in, second)
	defer doneSecond()
	v := &convolution{kind: kind, in: in, a: first, b: second, bias: bias, out: out}
	v.set(x, w, y, c)
	if v.Groups > 1 && v.Written < fewChannels {
		b.group(v)
		return
	}
	if kind == convWeight {
		b.weight(v, sums)
		return
	}
	if in == sums { // the kernel writes and adds nothing else
		if bias != nil {
			var done func()
			v.bias, done = b.as(sums, bias)
			defer done()
		}
		if out.DType != sums {
			v.out = b.dense(sums, out.Shape...)
			defer b.release(v.out)
		}
	}
	v.into()
	v.VectorOut = flag(v.vector())
	b.launchConv(v, v.out, v.a, v.b, v.bias)
	if v.out != out {
		b.Copy(out, v.out)
	}
}

// convArea is the most taps of a kernel on tensor cores, which have a bit each.
const convArea = 64

// near reports whether all elements of x are so near that 32 bits count the distance.
func near(x *device.Array) bool {
	span := 0
	for d, n := range x.Shape {
		span += max(n-1, 0) * max(x.Strides[d], -x.Strides[d])
	}
	return span <= math.MaxInt32
}

// set describes the geometry.
func (v *convolution) set(x, w, y *device.Array, c *device.Conv) {
	v.A, v.B = arrayOf(v.a), arrayOf(v.b)
	v.StrideA, v.StrideB = [4]int64(int64s(v.a.Strides)), [4]int64(int64s(v.b.Strides))
	v.Images, v.Groups = int32(x.Shape[0]), int32(c.Groups)
	inC, outC := int32(x.Shape[1]/c.Groups), int32(y.Shape[1]/c.Groups)
	v.Written, v.Read = outC, inC
	if v.kind == convInput {
		v.Written, v.Read = inC, outC
	}
	for d := range 2 {
		v.X[d], v.Y[d], v.Kernel[d] = int32(x.Shape[2+d]), int32(y.Shape[2+d]), int32(w.Shape[2+d])
		v.Stride[d], v.Padding[d], v.Dilation[d] = int32(c.Stride[d]), int32(c.Padding[d]), int32(c.Dilation[d])
	}
	v.Splits = 1
}

// into describes where results go, and the bias.
func (v *convolution) into() {
	v.Out, v.Bias = arrayOf(v.out), arrayOf(v.bias)
	if v.bias != nil {
		v.StepBias = int64(v.bias.Strides[0])
	}
	v.StrideOut = [4]int64(int64s(v.out.Strides))
}

// Up to so many channels of a group leave most of a tile empty.
const fewChannels = 8

// group computes v a result at a time. The grid has a thread for each result, or a block for each
// element of a weight.
func (b *Backend) group(v *convolution) {
	v.into()
	n := v.out.Numel()
	g := b.linear(n, 1)
	if v.kind == convWeight {
		if n > math.MaxInt32 {
			b.fail("weight of shape %v is too large", v.out.Shape)
		}
		g = grid{Blocks: [3]int{n}, Threads: [3]int{threads}}
	}
	convGroup[v.kind][v.in].launch(b, g, v.convArgs, v.out, v.a, v.b, v.bias)
}

// taps returns the length of the sums of a place.
func (v *convolution) taps() int64 { return int64(v.Read) * int64(v.Kernel[0]) * int64(v.Kernel[1]) }

// places returns how many places have sums of their own, in one sweep.
func (v *convolution) places() int64 {
	if v.kind == convInput {
		return int64(v.Images) * ceil(int64(v.X[0]), int64(v.Stride[0])) * ceil(int64(v.X[1]), int64(v.Stride[1]))
	}
	return int64(v.Images) * int64(v.Y[0]) * int64(v.Y[1])
}

// vector reports whether eight neighbouring places can be written at once.
func (v *convolution) vector() bool {
	o, size := v.out, v.out.DType.Size()
	return (v.kind == convForward || v.Stride == [2]int32{1, 1}) && o.Strides[3] == 1 && o.Strides[2] == o.Shape[3] &&
		o.Shape[2]*o.Shape[3]%8 == 0 && address(o)%16 == 0 && o.Strides[0]*size%16 == 0 && o.Strides[1]*size%16 == 0 &&
		(o.DType == device.Float32 || size == 2)
}

// weight computes the gradient of a weight: its parts, and then their sums.
func (b *Backend) weight(v *convolution, sums device.DType) {
	out := v.out
	if !out.Contiguous() {
		v.out = b.dense(out.DType, out.Shape...)
		defer b.release(v.out)
	}
	m, n := int64(v.Groups)*int64(v.Written), v.taps()
	t := v.tiling()
	v.split(t)
	parts := b.dense(sums, int(v.Splits), int(m), int(n))
	defer b.release(parts)
	v.Parts = address(parts)
	b.launchConv(v, v.a, v.b, parts)
	p := productArgs{Out: arrayOf(v.out), Parts: v.Parts, M: m, N: n, RowOut: n, ColOut: 1, Splits: v.Splits}
	p.Batch.Total = 1
	folds[sums].launch(b, b.linear(int(m*n), 1), p, v.out, parts)
	if v.out != out {
		b.Copy(out, v.out)
	}
}

const mostParts = 1 << 24 // elements of the parts of a weight's gradient

// split cuts the places into parts, so many that there is a block for each processor. It does not
// depend on the GPU, and so the sums do not.
func (v *convolution) split(t convTiling) {
	const step = 32
	tiles := ceil(int64(v.Written), t.rows) * ceil(v.taps(), t.cols) * int64(v.Groups)
	size := int64(v.Groups) * int64(v.Written) * v.taps()
	splits := max(1, min(2*nominalProcessors/tiles, v.places()/leastDeep, mostParts/size))
	v.Deep = max(1, ceil(ceil(v.places(), splits), step)) * step
	v.Splits = int32(max(1, ceil(v.places(), v.Deep)))
}

// A convTiling is how channels and places, or taps, are cut.
type convTiling struct {
	wide       bool
	rows, cols int64
}

// convTile returns the tiles of v. Tests have their own.
var convTile = (*convolution).fastest

func (v *convolution) tiling() convTiling {
	if v.in == device.Float32 || v.in == device.Float64 {
		return convTiling{rows: 64, cols: 64}
	}
	return convTile(v)
}

// fastest takes many rows of channels where they are there, and fill the processors.
func (v *convolution) fastest() convTiling {
	wide := convTiling{true, 128, 128}
	n := v.places()
	if v.kind == convWeight {
		n = v.taps()
	}
	blocks := ceil(int64(v.Written), wide.rows) * ceil(n, wide.cols) * int64(v.Groups)
	if v.Written > 64 && (blocks >= nominalProcessors || v.kind == convWeight) {
		return wide
	}
	return convTiling{false, 64, 128}
}

// launchConv launches v. The grid has a block for each tile of channels × places, or taps, of each
// group, for each sweep or part of the places.
func (b *Backend) launchConv(v *convolution, arrays ...*device.Array) {
	t := v.tiling()
	n, sweeps := v.places(), int64(1)
	switch v.kind {
	case convInput:
		sweeps = int64(v.Stride[0]) * int64(v.Stride[1])
	case convWeight:
		n, sweeps = v.taps(), int64(v.Splits)
	}
	v.TilesM, v.TilesN = int32(ceil(int64(v.Written), t.rows)), int32(ceil(n, t.cols))
	blocks := int64(v.TilesM) * int64(v.TilesN) * int64(v.Groups) * sweeps
	if blocks > math.MaxInt32 {
		b.fail("weight and input of shapes %v and %v are too large", v.a.Shape, v.b.Shape)
	}
	g := grid{Blocks: [3]int{int(blocks)}, Threads: [3]int{threads}}
	if v.in == device.Float32 || v.in == device.Float64 {
		convPlain[v.kind][v.in].launch(b, g, v.convArgs, arrays...)
		return
	}
	k := convNarrow[v.kind][v.in]
	g.Threads[0] = 128
	if t.wide {
		k = convWide[v.kind][v.in]
		g.Threads[0] = 256
	}
	g.Shared = max(2*halfStage(t.rows, t.cols, false, v.kind == convWeight), g.Threads[0]/32*halfRoom)
	k.launch(b, g, v.convArgs, arrays...)
}

func int64s(x []int) []int64 {
	all := make([]int64, len(x))
	for i, v := range x {
		all[i] = int64(v)
	}
	return all
}
