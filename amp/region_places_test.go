package amp_test

import (
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// This file tries regions in unusual places: around Backward, in checkpoints, on many goroutines,
// and with weights that change inside.

// takeGrads returns the gradients of params and removes them.
func takeGrads(params ...*tensor.Tensor) (out [][]float64) {
	for _, p := range params {
		out = append(out, p.Grad().Float64s())
		p.SetGrad(nil)
	}
	return out
}

// elsewhere calls f on another goroutine and waits for it.
func elsewhere(f func()) {
	var wait sync.WaitGroup
	wait.Go(f)
	wait.Wait()
}

// Gradients are the same wherever Backward is called.
func TestBackwardAnywhere(t *testing.T) {
	m := nn.NewSequential(nn.NewLinear(4, 8), nn.NewLayerNorm(8), nn.NewGELU(), nn.NewLinear(8, 3))
	x, y := tensor.Randn(5, 4), tensor.FromInt64([]int64{0, 1, 2, 0, 1}, 5)
	places := map[string]func(backward func()){
		"inside":    func(backward func()) { backward() },
		"nested":    func(b func()) { amp.AutocastWith(amp.Config{DType: tensor.BFloat16}, b) },
		"policy":    func(b func()) { amp.AutocastWith(amp.Config{Policy: amp.CPUPolicy()}, b) },
		"disabled":  func(b func()) { amp.AutocastWith(amp.Config{Disabled: true}, b) },
		"goroutine": func(b func()) { elsewhere(b) },
		"state": func(b func()) {
			state := amp.CaptureState()
			elsewhere(func() { state.With(b) })
		},
	}
	for _, cfg := range []amp.Config{{}, {DType: tensor.BFloat16}, {Policy: amp.CPUPolicy()}} {
		run := func(inside, behind func(backward func())) [][]float64 {
			var loss *tensor.Tensor
			amp.AutocastWith(cfg, func() {
				loss = nn.CrossEntropy(m.Forward(x), y)
				if inside != nil {
					inside(func() { loss.Backward() })
				}
			})
			if behind != nil {
				behind(func() { loss.Backward() })
			}
			return takeGrads(nn.Parameters(m)...)
		}
		want := run(nil, places["inside"])
		for name, place := range places {
			if diff := cmp.Diff(want, run(place, nil)); diff != "" {
				t.Errorf("%+v, %s (-behind the region +there):\n%s", cfg, name, diff)
			}
			if diff := cmp.Diff(want, run(nil, place)); diff != "" {
				t.Errorf("%+v, behind and %s (-behind +there):\n%s", cfg, name, diff)
			}
		}
	}
}

// A cast that is first made in a checkpoint, with recording on or off, serves the ops outside too.
func TestCacheAndCheckpoint(t *testing.T) {
	type layer = func(x *tensor.Tensor) *tensor.Tensor
	w := tensor.Randn(4, 4).SetRequiresGrad(true)
	x := tensor.Randn(3, 4).SetRequiresGrad(true)
	low := amp.Config{DType: tensor.BFloat16}
	plain := func(x *tensor.Tensor) *tensor.Tensor { return tensor.Linear(x, w, nil).Tanh() }
	nested := amp.WrapWith(low, plain)
	checkpoint := func(f layer) layer {
		return func(x *tensor.Tensor) *tensor.Tensor {
			return tensor.Checkpoint(func(in ...*tensor.Tensor) *tensor.Tensor { return f(in[0]) }, x)
		}
	}
	unrecorded := func(f layer) layer {
		return func(x *tensor.Tensor) *tensor.Tensor {
			tensor.NoGrad(func() { f(x) })
			return plain(x)
		}
	}
	for _, cfg := range []amp.Config{{}, {NoCache: true}} {
		run := func(layers ...layer) [][]float64 {
			y := x
			amp.AutocastWith(cfg, func() {
				for _, f := range layers {
					y = f(y)
				}
				y = y.Sum()
			})
			y.Backward()
			return takeGrads(w, x)
		}
		for name, pair := range map[string][2][]layer{
			"first":   {{plain, plain}, {checkpoint(plain), plain}},
			"second":  {{plain, plain}, {plain, checkpoint(plain)}},
			"both":    {{plain, plain, plain}, {checkpoint(plain), plain, checkpoint(plain)}},
			"no_grad": {{plain, plain}, {unrecorded(checkpoint(plain)), plain}},
			"region":  {{nested, plain}, {checkpoint(nested), plain}},
			"twice":   {{plain, nested}, {checkpoint(checkpoint(plain)), nested}},
		} {
			if diff := cmp.Diff(run(pair[0]...), run(pair[1]...)); diff != "" {
				t.Errorf("%s, no cache %v (-without +with checkpoint):\n%s", name, cfg.NoCache, diff)
			}
		}
	}
}

// However a weight is written inside a region, the next op sees it.
func TestCacheSeesWrites(t *testing.T) {
	x, two := tensor.Ones(1, 2), tensor.Full(2, 1, 2)
	step := func(opt func(params []*tensor.Tensor) optim.Optimizer) func(w *tensor.Tensor) {
		return func(w *tensor.Tensor) {
			w.SetGrad(tensor.Full(-1, 1, 2))
			opt([]*tensor.Tensor{w}).Step()
		}
	}
	for name, write := range map[string]func(w *tensor.Tensor){
		"fill":   func(w *tensor.Tensor) { tensor.NoGrad(func() { w.FillInPlace(2) }) },
		"view":   func(w *tensor.Tensor) { w.Detach().Narrow(1, 0, 2).FillInPlace(2) },
		"data":   func(w *tensor.Tensor) { w.SetData(two.Clone()) },
		"copy":   func(w *tensor.Tensor) { tensor.NoGrad(func() { w.CopyFrom(two) }) },
		"dtypes": func(w *tensor.Tensor) { w.SetData(two.To(tensor.Float64)); w.SetData(two.Clone()) },
		"sgd": step(func(params []*tensor.Tensor) optim.Optimizer {
			return optim.NewSGD(params, optim.SGDConfig{LR: 1})
		}),
		"adam": step(func(params []*tensor.Tensor) optim.Optimizer {
			return optim.NewAdam(params, optim.AdamConfig{LR: 1})
		}),
		"rmsprop": step(func(params []*tensor.Tensor) optim.Optimizer {
			return optim.NewRMSprop(params, optim.RMSpropConfig{LR: 0.1})
		}),
		"adagrad": step(func(params []*tensor.Tensor) optim.Optimizer {
			return optim.NewAdagrad(params, optim.AdagradConfig{LR: 1})
		}),
	} {
		w := tensor.Ones(1, 2).SetRequiresGrad(true)
		amp.Autocast(func() {
			before := tensor.Linear(x, w, nil).Item()
			write(w)
			after := tensor.Linear(x, w, nil)
			if before != 2 || math.Abs(after.Item()-4) > 0.01 {
				t.Errorf("%s: %g, then %g: want 2 and 4", name, before, after.Item())
			}
			w.SetGrad(nil)
			after.Sum().Backward()
		})
		if w.Grad() == nil {
			t.Errorf("%s: no gradient", name)
		}
	}
}

// A module may change its dtype, and be frozen and thawed, inside a region.
func TestModuleChangesInside(t *testing.T) {
	x, l := tensor.Ones(1, 2), nn.NewLinear(2, 2)
	dtypes := []tensor.DType{tensor.Float32, tensor.BFloat16, tensor.Float16, tensor.Float32}
	amp.Autocast(func() {
		for _, d := range dtypes {
			nn.To(l, d)
			l.Weight.SetGrad(nil)
			l.Forward(x).Sum().Backward()
			if got := l.Weight.Grad().DType(); got != d {
				t.Errorf("gradient of a %v weight is %v", d, got)
			}
		}
		nn.SetRequiresGrad(l, false)
		if l.Forward(x).RequiresGrad() {
			t.Error("the result of a frozen layer requires a gradient")
		}
		nn.SetRequiresGrad(l, true)
		l.Weight.SetGrad(nil)
		l.Forward(x).Sum().Backward()
		if l.Weight.Grad() == nil {
			t.Error("no gradient after thawing")
		}
	})
}

// Many goroutines in one region leave it by return, panic and Goexit; each has its own state.
func TestRegionOfManyGoroutines(t *testing.T) {
	w, x := tensor.Randn(4, 4).SetRequiresGrad(true), tensor.Randn(2, 4)
	var wait sync.WaitGroup
	check := func(what string, got, want any) {
		if got != want {
			t.Errorf("%s %v, want %v", what, got, want)
		}
	}
	amp.Autocast(func() {
		state := amp.CaptureState()
		for i := range 48 {
			wait.Go(func() {
				defer func() {
					_ = recover()
					check("enabled behind it", amp.Enabled(), false)
				}()
				check("enabled before", amp.Enabled(), false)
				state.With(func() {
					check("linear is", tensor.Linear(x, w, nil).DType(), tensor.Float16)
					amp.AutocastWith(amp.Config{DType: tensor.BFloat16}, func() {
						check("nested linear is", tensor.Linear(x, w, nil).DType(), tensor.BFloat16)
						switch i % 4 {
						case 0:
							panic("one of them")
						case 1:
							runtime.Goexit()
						case 2:
							amp.ClearCache()
						}
					})
				})
			})
		}
		wait.Wait()
		check("enabled inside", amp.Enabled(), true)
	})
}

// Custom functions in nested regions have the same gradients in a checkpoint, and when Backward is
// called in another region.
func TestCustomFunctionsInCheckpoint(t *testing.T) {
	w := tensor.Randn(4, 4).SetRequiresGrad(true)
	x := tensor.Randn(3, 4).SetRequiresGrad(true)
	for _, cast := range []tensor.DType{0, tensor.Float32, tensor.BFloat16} {
		var states []string // in which Backward ran
		product := tensor.Function{
			Forward: amp.CustomFwd(func(c *tensor.Context, in ...*tensor.Tensor) []*tensor.Tensor {
				c.Save(in...)
				return []*tensor.Tensor{in[0].MatMul(in[1])}
			}, amp.CustomConfig{CastInputs: cast}),
			Backward: amp.CustomBwd(func(c *tensor.Context, g ...*tensor.Tensor) []*tensor.Tensor {
				states = append(states, amp.CaptureState().String())
				saved := c.Saved()
				return []*tensor.Tensor{g[0].MatMul(saved[1].T()), saved[0].T().MatMul(g[0])}
			}),
		}
		body := func(in ...*tensor.Tensor) *tensor.Tensor {
			y := product.Apply(in[0], w)[0]
			amp.AutocastWith(amp.Config{Disabled: true}, func() {
				y = product.Apply(y.To(tensor.Float32), w)[0]
			})
			amp.AutocastWith(amp.Config{DType: tensor.BFloat16}, func() { y = product.Apply(y, w)[0] })
			return y
		}
		run := func(f func(in ...*tensor.Tensor) *tensor.Tensor) ([][]float64, []string) {
			var loss *tensor.Tensor
			states = nil
			amp.Autocast(func() { loss = f(x).Sum() })
			amp.AutocastWith(amp.Config{NoCache: true}, func() { loss.Backward() })
			return takeGrads(w, x), states
		}
		want, wantStates := run(body)
		got, gotStates := run(func(in ...*tensor.Tensor) *tensor.Tensor {
			return tensor.Checkpoint(body, in...)
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("cast %v (-without +with checkpoint):\n%s", cast, diff)
		}
		expected := []string{"autocast off", "autocast off", "autocast off"}
		if cast == 0 {
			expected = []string{"autocast to bfloat16, cuda policy", "autocast off",
				"autocast to float16, cuda policy"}
		}
		for _, states := range [][]string{wantStates, gotStates} {
			if diff := cmp.Diff(expected, states); diff != "" {
				t.Errorf("cast %v: states of Backward (-want +got):\n%s", cast, diff)
			}
		}
	}
}
