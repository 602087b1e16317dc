package tensor_test

import (
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// TestAddmmBeta: where beta is 0, nothing is taken from the first operand.
func TestAddmmBeta(t *testing.T) {
	nan := tensor.New([][]float64{{0, 0}, {0, 0}}).Div(0.0)
	eye := tensor.Eye(2).To(tensor.Float64)
	equal(t, "addmm", nan.Addmm(eye, eye, 0, 2).Float64s(), []float64{2, 0, 0, 2})
	whole := tensor.New([][]int{{1, 2}, {3, 4}})
	equal(t, "integers", whole.Addmm(whole, whole, -1, 2).Int64s(), []int64{13, 18, 27, 40})
	big := tensor.New([][]float32{{60000}}, tensor.Float16)
	two := tensor.New([][]float32{{2}}, tensor.Float16)
	equal(t, "one rounding", big.Neg().Addmm(big, two, 1, 1).Item(), 60000.0)
}

// TestBroadcastGradientRounding: the gradient of a broadcast operand is summed before it is
// rounded.
func TestBroadcastGradientRounding(t *testing.T) {
	const n = 4096
	a := tensor.Ones(n, 1, 1).To(tensor.Float16)
	b := tensor.Ones(1, 1, 1).To(tensor.Float16).SetRequiresGrad(true)
	c := tensor.Ones(1).To(tensor.Float16).SetRequiresGrad(true)
	c.Baddbmm(a, b.Expand(n, 1, 1), 1, 1).Sum().Backward()
	equal(t, "baddbmm", []float64{b.Grad().Item(), c.Grad().Item()}, []float64{n, n})
	b.SetGrad(nil)
	a.Unsqueeze(1).MatMul(b).Sum().Backward()
	equal(t, "matmul", b.Grad().Item(), float64(n))
}

// TestLinearWithoutInputs: a layer with no inputs gives its bias.
func TestLinearWithoutInputs(t *testing.T) {
	for _, d := range floatTypes {
		x, w := tensor.Ones(2, 0).To(d), tensor.Ones(3, 0).To(d)
		bias := tensor.New([]float64{1, 2, 3}, d)
		equal(t, d.String(), tensor.Linear(x, w, bias).Float64s(), []float64{1, 2, 3, 1, 2, 3})
		equal(t, d.String(), tensor.Linear(x, tensor.Ones(0, 3).To(d).T(), bias).Float64s(),
			[]float64{1, 2, 3, 1, 2, 3})
	}
}

func TestProductMistakes(t *testing.T) {
	v, m, b := tensor.Ones(3), tensor.Ones(2, 3), tensor.Ones(2, 3, 4)
	for want, f := range map[string]func(){
		"mm: shapes [2 3] and [3]: it takes 2 and 2 dimensions; MatMul takes any": func() { m.MM(v) },
		"mm: shapes [2 3] and [2 3]: inner sizes 3 and 2 differ":                  func() { m.MM(m) },
		"mv: shapes [2 3] and [2]: inner sizes 3 and 2 differ": func() {
			m.MV(tensor.Ones(2))
		},
		"dot: shapes [3] and [2]: inner sizes 3 and 2 differ": func() { v.Dot(tensor.Ones(2)) },
		"bmm: shapes [2 3 4] and [3 4 1]: 2 and 3 matrices":   func() { b.BMM(tensor.Ones(3, 4, 1)) },
		"addmm: shapes [2] and [2 3] do not broadcast: sizes 2 and 3 differ": func() {
			tensor.Ones(2).Addmm(tensor.Ones(2, 1), tensor.Ones(1, 3), 1, 1)
		},
		"tensordot: 1 axes of the first and 0 of the second": func() { tensor.Tensordot(m, m, []int{0}, nil) },
		"tensordot: shapes [2 3] and [2 3]: sizes 2 and 3 of dimensions 0 and -1 differ": func() {
			tensor.Tensordot(m, m, []int{0}, []int{-1})
		},
		"tensordot: dimension 1 is given twice": func() {
			tensor.Tensordot(m, m, []int{1, -1}, []int{0, 1})
		},
		"linalg_multi_dot: 1 tensors given; two are the least": func() { tensor.MultiDot(m) },
		"linalg_multi_dot: tensor 1 has shape [3]; it is a matrix": func() {
			tensor.MultiDot(m, v, v)
		},
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
	equal(t, "integers", reference.Mistake(func() {
		w := tensor.New([][]int{{1}})
		w.Addmm(w, w, 0.5, 1)
	}), "addmm: a factor of 0.5 for a tensor of int64; it is a whole number")
}
