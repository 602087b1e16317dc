package tensor_test

import (
	"math"
	"testing"

	"halfnote/tensor"
)

func TestEqual(t *testing.T) {
	x := tensor.New([]float32{1, 2})
	nan := tensor.New([]float32{float32(math.NaN())})
	for _, test := range []struct {
		name string
		a, b *tensor.Tensor
		want bool
	}{
		{"same", x, tensor.New([]float32{1, 2}), true},
		{"element", x, tensor.New([]float32{1, 3}), false},
		{"shape", x, tensor.New([][]float32{{1, 2}}), false},
		{"dtype", x, x.To(tensor.Float64), true},
		{"nan", nan, nan, false},
		{"empty", tensor.Zeros(0), tensor.Zeros(0), true},
		{"large int64", tensor.New([]int{1 << 60}), tensor.New([]int{1<<60 + 1}), false},
	} {
		if got := test.a.Equal(test.b); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

func TestAllClose(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct {
		a, b   float64
		config tensor.AllCloseConfig
		want   bool
	}{
		{1, 1 + 0.9e-5, tensor.AllCloseConfig{}, true},
		{1, 1 + 1.1e-5, tensor.AllCloseConfig{}, false},
		{1, 1.4, tensor.AllCloseConfig{RTol: 0.3}, true}, // 0.3 of the second
		{1.4, 1, tensor.AllCloseConfig{RTol: 0.3}, false},
		{0, 0.9e-8, tensor.AllCloseConfig{}, true},
		{0, 0.5, tensor.AllCloseConfig{ATol: 0.5}, true},
		{inf, inf, tensor.AllCloseConfig{}, true},
		{inf, 1, tensor.AllCloseConfig{ATol: inf}, false},
		{nan, nan, tensor.AllCloseConfig{}, false},
		{nan, nan, tensor.AllCloseConfig{EqualNaN: true}, true},
		{nan, 1, tensor.AllCloseConfig{EqualNaN: true}, false},
	} {
		a, b := tensor.New([]float64{test.a}), tensor.New([]float64{test.b})
		if got := a.AllClose(b, test.config); got != test.want {
			t.Errorf("%v and %v, %+v: %v", test.a, test.b, test.config, got)
		}
	}
}
