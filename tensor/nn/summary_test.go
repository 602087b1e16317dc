package nn

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
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
