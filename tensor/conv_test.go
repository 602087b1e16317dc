package tensor_test

import (
	"fmt"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// wholes returns small whole numbers, whose products every order of summing gives exactly.
func wholes(shape ...int) *T {
	n := 1
	for _, s := range shape {
		n *= s
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = float64((i*i*7+i*3)%5 - 2)
	}
	return tensor.FromFloat64(values, shape...)
}

// A convCase is the shapes and the options of a convolution.
type convCase struct {
	x, w                      []int
	stride, padding, dilation [2]int
	groups                    int
}

// slow computes the definition of a convolution, and the gradients of Σ y·g, with plain loops.
func (c *convCase) slow(x, w, g *T) (y, dx, dw []float64) {
	xs, ws, gs := x.Float64s(), w.Float64s(), g.Float64s()
	y, dx, dw = make([]float64, len(gs)), make([]float64, len(xs)), make([]float64, len(ws))
	out := g.Shape()
	outputs, inC := c.w[0]/c.groups, c.w[1]
	for at := range gs {
		q, p := at%out[3], at/out[3]%out[2]
		o, n := at/out[3]/out[2]%out[1], at/out[3]/out[2]/out[1]
		for place := range inC * c.w[2] * c.w[3] {
			l, k, ch := place%c.w[3], place/c.w[3]%c.w[2], place/c.w[3]/c.w[2]
			i := p*c.stride[0] - c.padding[0] + k*c.dilation[0]
			j := q*c.stride[1] - c.padding[1] + l*c.dilation[1]
			if i < 0 || j < 0 || i >= c.x[2] || j >= c.x[3] {
				continue
			}
			ix := ((n*c.x[1]+o/outputs*inC+ch)*c.x[2]+i)*c.x[3] + j
			iw := o*inC*c.w[2]*c.w[3] + place
			y[at] += xs[ix] * ws[iw]
			dx[ix] += gs[at] * ws[iw]
			dw[iw] += gs[at] * xs[ix]
		}
	}
	return y, dx, dw
}

// TestConvBlocks compares with plain loops on sizes that are cut into blocks in every way: more
// pixels than a tile, images that share tiles, more places and channels than a block.
func TestConvBlocks(t *testing.T) {
	one := [2]int{1, 1}
	for _, c := range []convCase{
		{[]int{3, 2, 13, 11}, []int{5, 2, 3, 3}, one, one, one, 1},
		{[]int{7, 3, 4, 5}, []int{6, 3, 2, 3}, one, [2]int{0, 2}, one, 1},
		{[]int{40, 1, 9, 9}, []int{3, 1, 3, 3}, [2]int{2, 3}, one, one, 1},
		{[]int{2, 33, 6, 7}, []int{9, 33, 3, 3}, one, one, [2]int{2, 1}, 1},
		{[]int{1, 4, 5, 5}, []int{300, 4, 2, 2}, one, one, one, 1},
		{[]int{1, 300, 3, 4}, []int{5, 300, 1, 1}, one, [2]int{0, 0}, one, 1},
		{[]int{2, 1, 40, 30}, []int{2, 1, 18, 17}, one, [2]int{3, 5}, one, 1},
		{[]int{2, 6, 12, 12}, []int{9, 2, 3, 3}, [2]int{2, 1}, [2]int{4, 3}, one, 3},
		{[]int{2, 8, 16, 9}, []int{8, 1, 3, 3}, one, one, one, 8},
		{[]int{64, 2, 12, 12}, []int{3, 2, 3, 3}, one, one, one, 1},
	} {
		for _, d := range []tensor.DType{tensor.Float64, tensor.Float32} {
			t.Run(fmt.Sprintf("%v/%v/%s", c.x, c.w, d), func(t *testing.T) {
				x := wholes(c.x...).To(d).SetRequiresGrad(true)
				w := wholes(c.w...).To(d).SetRequiresGrad(true)
				y := tensor.Conv2d(x, w, nil, tensor.ConvConfig{Stride: c.stride[:],
					Padding: c.padding[:], Dilation: c.dilation[:], Groups: c.groups})
				g := wholes(y.Shape()...).To(d)
				y.Backward(tensor.BackwardConfig{Gradient: g})
				want, dx, dw := c.slow(x, w, g)
				equal(t, "result", y.Float64s(), want)
				equal(t, "gradient of the input", x.Grad().Float64s(), dx)
				equal(t, "gradient of the weight", w.Grad().Float64s(), dw)
			})
		}
	}
}

func TestConvValues(t *testing.T) {
	x := tensor.New([][][]float32{{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}})
	w := tensor.New([][][][]float32{{{{1, 0}, {0, -1}}}})
	b := tensor.New([]float32{10})
	equal(t, "not mirrored", tensor.Conv2d(x, w, b).Float64s(), []float64{6, 6, 6, 6})
	y := tensor.Conv2d(x, w, nil, tensor.ConvConfig{Same: true})
	equal(t, "an even kernel is padded behind", y.Float64s(),
		[]float64{-4, -4, 3, -4, -4, 6, 7, 8, 9})
	y = tensor.ConvTranspose2d(x, w, b, tensor.ConvConfig{Padding: []int{1}})
	equal(t, "transposed", y.Float64s(), []float64{14, 14, 14, 14})
	line := tensor.New([][]float32{{1, 2, 3, 4}})
	kernel := tensor.New([][][]float32{{{1, -1}}})
	y = tensor.Conv1d(line, kernel, nil, tensor.ConvConfig{Stride: []int{2}, Padding: []int{1}})
	equal(t, "one dimension", y.Float64s(), []float64{-1, -1, 4})
	y = tensor.ConvTranspose1d(line, kernel, nil,
		tensor.ConvConfig{Stride: []int{3}, OutputPadding: []int{2}})
	equal(t, "transposed in one dimension", y.Float64s(),
		[]float64{1, -1, 0, 2, -2, 0, 3, -3, 0, 4, -4, 0, 0})
}

// TestConvRoundsOnce: sums and bias are kept in float32, and only the result is rounded.
func TestConvRoundsOnce(t *testing.T) {
	x := tensor.Ones(1, 4096, 1).To(tensor.Float16)
	w := tensor.Full(1, 1, 4096, 1).To(tensor.Float16)
	b := tensor.New([]float32{-4095.5}).To(tensor.Float16) // -4096
	equal(t, "sum", tensor.Conv1d(x, w, b).Item(), 0.0)
	w = tensor.Full(0x1p-24, 1, 4096, 1).To(tensor.Float16)
	equal(t, "subnormals", tensor.Conv1d(x, w, nil).Item(), 0x1p-12)
	w = tensor.Full(24, 1, 4096, 1).To(tensor.Float16)
	b = tensor.New([]float32{-65504}).To(tensor.Float16)
	equal(t, "beyond float16 before the bias", tensor.Conv1d(x, w, b).Item(), 32800.0)
}

func TestConvErrors(t *testing.T) {
	x, w := tensor.Zeros(2, 3, 5, 5), tensor.Zeros(4, 3, 3, 3)
	conv := func(x, w, b *T, c ...tensor.ConvConfig) func() {
		return func() { tensor.Conv2d(x, w, b, c...) }
	}
	for _, c := range []struct {
		want string
		f    func()
	}{
		{"conv2d: input of shape [5 5] and weight of shape [4 3 3 3]; they have 4 dimensions, the " +
			"input one less without a batch", conv(tensor.Zeros(5, 5), w, nil)},
		{"conv2d: input of shape [2 3 5 5] has 3 channels, and weight of shape [4 2 3 3] with 1 " +
			"groups takes 2", conv(x, tensor.Zeros(4, 2, 3, 3), nil)},
		{"conv2d: weight of shape [4 1 3 3]: 4 output channels do not divide into 3 groups",
			conv(x, tensor.Zeros(4, 1, 3, 3), nil, tensor.ConvConfig{Groups: 3})},
		{"conv2d: -1 groups; there is at least one", conv(x, w, nil, tensor.ConvConfig{Groups: -1})},
		{"conv2d: bias of shape [3] for 4 output channels; it is [4]", conv(x, w, tensor.Zeros(3))},
		{"conv2d: dtypes float32 and float16 differ; convert one with To",
			conv(x, w.To(tensor.Float16), nil)},
		{"conv2d: values of int64; floating point is needed",
			conv(x.To(tensor.Int64), w.To(tensor.Int64), nil)},
		{"conv2d: stride [0]; it is at least 1", conv(x, w, nil,
			tensor.ConvConfig{Stride: []int{0}})},
		{"conv2d: padding [0 -1]; it is at least 0", conv(x, w, nil,
			tensor.ConvConfig{Padding: []int{0, -1}})},
		{"conv2d: dilation [1 1 1]; it is one number, or one for each of 2 dimensions",
			conv(x, w, nil, tensor.ConvConfig{Dilation: []int{1, 1, 1}})},
		{"conv2d: a kernel that reaches over 7 elements does not fit into 5 of input shape " +
			"[2 3 5 5] with padding 0", conv(x, w, nil, tensor.ConvConfig{Dilation: []int{3}})},
		{"conv2d: stride [2] with Same; the output has the input's size only with stride 1",
			conv(x, w, nil, tensor.ConvConfig{Same: true, Stride: []int{2}})},
		{"conv2d: padding [1] beside Same; leave one out",
			conv(x, w, nil, tensor.ConvConfig{Same: true, Padding: []int{1}})},
		{"conv2d: output padding [1] belongs to a transposed convolution",
			conv(x, w, nil, tensor.ConvConfig{OutputPadding: []int{1}})},
		{"conv2d: weight of shape [4 3 0 3] has a kernel without elements",
			conv(x, tensor.Zeros(4, 3, 0, 3), nil)},
		{"conv_transpose2d: input of shape [2 3 5 5] has 3 channels, and weight of shape " +
			"[4 3 3 3] takes 4", func() { tensor.ConvTranspose2d(x, w, nil) }},
		{"conv_transpose2d: output padding [2] is not below stride 2 or dilation 1", func() {
			tensor.ConvTranspose2d(x, tensor.Zeros(3, 2, 3, 3), nil,
				tensor.ConvConfig{Stride: []int{2}, OutputPadding: []int{2}})
		}},
		{"conv_transpose2d: input of shape [1 1 1 1] with padding 2 leaves an output of size -1",
			func() {
				tensor.ConvTranspose2d(tensor.Zeros(1, 1, 1, 1), tensor.Zeros(1, 1, 3, 3), nil,
					tensor.ConvConfig{Padding: []int{2}})
			}},
		{"conv_transpose2d: padding cannot be the same: a transposed convolution takes numbers",
			func() { tensor.ConvTranspose2d(x, w, nil, tensor.ConvConfig{Same: true}) }},
		{"conv_transpose2d: weight of shape [3 2 3 3]: 3 input channels do not divide into 2 groups",
			func() {
				tensor.ConvTranspose2d(x, tensor.Zeros(3, 2, 3, 3), nil,
					tensor.ConvConfig{Groups: 2})
			}},
	} {
		if got := reference.Mistake(c.f); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}
