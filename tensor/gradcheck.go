package tensor

import (
	"fmt"
	"math"
	"slices"
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
	checkFunction("gradcheck", f != nil)
	given("gradcheck", inputs...)
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
	w := copied("gradcheck", out.Device(), weights, Float64, out.arr.Shape)
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

// GradGradCheck compares the gradients of second order of f with differences of those of first
// order: it is GradCheck of the function that gives the gradients, of the inputs and of weights
// for the result's elements. Inputs as for GradCheck; f's gradients must be made of recorded ops.
func GradGradCheck(f func(...*Tensor) *Tensor, inputs ...*Tensor) error {
	checkFunction("gradgradcheck", f != nil)
	given("gradgradcheck", inputs...)
	var out *Tensor
	NoGrad(func() { out = f(inputs...) })
	if out.DType() != Float64 {
		return fmt.Errorf("gradgradcheck: the result has %s; differences need float64", out.DType())
	}
	weights := make([]float64, out.Numel())
	for i := range weights {
		weights[i] = 1.5 + math.Sin(float64(i))
	}
	w := copied("gradcheck", out.Device(), weights, Float64, out.arr.Shape).SetRequiresGrad(true)
	first := func(xs ...*Tensor) *Tensor {
		xs, w := xs[:len(inputs)], xs[len(inputs)]
		return flatGrads(f(xs...), xs, w)
	}
	return GradCheck(first, append(slices.Clone(inputs), w)...)
}

// flatGrads returns the gradients of y, with the given gradient of y itself, one behind the other
// as a vector. Those of inputs that y does not depend on are zero.
func flatGrads(y *Tensor, xs []*Tensor, w *Tensor) *Tensor {
	var wanted, flat []*Tensor
	for _, x := range xs {
		if x.RequiresGrad() {
			wanted = append(wanted, x)
		}
	}
	gs := Grad([]*Tensor{y}, wanted, GradConfig{CreateGraph: true, GradOutputs: []*Tensor{w}})
	// A part that depends on the weights, where no gradient does.
	flat = append(flat, w.Sum().Reshape(1))
	for i, g := range gs {
		if g == nil {
			g = ZerosLike(wanted[i])
		}
		flat = append(flat, g.Reshape(-1))
	}
	return Cat(flat, 0)
}
