package nn

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
	"halfnote/tensor/reference"
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
	expanded := map[string]*tensor.Tensor{"a": tensor.Ones(1), "b": tensor.Ones(1).Expand(2)}
	err = LoadStateDict(expanded, map[string]*tensor.Tensor{
		"a": tensor.Zeros(1), "b": tensor.Zeros(2),
	})
	want = "load state dict: b repeats its elements in the module (strides [0]): put a Clone there"
	if err == nil || err.Error() != want || expanded["a"].Item() != 1 {
		t.Errorf("got %v and %v, want %s", err, expanded["a"], want)
	}
	if got := m.Modules()[0].(*Linear).Bias.Float32s(); !slices.Equal(got, before) {
		t.Error("a refused state dict changed the module")
	}
}

// TestStateDictDTypes: a count of batches, say, stays a whole number and exact.
// TestLoadOtherModel: what is wrong throughout is not told tensor by tensor.
func TestLoadOtherModel(t *testing.T) {
	var layers []*Linear
	for range 20 {
		layers = append(layers, NewLinear(1, 1))
	}
	err := LoadStateDict(layers, StateDict(NewLinear(1, 1)))
	if err == nil || len(err.Error()) > 400 ||
		!strings.HasSuffix(err.Error(), "; and 30 more: is it another model's?") {
		t.Errorf("got %v", err)
	}
}

func TestStateDictDTypes(t *testing.T) {
	type norm struct{ mean, batches *tensor.Tensor }
	m := norm{tensor.Zeros(2).To(tensor.Float16), tensor.New(1 << 60)}
	state := StateDict(&m)
	if got := state["batches"]; got.DType() != tensor.Int64 || got.Int64s()[0] != 1<<60 {
		t.Errorf("got %v, want 2⁶⁰ in int64", got)
	}
	state["mean"] = tensor.New([]int{1, 2})
	if err := LoadStateDict(&m, state); err != nil || m.mean.DType() != tensor.Float16 {
		t.Errorf("got %v and %v, want no error and float16", err, m.mean)
	}
	state["batches"] = tensor.New(1.5)
	want := "load state dict: batches is float64, and in the module int64"
	if err := LoadStateDict(&m, state); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	type twice struct {
		A *tensor.Tensor `nn:"x"`
		B *tensor.Tensor `nn:"x"`
	}
	got := reference.Mistake(func() { StateDict(&twice{tensor.Ones(1), tensor.Ones(1)}) })
	want = "state dict: two tensors are called \"x\": a tag `nn:\"name\"` names one otherwise"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
