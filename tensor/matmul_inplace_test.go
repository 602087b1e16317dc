package tensor_test

import (
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func TestProductsInPlace(t *testing.T) {
	a, b := tensor.New([][]float32{{1, 2}, {3, 4}}), tensor.New([][]float32{{0, 1}, {1, 0}})
	c := tensor.Ones(2, 2)
	equal(t, "AddmmInPlace", c.AddmmInPlace(a, b, 10, 2).Float32s(), []float32{14, 12, 18, 16})
	equal(t, "on itself", a.Clone().AddmmInPlace(b, b, 1, 1).Float32s(), []float32{2, 2, 3, 5})
	out := tensor.Zeros(2, 2)
	if out.MMFrom(a, b) != out {
		t.Error("MMFrom does not return its receiver")
	}
	equal(t, "MMFrom", out.Float32s(), []float32{2, 1, 4, 3})
	equal(t, "MMFrom an operand", a.MMFrom(a, b).Float32s(), []float32{2, 1, 4, 3})
	half := b.To(tensor.Float16)
	for want, f := range map[string]func(){
		"addmm: dtypes float32 and float16 differ; convert one with To": func() {
			c.AddmmInPlace(half, half, 1, 1)
		},
		"mm: dtypes float32 and float16 differ; convert one with To": func() {
			out.MMFrom(half, half)
		},
		"MMFrom: the result has shape [2 2] and the tensor that is written in place [2]": func() {
			tensor.Zeros(2).MMFrom(b, b)
		},
		"addmm: shapes [2 2] and [1 2]: inner sizes 2 and 1 differ": func() {
			c.AddmmInPlace(b, tensor.Ones(1, 2), 1, 1)
		},
	} {
		if got := reference.Mistake(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
