package tensor_test

import "halfnote/tensor"

func init() {
	attention := func(name string, c tensor.AttentionConfig, in ...[][]int) opRow {
		return opRow{name: "attention" + name, in: in[0], also: in[1:], terms: 16,
			f: func(x ...*T) *T {
				c := c
				if len(x) > 3 {
					c.Mask = x[3]
				}
				if c.Dropout > 0 {
					tensor.Seed(5) // the same weights each time
				}
				return tensor.ScaledDotProductAttention(x[0], x[1], x[2], c)
			}}
	}
	open := tensor.New([][]bool{{true, false, true}, {false, false, false}})
	addOps(
		attention("", tensor.AttentionConfig{}, [][]int{{2, 3, 2}, {2, 4, 2}, {2, 4, 3}},
			[][]int{{3, 2}, {4, 2}, {4, 1}}, [][]int{{2, 2}, {0, 2}, {0, 2}},
			[][]int{{0, 2}, {3, 2}, {3, 2}}, [][]int{{2, 0}, {3, 0}, {3, 2}}),
		attention("_causal", tensor.AttentionConfig{Causal: true, Scale: 0.3},
			[][]int{{3, 2}, {4, 2}, {4, 2}}, [][]int{{4, 2}, {2, 2}, {2, 2}}),
		attention("_mask", tensor.AttentionConfig{Mask: open},
			[][]int{{2, 2, 2}, {2, 3, 2}, {2, 3, 2}}),
		attention("_bias", tensor.AttentionConfig{Causal: true},
			[][]int{{2, 2, 2, 2}, {2, 3, 2}, {2, 1, 3, 2}, {2, 1, 3}},
			[][]int{{2, 2}, {3, 2}, {3, 2}, {3}}),
		attention("_grouped", tensor.AttentionConfig{},
			[][]int{{2, 4, 2, 2}, {2, 2, 3, 2}, {2, 2, 3, 2}},
			[][]int{{4, 2, 2}, {2, 3, 2}, {2, 3, 2}, {4, 2, 3}}),
		attention("_dropout", tensor.AttentionConfig{Dropout: 0.4},
			[][]int{{2, 3, 2}, {2, 4, 2}, {2, 4, 2}}),
	)
}
