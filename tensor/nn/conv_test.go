package nn

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// TestConvLayers checks names, shapes of the tensors and of results, and the range of the drawn
// values, which PyTorch takes from the weight's sizes behind the first.
func TestConvLayers(t *testing.T) {
	type config = ConvConfig
	tensor.Seed(1)
	tests := []struct {
		m      Module
		text   string
		weight []int
		in     []int
		out    []int
	}{
		{NewConv2d(1, 16, 3), "Conv2d(1, 16, kernel 3)", []int{16, 1, 3, 3},
			[]int{2, 1, 8, 8}, []int{2, 16, 6, 6}},
		{NewConv2d(4, 6, 0, config{Kernel: []int{3, 2}, Stride: []int{2}, Padding: []int{1, 0},
			Groups: 2, NoBias: true}),
			"Conv2d(4, 6, kernel 3×2, stride 2, padding 1×0, groups 2, no bias)",
			[]int{6, 2, 3, 2}, []int{4, 5, 6}, []int{6, 3, 3}},
		{NewConv2d(2, 3, 3, config{Same: true, Dilation: []int{2}}),
			"Conv2d(2, 3, kernel 3, dilation 2, same size)", []int{3, 2, 3, 3},
			[]int{1, 2, 5, 4}, []int{1, 3, 5, 4}},
		{NewConv1d(2, 3, 4), "Conv1d(2, 3, kernel 4)", []int{3, 2, 4},
			[]int{5, 2, 7}, []int{5, 3, 4}},
		{NewConvTranspose2d(4, 6, 3, config{Stride: []int{2}, OutputPadding: []int{1}, Groups: 2}),
			"ConvTranspose2d(4, 6, kernel 3, stride 2, output padding 1, groups 2)",
			[]int{4, 3, 3, 3}, []int{1, 4, 3, 3}, []int{1, 6, 8, 8}},
		{NewConvTranspose1d(2, 3, 2), "ConvTranspose1d(2, 3, kernel 2)", []int{2, 3, 2},
			[]int{1, 2, 3}, []int{1, 3, 4}},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			if got := ModuleName(test.m); got != test.text {
				t.Errorf("got name %q, want %q", got, test.text)
			}
			params := Parameters(test.m)
			if got := params[0].Shape(); !slices.Equal(got, test.weight) {
				t.Errorf("weight of shape %v, want %v", got, test.weight)
			}
			places := 1
			for _, n := range test.weight[1:] {
				places *= n
			}
			bound := 1 / math.Sqrt(float64(places))
			for _, p := range params {
				if v := p.Detach().Float64s(); slices.Max(v) > bound || slices.Min(v) < -bound {
					t.Errorf("%s from %v to %v, want ±%v", p.Name(), slices.Min(v), slices.Max(v),
						bound)
				}
			}
			if got := test.m.Forward(tensor.Rand(test.in...)).Shape(); !slices.Equal(got, test.out) {
				t.Errorf("result of shape %v, want %v", got, test.out)
			}
		})
	}
	var names []string
	for name := range NamedParameters(NewSequential(NewConv2d(1, 2, 3), NewBatchNorm2d(2))) {
		names = append(names, name)
	}
	if diff := cmp.Diff([]string{"0.weight", "0.bias", "1.weight", "1.bias"}, names); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
}

func TestPoolLayers(t *testing.T) {
	x := tensor.New([][][]float32{{{1, 2, 3, 4}, {5, 6, 7, 8}}})
	line := tensor.New([][]float32{{1, 2, 3, 4}})
	tests := []struct {
		m    Module
		text string
		x    *tensor.Tensor
		want []float64
	}{
		{NewMaxPool2d(2), "MaxPool2d(2)", x, []float64{6, 8}},
		{NewMaxPool2d(0, PoolConfig{Kernel: []int{1, 3}, Stride: []int{1}, Padding: []int{0, 1},
			Ceil: true}), "MaxPool2d(1×3, stride 1, padding 0×1, ceil)", x,
			[]float64{2, 3, 4, 4, 6, 7, 8, 8}},
		{NewMaxPool1d(2, PoolConfig{Stride: []int{1}, Dilation: []int{2}}),
			"MaxPool1d(2, stride 1, dilation 2)", line, []float64{3, 4}},
		{NewAvgPool2d(2), "AvgPool2d(2)", x, []float64{3.5, 5.5}},
		{NewAvgPool2d(2, PoolConfig{Divisor: 2}), "AvgPool2d(2, divisor 2)", x, []float64{7, 11}},
		{NewAvgPool1d(4, PoolConfig{Padding: []int{2}, ExcludePadding: true}),
			"AvgPool1d(4, padding 2, padding excluded)", line, []float64{1.5, 3.5}},
		{NewAdaptiveAvgPool2d(1), "AdaptiveAvgPool2d(1)", x, []float64{4.5}},
		{NewAdaptiveAvgPool2d(1, 2), "AdaptiveAvgPool2d(1×2)", x, []float64{3.5, 5.5}},
		{NewAdaptiveMaxPool2d(-1, 1), "AdaptiveMaxPool2d(-1×1)", x, []float64{4, 8}},
		{NewAdaptiveAvgPool1d(2), "AdaptiveAvgPool1d(2)", line, []float64{1.5, 3.5}},
		{NewAdaptiveMaxPool1d(1), "AdaptiveMaxPool1d(1)", line, []float64{4}},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			if got := ModuleName(test.m); got != test.text {
				t.Errorf("got name %q, want %q", got, test.text)
			}
			if diff := cmp.Diff(test.want, test.m.Forward(test.x).Float64s()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBatchNormLayer(t *testing.T) {
	l := NewBatchNorm1d(1)
	x := tensor.New([][]float32{{0}, {2}, {4}}) // mean 2, unbiased variance 4
	l.Forward(x)
	tensor.NoGrad(func() { l.Forward(x) })
	state := map[string][]float64{}
	for name, s := range StateDict(l) {
		state[name] = s.Float64s()
	}
	want := map[string][]float64{"weight": {1}, "bias": {0}, "num_batches_tracked": {2},
		"running_mean": {float64(float32(0.38))}, "running_var": {float64(float32(1.57))}}
	if diff := cmp.Diff(want, state, approximately); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
	if n := l.NumBatchesTracked; n.DType() != tensor.Int64 || n.Dim() != 0 {
		t.Errorf("num_batches_tracked is %s %v, want int64 []", n.DType(), n.Shape())
	}
	if n := len(Parameters(l)); n != 2 {
		t.Errorf("%d parameters, want 2", n)
	}
	Train(l, false)
	evaluated := (2 - 0.38) / math.Sqrt(1.57+1e-5)
	y := l.Forward(x.Slice(0, 1, 2))
	if diff := cmp.Diff([]float64{evaluated}, y.Float64s(), approximately); diff != "" {
		t.Errorf("evaluation (-want +got):\n%s", diff)
	}
	if got := l.NumBatchesTracked.Item(); got != 2 {
		t.Errorf("%v batches tracked after evaluation, want 2", got)
	}

	mean := NewBatchNorm1d(1, BatchNormConfig{Cumulative: true})
	mean.Forward(x)
	mean.Forward(x.Add(4))
	if got := mean.RunningMean.Item(); math.Abs(got-4) > 1e-6 {
		t.Errorf("cumulative mean %v, want 4", got)
	}
	mean.NumBatchesTracked.FillInPlace(3) // as a checkpoint that is loaded does
	mean.Forward(x.Add(4))
	if got := mean.RunningMean.Item(); math.Abs(got-4.5) > 1e-6 {
		t.Errorf("cumulative mean of a fourth batch %v, want 4.5", got)
	}
	plain := NewBatchNorm2d(3, BatchNormConfig{NoAffine: true, NoRunningStats: true})
	Train(plain, false)
	if n := len(StateDict(plain)); n != 0 {
		t.Errorf("%d tensors in a layer without any", n)
	}
	if got := plain.Forward(tensor.Ones(1, 3, 2, 2)).Sum().Item(); got != 0 {
		t.Errorf("normalised ones sum to %v, want 0", got)
	}
}

// approximately compares numbers as float32 holds them.
var approximately = cmp.Comparer(func(a, b float64) bool { return close64(a, b, 1e-6) })

// TestBatchNormHalf: To converts the running moments and not the count, as half() does in PyTorch.
func TestBatchNormHalf(t *testing.T) {
	l := NewBatchNorm2d(2)
	To(l, tensor.Float16)
	y := l.Forward(tensor.Rand(2, 2, 3, 3).To(tensor.Float16))
	got := []tensor.DType{y.DType(), l.RunningMean.DType(), l.RunningVar.DType(), l.Weight.DType(),
		l.NumBatchesTracked.DType()}
	half := tensor.Float16
	if !slices.Equal(got, []tensor.DType{half, half, half, half, tensor.Int64}) {
		t.Errorf("dtypes %v", got)
	}
}

func TestNormLayers(t *testing.T) {
	x := tensor.New([][]float64{{3, -3}, {4, -4}})
	tests := []struct {
		m    Module
		text string
		want []float64
	}{
		{NewLayerNorm(2), "LayerNorm(2)", []float64{1, -1, 1, -1}},
		{NewLayerNorm(0, NormConfig{Shape: []int{2, 2}, Eps: 12.5, NoBias: true}),
			"LayerNorm([2 2], no bias, eps 12.5)", []float64{0.6, -0.6, 0.8, -0.8}},
		{NewRMSNorm(2, NormConfig{NoAffine: true}), "RMSNorm(2, no affine)",
			[]float64{1, -1, 1, -1}},
		{NewGroupNorm(1, 2, NormConfig{Eps: 1e-9}), "GroupNorm(1, 2, eps 1e-09)",
			[]float64{1, -1, 1, -1}},
		{NewBatchNorm1d(2, BatchNormConfig{Momentum: 0.5, Eps: 1e-9}),
			"BatchNorm1d(2, momentum 0.5, eps 1e-09)", []float64{-1, 1, 1, -1}},
		{NewBatchNorm1d(2, BatchNormConfig{NoRunningStats: true, Eps: 1e-9}),
			"BatchNorm1d(2, no running stats, eps 1e-09)", []float64{-1, 1, 1, -1}},
		{NewBatchNorm1d(2, BatchNormConfig{NoAffine: true, Cumulative: true, Eps: 1e-9}),
			"BatchNorm1d(2, no affine, cumulative, eps 1e-09)", []float64{-1, 1, 1, -1}},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			To(test.m, tensor.Float64)
			if got := ModuleName(test.m); got != test.text {
				t.Errorf("got name %q, want %q", got, test.text)
			}
			for i, got := range test.m.Forward(x).Float64s() {
				if math.Abs(got-test.want[i]) > 1e-5 {
					t.Errorf("element %d: got %v, want %v", i, got, test.want[i])
				}
			}
		})
	}
}

func TestConvLayerErrors(t *testing.T) {
	tests := []struct {
		want string
		f    func()
	}{
		{"conv2d: 0 inputs and 3 outputs: both must be at least 1", func() { NewConv2d(0, 3, 3) }},
		{"conv2d: kernel [0 0]: must be at least 1", func() { NewConv2d(1, 3, 0) }},
		{"conv1d: kernel [2 3]: must be one number, or one for each of 1 dimensions",
			func() { NewConv1d(1, 3, 1, ConvConfig{Kernel: []int{2, 3}}) }},
		{"conv_transpose2d: 4 inputs and 3 outputs: both must divide into 2 groups",
			func() { NewConvTranspose2d(4, 3, 3, ConvConfig{Groups: 2}) }},
		{"max_pool2d: kernel [-1 -1]: must be at least 1", func() { NewMaxPool2d(-1) }},
		{"adaptive_avg_pool2d: output size []: must be one number, or rows and columns",
			func() { NewAdaptiveAvgPool2d() }},
		{"batch_norm: 0 channels: must be at least 1", func() { NewBatchNorm2d(0) }},
		{"batch_norm: momentum 0.1 with Cumulative: give one of them",
			func() { NewBatchNorm2d(1, BatchNormConfig{Momentum: 0.1, Cumulative: true}) }},
		{"batch_norm: input of shape [2 3]: BatchNorm2d takes [N, C, H, W]",
			func() { NewBatchNorm2d(3).Forward(tensor.Zeros(2, 3)) }},
		{"batch_norm: input of shape [3]: BatchNorm1d takes [N, C] or [N, C, L]",
			func() { NewBatchNorm1d(3).Forward(tensor.Zeros(3)) }},
		{"layer_norm: shape [0]: sizes must be at least 1", func() { NewLayerNorm(0) }},
		{"group_norm: 3 channels: must divide into 2 groups", func() { NewGroupNorm(2, 3) }},
		{"group_norm: input of shape [1 2] has 2 channels, and the layer 4", func() {
			NewGroupNorm(2, 4, NormConfig{NoAffine: true}).Forward(tensor.Zeros(1, 2))
		}},
	}
	for _, test := range tests {
		if got := reference.Mistake(test.f); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
