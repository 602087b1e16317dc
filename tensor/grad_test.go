package tensor_test

import (
	"runtime"
	"strings"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func leaf(values ...float32) *tensor.Tensor { return tensor.New(values).SetRequiresGrad(true) }

func TestBackwardAccumulates(t *testing.T) {
	x := leaf(1, 2)
	for range 2 {
		x.Mul(3).Sum().Backward()
	}
	equal(t, "twice", x.Grad().Float32s(), []float32{6, 6})
	y := x.Mul(x).Sum()
	y.Backward(tensor.BackwardConfig{RetainGraph: true})
	y.Backward()
	equal(t, "retained", x.Grad().Float32s(), []float32{10, 14})
	equal(t, "used up", reference.Mistake(func() { y.Backward() }), "backward: mul was gone through by an "+
		"earlier Backward, which used up its tape; set RetainGraph there")
}

// TestBackwardTwiceThroughOneCast: two losses of one weight share its cast, and each has a Backward.
func TestBackwardTwiceThroughOneCast(t *testing.T) {
	w := leaf(1, 2)
	low := w.To(tensor.Float16)
	first, second := low.Mul(tensor.New([]float32{3, 4}).To(tensor.Float16)).Sum(), low.Add(1).Sum()
	first.Backward()
	second.Backward()
	equal(t, "gradient", w.Grad().Float32s(), []float32{4, 5})
}

// TestGradientsAreNotShared: gradients that pass through unchanged must not end in two leaves as
// one tensor, or unscaling would divide them twice.
func TestGradientsAreNotShared(t *testing.T) {
	x, y := leaf(1, 2), leaf(3, 4)
	seed := tensor.Ones(2)
	x.Add(y).Backward(tensor.BackwardConfig{Gradient: seed})
	tensor.UnscaleInPlace([]*T{x.Grad(), y.Grad()}, 0.5)
	equal(t, "x", x.Grad().Float32s(), []float32{0.5, 0.5})
	equal(t, "y", y.Grad().Float32s(), []float32{0.5, 0.5})
	equal(t, "seed", seed.Float32s(), []float32{1, 1})

	w := leaf(1, 2, 3, 4)
	w.Reshape(2, 2).Mean(0).Sum().Backward() // an expanded view must become a tensor of its own
	w.Grad().MulInPlace(2)
	equal(t, "expanded", w.Grad().Float32s(), []float32{1, 1, 1, 1})
}

// TestGradientDTypes: a gradient has its tensor's dtype; on the way it is rounded where the
// forward pass was.
func TestGradientDTypes(t *testing.T) {
	w := leaf(1, 2)
	h := w.To(tensor.Float16)
	h.Mul(1e-8).SumAs(tensor.Float32).Backward()
	equal(t, "dtype", w.Grad().DType(), tensor.Float32)
	equal(t, "underflow", w.Grad().Float32s(), []float32{0, 0})
	w.SetGrad(nil)
	w.To(tensor.Float16).Mul(1e-8).SumAs(tensor.Float32).Mul(32768).Backward()
	equal(t, "scaled", w.Grad().Float32s(), []float32{0.00032758713, 0.00032758713})
	mixed := leaf(1, 2)
	mixed.Mul(tensor.New([]float64{3, 4})).Sum().Backward()
	equal(t, "float64 beside float32", mixed.Grad().DType(), tensor.Float32)
}

func TestBackwardMistakes(t *testing.T) {
	x := leaf(1, 2)
	for want, f := range map[string]func(){
		"backward: a tensor of shape [2] needs a gradient: reduce it with Sum or Mean, or give " +
			"one in the config": func() { x.Mul(2).Backward() },
		"backward: the tensor does not require a gradient: no tensor it was computed from had " +
			"SetRequiresGrad(true), or it was computed under NoGrad": func() {
			tensor.Ones().Backward()
		},
		"backward: the gradient has shape [3] and the tensor [2]": func() {
			x.Mul(2).Backward(tensor.BackwardConfig{Gradient: tensor.Ones(3)})
		},
		"requires_grad: a tensor of int64 has no gradient; floating point has": func() {
			tensor.New([]int{1}).SetRequiresGrad(true)
		},
		"requires_grad: the tensor is a result of mul; use Detach to cut it off": func() {
			x.Mul(2).SetRequiresGrad(false)
		},
		"grad: shape [3] is not the tensor's [2]": func() { x.SetGrad(tensor.Ones(3)) },
		"grad: float16 on cpu is not the tensor's float32 on cpu": func() {
			x.SetGrad(tensor.Ones(2).To(tensor.Float16))
		},
		"AddInPlace: a leaf that requires a gradient cannot be written in place: the gradient " +
			"would be that of its old elements; update it under NoGrad, or use the op that " +
			"returns a new tensor": func() {
			x.AddInPlace(1)
		},
		"ZeroInPlace: a view of a leaf that requires a gradient cannot be written in place: the " +
			"gradient would be that of its old elements; update it under NoGrad, or use the op " +
			"that returns a new tensor": func() {
			x.Reshape(2, 1).Index(0).ZeroInPlace()
		},
	} {
		equal(t, "message", reference.Mistake(f), reference.Here(want))
	}
}

// TestKeptTensorsStay: changing in place what a gradient needs is an error that names both ops.
func TestKeptTensorsStay(t *testing.T) {
	x := leaf(1, 2)
	y := x.Exp()
	y.Detach().MulInPlace(2)
	got := reference.Mistake(func() { y.Sum().Backward() })
	if !strings.Contains(got, "exp kept a float32 tensor of shape [2]") ||
		!strings.Contains(got, "MulInPlace changed it in place") {
		t.Errorf("message %q", got)
	}
	// What the gradient does not need may change.
	w, data := leaf(3, 4), tensor.New([]float32{1, 2})
	loss := data.Mul(w).Sum()
	tensor.NoGrad(func() { w.AddInPlace(1) })
	loss.Backward()
	equal(t, "gradient", w.Grad().Float32s(), []float32{1, 2})
	// A view counts as its base.
	z := x.Mul(x).Sum()
	tensor.NoGrad(func() { x.Slice(0, 0, 1).ZeroInPlace() })
	if got := reference.Mistake(func() { z.Backward() }); !strings.Contains(got, "ZeroInPlace") {
		t.Errorf("message %q", got)
	}
}

func TestNoGrad(t *testing.T) {
	x := leaf(1)
	tensor.NoGrad(func() {
		equal(t, "off", tensor.GradEnabled(), false)
		equal(t, "result", x.Mul(2).RequiresGrad(), false)
		tensor.EnableGrad(func() { equal(t, "on inside", x.Mul(2).RequiresGrad(), true) })
		equal(t, "off again", tensor.GradEnabled(), false)
		other := make(chan bool)
		go func() { other <- tensor.GradEnabled() }()
		equal(t, "another goroutine", <-other, true)
	})
	equal(t, "on", tensor.GradEnabled(), true)
	equal(t, "a panic passes", reference.Mistake(func() {
		tensor.NoGrad(func() { x.Index(7) })
	}), "index: position 7 is outside of the first dimension of shape [1]")
	equal(t, "on after a panic", tensor.GradEnabled(), true)
	done := make(chan bool)
	go func() {
		defer func() { done <- tensor.GradEnabled() }()
		tensor.NoGrad(runtime.Goexit)
	}()
	equal(t, "on after Goexit", <-done, true)
}

// TestBackwardIsNotRecursive goes through a graph deeper than a recursion could.
func TestBackwardIsNotRecursive(t *testing.T) {
	x := leaf(1)
	y := x
	for range 100_000 {
		y = y.Add(0)
	}
	y.Backward()
	equal(t, "gradient", x.Grad().Float32s(), []float32{1})
}

// TestBackwardOrder: a node waits for all gradients that arrive by ways of different length.
func TestBackwardOrder(t *testing.T) {
	x := leaf(2)
	a := x.Mul(x)         // 4
	b := a.Mul(a).Mul(a)  // a³
	c := b.Add(a).Mul(x)  // x⁷ + x³
	c.Add(b.Sub(a)).Sum() // not followed
	c.Backward()
	equal(t, "7x⁶ + 3x²", x.Grad().Float32s(), []float32{7*64 + 3*4})
}

func TestLeaves(t *testing.T) {
	x := leaf(1, 2)
	y := x.Mul(2)
	equal(t, "leaf", x.IsLeaf(), true)
	equal(t, "result", y.IsLeaf(), false)
	equal(t, "no gradient", tensor.Ones(1).IsLeaf(), true)
	equal(t, "detached", y.Detach().RequiresGrad(), false)
	equal(t, "view", x.Reshape(2, 1).IsView(), true)
	equal(t, "not a view", y.IsView(), false)
	v := x.Version()
	tensor.NoGrad(func() { x.Index(0).FillInPlace(3) })
	equal(t, "version", x.Version(), v+1)
}

func TestGradFunction(t *testing.T) {
	x, unused := leaf(1, 2), leaf(1)
	h := x.Mul(3)
	y := h.Mul(h).Sum()
	g := tensor.Grad([]*T{y}, []*T{x, h, unused})
	equal(t, "leaf", g[0].Float32s(), []float32{18, 36})
	equal(t, "inner", g[1].Float32s(), []float32{6, 12})
	equal(t, "unused", g[2] == nil, true)
	equal(t, "leaf's own", x.Grad() == nil, true)
}

// TestGradCheckFinds: a wrong gradient is found, and said where.
func TestGradCheckFinds(t *testing.T) {
	x := tensor.New([]float64{1, 2}).SetRequiresGrad(true)
	err := tensor.GradCheck(func(xs ...*T) *T { return xs[0].Mul(xs[0].Detach()) }, x)
	if err == nil || !strings.Contains(err.Error(), "input 0 of shape [2], element 0") {
		t.Errorf("error %v", err)
	}
	if err := tensor.GradCheck(func(xs ...*T) *T { return xs[0] }, leaf(1)); err == nil {
		t.Error("float32 was accepted")
	}
}

// TestSecondGradients: the gradients' own gradients agree with differences.
func TestSecondGradients(t *testing.T) {
	for name, f := range map[string]func(x *T) *T{
		"sigmoid": (*T).Sigmoid, "tanh": (*T).Tanh, "relu": (*T).ReLU, "square": (*T).Square,
		"matmul": func(x *T) *T { return x.MatMul(x.T()) },
		"div":    func(x *T) *T { return tensor.OnesLike(x).Div(x.Add(3)) },
		"mean":   func(x *T) *T { return x.Mul(x).Mean(0) },
		"slice cat": func(x *T) *T {
			return tensor.Cat([]*T{x.Mul(x), x.Slice(0, 1, 3)}, 0).Pow(3)
		},
		"softmax": func(x *T) *T { return x.Softmax(1) },
		"linear": func(x *T) *T {
			return tensor.Linear(x, x.Slice(0, 0, 2), x.Index(0).Slice(0, 0, 2))
		},
		"gather": func(x *T) *T {
			return x.Mul(x).Gather(0, tensor.New([][]int{{0, 1}, {1, 1}}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := tensor.Randn(3, 3).To(tensor.Float64)
			w := tensor.Randn(3, 3).To(tensor.Float64)
			err := tensor.GradCheck(func(xs ...*T) *T {
				y := f(xs[0]).Square().Sum()
				g := tensor.Grad([]*T{y}, xs, tensor.GradConfig{CreateGraph: true})
				return g[0].Mul(w)
			}, x.SetRequiresGrad(true))
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSetData: a leaf that holds other data keeps its identity and wants gradients of its new dtype.
func TestSetData(t *testing.T) {
	w := leaf(1, 2)
	w.Sum().Backward()
	before := w.Version()
	w.SetData(w.Detach().To(tensor.Float16))
	if w.DType() != tensor.Float16 || w.Grad() != nil || !w.RequiresGrad() || !w.IsLeaf() ||
		w.Version() <= before {
		t.Errorf("dtype %s, gradient %v, version %d after %d", w.DType(), w.Grad(), w.Version(), before)
	}
	w.Mul(2).Sum().Backward()
	equal(t, "gradient", w.Grad().Float32s(), []float32{2, 2})
	equal(t, "dtype", w.Grad().DType(), tensor.Float16)
	got := reference.Mistake(func() { w.SetData(tensor.New([]int{1})) })
	equal(t, "integers", got, "setdata: a tensor that requires a gradient cannot hold int64")
}

// TestSetDataAndTape: what was recorded before SetData or freezing gives the right gradient, none,
// or an error.
func TestSetDataAndTape(t *testing.T) {
	source, w := leaf(1, 2), leaf(1, 2)
	tensor.NoGrad(func() { w.AddInPlace(1).AddInPlace(1) })
	y := source.Square()
	w.SetData(source)
	y.Sum().Backward()
	equal(t, "the gradient of who gave the data", source.Grad().Float32s(), []float32{2, 4})

	kept, sum := w.Mul(w).Sum(), w.Add(1).Sum()
	half := w.Detach().To(tensor.Float16)
	w.SetData(half)
	equal(t, "kept", reference.Mistake(func() { kept.Backward() }), "backward: mul kept a "+
		"float16 tensor of shape [2] for its gradient, and SetData changed it in place "+
		"afterwards; use the form that is not in place, or change a Clone")
	equal(t, "another dtype", reference.Mistake(func() { sum.Backward() }), reference.Here("backward: "+
		"a leaf of shape [2] was float32 of shape [2] on cpu when it was used, and SetData made it "+
		"float16 of shape [2] on cpu; go back before"))

	frozen, other := leaf(1, 2), leaf(3, 4)
	product := frozen.Mul(other).Sum()
	frozen.SetRequiresGrad(false)
	product.Backward()
	equal(t, "frozen", frozen.Grad() == nil, true)
	equal(t, "the other", other.Grad().Float32s(), []float32{1, 2})
}

// TestBackwardAfterPanic: a run that a hook has ended does not stand in the way of the next, nor
// does one that goes on meanwhile.
func TestBackwardAfterPanic(t *testing.T) {
	x := leaf(1, 2, 3)
	cube := x.Mul(x).Mul(x).Sum()
	remove := x.RegisterHook(func(*T) *T { panic("enough") })
	func() {
		defer func() { recover() }()
		cube.Backward(tensor.BackwardConfig{RetainGraph: true})
	}()
	remove()
	inner := false
	square := x.Mul(x)
	sum := square.Sum()
	square.RegisterHook(func(*T) *T {
		if !inner {
			inner = true
			sum.Backward(tensor.BackwardConfig{RetainGraph: true})
		}
		return nil
	})
	sum.Backward(tensor.BackwardConfig{RetainGraph: true})
	cube.Backward()
	equal(t, "gradient", x.Grad().Float64s(), []float64{4 + 3, 8 + 12, 12 + 27})
}
