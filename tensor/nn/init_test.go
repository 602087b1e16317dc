package nn

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// TestInitMoments compares deviation and bounds of each distribution.
func TestInitMoments(t *testing.T) {
	linear, conv := []int{300, 400}, []int{64, 40, 3, 5} // fans 400, 300 and 600, 960
	uniformDeviation := func(bound float64) float64 { return bound / math.Sqrt(3) }
	for _, c := range []struct {
		name      string
		shape     []int
		fill      func(t *tensor.Tensor, c ...InitConfig) *tensor.Tensor
		config    InitConfig
		deviation float64
		uniform   bool
	}{
		{"kaiming_uniform", linear, KaimingUniform, InitConfig{}, math.Sqrt(2.0 / 400), true},
		{"kaiming_uniform", linear, KaimingUniform, InitConfig{A: math.Sqrt(5)},
			uniformDeviation(1 / math.Sqrt(400)), true}, // as NewLinear
		{"kaiming_uniform", conv, KaimingUniform, InitConfig{Nonlinearity: "relu"},
			math.Sqrt(2.0 / 600), true},
		{"kaiming_uniform", conv, KaimingUniform, InitConfig{FanOut: true}, math.Sqrt(2.0 / 960),
			true},
		{"kaiming_normal", linear, KaimingNormal, InitConfig{A: 0.2}, math.Sqrt(2 / 1.04 / 400),
			false},
		{"kaiming_normal", conv, KaimingNormal, InitConfig{FanOut: true, Nonlinearity: "tanh"},
			5.0 / 3 / math.Sqrt(960), false},
		{"xavier_uniform", linear, XavierUniform, InitConfig{}, math.Sqrt(2.0 / 700), true},
		{"xavier_uniform", conv, XavierUniform, InitConfig{Gain: 3}, 3 * math.Sqrt(2.0/1560), true},
		{"xavier_normal", linear, XavierNormal, InitConfig{Nonlinearity: "relu"},
			math.Sqrt(4.0 / 700), false},
		{"xavier_normal", conv, XavierNormal, InitConfig{Nonlinearity: "selu"},
			0.75 * math.Sqrt(2.0/1560), false},
	} {
		for _, d := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.BFloat16} {
			c.config.Generator = tensor.NewGenerator(1)
			w := tensor.Zeros(c.shape...).To(d).SetRequiresGrad(true)
			what := fmt.Sprintf("%s%v %+v %s", c.name, c.shape, c.config, d)
			if got := c.fill(w, c.config); got != w || !w.IsLeaf() || !w.RequiresGrad() {
				t.Errorf("%s: want the leaf itself", what)
			}
			kurtosis := 3.0
			if c.uniform {
				kurtosis = 9.0 / 5
			}
			checkMoments(t, what, w.Float64s(), 0, c.deviation, kurtosis)
			bound := c.deviation * math.Sqrt(3)
			if most := w.Abs().Max().Item(); c.uniform && (most > bound || most < 0.99*bound) {
				t.Errorf("%s: the largest is %v, the bound %v", what, most, bound)
			}
		}
	}
}

// checkMoments allows mean and variance to be off by five of their own deviations.
func checkMoments(t *testing.T, what string, values []float64, mean, deviation, kurtosis float64) {
	t.Helper()
	n := float64(len(values))
	var m, v float64
	for _, x := range values {
		m += x / n
		v += (x - mean) * (x - mean) / n
	}
	if off := 5 * deviation / math.Sqrt(n); math.Abs(m-mean) > off {
		t.Errorf("%s: mean %v, want %v ± %v", what, m, mean, off)
	}
	if off := 5 * math.Sqrt((kurtosis-1)/n); math.Abs(v/deviation/deviation-1) > off {
		t.Errorf("%s: deviation %v, want %v", what, math.Sqrt(v), deviation)
	}
}

func TestInitFills(t *testing.T) {
	g := InitConfig{Generator: tensor.NewGenerator(2)}
	w := func() *tensor.Tensor { return tensor.Zeros(100, 100).SetRequiresGrad(true) }
	checkMoments(t, "uniform", Uniform(w(), 2, 6, g).Float64s(), 4, 2/math.Sqrt(3), 9.0/5)
	checkMoments(t, "normal", Normal(w(), 2, 6, g).Float64s(), 2, 6, 3)
	if c := Constant(w(), 2.5); c.Min().Item() != 2.5 || c.Max().Item() != 2.5 {
		t.Error("Constant(2.5) is not 2.5 everywhere")
	}

	// Bounds on both sides of the mean, and far out on either side.
	for _, c := range [][4]float64{
		{0, 1, -2, 2}, {1, 0.02, 0.99, 1.5}, {0, 1, 7, 9}, {0, 1, -9, -7},
	} {
		mean, deviation, low, high := c[0], c[1], c[2], c[3]
		values := TruncatedNormal(w(), mean, deviation, low, high, g).Float64s()
		if least, most := slices.Min(values), slices.Max(values); least < low || most > high {
			t.Errorf("truncated_normal%v: from %v to %v", c, least, most)
		}
		density := func(x float64) float64 {
			x = (x - mean) / deviation
			return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi)
		}
		inside := (math.Erfc((low-mean)/deviation/math.Sqrt2) -
			math.Erfc((high-mean)/deviation/math.Sqrt2)) / 2
		if low < -5 { // the difference above is 0
			inside = math.Erfc(-(high-mean)/deviation/math.Sqrt2) / 2
		}
		want := mean + deviation*(density(low)-density(high))/inside
		var got float64
		for _, v := range values {
			got += v / float64(len(values))
		}
		if off := 5 * deviation / math.Sqrt(float64(len(values))); math.Abs(got-want) > off {
			t.Errorf("truncated_normal%v: mean %v, want %v", c, got, want)
		}
	}
}

func TestOrthogonal(t *testing.T) {
	for _, shape := range [][]int{{5, 5}, {3, 8}, {8, 3}, {4, 2, 3}, {6, 1, 2}} {
		q := tensor.Zeros(shape...).To(tensor.Float64).SetRequiresGrad(true)
		Orthogonal(q, InitConfig{Gain: 2, Generator: tensor.NewGenerator(1)})
		m := q.Detach().Reshape(shape[0], -1)
		if m.Size(0) > m.Size(1) {
			m = m.T()
		}
		product := m.MatMul(m.T()).Float64s()
		for i, want := range tensor.Eye(m.Size(0)).Mul(4).Float64s() {
			if math.Abs(product[i]-want) > 1e-12 {
				t.Errorf("%v: element %d of Q·Qᵀ is %v, want %v", shape, i, product[i], want)
			}
		}
	}
}

func TestInitMistakes(t *testing.T) {
	w := tensor.Zeros(2, 2)
	for want, f := range map[string]func(){
		"kaiming_uniform: shape [3]: two dimensions [out, in] and more are needed, " +
			"none of them empty": func() { KaimingUniform(tensor.Zeros(3)) },
		"xavier_normal: shape [3 0]: two dimensions [out, in] and more are needed, " +
			"none of them empty": func() { XavierNormal(tensor.Zeros(3, 0)) },
		`kaiming_normal: no gain is known for "gelu"; it is for relu, leaky_relu, tanh, sigmoid, ` +
			"selu, linear, and Gain sets any other": func() {
			KaimingNormal(w, InitConfig{Nonlinearity: "gelu"})
		},
		"orthogonal: shape [3]: at least two dimensions are needed": func() {
			Orthogonal(tensor.Zeros(3))
		},
		"truncated_normal: deviation 1, from 2 to 1: need a deviation above 0 and low below " +
			"high": func() {
			TruncatedNormal(w, 0, 1, 2, 1)
		},
		"truncated_normal: mean 0 and deviation 1: nothing lies between -60 and -50": func() {
			TruncatedNormal(w, 0, 1, -60, -50)
		},
		"uniform: 2 optional arguments given; one is the most": func() {
			Uniform(w, 0, 1, InitConfig{}, InitConfig{})
		},
	} {
		if got := reference.Mistake(f); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
