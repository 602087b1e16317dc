package nn

import (
	"slices"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func TestDropout(t *testing.T) {
	x := tensor.Ones(2, 8, 3)
	for _, c := range []struct {
		m    Module
		text string
		want *tensor.Tensor
	}{
		{NewDropout(0.25, tensor.NewGenerator(1)), "Dropout(0.25)",
			x.Dropout(0.25, tensor.NewGenerator(1))},
		{NewDropout2d(0.25, tensor.NewGenerator(1)), "Dropout2d(0.25)",
			x.Dropout2d(0.25, tensor.NewGenerator(1))},
	} {
		net := NewSequential(c.m)
		if got := net.Forward(x); !slices.Equal(got.Float32s(), c.want.Float32s()) {
			t.Errorf("%s: got %v, want %v", c.text, got.Float32s(), c.want.Float32s())
		}
		Train(net, false)
		if net.Forward(x) != x {
			t.Errorf("%s drops elements in evaluation", c.text)
		}
		Train(net, true)
		if net.Forward(x) == x {
			t.Errorf("%s drops no elements in training again", c.text)
		}
		if got := ModuleName(c.m); got != c.text {
			t.Errorf("got name %q, want %q", got, c.text)
		}
		if state := StateDict(net); len(state) != 0 {
			t.Errorf("%s has tensors: %v", c.text, state)
		}
	}
	tensor.Seed(1)
	if zero := (&Dropout{P: 1}).Forward(x); zero.Sum().Item() != 0 {
		t.Error("a Dropout made without NewDropout does not train")
	}
	want := "dropout2d: probability 1.5 is not from 0 to 1"
	if got := reference.Mistake(func() { NewDropout2d(1.5) }); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
