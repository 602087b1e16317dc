package nn

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
)

// normed has parameters, a buffer of each kind and a module inside.
type normed struct {
	inner *Linear
	gain  *tensor.Tensor
	mean  *tensor.Tensor
	count *tensor.Tensor
}

func newNormed() *normed {
	return &normed{NewLinear(2, 3), param(), tensor.Ones(2), tensor.New([]int64{5})}
}

func (n *normed) Forward(x *tensor.Tensor) *tensor.Tensor { return n.inner.Forward(x.Mul(n.gain)) }

func TestFreeze(t *testing.T) {
	m := newNormed()
	all := []string{"inner.weight", "inner.bias", "gain"}
	bufferNames := func() (list []string) {
		for name := range NamedBuffers(m) {
			list = append(list, name)
		}
		return list
	}
	m.Forward(tensor.Ones(1, 2)).Sum().Backward()
	state := len(StateDict(m))
	SetRequiresGrad(m.inner, false)
	if diff := cmp.Diff([]string{"gain"}, names(m)); diff != "" {
		t.Errorf("frozen (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"mean", "count"}, bufferNames()); diff != "" {
		t.Errorf("buffers (-want +got):\n%s", diff)
	}
	if m.inner.Weight.Grad() != nil || m.gain.Grad() == nil {
		t.Error("a frozen parameter keeps its gradient, or another lost it")
	}
	if len(StateDict(m)) != state {
		t.Error("frozen parameters left the state dict")
	}
	To(m, tensor.Float64)
	SetRequiresGrad(m, true)
	if diff := cmp.Diff(all, names(m)); diff != "" {
		t.Errorf("thawed (-want +got):\n%s", diff)
	}
	if m.mean.RequiresGrad() || m.mean.DType() != tensor.Float64 || m.count.DType() != tensor.Int64 {
		t.Errorf("buffers of %v and %v", m.mean.DType(), m.count.DType())
	}
	if got := NumParameters(m); got != 2*3+3+2 {
		t.Errorf("%d parameters, want 11", got)
	}
}

func TestZeroGrad(t *testing.T) {
	m := newNormed()
	m.Forward(tensor.Ones(1, 2)).Sum().Backward()
	ZeroGrad(m)
	for name, p := range NamedParameters(m) {
		if p.Grad() != nil {
			t.Errorf("%s still has a gradient", name)
		}
	}
}

func TestSplitParameters(t *testing.T) {
	m := newNormed()
	decayed, others := SplitParameters(m, Decays)
	if !slices.Equal(decayed, []*tensor.Tensor{m.inner.Weight}) ||
		!slices.Equal(others, []*tensor.Tensor{m.inner.Bias, m.gain}) {
		t.Errorf("got %v and %v", decayed, others)
	}
}

func TestNamedModules(t *testing.T) {
	shared := NewLinear(2, 2)
	m := struct {
		list []Module
		by   map[string]Module
		net  *Sequential
	}{[]Module{NewReLU(), shared}, map[string]Module{"b": NewTanh(), "a": shared},
		NewSequential(NewSequential(NewReLU()))}
	var got []string
	for name, module := range NamedModules(&m) {
		got = append(got, name+" "+ModuleName(module))
	}
	want := []string{"list.0 ReLU()", "list.1 Linear(2, 2)", "by.b Tanh()",
		"net Sequential(Sequential(ReLU()))", "net.0 Sequential(ReLU())", "net.0.0 ReLU()"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name := range NamedModules(newNormed()) {
		if name != "" {
			t.Errorf("first comes %q", name)
		}
		break
	}
}
