package nn

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func TestLinear(t *testing.T) {
	l := &Linear{
		Weight: tensor.New([][]float32{{1, 2}, {3, 4}, {5, 6}}).SetRequiresGrad(true),
		Bias:   tensor.New([]float32{10, 20, 30}).SetRequiresGrad(true),
	}
	y := l.Forward(tensor.New([][]float32{{1, -1}}))
	if diff := cmp.Diff([]float32{9, 19, 29}, y.Float32s()); diff != "" {
		t.Error(diff)
	}
	y.Sum().Backward()
	if diff := cmp.Diff([]float32{1, -1, 1, -1, 1, -1}, l.Weight.Grad().Float32s()); diff != "" {
		t.Error(diff)
	}
	l.Bias = nil
	y = l.Forward(tensor.New([][]float32{{1, -1}}))
	if diff := cmp.Diff([]float32{-1, -1, -1}, y.Float32s()); diff != "" {
		t.Error(diff)
	}
}

// TestLinearInit compares with the mean and variance of the uniform distribution on ±1/√in.
func TestLinearInit(t *testing.T) {
	tensor.Seed(1)
	l := NewLinear(100, 1000)
	bound := 0.1
	for _, p := range []*tensor.Tensor{l.Weight, l.Bias} {
		if !p.RequiresGrad() || !p.IsLeaf() || p.DType() != tensor.Float32 {
			t.Errorf("%v: want a float32 leaf that requires a gradient", p.Shape())
		}
		values := p.Float64s()
		var sum, squares float64
		for _, v := range values {
			sum += v
			squares += v * v
		}
		n := float64(len(values))
		deviation := bound / math.Sqrt(3)
		if math.Abs(sum/n) > 5*deviation/math.Sqrt(n) {
			t.Errorf("mean %v of %v values", sum/n, n)
		}
		if got := math.Sqrt(squares / n); math.Abs(got/deviation-1) > 3/math.Sqrt(n) {
			t.Errorf("standard deviation %v of %v values, want %v", got, n, deviation)
		}
		if low, high := slices.Min(values), slices.Max(values); low < -bound || high > bound {
			t.Errorf("values from %v to %v, want ±%v", low, high, bound)
		}
	}
	tensor.Seed(1)
	if again := NewLinear(100, 1000); !slices.Equal(again.Weight.Float32s(), l.Weight.Float32s()) {
		t.Error("equal seeds gave other weights")
	}
}

func TestModules(t *testing.T) {
	x := tensor.New([][]float64{{-1, 0, 2}})
	sigmoid := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
	tests := []struct {
		m    Module
		text string
		want []float64
	}{
		{NewReLU(), "ReLU()", []float64{0, 0, 2}},
		{NewSigmoid(), "Sigmoid()", []float64{sigmoid(-1), 0.5, sigmoid(2)}},
		{NewTanh(), "Tanh()", []float64{math.Tanh(-1), 0, math.Tanh(2)}},
		{NewFlatten(), "Flatten()", []float64{-1, 0, 2}},
		{NewSequential(), "Sequential()", []float64{-1, 0, 2}},
		{NewSequential(NewReLU(), NewTanh()), "Sequential(ReLU(), Tanh())",
			[]float64{0, 0, math.Tanh(2)}},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			got := test.m.Forward(x).Float64s()
			for i, want := range test.want {
				if math.Abs(got[i]-want) > 1e-15 {
					t.Errorf("Forward(%v)[%d]: got %v, want %v", x.Float64s(), i, got[i], want)
				}
			}
			if got := ModuleName(test.m); got != test.text {
				t.Errorf("got name %q, want %q", got, test.text)
			}
		})
	}
	flat := NewFlatten().Forward(tensor.Zeros(2, 3, 4))
	if got := flat.Shape(); !slices.Equal(got, []int{2, 12}) {
		t.Errorf("flattened shape: got %v, want [2 12]", got)
	}
}

func TestLayerErrors(t *testing.T) {
	tests := []struct {
		want string
		f    func()
	}{
		{"linear: 0 inputs and 3 outputs: both must be at least 1", func() { NewLinear(0, 3) }},
		{"linear: 2 optional arguments given; one is the most",
			func() { NewLinear(1, 1, LinearConfig{}, LinearConfig{}) }},
		{"sequential: module 1 is nil", func() { NewSequential(NewReLU(), nil) }},
		{"sequential: module 2 is nil",
			func() { NewSequential(NewReLU()).Append(NewReLU(), nil) }},
		{"sequential: module -2 of 1", func() { NewSequential(NewReLU()).At(-2) }},
		{"flatten: shape []: needs at least one dimension",
			func() { NewFlatten().Forward(tensor.New(1.0)) }},
	}
	for _, test := range tests {
		if got := reference.Mistake(test.f); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestSequential(t *testing.T) {
	first, last := NewLinear(2, 3), NewLinear(3, 1)
	m := NewSequential(first).Append(NewReLU(), last)
	if m.Len() != 3 || m.At(0) != Module(first) || m.At(-1) != Module(last) {
		t.Errorf("got %v", m)
	}
	if got := m.Forward(tensor.Ones(4, 2)).Shape(); !slices.Equal(got, []int{4, 1}) {
		t.Errorf("shape %v, want [4 1]", got)
	}
}
