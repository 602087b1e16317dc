package tensor_test

import (
	"runtime"
	"sync"
	"testing"
	"weak"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func TestGradientHooks(t *testing.T) {
	x := leaf(1, 2)
	y := x.Mul(3)
	var order []string
	y.RegisterHook(func(g *T) *T {
		order = append(order, "result")
		equal(t, "not recorded", tensor.GradEnabled(), false)
		return g.Mul(2)
	})
	remove := x.RegisterHook(func(g *T) *T {
		order = append(order, "first")
		equal(t, "this Backward's alone", g.Float32s(), []float32{6, 6})
		return nil
	})
	x.RegisterHook(func(g *T) *T {
		order = append(order, "second")
		return g.Add(1)
	})
	for range 2 {
		y.Sum().Backward(tensor.BackwardConfig{RetainGraph: true})
	}
	equal(t, "gradient", x.Grad().Float32s(), []float32{14, 14})
	equal(t, "order", order, []string{"result", "first", "second", "result", "first", "second"})
	remove()
	remove()
	order = nil
	y.Sum().Backward()
	equal(t, "removed", order, []string{"result", "second"})
}

// TestHooksOfAPath: a hook sees the sum of all gradients that come to a tensor.
func TestHooksOfAPath(t *testing.T) {
	x := leaf(1, 2)
	y := x.Mul(1)
	var seen []float32
	y.RegisterHook(func(g *T) *T { seen = g.Float32s(); return nil })
	y.Mul(2).Add(y.Mul(3)).Sum().Backward()
	equal(t, "seen", seen, []float32{5, 5})
}

func TestHooksAndGrad(t *testing.T) {
	x, w := leaf(1, 2), leaf(3, 4)
	y := x.Mul(w)
	calls := map[string]int{}
	count := func(name string) func(g *T) *T {
		return func(g *T) *T { calls[name]++; return g.Mul(2) }
	}
	y.RegisterHook(count("y"))
	x.RegisterHook(count("x"))
	w.RegisterHook(count("w"))
	x.RegisterPostAccumulateGradHook(func(*T) { calls["after"]++ })
	gs := tensor.Grad([]*T{y.Sum()}, []*T{x, y})
	equal(t, "x", gs[0].Float32s(), []float32{12, 16})
	equal(t, "y, before its hook", gs[1].Float32s(), []float32{1, 1})
	equal(t, "calls", calls, map[string]int{"y": 1, "x": 1})
	equal(t, "the leaf's own", x.Grad() == nil, true)
	y = x.Mul(w)
	y.RegisterHook(count("y"))
	gs = tensor.Grad([]*T{y.Sum()}, []*T{y})
	equal(t, "y alone", gs[0].Float32s(), []float32{2, 2})

	// What lies behind the wanted tensors is not gone through, and stays usable.
	h := x.Mul(w)
	z := h.Sum()
	tensor.Grad([]*T{z}, []*T{h})
	h.Backward(tensor.BackwardConfig{Gradient: tensor.Ones(2)})
	equal(t, "went on later", w.Grad().Float32s(), []float32{2, 4})
	unused := leaf(1)
	gs = tensor.Grad([]*T{x.Sum()}, []*T{x, unused}, tensor.GradConfig{Materialize: true})
	equal(t, "materialized", gs[1].Float32s(), []float32{0})
}

func TestPostAccumulateGradHooks(t *testing.T) {
	x := leaf(1, 2)
	steps := 0
	remove := x.RegisterPostAccumulateGradHook(func(p *T) {
		steps++
		tensor.NoGrad(func() { p.AddScaledInPlace(p.Grad(), -1) })
		p.SetGrad(nil)
	})
	x.Sum().Backward()
	x.Sum().Backward()
	equal(t, "stepped", x.Float32s(), []float32{-1, 0})
	equal(t, "steps", steps, 2)
	remove()
	x.Sum().Backward()
	equal(t, "removed", steps, 2)
	equal(t, "message", reference.Mistake(func() {
		x.Mul(2).RegisterPostAccumulateGradHook(func(*T) {})
	}), "register_post_accumulate_grad_hook: the tensor is a result of mul; gradients are added up "+
		"in leaves only: use RegisterHook")
}

func TestRetainGrad(t *testing.T) {
	x := leaf(1, 2)
	y := x.Mul(3).RetainGrad()
	y.RegisterHook(func(g *T) *T { return g.Mul(2) })
	z := y.Mul(y).Sum()
	equal(t, "before", y.Grad() == nil, true)
	z.Backward(tensor.BackwardConfig{RetainGraph: true})
	equal(t, "behind the hooks", y.Grad().Float32s(), []float32{12, 24})
	z.Backward()
	equal(t, "added up", y.Grad().Float32s(), []float32{24, 48})
	equal(t, "leaf", x.RetainGrad() == x, true)

	// The retained gradient is that of the elements that the tensor has, also after writes.
	w := x.Mul(1).RetainGrad()
	var old []float32
	w.RegisterHook(func(g *T) *T { old = g.Float32s(); return nil })
	w.MulInPlace(3)
	w.Mul(5).Sum().Backward()
	equal(t, "written", w.Grad().Float32s(), []float32{5, 5})
	equal(t, "hook of the old elements", old, []float32{15, 15})
}

func TestHookMistakes(t *testing.T) {
	x := leaf(1, 2)
	for want, f := range map[string]func(){
		"register_hook: the tensor does not require a gradient, so none will come": func() {
			tensor.Ones(1).RegisterHook(func(g *T) *T { return g })
		},
		"retain_grad: the tensor does not require a gradient, so none will come": func() {
			tensor.Ones(1).RetainGrad()
		},
		"register_hook: the hook of a result of mul of shape [2] returned float32 of shape [] " +
			"on cpu; its gradient is float32 of shape [2] on cpu": func() {
			y := x.Mul(2)
			y.RegisterHook(func(g *T) *T { return g.Sum() })
			y.Sum().Backward()
		},
	} {
		equal(t, "message", reference.Mistake(f), reference.Here(want))
	}
}

// TestHooksSurviveFreezing: a leaf keeps its hooks while it requires no gradient, and when it holds
// other data.
func TestHooksSurviveFreezing(t *testing.T) {
	x := leaf(1, 2)
	calls := 0
	x.RegisterHook(func(*T) *T { calls++; return nil })
	x.SetRequiresGrad(false).SetRequiresGrad(true)
	x.Sum().Backward()
	x.SetData(tensor.Ones(3).To(tensor.BFloat16))
	x.Sum().Backward()
	equal(t, "calls", calls, 2)
}

// TestHookedGradientsAreNotShared: a gradient that a hook put away does not become the leaf's own.
func TestHookedGradientsAreNotShared(t *testing.T) {
	x := leaf(1, 2)
	var seen *T
	x.RegisterHook(func(g *T) *T { seen = g; return nil })
	x.Mul(2).Sum().Backward()
	x.Grad().ZeroInPlace()
	equal(t, "seen", seen.Float32s(), []float32{2, 2})
}

// TestBackwardCreatesGraph: gradients in Grad can have gradients themselves.
func TestBackwardCreatesGraph(t *testing.T) {
	x := leaf(2)
	config := tensor.BackwardConfig{CreateGraph: true}
	x.Pow(3).Sum().Backward(config)
	x.Pow(2).Sum().Backward(config)
	equal(t, "3x² + 2x", x.Grad().Float32s(), []float32{16})
	g := tensor.Grad([]*T{x.Grad().Sum()}, []*T{x})
	equal(t, "6x + 2", g[0].Float32s(), []float32{14})
	tensor.UnscaleInPlace([]*T{x.Grad()}, 0.5)
	equal(t, "unscaling is not recorded", x.Grad().Float32s(), []float32{8})
}

// TestBackwardFreesTheTape: what ops have kept is let go while the way back goes on.
func TestBackwardFreesTheTape(t *testing.T) {
	x := leaf(1, 2)
	y := x.Mul(1)
	inner := func() (*T, weak.Pointer[T]) {
		h := y.Exp()
		return h.Exp().Sum(), weak.Make(h)
	}
	loss, h := inner()
	runtime.GC()
	equal(t, "kept by the tape", h.Value() != nil, true)
	freed := false
	x.RegisterHook(func(*T) *T {
		runtime.GC()
		freed = h.Value() == nil
		return nil
	})
	loss.Backward()
	equal(t, "freed", freed, true)
	runtime.KeepAlive(loss)
}

// TestConcurrentBackward: graphs that share leaves alone may be gone through at once.
func TestConcurrentBackward(t *testing.T) {
	w, b := tensor.Ones(8, 8).SetRequiresGrad(true), tensor.Zeros(8).SetRequiresGrad(true)
	low := w.To(tensor.BFloat16) // a cast may be shared too
	const n = 16
	var wait sync.WaitGroup
	for range n {
		wait.Go(func() {
			x := tensor.Ones(4, 8)
			tensor.Linear(x, w, b).Add(low.Sum()).Sum().Backward()
		})
	}
	wait.Wait()
	equal(t, "weight", w.Grad().Sum().Item(), float64(n*(4*64+4*8*64)))
	equal(t, "bias", b.Grad().Sum().Item(), float64(n*32))
}

// TestDeepGraphs: graphs of views and writes are not gone through by recursion either.
func TestDeepGraphs(t *testing.T) {
	x := leaf(1)
	y := x.Mul(1)
	for range reference.Fewer(30_000, 1000) {
		y.AddInPlace(0)
		y.Reshape(1, 1).AddInPlace(0)
		y = y.Reshape(1)
	}
	y.Backward()
	equal(t, "gradient", x.Grad().Float32s(), []float32{1})
}

func TestDetectNonFinite(t *testing.T) {
	w := tensor.New([]float32{0, 1}).SetRequiresGrad(true).SetName("layer.weight")
	for want, f := range map[string]func(){
		"log: forward: the result of shape [2] (float32) has 1 inf and 0 NaN, computed of " +
			"layer.weight, which is finite": func() { w.Add(0).Mul(1); w.Log() },
		"mul: forward: the result of shape [2] (float16) has 1 inf and 0 NaN, computed of a result of " +
			"to of shape [2], a tensor of shape [], which are finite": func() {
			w.Add(1).To(tensor.Float16).Mul(tensor.New(4e4).To(tensor.Float16))
		},
		"to: forward: the result of shape [2] (float16) has 1 inf and 0 NaN, computed of a tensor " +
			"of shape [2], which is finite": func() {
			tensor.New([]float32{1, 1e5}).To(tensor.Float16)
		},
		"div: forward: the result of shape [2] (float32) has 0 inf and 1 NaN, computed of a tensor " +
			"of shape [2], a tensor of shape [2], which are finite": func() {
			tensor.NoGrad(func() { tensor.Zeros(2).DivInPlace(w.Detach()) })
		},
		"sqrt: backward: the gradient of shape [2] (float32) has 1 inf and 0 NaN, computed of " +
			"gradients that are finite: it is that of layer.weight": func() {
			w.Sqrt().Sum().Backward()
		},
		"mul: backward: the gradient of shape [2] (float16) has 2 inf and 0 NaN, computed of " +
			"gradients that are finite: it is that of a result of to of shape [2]": func() {
			w.To(tensor.Float16).Mul(tensor.New(60000.).To(tensor.Float16)).SumAs(tensor.Float32).
				Mul(4).Backward()
		},
		"backward: the gradient of shape [2] (float32) has 1 inf and 0 NaN, added up of gradients " +
			"that are finite: it is that of layer.weight": func() {
			w.Mul(3e38).Index(0).Add(w.Mul(1e38).Index(0)).Backward()
		},
	} {
		got := reference.Mistake(func() { tensor.DetectNonFinite(f) })
		equal(t, "message", got, want)
	}
	// Nothing is said of what was not finite before, outside of the block, or on purpose.
	w.SetGrad(nil)
	tensor.DetectNonFinite(func() {
		tensor.New([]float32{0}).Sub(1).Mul(2)
		tensor.Full(1, 2).MulInPlace(3).FillInPlace(1 / tensor.Zeros().Item()).AddInPlace(1)
		w.Add(1).Square().Sum().Backward()
	})
	equal(t, "gradient", w.Grad().Float32s(), []float32{2, 4})
	equal(t, "after", reference.Mistake(func() { w.Log() }), "no panic")
}
