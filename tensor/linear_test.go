package tensor_test

import (
	"testing"

	"halfnote/tensor"
)

// TestCastWeight: the gradient of a weight that was cast to 16 bits is the same bit for bit whether
// somebody looks at it in 16 bits or not.
func TestCastWeight(t *testing.T) {
	const scale = 3000 // some sums overflow in float16
	w := tensor.Randn(70, 40).SetRequiresGrad(true)
	x := tensor.Randn(30, 40).Mul(scale)
	g := tensor.Randn(30, 70)
	for _, d := range []tensor.DType{tensor.Float16, tensor.BFloat16} {
		for name, c := range map[string]struct {
			shape []int
			uses  int // of one cast
			runs  int
		}{
			"once":           {[]int{30, 40}, 1, 1},
			"of a sequence":  {[]int{3, 10, 40}, 1, 1},
			"added up":       {[]int{30, 40}, 1, 2},
			"used twice":     {[]int{30, 40}, 2, 1},
			"twice in a row": {[]int{30, 40}, 2, 2},
		} {
			gradient := func(look bool, config tensor.BackwardConfig) *tensor.Tensor {
				w.SetGrad(nil)
				for range c.runs {
					cast := w.To(d)
					if look {
						cast.RetainGrad()
					}
					y := tensor.Zeros(30, 70).To(d)
					for range c.uses {
						in := x.To(d).Reshape(c.shape...)
						y = y.Add(tensor.Linear(in, cast, nil).Reshape(30, 70))
					}
					config.Gradient = g.To(d)
					y.Backward(config)
				}
				return w.Grad()
			}
			want := gradient(true, tensor.BackwardConfig{}).Float32s()
			equal(t, name, gradient(false, tensor.BackwardConfig{}).Float32s(), want)
			equal(t, name+", recorded",
				gradient(false, tensor.BackwardConfig{CreateGraph: true}).Float32s(), want)
			equal(t, name+", kept",
				gradient(false, tensor.BackwardConfig{RetainGraph: true}).Float32s(), want)
		}
	}
}

// TestCastWeightOnce: where nobody looks, the gradient of the cast is not written in 16 bits.
func TestCastWeightOnce(t *testing.T) {
	w := tensor.Ones(2, 3).SetRequiresGrad(true)
	y := tensor.Linear(tensor.Ones(4, 3).To(tensor.Float16), w.To(tensor.Float16), nil).Sum()
	for _, op := range tensor.Profile(func() { y.Backward() }).Ops {
		if op.Op == "to" {
			t.Errorf("the gradient was cast: %+v", op)
		}
	}
	equal(t, "gradient", w.Grad().Float32s(), []float32{4, 4, 4, 4, 4, 4})
}

// TestCastWeightHook: a hook of the weight gets its gradient in float32, and one of the cast is
// asked before.
func TestCastWeightHook(t *testing.T) {
	w := tensor.Ones(2, 3).SetRequiresGrad(true)
	w.RegisterHook(func(g *T) *T {
		equal(t, "dtype", g.DType(), tensor.Float32)
		return g.Mul(10)
	})
	x := tensor.Ones(4, 3).To(tensor.Float16)
	tensor.Linear(x, w.To(tensor.Float16), nil).Sum().Backward()
	equal(t, "hook of the weight", w.Grad().Float32s(), []float32{40, 40, 40, 40, 40, 40})
	w.SetGrad(nil)
	cast := w.To(tensor.Float16)
	cast.RegisterHook(func(g *T) *T {
		equal(t, "dtype of the cast", g.DType(), tensor.Float16)
		return g.Mul(2)
	})
	tensor.Linear(x, cast, nil).Sum().Backward()
	equal(t, "both hooks", w.Grad().Float32s(), []float32{80, 80, 80, 80, 80, 80})
}
