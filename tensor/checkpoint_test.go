package tensor_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// dropped is a layer with weights, an activation and random zeros.
func dropped(w *T) func(x ...*T) *T {
	return func(x ...*T) *T {
		h := x[0].MatMul(w).Tanh()
		keep := tensor.Rand(h.Shape()...).Gt(0.3).To(h.DType())
		return h.Mul(keep).Mul(h.Exp())
	}
}

// TestCheckpoint: values and gradients are those without it, bit for bit, and so is what the random
// generator gives afterwards.
func TestCheckpoint(t *testing.T) {
	layers := []*T{tensor.Randn(4, 4), tensor.Randn(4, 4), tensor.Randn(4, 4)}
	run := func(checkpoint bool) (out [][]float32) {
		x := tensor.Arange(8).Reshape(2, 4).Div(8).SetRequiresGrad(true)
		tensor.Seed(5)
		h := x
		for _, w := range append(layers, layers[0]) {
			w.SetRequiresGrad(true).SetGrad(nil)
			f := dropped(w)
			if checkpoint {
				h = tensor.Checkpoint(f, h)
				continue
			}
			h = f(h)
		}
		h.Square().Mean().Backward()
		out = append(out, h.Float32s(), x.Grad().Float32s(), tensor.Rand(3).Float32s())
		for _, w := range layers {
			out = append(out, w.Grad().Float32s())
		}
		return out
	}
	equal(t, "bits", run(true), run(false))
}

func TestCheckpointGradients(t *testing.T) {
	x, b := drawn(tensor.Float64, 2, 3), drawn(tensor.Float64, 3)
	inner := func(x ...*T) []*T {
		y := x[0].Exp().Mul(x[1])
		y.Index(0).MulInPlace(x[1])
		return []*T{y, cube.Apply(y)[0].Tanh()}
	}
	plain := func(x ...*T) *T {
		y := inner(x...)
		return y[0].Mul(y[1])
	}
	for name, f := range map[string]func(x ...*T) *T{
		"single": func(x ...*T) *T { return tensor.Checkpoint(plain, x...) },
		"several": func(x ...*T) *T {
			y := tensor.CheckpointAll(inner, x...)
			return y[0].Mul(y[1])
		},
		"nested": func(x ...*T) *T {
			return tensor.Checkpoint(func(x ...*T) *T {
				y := tensor.CheckpointAll(inner, x[0].Mul(1), x[1].Mul(1))
				return y[0].Mul(y[1])
			}, x...)
		},
		"captured": func(x ...*T) *T {
			return tensor.Checkpoint(func(...*T) *T { return plain(x...) })
		},
	} {
		t.Run(name, func(t *testing.T) { checkWrites(t, f, plain, x, b) })
	}
}

// TestCheckpointFrees: what the ops inside keep is let go, and computed again once.
func TestCheckpointFrees(t *testing.T) {
	x := leaf(1, 2)
	var inside weak.Pointer[T]
	calls := 0
	y := tensor.Checkpoint(func(x ...*T) *T {
		calls++
		h := x[0].Exp()
		inside = weak.Make(h)
		return h.Exp().Exp()
	}, x)
	runtime.GC()
	equal(t, "freed", inside.Value() == nil, true)
	loss := y.Sum()
	loss.Backward(tensor.BackwardConfig{RetainGraph: true})
	first := x.Grad().Float32s()
	x.SetGrad(nil)
	loss.Backward()
	equal(t, "retained", x.Grad().Float32s(), first)
	equal(t, "calls", calls, 2)
	tensor.NoGrad(func() { tensor.Checkpoint(func(x ...*T) *T { calls++; return x[0] }, x) })
	equal(t, "under NoGrad", calls, 3)
}

// TestCheckpointGradientInside: f may ask for gradients itself.
func TestCheckpointGradientInside(t *testing.T) {
	f := func(x ...*T) *T {
		y := x[0].Exp().Sin()
		g := tensor.Grad([]*T{y.Sum()}, x, tensor.GradConfig{CreateGraph: true})[0]
		return g.Mul(tensor.Rand(2)).Tanh().Sum()
	}
	run := func(call func(x *T) *T) []float32 {
		tensor.Seed(3)
		x := leaf(1, 2)
		call(x).Backward()
		return append(x.Grad().Float32s(), tensor.Rand(2).Float32s()...)
	}
	want := run(func(x *T) *T { return f(x) })
	once := func(x ...*T) *T { return tensor.Checkpoint(f, x...) }
	equal(t, "once", run(func(x *T) *T { return once(x) }), want)
	equal(t, "nested", run(func(x *T) *T { return tensor.Checkpoint(once, x) }), want)
}

// TestCheckpointPanicsAgain: a second call that panics may be made once more.
// TestCheckpointGradientInsideDraws: the second call may be made in the middle of the first, and
// then draws what the first one will.
func TestCheckpointGradientInsideDraws(t *testing.T) {
	run := func(checkpoint func(func(...*T) *T, ...*T) *T) (values, grad []float64) {
		tensor.Seed(3)
		x := tensor.Randn(6).To(tensor.Float64).SetRequiresGrad(true)
		y := checkpoint(func(x ...*T) *T {
			h := x[0].Tanh().Dropout(0.4)
			g := tensor.Grad([]*T{h.Square().Sum()}, []*T{h}, tensor.GradConfig{CreateGraph: true})
			return h.Add(g[0].Exp()).Dropout(0.4)
		}, x)
		y.Square().Sum().Backward()
		return y.Float64s(), x.Grad().Float64s()
	}
	values, grad := run(tensor.Checkpoint)
	wantValues, wantGrad := run(func(f func(...*T) *T, x ...*T) *T { return f(x...) })
	equal(t, "values", values, wantValues)
	near(t, "gradient", grad, wantGrad, tensor.Float64, 100)
}

func TestCheckpointPanicsAgain(t *testing.T) {
	x, calls := leaf(0, 0), 0
	y := tensor.Checkpoint(func(x ...*T) *T {
		h := x[0].Exp()
		if calls++; calls == 2 {
			panic("second call")
		}
		return h.Square()
	}, x).Sum()
	func() {
		defer func() { equal(t, "panic", recover(), any("second call")) }()
		y.Backward()
	}()
	y.Backward()
	equal(t, "gradient", x.Grad().Float32s(), []float32{2, 2})
}

func TestCheckpointMistakes(t *testing.T) {
	x := leaf(1, 2)
	calls := 0
	for want, f := range map[string]func() *T{
		"checkpoint: the function kept 3 tensors when it was called again, and 2 the first time": func() *T {
			calls = 0
			return tensor.Checkpoint(func(x ...*T) *T {
				y := x[0].Exp()
				for range calls {
					y = y.Exp()
				}
				calls++
				return y.Tanh()
			}, x)
		},
		"and a float32 one of shape [2 1] the first time; it must do the same": func() *T {
			calls = 0
			return tensor.Checkpoint(func(x ...*T) *T {
				calls++
				return tensor.Ones(calls+1, 1).Mul(x[0].Index(0)).Exp().Sum(1)
			}, x)
		},
		"checkpoint kept a float32 tensor of shape [2] for its gradient, and AddInPlace changed": func() *T {
			h := x.Mul(1)
			y := tensor.Checkpoint(func(x ...*T) *T { return x[0].Exp() }, h)
			h.AddInPlace(1)
			return y
		},
		"mul kept a float32 tensor of shape [2] for its gradient, and MulInPlace changed": func() *T {
			factor := tensor.Ones(2)
			y := tensor.Checkpoint(func(x ...*T) *T { return x[0].Mul(factor) }, x)
			factor.MulInPlace(2)
			return y
		},
		"exp kept a float32 tensor of shape [2] for its gradient, and NegInPlace changed": func() *T {
			return tensor.Checkpoint(func(x ...*T) *T {
				y := x[0].Exp()
				z := y.Mul(2)
				y.NegInPlace()
				return z
			}, x)
		},
	} {
		got := reference.Mistake(func() { f().Sum().Backward() })
		if !strings.Contains(got, want) {
			t.Errorf("message %q, want %q in it", got, want)
		}
	}
}

// TestCheckpointClassWeights: what an op keeps besides may be nil, and the weights of classes are
// not.
func TestCheckpointClassWeights(t *testing.T) {
	x, target := tensor.Randn(5, 3).SetRequiresGrad(true), tensor.FromInt64([]int64{0, 1, 2, 1, 0}, 5)
	for _, weight := range []*tensor.Tensor{nil, tensor.New([]float32{1, 2, 3})} {
		f := func(in ...*tensor.Tensor) *tensor.Tensor {
			return tensor.CrossEntropy(in[0], target, tensor.LossConfig{Weight: weight})
		}
		x.SetGrad(nil)
		f(x).Backward()
		want := x.Grad().Float32s()
		x.SetGrad(nil)
		tensor.Checkpoint(f, x).Backward()
		if got := x.Grad().Float32s(); !slices.Equal(got, want) {
			t.Errorf("with weights %v the gradient is %v, want %v", weight, got, want)
		}
	}
}
