package tensor_test

import (
	"math"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func TestPoolValues(t *testing.T) {
	type config = tensor.PoolConfig
	nan, inf := math.NaN(), math.Inf(1)
	x := tensor.New([][][]float64{{
		{1, 5, 5, 2},
		{nan, 0, 3, 1},
		{-inf, -inf, 7, 7},
		{-inf, -inf, 7, inf},
	}})
	y, at := tensor.MaxPool2dIndex(x, config{Kernel: []int{2}})
	equal(t, "largest elements", y.Float64s(), []float64{nan, 5, -inf, inf})
	equal(t, "their places", at.Int64s(), []int64{4, 2, 8, 15})
	ints := tensor.New([][]int{{3, 9, 9, 1, -7}})
	y, at = tensor.MaxPool1dIndex(ints, config{Kernel: []int{2}, Ceil: true})
	equal(t, "integers", y.Int64s(), []int64{9, 9, -7})
	equal(t, "places in a line", at.Int64s(), []int64{1, 2, 4})
	y, at = tensor.AdaptiveMaxPool2dIndex(x, 1, -1)
	equal(t, "adaptive", y.Float64s(), []float64{nan, 5, 7, inf})
	equal(t, "adaptive places", at.Int64s(), []int64{4, 1, 10, 15})

	line := tensor.New([][]float32{{1, 2, 3, 4, 5}})
	for _, c := range []struct {
		name   string
		config config
		want   []float64
	}{
		{"padding counts", config{Kernel: []int{2}, Padding: []int{1}}, []float64{0.5, 2.5, 4.5}},
		{"padding excluded", config{Kernel: []int{2}, Padding: []int{1}, ExcludePadding: true},
			[]float64{1, 2.5, 4.5}},
		{"what is left over", config{Kernel: []int{2}}, []float64{1.5, 3.5}},
		{"ceil divides by what is there", config{Kernel: []int{2}, Ceil: true},
			[]float64{1.5, 3.5, 5}},
		{"no window begins in the padding behind",
			config{Kernel: []int{2}, Stride: []int{3}, Padding: []int{1}, Ceil: true},
			[]float64{0.5, 3.5}},
		{"divisor", config{Kernel: []int{5}, Divisor: 10}, []float64{1.5}},
		{"ceil lets a window reach over both ends",
			config{Kernel: []int{7}, Stride: []int{3}, Ceil: true}, []float64{3}},
	} {
		equal(t, c.name, tensor.AvgPool1d(line, c.config).Float64s(), c.want)
	}
	equal(t, "parts overlap where they are uneven",
		tensor.AdaptiveAvgPool1d(line, 3).Float64s(), []float64{1.5, 3, 4.5})
	empty := tensor.AdaptiveAvgPool2d(tensor.Zeros(2, 3, 4, 4), 0, 2).Shape()
	equal(t, "no parts", empty, []int{2, 3, 0, 2})
}

// TestPoolTies: of equal elements the first has the gradient.
func TestPoolTies(t *testing.T) {
	x := tensor.Ones(1, 2, 4).SetRequiresGrad(true)
	tensor.MaxPool2d(x, tensor.PoolConfig{Kernel: []int{2, 3}, Stride: []int{1}}).Sum().Backward()
	equal(t, "gradient", x.Grad().Float64s(), []float64{1, 1, 0, 0, 0, 0, 0, 0})
}

func TestPoolErrors(t *testing.T) {
	type config = tensor.PoolConfig
	x := tensor.Zeros(2, 3, 5, 5)
	for _, c := range []struct {
		want string
		f    func()
	}{
		{"max_pool2d: no kernel given; Kernel: []int{2} takes windows of 2",
			func() { tensor.MaxPool2d(x, config{}) }},
		{"max_pool2d: input of shape [5]; it has 4 dimensions, or one less without a batch",
			func() { tensor.MaxPool2d(tensor.Zeros(5), config{Kernel: []int{2}}) }},
		{"max_pool2d: kernel [2 0]; it is at least 1",
			func() { tensor.MaxPool2d(x, config{Kernel: []int{2, 0}}) }},
		{"max_pool2d: kernel [2147483648]; 2147483647 is the most",
			func() { tensor.MaxPool2d(x, config{Kernel: []int{1 << 31}}) }},
		{"max_pool2d: padding 2 is more than half of a window of 3",
			func() { tensor.MaxPool2d(x, config{Kernel: []int{3}, Padding: []int{2}}) }},
		{"max_pool2d: a window of 6 elements does not fit into 5 of shape [2 3 5 5] with padding 0",
			func() { tensor.MaxPool2d(x, config{Kernel: []int{6}}) }},
		{"max_pool1d: window 0 with dilation 2 holds nothing of the 1 elements of shape [1 1]",
			func() {
				tensor.MaxPool1d(tensor.Zeros(1, 1),
					config{Kernel: []int{2}, Padding: []int{1}, Dilation: []int{2}})
			}},
		{"max_pool2d: ExcludePadding and Divisor belong to averages",
			func() { tensor.MaxPool2d(x, config{Kernel: []int{2}, Divisor: 3}) }},
		{"avg_pool2d: dilation [2] belongs to maxima",
			func() { tensor.AvgPool2d(x, config{Kernel: []int{2}, Dilation: []int{2}}) }},
		{"avg_pool2d: divisor -1; it is positive",
			func() { tensor.AvgPool2d(x, config{Kernel: []int{2}, Divisor: -1}) }},
		{"avg_pool2d: values of int64; floating point is needed",
			func() { tensor.AvgPool2d(x.To(tensor.Int64), config{Kernel: []int{2}}) }},
		{"adaptive_avg_pool2d: output size [1 2 3]; it is one number, or one for each of 2 " +
			"dimensions", func() { tensor.AdaptiveAvgPool2d(x, 1, 2, 3) }},
		{"adaptive_avg_pool2d: output size [-2] of input shape [2 3 5 5]; sizes lie between 0 and " +
			"16777216, and the input is not empty", func() { tensor.AdaptiveAvgPool2d(x, -2) }},
		{"adaptive_max_pool1d: output size [1000000000] of input shape [2 3]; sizes lie between 0 " +
			"and 16777216, and the input is not empty",
			func() { tensor.AdaptiveMaxPool1d(tensor.Zeros(2, 3), 1e9) }},
	} {
		if got := reference.Mistake(c.f); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}
