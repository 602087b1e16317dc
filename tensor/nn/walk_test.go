package nn

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
	"halfnote/tensor/optim"
)

// param returns a small tensor that requires a gradient.
func param() *tensor.Tensor { return tensor.Zeros(2).SetRequiresGrad(true) }

// names lists the paths of m's parameters.
func names(m any) []string {
	var all []string
	for name := range NamedParameters(m) {
		all = append(all, name)
	}
	return all
}

type embedded struct{ inner *tensor.Tensor }

// Forward makes a struct that embeds an embedded a Module.
func (embedded) Forward(x *tensor.Tensor) *tensor.Tensor { return x }

type ring struct {
	w    *tensor.Tensor
	next *ring
	m    map[string]*ring
	all  []*ring
}

type tagged struct {
	W     *tensor.Tensor `nn:"weight"`
	cache *tensor.Tensor `nn:"-"`
	parts []any          `nn:",inline"`
}

func TestNamedParameters(t *testing.T) {
	shared := param()
	cycle := &ring{w: param()}
	cycle.next = &ring{w: param(), next: cycle}
	cycle.m = map[string]*ring{"self": cycle}
	cycle.all = []*ring{cycle, {w: param()}}
	var nilLinear *Linear

	tests := []struct {
		name string
		m    any
		want []string
	}{
		{"nil", nil, nil},
		{"nil_pointer", nilLinear, nil},
		{"linear", NewLinear(2, 3), []string{"weight", "bias"}},
		{"no_bias", NewLinear(2, 3, LinearConfig{NoBias: true}), []string{"weight"}},
		{"sequential", NewSequential(NewLinear(2, 3), NewReLU(), NewSequential(NewLinear(3, 1))),
			[]string{"0.weight", "0.bias", "2.0.weight", "2.0.bias"}},
		{"fields", struct {
			B, a  *Linear
			inner Linear
			n     int
			f     func()
		}{B: NewLinear(1, 1), a: NewLinear(1, 1), inner: *NewLinear(1, 1)},
			[]string{"B.weight", "B.bias", "a.weight", "a.bias", "inner.weight", "inner.bias"}},
		{"embedded", &struct {
			embedded
			*Linear
		}{embedded{param()}, NewLinear(1, 1)},
			[]string{"embedded.inner", "Linear.weight", "Linear.bias"}},
		{"slices", struct {
			list  []Module
			array [2]*tensor.Tensor
			deep  [][]*tensor.Tensor
			data  []float32
		}{[]Module{NewReLU(), NewLinear(1, 1)}, [2]*tensor.Tensor{nil, param()},
			[][]*tensor.Tensor{{param()}, nil, {param(), param()}}, make([]float32, 10)},
			[]string{"list.1.weight", "list.1.bias", "array.1",
				"deep.0.0", "deep.2.0", "deep.2.1"}},
		{"maps", map[int]any{10: param(), 9: map[string]*tensor.Tensor{"b": param(), "a": param()}},
			[]string{"9.a", "9.b", "10"}},
		{"shared", []any{shared, NewSequential(), map[string]*tensor.Tensor{"again": shared}},
			[]string{"0"}},
		{"shared_module", func() any { l := NewLinear(1, 1); return NewSequential(l, l) }(),
			[]string{"0.weight", "0.bias"}},
		{"cycle", cycle, []string{"w", "next.w", "all.1.w"}},
		{"tags", tagged{param(), param(), []any{param(), NewLinear(1, 1)}},
			[]string{"weight", "0", "1.weight", "1.bias"}},
		{"optimizer", struct {
			opt optim.Optimizer
			w   *tensor.Tensor
		}{optim.NewSGD([]*tensor.Tensor{shared}, optim.SGDConfig{LR: 1}), shared}, []string{"w"}},
		{"frozen", []*tensor.Tensor{tensor.Zeros(1), param()}, []string{"1"}},
		{"result_of_op", []*tensor.Tensor{param().Mul(2), param()}, []string{"1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, names(test.m)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for i, p := range Parameters(test.m) {
				if p.Name() != test.want[i] {
					t.Errorf("tensor %d is named %q, want %q", i, p.Name(), test.want[i])
				}
			}
		})
	}
}

type switching struct {
	*Linear
	training []bool
}

func (s *switching) Train(on bool) { s.training = append(s.training, on) }

func TestTrain(t *testing.T) {
	inner, other := &switching{Linear: NewLinear(1, 1)}, &switching{Linear: NewLinear(1, 1)}
	m := NewSequential(inner, inner, NewSequential(other))
	Train(m, false)
	Train(m, true)
	want := []bool{false, true}
	for _, got := range [][]bool{inner.training, other.training} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestTo: a model changes its dtype in place, and an optimizer made before goes on with it.
func TestTo(t *testing.T) {
	m := NewSequential(NewLinear(3, 2), NewReLU())
	before := Parameters(m)
	To(m, tensor.BFloat16)
	for i, p := range Parameters(m) {
		if p != before[i] || p.DType() != tensor.BFloat16 || !p.RequiresGrad() {
			t.Errorf("parameter %d: %v of dtype %s", i, p == before[i], p.DType())
		}
	}
	if y := m.Forward(tensor.Ones(1, 3).To(tensor.BFloat16)); y.DType() != tensor.BFloat16 {
		t.Errorf("output has dtype %s", y.DType())
	}
}
