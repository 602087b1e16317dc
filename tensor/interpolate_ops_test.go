package tensor_test

import "halfnote/tensor"

func init() {
	ids := tensor.New([][]int{{2, 0, 2}, {1, 2, 2}})
	padding := -3
	resized := func(c tensor.InterpolateConfig, in ...int) opRow {
		name := c.Mode
		if c.AlignCorners {
			name += "_aligned"
		}
		return opRow{name: "interpolate_" + name, in: [][]int{in}, terms: 32,
			f: func(x ...*T) *T { return x[0].Interpolate(c) }}
	}
	addOps(
		opRow{name: "embedding", in: [][]int{{3, 2}}, also: [][][]int{{{3, 0}}}, terms: 4,
			f: func(x ...*T) *T { return tensor.Embedding(x[0], ids) }},
		opRow{name: "embedding_padding", in: [][]int{{3, 2}}, terms: 4, f: func(x ...*T) *T {
			y := tensor.Embedding(x[0], ids, tensor.EmbeddingConfig{PaddingIndex: &padding})
			// The gradient leaves the padding out, which differences see: keep it from the result.
			return y.IndexFill(1, tensor.New([]int{1}), 0)
		}},
		resized(tensor.InterpolateConfig{Scale: []float64{1.6}}, 1, 2, 3),
		resized(tensor.InterpolateConfig{Mode: "nearest", Size: []int{2, 5}}, 2, 1, 3, 3),
		resized(tensor.InterpolateConfig{Mode: "nearest-exact", Size: []int{2, 5, 2}}, 1, 1, 3, 3, 1),
		resized(tensor.InterpolateConfig{Mode: "nearest", Scale: []float64{2}}, 1, 1, 2, 3, 2),
		resized(tensor.InterpolateConfig{Mode: "nearest-exact", Size: []int{5}}, 2, 1, 3),
		resized(tensor.InterpolateConfig{Mode: "nearest-exact", Size: []int{2, 5}}, 2, 1, 3, 3),
		resized(tensor.InterpolateConfig{Mode: "linear", Size: []int{5}}, 2, 1, 3),
		resized(tensor.InterpolateConfig{Mode: "linear", Size: []int{5}, AlignCorners: true}, 1, 1, 3),
		resized(tensor.InterpolateConfig{Mode: "bilinear", Scale: []float64{0.7, 2}}, 1, 2, 3, 2),
		resized(tensor.InterpolateConfig{Mode: "bilinear", Size: []int{1, 4}, AlignCorners: true},
			1, 1, 2, 3),
		resized(tensor.InterpolateConfig{Mode: "bicubic", Scale: []float64{2}}, 1, 1, 3, 2),
		resized(tensor.InterpolateConfig{Mode: "bicubic", Size: []int{3, 5}, AlignCorners: true},
			1, 1, 4, 3),
		resized(tensor.InterpolateConfig{Mode: "trilinear", Size: []int{3, 1, 3}}, 1, 1, 2, 2, 2),
	)
}
