package tensor_test

import (
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// TestInterpolate compares with values of PyTorch's documentation, and with worked out weights.
func TestInterpolate(t *testing.T) {
	square := tensor.New([][]float64{{1, 2}, {3, 4}}).Reshape(1, 1, 2, 2)
	step := tensor.New([]float64{0, 0, 0, 1, 0, 0, 0, 0}).Reshape(1, 1, 1, 8)
	double := []float64{2}
	for _, c := range []struct {
		name   string
		x      *T
		config tensor.InterpolateConfig
		want   []float64
	}{
		{"nearest", square, tensor.InterpolateConfig{Scale: double},
			[]float64{1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4}},
		{"bilinear", square, tensor.InterpolateConfig{Scale: double, Mode: "bilinear"},
			[]float64{1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4}},
		{"aligned", square, tensor.InterpolateConfig{Size: []int{4, 4}, Mode: "bilinear",
			AlignCorners: true}, []float64{1, 4. / 3, 5. / 3, 2, 5. / 3, 2, 7. / 3, 8. / 3, 7. / 3,
			8. / 3, 3, 10. / 3, 3, 10. / 3, 11. / 3, 4}},
		{"bicubic", step, tensor.InterpolateConfig{Scale: []float64{1, 2}, Mode: "bicubic"},
			[]float64{0, 0, 0, -0.03515625, -0.10546875, 0.26171875, 0.87890625, 0.87890625,
				0.26171875, -0.10546875, -0.03515625, 0, 0, 0, 0, 0}},
		{"smaller", tensor.Arange(5).To(tensor.Float64).Reshape(1, 1, 5),
			tensor.InterpolateConfig{Size: []int{3}}, []float64{0, 1, 3}},
		{"smaller, exact", tensor.Arange(5).To(tensor.Float64).Reshape(1, 1, 5),
			tensor.InterpolateConfig{Size: []int{3}, Mode: "nearest-exact"}, []float64{0, 2, 4}},
	} {
		near(t, c.name, c.x.Interpolate(c.config).Float64s(), c.want, tensor.Float64, 4)
	}
}

// TestInterpolateRounding: halves are rounded once, not after each dimension.
func TestInterpolateRounding(t *testing.T) {
	x := tensor.New([][]float32{{1, 1 + 0x1p-10}, {1, 1 + 0x1p-10}}, tensor.Float16).
		Reshape(1, 1, 2, 2).SetRequiresGrad(true)
	y := x.Interpolate(tensor.InterpolateConfig{Size: []int{64, 64}, Mode: "bilinear"})
	y.Sum().Backward()
	equal(t, "gradient", x.Grad().Float64s(), []float64{1024, 1024, 1024, 1024})
}

func TestInterpolateMistakes(t *testing.T) {
	x := tensor.Ones(1, 2, 3)
	call := func(c tensor.InterpolateConfig) func() { return func() { x.Interpolate(c) } }
	modes := "; nearest, nearest-exact take [N, C, …] with up to three more dimensions, linear one, " +
		"bilinear and bicubic two, trilinear three"
	for want, f := range map[string]func(){
		`interpolate: mode "bilinear" for shape [1 2 3]` + modes: call(tensor.InterpolateConfig{
			Mode: "bilinear", Size: []int{1}}),
		`interpolate: mode "nearest" has no corners to align`: call(tensor.InterpolateConfig{
			Mode: "nearest", AlignCorners: true, Size: []int{1}}),
		"interpolate: size [] and scale []; one of them is given": call(tensor.InterpolateConfig{}),
		"interpolate: size [1 2] for the 1 dimensions [3]": call(tensor.InterpolateConfig{
			Size: []int{1, 2}}),
		"interpolate: scale -1 of size 3": call(tensor.InterpolateConfig{Scale: []float64{-1}}),
		"interpolate: shape [1 2 3] to sizes [0]; sizes are from 1 to 2³¹-1": call(
			tensor.InterpolateConfig{Scale: []float64{0.1}}),
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
}

func TestEmbeddingMistakes(t *testing.T) {
	w, ids := tensor.Ones(3, 2), tensor.New([][]int{{0, 1}, {3, 2}})
	four := 4
	for want, f := range map[string]func(){
		"embedding: id 3 at [1 0] is no row of the weight of shape [3 2]": func() {
			tensor.Embedding(w, ids)
		},
		"embedding: ids of float32; they are int64": func() { tensor.Embedding(w, w) },
		"embedding: weight of shape [2]; it is [N, D]": func() {
			tensor.Embedding(tensor.Ones(2), ids)
		},
		"embedding: padding index 4 is no row of the weight of shape [3 2]": func() {
			tensor.Embedding(w, ids.Slice(0, 0, 1), tensor.EmbeddingConfig{PaddingIndex: &four})
		},
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
}
