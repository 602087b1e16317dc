package nn

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func TestActivations(t *testing.T) {
	normal := func(v float64) float64 { return (1 + math.Erf(v/math.Sqrt2)) / 2 }
	approximate := func(v float64) float64 {
		return v / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v)))
	}
	below := func(f func(v float64) float64) func(v float64) float64 {
		return func(v float64) float64 {
			if v > 0 {
				return v
			}
			return f(v)
		}
	}
	values := []float64{-30, -2, -0.5, 0, 0.5, 2, 30}
	tests := []struct {
		m    Module
		text string
		want func(v float64) float64
	}{
		{NewGELU(), "GELU()", func(v float64) float64 { return v * normal(v) }},
		{NewGELU("tanh"), "GELU(tanh)", approximate},
		{NewSiLU(), "SiLU()", func(v float64) float64 { return v / (1 + math.Exp(-v)) }},
		{NewMish(), "Mish()",
			func(v float64) float64 { return v * math.Tanh(math.Log1p(math.Exp(v))) }},
		{NewLeakyReLU(), "LeakyReLU(0.01)", below(func(v float64) float64 { return 0.01 * v })},
		{NewLeakyReLU(0), "LeakyReLU(0)", below(func(v float64) float64 { return 0 })},
		{NewELU(), "ELU(1)", below(math.Expm1)},
		{NewELU(2), "ELU(2)", below(func(v float64) float64 { return 2 * math.Expm1(v) })},
		{NewSoftplus(), "Softplus(1)", func(v float64) float64 { return math.Log1p(math.Exp(v)) }},
		{NewSoftplus(SoftplusConfig{Beta: 2, Threshold: 3}), "Softplus(2)",
			func(v float64) float64 {
				if 2*v > 3 {
					return v
				}
				return math.Log1p(math.Exp(2*v)) / 2
			}},
		{NewHardtanh(), "Hardtanh(-1, 1)",
			func(v float64) float64 { return min(max(v, -1), 1) }},
		{NewHardtanh(HardtanhConfig{High: 6}), "Hardtanh(0, 6)",
			func(v float64) float64 { return min(max(v, 0), 6) }},
		{NewIdentity(), "Identity()", func(v float64) float64 { return v }},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			got := test.m.Forward(tensor.New(values)).Float64s()
			for i, v := range values {
				if want := test.want(v); math.Abs(got[i]-want) > 1e-14*math.Max(1, math.Abs(want)) {
					t.Errorf("at %v: got %v, want %v", v, got[i], want)
				}
			}
			if got := ModuleName(test.m); got != test.text {
				t.Errorf("got name %q, want %q", got, test.text)
			}
		})
	}
}

func TestPReLU(t *testing.T) {
	x := tensor.New([][]float32{{-1, -2}, {1, -3}})
	one, each := NewPReLU(), NewPReLU(PReLUConfig{Channels: 2, Init: 0.5})
	tensor.NoGrad(func() { each.Weight.CopyFrom(tensor.New([]float32{0.5, 2})) })
	if diff := cmp.Diff([]float32{-0.25, -0.5, 1, -0.75}, one.Forward(x).Float32s()); diff != "" {
		t.Errorf("one slope (-want +got):\n%s", diff)
	}
	y := each.Forward(x)
	if diff := cmp.Diff([]float32{-0.5, -4, 1, -6}, y.Float32s()); diff != "" {
		t.Errorf("a slope for each channel (-want +got):\n%s", diff)
	}
	y.Sum().Backward()
	if diff := cmp.Diff([]float32{-1, -5}, each.Weight.Grad().Float32s()); diff != "" {
		t.Errorf("gradient (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"weight"}, names(each)); diff != "" {
		t.Error(diff)
	}
}

func TestSoftmaxModules(t *testing.T) {
	x := tensor.New([][]float64{{0, math.Log(3)}, {5, 5}})
	if diff := cmp.Diff([]float64{0.25, 0.75, 0.5, 0.5}, NewSoftmax(1).Forward(x).Float64s(),
		approx); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	log := NewLogSoftmax(-1).Forward(x).Exp().Float64s()
	if diff := cmp.Diff([]float64{0.25, 0.75, 0.5, 0.5}, log, approx); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// approx compares numbers to 14 digits.
var approx = cmp.Comparer(func(a, b float64) bool { return close64(a, b, 1e-14) })

func TestActivationErrors(t *testing.T) {
	tests := []struct {
		want string
		f    func()
	}{
		{`gelu: approximation "erf": it is tanh or none`, func() { NewGELU("erf") }},
		{"hardtanh: limits 1 and 0: the first must be below the second",
			func() { NewHardtanh(HardtanhConfig{Low: 1}) }},
		{"prelu: -1 channels: must be at least 1", func() { NewPReLU(PReLUConfig{Channels: -1}) }},
		{"elu: 2 optional arguments given; one is the most", func() { NewELU(1, 2) }},
	}
	for _, test := range tests {
		if got := reference.Mistake(test.f); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
