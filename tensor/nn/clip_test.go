package nn

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// withGrads returns a parameter for each gradient; a nil one has none.
func withGrads(grads ...[]float32) []*tensor.Tensor {
	params := make([]*tensor.Tensor, len(grads))
	for i, g := range grads {
		params[i] = tensor.Zeros(len(g)).SetRequiresGrad(true)
		if g != nil {
			params[i].SetGrad(tensor.New(g))
		}
	}
	return params
}

func TestClipGradNorm(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	tests := []struct {
		name   string
		grads  [][]float32
		max    float64
		config ClipGradNormConfig
		norm   float64
		after  [][]float32
	}{
		{"no_parameters", nil, 1, ClipGradNormConfig{}, 0, nil},
		{"no_gradients", [][]float32{nil}, 1, ClipGradNormConfig{}, 0, [][]float32{nil}},
		{"below", [][]float32{{3}, nil, {4}}, 10, ClipGradNormConfig{}, 5,
			[][]float32{{3}, nil, {4}}},
		{"equal_shrinks_a_little", [][]float32{{3, 4}}, 5, ClipGradNormConfig{}, 5,
			[][]float32{{2.9999994, 3.9999992}}},
		{"above", [][]float32{{3}, {4}}, 1, ClipGradNormConfig{}, 5, [][]float32{{0.6}, {0.8}}},
		{"one", [][]float32{{3}, {-4}}, 1, ClipGradNormConfig{Norm: 1}, 7,
			[][]float32{{3. / 7}, {-4. / 7}}},
		{"infinity", [][]float32{{3}, {-4}}, 1, ClipGradNormConfig{Norm: math.Inf(1)}, 4,
			[][]float32{{0.75}, {-1}}},
		{"squares_beyond_float32", [][]float32{{3e38, 3e38}}, 1, ClipGradNormConfig{},
			float64(float32(3e38)) * math.Sqrt2, [][]float32{{math.Sqrt2 / 2, math.Sqrt2 / 2}}},
		{"squares_below_float32", [][]float32{{3e-30}}, 3e-30, ClipGradNormConfig{},
			float64(float32(3e-30)), [][]float32{{9e-54}}},
		{"powers_beyond_float64", [][]float32{{3e38, -3e38}}, 1, ClipGradNormConfig{Norm: 10},
			float64(float32(3e38)) * math.Pow(2, 0.1),
			[][]float32{{0.9330329915368074, -0.9330329915368074}}},
		{"powers_below_float64", [][]float32{{1e-40}}, 1, ClipGradNormConfig{Norm: 10},
			float64(float32(1e-40)), [][]float32{{1e-40}}},
		{"max_infinity", [][]float32{{3}}, math.Inf(1), ClipGradNormConfig{}, 3, [][]float32{{3}}},
		{"max_zero", [][]float32{{3}}, 0, ClipGradNormConfig{}, 3, [][]float32{{0}}},
		{"infinite", [][]float32{{inf, 2}}, 1, ClipGradNormConfig{}, math.Inf(1),
			[][]float32{{nan, 0}}},
		{"nan", [][]float32{{nan, 2}}, 1, ClipGradNormConfig{}, math.NaN(),
			[][]float32{{nan, nan}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			params := withGrads(test.grads...)
			norm := ClipGradNorm(params, test.max, test.config)
			if norm.Dim() != 0 || norm.DType() != tensor.Float64 {
				t.Errorf("the norm is %v %v, want float64 []", norm.DType(), norm.Shape())
			}
			if got := norm.Item(); !close64(got, test.norm, 1e-14) {
				t.Errorf("norm: got %v, want %v", got, test.norm)
			}
			for i, p := range params {
				if p.Grad() == nil {
					continue
				}
				for j, got := range p.Grad().Float32s() {
					if want := test.after[i][j]; !close64(float64(got), float64(want), 1e-6) {
						t.Errorf("gradient %d[%d]: got %v, want %v", i, j, got, want)
					}
				}
			}
		})
	}
}

// close64 reports whether got is within relative tolerance of want; a NaN is close to a NaN.
func close64(got, want, tolerance float64) bool {
	return got == want || math.IsNaN(got) && math.IsNaN(want) ||
		!math.IsInf(want, 0) && math.Abs(got-want) <= tolerance*math.Abs(want)
}

func TestClipErrors(t *testing.T) {
	bad := withGrads([]float32{1, float32(math.Inf(-1))})
	tests := []struct {
		want string
		f    func()
	}{
		{"clip_grad_norm: max -1: must be at least 0", func() { ClipGradNorm(bad, -1) }},
		{"clip_grad_norm: max NaN: must be at least 0", func() { ClipGradNorm(bad, math.NaN()) }},
		{"clip_grad_norm: norm -2: must be above 0",
			func() { ClipGradNorm(bad, 1, ClipGradNormConfig{Norm: -2}) }},
		{"clip_grad_norm: norm +Inf of 1 gradients is not finite",
			func() { ClipGradNorm(bad, 1, ClipGradNormConfig{ErrorIfNonFinite: true}) }},
		{"clip_grad_value: limit -1: must be at least 0", func() { ClipGradValue(bad, -1) }},
	}
	for _, test := range tests {
		if got := reference.Mistake(test.f); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
	want := []float32{1, float32(math.Inf(-1))}
	if diff := cmp.Diff(want, bad[0].Grad().Float32s()); diff != "" {
		t.Errorf("the gradients changed:\n%s", diff)
	}
}

// TestClipNamesItself: gradients tell that they were clipped, and those that were not do not.
func TestClipNamesItself(t *testing.T) {
	params := withGrads([]float32{3, 4})
	ClipGradNorm(params, 10)
	there := params[0].Device() != tensor.CPU // where it is not known whether they were
	if got := params[0].Grad().WrittenBy(); got != "" && !there {
		t.Errorf("not clipped: written by %q", got)
	}
	ClipGradNorm(params, 1)
	if got := params[0].Grad().WrittenBy(); got != "ClipGradNorm" {
		t.Errorf("clipped: written by %q", got)
	}
	ClipGradValue(params, 1)
	if got := params[0].Grad().WrittenBy(); got != "ClipGradValue" {
		t.Errorf("clamped: written by %q", got)
	}
}

// Gradients that have gradients themselves are clipped like others.
func TestClipRecordedGradients(t *testing.T) {
	x := tensor.New([]float32{3}).SetRequiresGrad(true)
	x.Square().Sum().Backward(tensor.BackwardConfig{CreateGraph: true})
	ClipGradNorm([]*tensor.Tensor{x}, 2)
	ClipGradValue([]*tensor.Tensor{x}, 1)
	if got := x.Grad().Item(); got != 1 {
		t.Errorf("gradient %v, want 1", got)
	}
}
