package tensor

import (
	"fmt"
	"math"
)

// The step and the tolerances of GradCheck, which are PyTorch's for float64.
const (
	checkStep     = 1e-6
	checkAbsolute = 1e-5
	checkRelative = 1e-3
)

// GradCheck compares the gradients of f, which Backward computes, with differences of f's values
// at points nearby. Inputs that require a gradient are checked; they have Float64 elements. It
// returns an error that says where the two differ first. The inputs and their gradients are left
// as they were.
func GradCheck(f func(...*Tensor) *Tensor, inputs ...*Tensor) error {
	leaves := make([]*Tensor, len(inputs))
	checked := 0
	for i, x := range inputs {
		leaves[i] = x.Detach().Clone()
		if !x.RequiresGrad() {
			continue
		}
		checked++
		if x.DType() != Float64 {
			return fmt.Errorf("gradcheck: input %d has %s; differences need float64", i, x.DType())
		}
		leaves[i].SetRequiresGrad(true)
	}
	if checked == 0 {
		return fmt.Errorf("gradcheck: no input requires a gradient")
	}
	var out *Tensor
	EnableGrad(func() { out = f(leaves...) })
	if !out.RequiresGrad() {
		return fmt.Errorf("gradcheck: the result does not depend on the inputs by recorded ops")
	}
	// Weights that differ for every element, so that errors do not cancel.
	weights := make([]float64, out.Numel())
	for i := range weights {
		weights[i] = 1 + 0.5*math.Sin(float64(3*i+1))
	}
	w := FromFloat64(weights, out.arr.Shape...)
	out.Backward(BackwardConfig{Gradient: w})
	for i, x := range leaves {
		if !inputs[i].RequiresGrad() {
			continue
		}
		got := make([]float64, x.Numel())
		if g := x.Grad(); g != nil {
			got = g.Float64s()
		}
		if err := compareSlopes(f, leaves, i, w, got); err != nil {
			return err
		}
	}
	return nil
}

// compareSlopes checks the gradient got of input i.
func compareSlopes(f func(...*Tensor) *Tensor, leaves []*Tensor, i int, w *Tensor,
	got []float64) error {
	x := leaves[i].Detach().Reshape(-1)
	// f is recorded, because it may compute gradients itself, and it may return a view of a leaf.
	value := func() (v *Tensor) {
		EnableGrad(func() { v = f(leaves...) })
		return v.Detach().Clone()
	}
	for j := range got {
		at := x.Index(j)
		was := at.Item()
		at.FillInPlace(was + checkStep)
		high := value()
		at.FillInPlace(was - checkStep)
		low := value()
		at.FillInPlace(was)
		// The difference comes before the sum: large outputs that do not depend on this element
		// then cost no precision.
		want := high.Sub(low).Mul(w).Sum().Item() / (2 * checkStep)
		if diff := math.Abs(got[j] - want); !(diff <= checkAbsolute+checkRelative*math.Abs(want)) {
			return fmt.Errorf("gradcheck: input %d of shape %v, element %d: backward gives %g, "+
				"differences give %g (off by %.2g, tolerance %g + %g of it)", i,
				leaves[i].arr.Shape, j, got[j], want, diff, checkAbsolute, checkRelative)
		}
	}
	return nil
}
