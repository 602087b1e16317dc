package tensor_test

import (
	"encoding/json"

	"halfnote/tensor"
)

func init() {
	type config = tensor.ConvConfig
	conv := func(f func(x, w, b *T, c ...config) *T, c config) func(x ...*T) *T {
		return func(x ...*T) *T {
			if len(x) == 2 {
				return f(x[0], x[1], nil, c)
			}
			return f(x[0], x[1], x[2], c)
		}
	}
	addOps(
		opRow{name: "conv2d", f: conv(tensor.Conv2d, config{}), terms: 40,
			in:   [][]int{{2, 3, 5, 4}, {4, 3, 3, 2}, {4}},
			also: [][][]int{{{3, 4, 4}, {2, 3, 1, 1}}, {{0, 3, 5, 4}, {2, 3, 2, 2}, {2}}}},
		opRow{name: "conv2d_stride", terms: 40,
			f:  conv(tensor.Conv2d, config{Stride: []int{2, 3}, Padding: []int{1, 2}}),
			in: [][]int{{2, 2, 5, 6}, {3, 2, 3, 2}, {3}}},
		opRow{name: "conv2d_dilation", terms: 40,
			f: conv(tensor.Conv2d, config{Stride: []int{2}, Padding: []int{2, 1},
				Dilation: []int{2, 1}}),
			in: [][]int{{1, 2, 5, 6}, {3, 2, 3, 2}, {3}}},
		opRow{name: "conv2d_groups", terms: 40,
			f:    conv(tensor.Conv2d, config{Padding: []int{1}, Groups: 2}),
			in:   [][]int{{2, 4, 3, 4}, {6, 2, 2, 3}, {6}},
			also: [][][]int{{{2, 2, 3, 4}, {2, 1, 3, 3}}}},
		opRow{name: "conv2d_same", terms: 40, f: conv(tensor.Conv2d, config{Same: true}),
			in: [][]int{{2, 2, 4, 5}, {3, 2, 2, 4}, {3}}},
		opRow{name: "conv1d", terms: 40,
			f:    conv(tensor.Conv1d, config{Stride: []int{2}, Padding: []int{1}}),
			in:   [][]int{{2, 3, 7}, {4, 3, 3}, {4}},
			also: [][][]int{{{2, 5}, {3, 2, 2}}}},
		opRow{name: "conv_transpose2d", terms: 40,
			f: conv(tensor.ConvTranspose2d, config{Stride: []int{2, 3}, Padding: []int{1, 0},
				OutputPadding: []int{1, 2}}),
			in:   [][]int{{2, 4, 3, 2}, {4, 3, 3, 2}, {3}},
			also: [][][]int{{{2, 3, 3}, {2, 1, 2, 2}}, {{0, 2, 3, 3}, {2, 2, 2, 2}, {2}}}},
		opRow{name: "conv_transpose2d_groups", terms: 40,
			f:  conv(tensor.ConvTranspose2d, config{Groups: 2, Dilation: []int{2}}),
			in: [][]int{{1, 4, 2, 3}, {4, 3, 2, 2}, {6}}},
		opRow{name: "conv_transpose1d", terms: 40,
			f:    conv(tensor.ConvTranspose1d, config{Stride: []int{2}}),
			in:   [][]int{{2, 3, 4}, {3, 2, 3}, {2}},
			also: [][][]int{{{2, 4}, {2, 1, 2}}}},
	)
}

var convOps = map[string]opFunc{
	"conv1d": func(x in, a attrs) *T {
		return tensor.Conv1d(x["x"], x["w"], x["b"], convConfig(a))
	},
	"conv2d": func(x in, a attrs) *T {
		return tensor.Conv2d(x["x"], x["w"], x["b"], convConfig(a))
	},
	"conv_transpose1d": func(x in, a attrs) *T {
		return tensor.ConvTranspose1d(x["x"], x["w"], x["b"], convConfig(a))
	},
	"conv_transpose2d": func(x in, a attrs) *T {
		return tensor.ConvTranspose2d(x["x"], x["w"], x["b"], convConfig(a))
	},
}

// convConfig reads a config with PyTorch's names.
func convConfig(a attrs) tensor.ConvConfig {
	c := tensor.ConvConfig{Stride: a.ints("stride"), Dilation: a.ints("dilation"),
		Groups: a.int("groups"), OutputPadding: a.ints("output_padding")}
	if string(a["padding"]) == `"same"` {
		c.Same = true
		return c
	}
	if string(a["padding"]) != `"valid"` {
		c.Padding = a.ints("padding")
	}
	return c
}

// ints decodes a number or a list of numbers; nil where the argument is missing or null.
func (a attrs) ints(name string) []int {
	raw, ok := a[name]
	if !ok || string(raw) == "null" {
		return nil
	}
	var n int
	if json.Unmarshal(raw, &n) == nil {
		return []int{n}
	}
	var list []int
	a.get(name, &list)
	return list
}
