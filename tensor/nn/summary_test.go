package nn

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

type residual struct {
	inner Module
	gain  *tensor.Tensor
	mean  *tensor.Tensor
}

func (r *residual) Forward(x *tensor.Tensor) *tensor.Tensor { return x.Add(r.inner.Forward(x)) }

func TestSummary(t *testing.T) {
	shared := NewLinear(3, 3)
	m := NewSequential(shared, &residual{
		inner: NewSequential(NewTanh(), NewTanh(), shared),
		gain:  tensor.Zeros(1).To(tensor.Float64).SetRequiresGrad(true),
		mean:  tensor.Zeros(2, 2),
	})
	f32, f64 := tensor.Float32, tensor.Float64
	want := []LayerSummary{
		{Name: "0", Module: "Linear(3, 3)", Shapes: [][]int{{3, 3}, {3}},
			DTypes: []tensor.DType{f32}, Parameters: 12, Bytes: 48},
		{Name: "1", Module: "residual", Shapes: [][]int{{1}, {2, 2}},
			DTypes: []tensor.DType{f64, f32}, Parameters: 1, Fixed: 4, Bytes: 24},
		{Name: "1.inner.0", Module: "Tanh()"},
		{Name: "1.inner.1", Module: "Tanh()"},
	}
	s := Summary(m)
	if diff := cmp.Diff(want, s.Layers); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	total := "13 parameters, 4 values that need no gradient, 72 bytes"
	if !strings.HasSuffix(s.String(), total) {
		t.Errorf("got\n%s\nwant the end %q", s, total)
	}
	if got := s.HTML(); strings.Count(got, "<tr>") != 6 || !strings.Contains(got, total) {
		t.Errorf("got\n%s\nwant six rows and %q", got, total)
	}
}

func TestSummaryOfTensors(t *testing.T) {
	s := Summary(map[string]any{"<w>": tensor.Zeros(1000, 1).SetRequiresGrad(true)})
	want := []LayerSummary{{Name: "<w>", Module: "Tensor", Shapes: [][]int{{1000, 1}},
		DTypes: []tensor.DType{tensor.Float32}, Parameters: 1000, Bytes: 4000}}
	if diff := cmp.Diff(want, s.Layers); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := s.HTML(); !strings.Contains(got, "<td>&lt;w&gt;</td>") {
		t.Errorf("the name is not escaped: %s", got)
	}
}

// noisy counts in a buffer how often it ran in training.
type noisy struct {
	training bool
	runs     *tensor.Tensor
	linear   Linear
}

func (n *noisy) Train(on bool)  { n.training = on }
func (n *noisy) Training() bool { return n.training }
func (n *noisy) Forward(x *tensor.Tensor) *tensor.Tensor {
	if n.training {
		panic("the summary ran in training")
	}
	n.runs.AddInPlace(1)
	return n.linear.Forward(x)
}

func TestSummaryOfInput(t *testing.T) {
	n := &noisy{training: true, runs: tensor.New([]int64{0}), linear: *NewLinear(4, 6)}
	shared := NewReLU()
	m := NewSequential(n, shared, shared, NewReLU(), &residual{inner: NewLinear(6, 6)},
		&struct{ Module }{NewSequential(NewTanh())})
	s := Summary(m, tensor.Ones(5, 4))
	if diff := cmp.Diff([]int{5, 6}, s.Output); diff != "" {
		t.Error(diff)
	}
	for _, l := range s.Layers {
		if diff := cmp.Diff([]int{5, 6}, l.Output); diff != "" {
			t.Errorf("%s: %s", l.Name, diff)
		}
	}
	if !n.training || n.runs.Item() != 0 {
		t.Errorf("afterwards training is %v and the buffer %v", n.training, n.runs.Item())
	}
	want := `layer      module        output  shapes       dtype    parameters
0          noisy         [5 6]   [1]          int64    0
0.linear   Linear(4, 6)  [5 6]   [6 4] [6]    float32  30
1          ReLU()        [5 6]                         0
3          ReLU()        [5 6]                         0
4.inner    Linear(6, 6)  [5 6]   [6 6] [6]    float32  42
5.Module.0 Tanh()        [5 6]                         0
[5 4] → [5 6]
72 parameters, 1 values that need no gradient, 296 bytes`
	if diff := cmp.Diff(strings.Fields(want), strings.Fields(s.String())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := s.HTML(); !strings.Contains(got, "<td>[5 6]</td>") ||
		!strings.Contains(got, "[5 4] → [5 6]<br>72 parameters") {
		t.Errorf("got\n%s", got)
	}
}

func TestSummaryErrors(t *testing.T) {
	tests := []struct {
		want string
		f    func()
	}{
		{"summary: 2 inputs: give one example",
			func() { Summary(NewReLU(), tensor.Ones(1), tensor.Ones(1)) }},
		{"summary: []string has no Forward method to give the input to",
			func() { Summary([]string{}, tensor.Ones(1)) }},
	}
	for _, test := range tests {
		if got := reference.Mistake(test.f); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
