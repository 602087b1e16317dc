package nn

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
)

func TestStateDict(t *testing.T) {
	from := &struct {
		net     *Sequential
		running *tensor.Tensor
	}{NewSequential(NewLinear(2, 3), NewReLU()), tensor.New([]float32{7})}
	to := &struct {
		net     *Sequential
		running *tensor.Tensor
	}{NewSequential(NewLinear(2, 3), NewReLU()), tensor.New([]float64{0})}

	state := StateDict(from)
	before := from.net.Modules()[0].(*Linear).Weight.Float32s()
	for name, x := range state {
		if x.RequiresGrad() {
			t.Errorf("%s in the state dict requires a gradient", name)
		}
	}
	tensor.NoGrad(func() { from.net.Modules()[0].(*Linear).Weight.FillInPlace(0) })
	if err := LoadStateDict(to, state); err != nil {
		t.Fatal(err)
	}
	weight := to.net.Modules()[0].(*Linear).Weight
	if diff := cmp.Diff(before, weight.Float32s()); diff != "" {
		t.Errorf("the state dict is no snapshot:\n%s", diff)
	}
	if !weight.RequiresGrad() || !weight.IsLeaf() {
		t.Error("the loaded weight is no parameter any more")
	}
	if to.running.Item() != 7 || to.running.DType() != tensor.Float64 {
		t.Errorf("got %v %v, want 7 in float64", to.running.Item(), to.running.DType())
	}
}

func TestLoadStateDictErrors(t *testing.T) {
	m := NewSequential(NewLinear(2, 3))
	before := m.Modules()[0].(*Linear).Bias.Float32s()
	err := LoadStateDict(m, map[string]*tensor.Tensor{
		"0.bias": tensor.Zeros(3), "0.weight": tensor.Zeros(3, 3), "1.weight": tensor.Zeros(1),
	})
	want := "load state dict: 0.weight has shape [3 3], the module has [3 2]; " +
		"1.weight is not in the module"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	err = LoadStateDict(m, map[string]*tensor.Tensor{"0.weight": tensor.Zeros(3, 2)})
	if want := "load state dict: 0.bias is missing"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if got := m.Modules()[0].(*Linear).Bias.Float32s(); !slices.Equal(got, before) {
		t.Error("a refused state dict changed the module")
	}
}
