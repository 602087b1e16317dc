package tensor_test

import (
	"math"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// TestTour goes through the library in the order in which one learns it, from outside.
func TestTour(t *testing.T) {
	tensor.Seed(1)

	// Tensors come from Go's own values, and have a shape and a dtype.
	m := tensor.New([][]float32{{1, 2, 3}, {4, 5, 6}})
	equal(t, "shape", m.Shape(), []int{2, 3})
	equal(t, "dtype", m.DType(), tensor.Float32)
	equal(t, "values", tensor.Arange(4).Float32s(), []float32{0, 1, 2, 3})

	// Views share elements; writing in place shows in both.
	row := m.Index(1)
	row.MulInPlace(10)
	equal(t, "view", m.Float32s(), []float32{1, 2, 3, 40, 50, 60})
	equal(t, "transposed", m.T().Index(0).Float32s(), []float32{1, 40})

	// Shapes broadcast, from the last dimension on.
	scaled := m.Div(tensor.New([]float32{1, 2, 3}))
	equal(t, "broadcast", scaled.Float32s(), []float32{1, 1, 1, 40, 25, 20})
	equal(t, "reduced", m.Sum(1).Float32s(), []float32{6, 150})
	equal(t, "largest", m.Argmax(1).Int64s(), []int64{2, 2})

	// Float16 holds 11 bits, up to 65504 and down to 6e-8. Ops round once.
	h := tensor.New([]float32{1.0 / 3, 65504, 6e-8}, tensor.Float16)
	equal(t, "float16", h.Float32s(), []float32{0.33325195, 65504, 5.9604645e-8})
	equal(t, "overflow", h.Mul(2).Index(1).Item(), math.Inf(1))
	equal(t, "underflow", h.Div(4).Index(2).Item(), 0.0)

	// Gradients come from the tape.
	x := tensor.Randn(8, 3)
	w := tensor.Randn(4, 3).SetRequiresGrad(true)
	b := tensor.Zeros(4).SetRequiresGrad(true)
	target := tensor.New([]int{0, 1, 2, 3, 3, 2, 1, 0})
	var before, loss float64
	for step := range 50 {
		l := tensor.CrossEntropy(tensor.Linear(x, w, b), target)
		l.Backward()
		if loss = l.Item(); step == 0 {
			before = loss
		}
		tensor.NoGrad(func() {
			for _, p := range []*tensor.Tensor{w, b} {
				p.AddScaledInPlace(p.Grad(), -0.5)
				p.SetGrad(nil)
			}
		})
	}
	if loss >= before {
		t.Errorf("the loss went from %v to %v", before, loss)
	}

	// A mistake panics with an *Error that says what does not fit.
	equal(t, "mistake", reference.Mistake(func() { m.MatMul(m) }),
		"matmul: shapes [2 3] and [2 3]: inner sizes 3 and 2 differ")
}
