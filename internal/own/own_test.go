package own_test

import (
	"testing"

	"halfnote/internal/own"
	"halfnote/tensor"
)

// TestFilled: package tensor has filled in what it promises.
func TestFilled(t *testing.T) {
	x := tensor.Ones(3).SetRequiresGrad(true)
	if g := own.Grad(x); g != nil {
		t.Errorf("the gradient is %v before Backward", g)
	}
	x.Sum().Backward()
	if own.Grad(x) != x.Grad() {
		t.Error("Grad is not the tensor's own")
	}
	if !own.Shares(x, x.Narrow(0, 1, 1)) || own.Shares(x, x.Clone()) {
		t.Error("a view shares the elements, and a clone does not")
	}
	own.Drop(x.Clone())
}
