package tensor_test

import (
	"math"
	"strings"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// cube is a Function that uses an input.
var cube = tensor.Function{
	Name: "cube",
	Forward: func(ctx *tensor.Context, in ...*T) []*T {
		ctx.Save(in[0])
		return []*T{in[0].Pow(3)}
	},
	Backward: func(ctx *tensor.Context, g ...*T) []*T {
		return []*T{g[0].Mul(ctx.Saved()[0].Square()).Mul(3)}
	},
}

// sumAndProduct has two inputs, of which the second is broadcast, and two outputs.
var sumAndProduct = tensor.Function{
	Name: "sum_and_product",
	Forward: func(ctx *tensor.Context, in ...*T) []*T {
		ctx.Save(in...)
		return []*T{in[0].Add(in[1]), in[0].Mul(in[1])}
	},
	Backward: func(ctx *tensor.Context, g ...*T) []*T {
		in := ctx.Saved()
		return []*T{g[0].Add(g[1].Mul(in[1])), g[0].Add(g[1].Mul(in[0]))}
	},
}

// exponential uses its output.
var exponential = tensor.Function{
	Forward: func(ctx *tensor.Context, in ...*T) []*T {
		y := in[0].Exp()
		ctx.Save(nil, y)
		return []*T{y}
	},
	Backward: func(ctx *tensor.Context, g ...*T) []*T { return []*T{g[0].Mul(ctx.Saved()[1])} },
}

func TestFunctions(t *testing.T) {
	x, b := drawn(tensor.Float64, 2, 3), drawn(tensor.Float64, 3)
	for name, c := range map[string]struct{ custom, ops func(x ...*T) *T }{
		"one output": {func(x ...*T) *T { return cube.Apply(x[0])[0].Mul(x[1]) },
			func(x ...*T) *T { return x[0].Pow(3).Mul(x[1]) }},
		"saved output": {func(x ...*T) *T { return exponential.Apply(x[0])[0].Mul(x[1]) },
			func(x ...*T) *T { return x[0].Exp().Mul(x[1]) }},
		"two outputs": {func(x ...*T) *T {
			y := sumAndProduct.Apply(x...)
			return y[0].Mul(y[1]).Add(y[0])
		}, func(x ...*T) *T {
			sum, product := x[0].Add(x[1]), x[0].Mul(x[1])
			return sum.Mul(product).Add(sum)
		}},
		"an unused output": {func(x ...*T) *T { return sumAndProduct.Apply(x...)[1] },
			func(x ...*T) *T { return x[0].Mul(x[1]) }},
		"a chain": {func(x ...*T) *T {
			y := sumAndProduct.Apply(cube.Apply(x[0])[0], x[1])
			return sumAndProduct.Apply(y[1], y[0])[1]
		}, func(x ...*T) *T {
			c := x[0].Pow(3)
			return c.Mul(x[1]).Mul(c.Add(x[1]))
		}},
	} {
		t.Run(name, func(t *testing.T) { checkWrites(t, c.custom, c.ops, x, b) })
	}
}

func TestFunctionContext(t *testing.T) {
	x, frozen := leaf(1, 2), tensor.New([]float32{3, 4})
	var ran bool
	f := tensor.Function{
		Name: "scaled",
		Forward: func(ctx *tensor.Context, in ...*T) []*T {
			equal(t, "unrecorded", tensor.GradEnabled(), false)
			equal(t, "needs", []bool{ctx.NeedsGrad(0), ctx.NeedsGrad(1), ctx.NeedsGrad(2)},
				[]bool{true, false, false})
			ctx.Values["factor"] = 3.0
			sign := in[0].Sign()
			ctx.MarkNonDifferentiable(sign)
			return []*T{in[0].Mul(3), sign, in[0].Argmax(0), in[1]}
		},
		Backward: func(ctx *tensor.Context, g ...*T) []*T {
			ran = true
			equal(t, "unrecorded", tensor.GradEnabled(), false)
			equal(t, "zeros", g[1].Float32s(), []float32{0, 0})
			equal(t, "dtype of zeros", g[2].DType(), tensor.Int64)
			return []*T{g[0].Mul(ctx.Values["factor"].(float64)), g[0], nil}
		},
	}
	y := f.Apply(x, frozen, nil)
	equal(t, "gradients", []bool{
		y[0].RequiresGrad(), y[1].RequiresGrad(), y[2].RequiresGrad(), y[3].RequiresGrad(),
	}, []bool{true, false, false, true})
	equal(t, "printed", strings.Contains(y[0].String(), "grad of scaled"), true)
	y[0].Sum().Backward()
	equal(t, "ran", ran, true)
	equal(t, "gradient", x.Grad().Float32s(), []float32{3, 3})
	if got := reference.Mistake(func() { y[3].AddInPlace(1) }); !strings.Contains(got, "in a Function") {
		t.Errorf("writing to an output that is an input: %q", got)
	}
	tensor.NoGrad(func() { equal(t, "NoGrad", cube.Apply(x)[0].RequiresGrad(), false) })
}

// TestFunctionGradients: what Backward returns is cast and summed by the engine; nil is none.
func TestFunctionGradients(t *testing.T) {
	returns := func(gs ...*T) tensor.Function {
		return tensor.Function{
			Name:     "f",
			Forward:  func(_ *tensor.Context, in ...*T) []*T { return []*T{in[0].Mul(1)} },
			Backward: func(*tensor.Context, ...*T) []*T { return gs },
		}
	}
	half := tensor.Ones(2).To(tensor.Float16)
	x, y := leaf(1, 2), leaf(3, 4)
	returns(half, nil).Apply(x, y)[0].Sum().Backward()
	equal(t, "cast", x.Grad().DType(), tensor.Float32)
	equal(t, "none", y.Grad() == nil, true)
	x.SetGrad(nil)
	shared := tensor.Ones(3, 2)
	returns(shared, shared).Apply(x, y)[0].Sum().Backward()
	equal(t, "summed", x.Grad().Float32s(), []float32{3, 3})
	x.Grad().ZeroInPlace()
	equal(t, "not shared", y.Grad().Float32s(), []float32{3, 3})

	for want, gs := range map[string][]*T{
		"f: Backward returned 1 gradients for 2 inputs; nil stands for none": {half},
		"f: Backward returned int64 for input 1; a gradient is floating point": {
			nil, tensor.New([]int{1, 2})},
		"f: Backward returned a gradient of shape [3] for input 0, which has shape [2]": {
			tensor.Ones(3), nil},
		"f: Backward returned a gradient of shape [] for input 0, which has shape [2]": {
			tensor.Ones(), nil},
	} {
		f := returns(gs...)
		got := reference.Mistake(func() { f.Apply(x, y)[0].Sum().Backward() })
		equal(t, "message", got, want)
	}
}

// TestFunctionOutputs: outputs that are on the tape elsewhere, or are returned twice, become tensors
// of their own.
func TestFunctionOutputs(t *testing.T) {
	x := leaf(1, 2)
	recorded := x.Mul(5)
	f := tensor.Function{
		Forward: func(ctx *tensor.Context, in ...*T) []*T {
			y := in[0].Mul(2)
			ctx.Save(y)
			equal(t, "saved in Forward", ctx.Saved()[0] == y, true)
			ctx.MarkNonDifferentiable(recorded)
			return []*T{y, y, recorded}
		},
		Backward: func(_ *tensor.Context, g ...*T) []*T { return []*T{g[0].Sub(g[1])} },
	}
	y := f.Apply(x)
	y[0].Add(y[1].Mul(3)).Sum().Backward()
	equal(t, "gradient", x.Grad().Float32s(), []float32{-2, -2})
	equal(t, "constant", []bool{y[2].RequiresGrad(), recorded.RequiresGrad()}, []bool{false, true})
}

// TestFunctionNonFinite: a Function is an op to DetectNonFinite, in both directions.
func TestFunctionNonFinite(t *testing.T) {
	x := leaf(1, 2)
	inf := tensor.Full(math.Inf(1), 2)
	give := func(forward, backward *T) func() {
		f := tensor.Function{
			Name:     "given",
			Forward:  func(*tensor.Context, ...*T) []*T { return []*T{forward} },
			Backward: func(*tensor.Context, ...*T) []*T { return []*T{backward} },
		}
		return func() {
			tensor.DetectNonFinite(func() { f.Apply(x)[0].Sum().Backward() })
		}
	}
	equal(t, "forward", reference.Mistake(give(inf, nil)), "given: forward: the result of shape [2] "+
		"(float32) has 2 inf and 0 NaN, computed of a leaf of shape [2], which is finite")
	equal(t, "backward", reference.Mistake(give(tensor.Ones(2), inf)), "given: backward: the gradient "+
		"of shape [2] (float32) has 2 inf and 0 NaN, computed of gradients that are finite: it is "+
		"that of a leaf of shape [2]")
}

func TestFunctionMistakes(t *testing.T) {
	x := leaf(1, 2)
	for want, f := range map[string]func(){
		"f: the Function has no Forward": func() { tensor.Function{Name: "f"}.Apply(x) },
		"f: output 0 of Forward is nil": func() {
			tensor.Function{Name: "f", Forward: func(*tensor.Context, ...*T) []*T {
				return []*T{nil}
			}}.Apply(x)
		},
		"function: the Function has no Backward": func() {
			tensor.Function{Forward: cube.Forward}.Apply(x)[0].Sum().Backward()
		},
		"backward: cube kept a float32 tensor of shape [2] for its gradient, and AddInPlace changed " +
			"it in place afterwards; use the form that is not in place, or change a Clone": func() {
			y := x.Mul(1)
			z := cube.Apply(y)[0]
			y.AddInPlace(1)
			z.Sum().Backward()
		},
		"backward: cube was gone through by an earlier Backward, which used up its tape; set " +
			"RetainGraph there": func() {
			y := cube.Apply(x)[0]
			y.Sum().Backward()
			y.Sum().Backward()
		},
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
	y := cube.Apply(x)[0].Sum()
	x.SetGrad(nil)
	y.Backward(tensor.BackwardConfig{RetainGraph: true})
	y.Backward()
	equal(t, "retained", x.Grad().Float32s(), []float32{6, 24})
}
