package amp_test

import (
	"runtime"
	"strings"
	"sync"
	"testing"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/optim"
)

func weight(shape ...int) *tensor.Tensor { return tensor.Rand(shape...).SetRequiresGrad(true) }

// lowDType returns the dtype that a matmul has here.
func lowDType() tensor.DType { return tensor.Ones(2, 2).MatMul(tensor.Ones(2, 2)).DType() }

func TestRegions(t *testing.T) {
	check := func(where string, want tensor.DType) {
		t.Helper()
		if got := lowDType(); got != want {
			t.Errorf("%s: matmul gives %v, want %v", where, got, want)
		}
	}
	check("outside", tensor.Float32)
	amp.Autocast(func() {
		check("float16 region", tensor.Float16)
		amp.AutocastWith(amp.Config{Disabled: true}, func() {
			check("disabled in float16", tensor.Float32)
			if amp.Enabled() {
				t.Error("Enabled in a disabled region")
			}
			amp.Autocast(func() { check("enabled in disabled", tensor.Float16) })
			check("disabled again", tensor.Float32)
		})
		check("float16 again", tensor.Float16)
	})
	check("outside again", tensor.Float32)
}

// A nested region without a dtype or policy has the outer one's, also through a disabled region.
func TestRegionInherits(t *testing.T) {
	dtypeOf := func(op string) tensor.DType {
		args, _ := tensor.CurrentCastState().Cast(op, []*tensor.Tensor{tensor.Ones(2)}, 0)
		return args[0].DType()
	}
	outer := amp.Config{DType: tensor.BFloat16, Policy: amp.CPUPolicy()}
	amp.AutocastWith(outer, func() {
		amp.AutocastWith(amp.Config{Disabled: true}, func() {
			amp.Autocast(func() {
				if got := dtypeOf("mm"); got != tensor.BFloat16 {
					t.Errorf("mm gets %v, want bfloat16", got)
				}
				if got := dtypeOf("mv"); got != tensor.Float32 {
					t.Errorf("mv gets %v, want float32: the CPU policy does not lower it", got)
				}
			})
			amp.AutocastWith(amp.Config{Policy: amp.CUDAPolicy()}, func() {
				if got := dtypeOf("mv"); got != tensor.BFloat16 {
					t.Errorf("mv gets %v, want bfloat16 by the CUDA policy", got)
				}
			})
		})
	})
}

func TestRegionDType(t *testing.T) {
	for _, dtype := range []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int64} {
		cfg := amp.Config{DType: dtype}
		if got := failure(t, func() { amp.AutocastWith(cfg, func() {}) }); got != amp.BadConfig {
			t.Errorf("%v: kind %q, want %q", dtype, got, amp.BadConfig)
		}
	}
}

func TestRegionEnds(t *testing.T) {
	t.Run("panic", func(t *testing.T) {
		func() {
			defer func() { _ = recover() }()
			amp.Autocast(func() { amp.Autocast(func() { panic("in the region") }) })
		}()
		if amp.Enabled() {
			t.Error("enabled after a panic")
		}
	})
	t.Run("goexit", func(t *testing.T) {
		var inside, after bool
		var wait sync.WaitGroup
		wait.Add(1)
		go func() {
			defer wait.Done()
			defer func() { after = amp.Enabled() }()
			amp.Autocast(func() {
				inside = amp.Enabled()
				runtime.Goexit()
			})
		}()
		wait.Wait()
		if !inside || after {
			t.Errorf("enabled %v inside and %v after Goexit, want true and false", inside, after)
		}
	})
	t.Run("other_goroutine", func(t *testing.T) {
		amp.Autocast(func() {
			var other bool
			var wait sync.WaitGroup
			wait.Go(func() { other = amp.Enabled() })
			wait.Wait()
			if other {
				t.Error("a goroutine inherited the region")
			}
		})
	})
}

// PyTorch's region objects keep the saved state in the object: used recursively, they leave
// autocast on.
func TestWrapRecursion(t *testing.T) {
	depth := 0
	var f func(x *tensor.Tensor) *tensor.Tensor
	f = amp.Wrap(func(x *tensor.Tensor) *tensor.Tensor {
		if depth++; depth < 4 {
			return f(x)
		}
		return x.MatMul(x)
	})
	if got := f(tensor.Ones(2, 2)).DType(); got != tensor.Float16 {
		t.Errorf("result %v, want float16", got)
	}
	if amp.Enabled() {
		t.Error("enabled after the recursion")
	}
}

// casts returns what the current region makes of a weight for a low op.
func casts(w *tensor.Tensor) *tensor.Tensor {
	args, _ := tensor.CurrentCastState().Cast("linear", []*tensor.Tensor{nil, w}, 0)
	return args[1]
}

// keeps reports whether the current region casts t once for two uses.
func keeps(t *tensor.Tensor) bool {
	first := casts(t)
	return casts(t) == first
}

func TestCastCache(t *testing.T) {
	w := weight(2, 2)
	frozen := tensor.Rand(2, 2)
	var kept *tensor.Tensor
	amp.Autocast(func() {
		kept = casts(w)
		if kept.DType() != tensor.Float16 || kept == w {
			t.Fatalf("weight cast to %v", kept.DType())
		}
		if casts(w) != kept {
			t.Error("a weight was cast twice in a region")
		}
		amp.AutocastWith(amp.Config{Disabled: true}, func() {})
		amp.Autocast(func() {
			if casts(w) != kept {
				t.Error("a nested region does not share the casts")
			}
		})
		if casts(w) != kept {
			t.Error("leaving a nested region dropped the casts")
		}
		amp.AutocastWith(amp.Config{DType: tensor.BFloat16}, func() {
			if got := casts(w).DType(); got != tensor.BFloat16 {
				t.Errorf("in a bfloat16 region the cast is %v", got)
			}
		})
		if keeps(frozen) {
			t.Error("the cast of a tensor without gradient was kept")
		}
		if keeps(w.T()) {
			t.Error("the cast of a view was kept")
		}
		if keeps(w.Add(w)) {
			t.Error("the cast of an activation was kept")
		}
		tensor.NoGrad(func() { w.MulInPlace(2) })
		fresh := casts(w)
		if fresh == kept {
			t.Error("the cast of a weight that was written is still used")
		}
		if got, want := fresh.Float32s()[0], w.To(tensor.Float16).Float32s()[0]; got != want {
			t.Errorf("new cast %g, want %g", got, want)
		}
		kept = fresh
	})
	amp.Autocast(func() {
		if casts(w) == kept {
			t.Error("a cast outlived the outermost region")
		}
	})
	amp.AutocastWith(amp.Config{NoCache: true}, func() {
		amp.Autocast(func() {
			if keeps(w) {
				t.Error("NoCache keeps casts")
			}
		})
	})
}

// A weight first used under NoGrad must get its gradient from a later use (pytorch#65766).
func TestCacheUnderNoGrad(t *testing.T) {
	w, x := weight(2, 2), tensor.Ones(3, 2)
	var loss *tensor.Tensor
	amp.Autocast(func() {
		tensor.NoGrad(func() { tensor.Linear(x, w, nil) })
		loss = tensor.Linear(x, w, nil).Sum()
	})
	loss.Backward()
	if g := w.Grad(); g == nil || g.DType() != tensor.Float32 || g.Float32s()[0] != 3 {
		t.Errorf("gradient %v, want float32 of threes", g)
	}
}

// Two forward and backward passes in one region: the first uses up the tape of its casts.
func TestCacheAcrossBackward(t *testing.T) {
	w, x := weight(2, 2), tensor.Ones(3, 2)
	amp.Autocast(func() {
		for range 2 {
			tensor.Linear(x, w, nil).Sum().Backward()
		}
	})
	if got := w.Grad().Float32s()[0]; got != 6 {
		t.Errorf("gradient %g after two passes, want 6", got)
	}
}

// A training loop inside one region learns: PyTorch would go on with the first casts.
func TestLoopInsideRegion(t *testing.T) {
	w := tensor.Ones(1, 1).SetRequiresGrad(true)
	opt := optim.NewSGD([]*tensor.Tensor{w}, optim.SGDConfig{LR: 0.25})
	x, y := tensor.Ones(1, 1), tensor.Zeros(1, 1)
	var losses []float64
	amp.Autocast(func() {
		for range 3 {
			opt.ZeroGrad()
			loss := tensor.MSELoss(tensor.Linear(x, w, nil), y)
			loss.Backward()
			opt.Step()
			losses = append(losses, loss.Item())
		}
	})
	if losses[0] != 1 || losses[1] != 0.25 || losses[2] != 0.0625 {
		t.Errorf("losses %v, want 1, 0.25, 0.0625", losses)
	}
}

// The gradient of a float32 weight is float32 and has been through float16.
func TestGradientPassesThroughFloat16(t *testing.T) {
	grad := func(scale float64) float64 {
		w := tensor.Ones(1, 1).SetRequiresGrad(true)
		var loss *tensor.Tensor
		amp.Autocast(func() {
			loss = tensor.Linear(tensor.Ones(1, 1), w, nil).To(tensor.Float32).Mul(1e-8).Sum()
		})
		loss.Mul(scale).Backward()
		return w.Grad().Item()
	}
	if got := grad(1); got != 0 {
		t.Errorf("gradient %g, want 0: 1e-8 is below float16", got)
	}
	if got := grad(65536); got < 6.5e-4 || got > 6.6e-4 {
		t.Errorf("gradient %g, want about 6.55e-4", got)
	}
}

func TestUntouched(t *testing.T) {
	double := tensor.New([][]float64{{1, 2}, {3, 4}})
	half := tensor.Ones(2, 2).To(tensor.Float16)
	amp.Autocast(func() {
		if got := double.MatMul(double).DType(); got != tensor.Float64 {
			t.Errorf("float64 matmul gives %v", got)
		}
		x := tensor.Ones(2, 2)
		x.AddInPlace(half)
		if got := x.DType(); got != tensor.Float32 {
			t.Errorf("float32 with float16 added in place is %v", got)
		}
		h := half.Clone()
		h.AddInPlace(x)
		if got := h.DType(); got != tensor.Float16 {
			t.Errorf("float16 with float32 added in place is %v", got)
		}
		state := tensor.CurrentCastState()
		_, dtype := state.Cast("sum", []*tensor.Tensor{half}, tensor.Float64)
		if dtype != tensor.Float64 {
			t.Errorf("an explicit dtype became %v", dtype)
		}
		if _, dtype = state.Cast("sum", []*tensor.Tensor{half}, 0); dtype != tensor.Float32 {
			t.Errorf("sum of float16 is told %v, want float32", dtype)
		}
		if _, dtype = state.Cast("sum", []*tensor.Tensor{double}, 0); dtype != 0 {
			t.Errorf("sum of float64 is told %v, want nothing", dtype)
		}
	})
}

func TestPolicyErrors(t *testing.T) {
	double, single := tensor.New([][]float64{{1}}), tensor.Ones(1, 1)
	tests := []struct {
		name string
		args []*tensor.Tensor
		op   string
		want amp.Kind
		text string
	}{
		{"float64", []*tensor.Tensor{single, double}, "matmul", amp.MixedFloat64,
			"matmul: argument 1 is float64 and argument 0 float32"},
		{"other_half", []*tensor.Tensor{single, single.To(tensor.BFloat16)}, "dot", amp.MixedHalf,
			"dot: argument 1 is bfloat16 in a float16 region"},
		{"refused", []*tensor.Tensor{double, double}, "binary_cross_entropy", amp.RefusedOp,
			"use binary_cross_entropy_with_logits"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			call := func() { tensor.CurrentCastState().Cast(test.op, test.args, 0) }
			amp.Autocast(func() {
				if got := failure(t, call); got != test.want {
					t.Errorf("kind %q, want %q", got, test.want)
				}
				defer func() {
					if text := recover().(error).Error(); !strings.Contains(text, test.text) {
						t.Errorf("text %q does not hold %q", text, test.text)
					}
				}()
				call()
			})
		})
	}
	amp.AutocastWith(amp.Config{Disabled: true}, func() {
		tensor.CurrentCastState().Cast("binary_cross_entropy", []*tensor.Tensor{single}, 0)
	})
}

func TestPromote(t *testing.T) {
	single, half := tensor.Ones(2), tensor.Ones(2).To(tensor.Float16)
	double := tensor.New([]float64{1, 2})
	amp.Autocast(func() {
		for _, test := range []struct {
			name string
			a, b *tensor.Tensor
			want tensor.DType
		}{
			{"both_half", half, half, tensor.Float16},
			{"one_single", half, single, tensor.Float32},
			{"double_does_not_count", half, double, tensor.Float16},
		} {
			args, _ := tensor.CurrentCastState().Cast("dot", []*tensor.Tensor{test.a, test.b}, 0)
			if got := args[0].DType(); got != test.want {
				t.Errorf("%s: %v, want %v", test.name, got, test.want)
			}
		}
	})
}

// Casting copies the list of arguments: the caller's own stays as it was.
func TestCastLeavesArguments(t *testing.T) {
	args := []*tensor.Tensor{tensor.Ones(2), nil}
	first := args[0]
	amp.Autocast(func() { tensor.CurrentCastState().Cast("linear", args, 0) })
	if args[0] != first {
		t.Error("the caller's arguments were overwritten")
	}
}

func TestPolicyLists(t *testing.T) {
	for _, p := range []*amp.Policy{amp.CUDAPolicy(), amp.CPUPolicy()} {
		for rule := amp.Low; rule <= amp.Refused; rule++ {
			for _, op := range p.Ops(rule) {
				if got := p.Rule(op); got != rule {
					t.Errorf("%v policy: %s is listed under %v and has rule %v", p, op, rule, got)
				}
			}
		}
	}
	if got := amp.CUDAPolicy().Rule("relu"); got != amp.Untouched {
		t.Errorf("relu: %v, want untouched", got)
	}
}

// TestTwoLossesShareCasts: two losses of one region, each with its own Backward, go through the one
// cached cast of a weight.
func TestTwoLossesShareCasts(t *testing.T) {
	w := tensor.New([][]float32{{1, 2}}).SetRequiresGrad(true)
	x := tensor.New([][]float32{{3, 4}})
	var first, second *tensor.Tensor
	amp.Autocast(func() {
		first, second = tensor.Linear(x, w, nil).Sum(), tensor.Linear(x, w, nil).Sum()
	})
	first.Backward()
	second.Backward()
	if got := w.Grad().Float32s(); got[0] != 6 || got[1] != 8 {
		t.Errorf("gradient %v, want [6 8]", got)
	}
}
