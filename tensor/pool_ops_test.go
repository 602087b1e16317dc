package tensor_test

import "halfnote/tensor"

func init() {
	type config = tensor.PoolConfig
	pool := func(f func(x *T, c config) *T, c config) func(x ...*T) *T {
		return func(x ...*T) *T { return f(x[0], c) }
	}
	adaptive := func(f func(x *T, size ...int) *T, size ...int) func(x ...*T) *T {
		return func(x ...*T) *T { return f(x[0], size...) }
	}
	planes := [][]int{{2, 3, 5, 6}}
	also := [][][]int{{{3, 5, 6}}, {{0, 3, 5, 6}}, {{1, 1, 3, 3}}}
	addOps(
		opRow{name: "max_pool2d", in: planes, also: also,
			f: pool(tensor.MaxPool2d, config{Kernel: []int{2}})},
		opRow{name: "max_pool2d_overlap", in: planes, also: also, terms: 8,
			f: pool(tensor.MaxPool2d, config{Kernel: []int{3, 2}, Stride: []int{1},
				Padding: []int{1}, Ceil: true})},
		opRow{name: "max_pool2d_dilation", in: planes,
			f: pool(tensor.MaxPool2d, config{Kernel: []int{2, 3}, Stride: []int{2, 1},
				Padding: []int{0, 1}, Dilation: []int{3, 2}})},
		opRow{name: "max_pool1d", in: [][]int{{2, 3, 7}}, also: [][][]int{{{2, 4}}},
			f: pool(tensor.MaxPool1d, config{Kernel: []int{3}, Stride: []int{2}})},
		opRow{name: "max_pool1d_index", in: [][]int{{2, 3, 7}}, noGrad: true,
			f: pool(func(x *T, c config) *T {
				_, at := tensor.MaxPool1dIndex(x, c)
				return at
			}, config{Kernel: []int{3}, Stride: []int{2}})},
		opRow{name: "max_pool2d_index", in: planes, also: also, noGrad: true,
			f: pool(func(x *T, c config) *T {
				_, at := tensor.MaxPool2dIndex(x, c)
				return at
			}, config{Kernel: []int{3, 2}, Stride: []int{1}, Padding: []int{1}})},
		opRow{name: "adaptive_max_pool2d_index", in: planes, also: also, noGrad: true,
			f: adaptive(func(x *T, size ...int) *T {
				_, at := tensor.AdaptiveMaxPool2dIndex(x, size...)
				return at
			}, 2, 4)},
		opRow{name: "avg_pool2d", in: planes, also: also, terms: 2,
			f: pool(tensor.AvgPool2d, config{Kernel: []int{2, 3}, Stride: []int{1, 2},
				Padding: []int{1}})},
		opRow{name: "avg_pool2d_exclude", in: planes, also: also, terms: 2,
			f: pool(tensor.AvgPool2d, config{Kernel: []int{3}, Stride: []int{2},
				Padding: []int{1}, ExcludePadding: true, Ceil: true})},
		opRow{name: "avg_pool2d_divisor", in: planes, terms: 4,
			f: pool(tensor.AvgPool2d, config{Kernel: []int{2}, Divisor: 3})},
		opRow{name: "avg_pool1d", in: [][]int{{2, 3, 7}}, also: [][][]int{{{2, 4}}}, terms: 2,
			f: pool(tensor.AvgPool1d, config{Kernel: []int{3}, Padding: []int{1}})},
		opRow{name: "adaptive_avg_pool2d", in: planes, also: also, terms: 2,
			f: adaptive(tensor.AdaptiveAvgPool2d, 2, 4)},
		opRow{name: "adaptive_avg_pool2d_whole", in: planes, also: also, terms: 2,
			f: adaptive(tensor.AdaptiveAvgPool2d, 1)},
		opRow{name: "adaptive_max_pool2d", in: planes, also: also, terms: 8,
			f: adaptive(tensor.AdaptiveMaxPool2d, -1, 4)},
		opRow{name: "adaptive_avg_pool1d", in: [][]int{{2, 3, 7}}, also: [][][]int{{{2, 4}}},
			terms: 2, f: func(x ...*T) *T { return tensor.AdaptiveAvgPool1d(x[0], 3) }},
		opRow{name: "adaptive_max_pool1d", in: [][]int{{2, 3, 7}}, also: [][][]int{{{2, 4}}},
			terms: 4, f: func(x ...*T) *T { return tensor.AdaptiveMaxPool1d(x[0], 3) }},
	)
}

var poolOps = map[string]opFunc{
	"max_pool1d": func(x in, a attrs) *T { return tensor.MaxPool1d(x["x"], poolConfig(a)) },
	"max_pool2d": func(x in, a attrs) *T { return tensor.MaxPool2d(x["x"], poolConfig(a)) },
	"avg_pool1d": func(x in, a attrs) *T { return tensor.AvgPool1d(x["x"], poolConfig(a)) },
	"avg_pool2d": func(x in, a attrs) *T { return tensor.AvgPool2d(x["x"], poolConfig(a)) },
	"adaptive_avg_pool2d": func(x in, a attrs) *T {
		return tensor.AdaptiveAvgPool2d(x["x"], a.ints("output_size")...)
	},
	"adaptive_max_pool2d": func(x in, a attrs) *T {
		return tensor.AdaptiveMaxPool2d(x["x"], a.ints("output_size")...)
	},
}

// poolConfig reads a config with PyTorch's names.
func poolConfig(a attrs) tensor.PoolConfig {
	include := true
	a.get("count_include_pad", &include)
	c := tensor.PoolConfig{Kernel: a.ints("kernel_size"), Stride: a.ints("stride"),
		Padding: a.ints("padding"), Dilation: a.ints("dilation"),
		ExcludePadding: !include, Divisor: a.int("divisor_override")}
	a.get("ceil_mode", &c.Ceil)
	return c
}
