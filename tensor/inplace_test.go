package tensor_test

import (
	"strings"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// inPlaceForms are in-place ops and what they compute; b is broadcast.
var inPlaceForms = []struct {
	name     string
	write    func(t, b *T) *T
	function func(t, b *T) *T
}{
	{"add", func(t, b *T) *T { return t.AddInPlace(b) }, func(t, b *T) *T { return t.Add(b) }},
	{"add_number", func(t, b *T) *T { return t.AddInPlace(2) }, func(t, b *T) *T { return t.Add(2) }},
	{"sub", func(t, b *T) *T { return t.SubInPlace(b) }, func(t, b *T) *T { return t.Sub(b) }},
	{"sub_number", func(t, b *T) *T { return t.SubInPlace(2) }, func(t, b *T) *T { return t.Sub(2) }},
	{"mul", func(t, b *T) *T { return t.MulInPlace(b) }, func(t, b *T) *T { return t.Mul(b) }},
	{"mul_self", func(t, b *T) *T { return t.MulInPlace(t) }, func(t, b *T) *T { return t.Mul(t) }},
	{"div", func(t, b *T) *T { return t.DivInPlace(b) }, func(t, b *T) *T { return t.Div(b) }},
	{"div_number", func(t, b *T) *T { return t.DivInPlace(3) }, func(t, b *T) *T { return t.Div(3) }},
	{"maximum", func(t, b *T) *T { return t.MaximumInPlace(b) },
		func(t, b *T) *T { return t.Maximum(b) }},
	{"minimum", func(t, b *T) *T { return t.MinimumInPlace(b) },
		func(t, b *T) *T { return t.Minimum(b) }},
	{"addcmul", func(t, b *T) *T { return t.AddcmulInPlace(b, b, 0.5) },
		func(t, b *T) *T { return t.Addcmul(b, b, 0.5) }},
	{"addcdiv", func(t, b *T) *T { return t.AddcdivInPlace(b, b.Add(1), 0.5) },
		func(t, b *T) *T { return t.Addcdiv(b, b.Add(1), 0.5) }},
	{"add_scaled", func(t, b *T) *T { return t.AddScaledInPlace(b, 0.5) },
		func(t, b *T) *T { return t.Add(b.Mul(0.5)) }},
	{"lerp", func(t, b *T) *T { return t.LerpInPlace(b, 0.25) },
		func(t, b *T) *T { return t.Lerp(b, 0.25) }},
	{"pow", func(t, b *T) *T { return t.PowInPlace(b) }, func(t, b *T) *T { return t.Pow(b) }},
	{"pow_number", func(t, b *T) *T { return t.PowInPlace(3) }, func(t, b *T) *T { return t.Pow(3) }},
	{"square", func(t, b *T) *T { return t.SquareInPlace() }, func(t, b *T) *T { return t.Square() }},
	{"neg", func(t, b *T) *T { return t.NegInPlace() }, func(t, b *T) *T { return t.Neg() }},
	{"abs", func(t, b *T) *T { return t.AbsInPlace() }, func(t, b *T) *T { return t.Abs() }},
	{"exp", func(t, b *T) *T { return t.ExpInPlace() }, func(t, b *T) *T { return t.Exp() }},
	{"log", func(t, b *T) *T { return t.LogInPlace() }, func(t, b *T) *T { return t.Log() }},
	{"sqrt", func(t, b *T) *T { return t.SqrtInPlace() }, func(t, b *T) *T { return t.Sqrt() }},
	{"rsqrt", func(t, b *T) *T { return t.RsqrtInPlace() }, func(t, b *T) *T { return t.Rsqrt() }},
	{"reciprocal", func(t, b *T) *T { return t.ReciprocalInPlace() },
		func(t, b *T) *T { return t.Reciprocal() }},
	{"sigmoid", func(t, b *T) *T { return t.SigmoidInPlace() }, func(t, b *T) *T { return t.Sigmoid() }},
	{"tanh", func(t, b *T) *T { return t.TanhInPlace() }, func(t, b *T) *T { return t.Tanh() }},
	{"relu", func(t, b *T) *T { return t.ReLUInPlace() }, func(t, b *T) *T { return t.ReLU() }},
	{"clamp", func(t, b *T) *T { return t.ClampInPlace(0.7, 1.2) },
		func(t, b *T) *T { return t.Clamp(0.7, 1.2) }},
	{"sin", func(t, b *T) *T { return t.SinInPlace() }, func(t, b *T) *T { return t.Sin() }},
	{"cos", func(t, b *T) *T { return t.CosInPlace() }, func(t, b *T) *T { return t.Cos() }},
	{"tan", func(t, b *T) *T { return t.TanInPlace() }, func(t, b *T) *T { return t.Tan() }},
	{"asin", func(t, b *T) *T { return t.MulInPlace(0.4).AsinInPlace() },
		func(t, b *T) *T { return t.Mul(0.4).Asin() }},
	{"acos", func(t, b *T) *T { return t.MulInPlace(0.4).AcosInPlace() },
		func(t, b *T) *T { return t.Mul(0.4).Acos() }},
	{"atan", func(t, b *T) *T { return t.AtanInPlace() }, func(t, b *T) *T { return t.Atan() }},
	{"sinh", func(t, b *T) *T { return t.SinhInPlace() }, func(t, b *T) *T { return t.Sinh() }},
	{"cosh", func(t, b *T) *T { return t.CoshInPlace() }, func(t, b *T) *T { return t.Cosh() }},
	{"erf", func(t, b *T) *T { return t.ErfInPlace() }, func(t, b *T) *T { return t.Erf() }},
	{"erfinv", func(t, b *T) *T { return t.MulInPlace(0.4).ErfinvInPlace() },
		func(t, b *T) *T { return t.Mul(0.4).Erfinv() }},
	{"expm1", func(t, b *T) *T { return t.Expm1InPlace() }, func(t, b *T) *T { return t.Expm1() }},
	{"log1p", func(t, b *T) *T { return t.Log1pInPlace() }, func(t, b *T) *T { return t.Log1p() }},
	{"log2", func(t, b *T) *T { return t.Log2InPlace() }, func(t, b *T) *T { return t.Log2() }},
	{"log10", func(t, b *T) *T { return t.Log10InPlace() }, func(t, b *T) *T { return t.Log10() }},
	{"floor", func(t, b *T) *T { return t.FloorInPlace() }, func(t, b *T) *T { return t.Floor() }},
	{"ceil", func(t, b *T) *T { return t.CeilInPlace() }, func(t, b *T) *T { return t.Ceil() }},
	{"round", func(t, b *T) *T { return t.RoundInPlace() }, func(t, b *T) *T { return t.Round() }},
	{"trunc", func(t, b *T) *T { return t.TruncInPlace() }, func(t, b *T) *T { return t.Trunc() }},
	{"silu", func(t, b *T) *T { return t.SiLUInPlace() }, func(t, b *T) *T { return t.SiLU() }},
	{"mish", func(t, b *T) *T { return t.MishInPlace() }, func(t, b *T) *T { return t.Mish() }},
	{"hardswish", func(t, b *T) *T { return t.HardswishInPlace() }, func(t, b *T) *T { return t.Hardswish() }},
	{"hardsigmoid", func(t, b *T) *T { return t.HardsigmoidInPlace() }, func(t, b *T) *T { return t.Hardsigmoid() }},
	{"elu", func(t, b *T) *T { return t.ELUInPlace(0.5) },
		func(t, b *T) *T { return t.ELU(0.5) }},
	{"leakyrelu", func(t, b *T) *T { return t.LeakyReLUInPlace(0.5) },
		func(t, b *T) *T { return t.LeakyReLU(0.5) }},
	{"hardtanh", func(t, b *T) *T { return t.HardtanhInPlace(0.7, 1.2) },
		func(t, b *T) *T { return t.Hardtanh(0.7, 1.2) }},
	{"clampmin", func(t, b *T) *T { return t.ClampMinInPlace(0.9) },
		func(t, b *T) *T { return t.ClampMin(0.9) }},
	{"clampmax", func(t, b *T) *T { return t.ClampMaxInPlace(1.1) },
		func(t, b *T) *T { return t.ClampMax(1.1) }},
	{"atan2", func(t, b *T) *T { return t.Atan2InPlace(b) },
		func(t, b *T) *T { return t.Atan2(b) }},
	{"fmod", func(t, b *T) *T { return t.FmodInPlace(b) },
		func(t, b *T) *T { return t.Fmod(b) }},
	{"remainder", func(t, b *T) *T { return t.RemainderInPlace(b) },
		func(t, b *T) *T { return t.Remainder(b) }},
	{"cumsum", func(t, b *T) *T { return t.CumsumInPlace(0) },
		func(t, b *T) *T { return t.Cumsum(0) }},
	{"cumprod", func(t, b *T) *T { return t.CumprodInPlace(0) },
		func(t, b *T) *T { return t.Cumprod(0) }},
	{"masked_fill", func(t, b *T) *T { return t.MaskedFillInPlace(b.Gt(1), 5) },
		func(t, b *T) *T { return tensor.Where(b.Gt(1), tensor.New(5.0).To(t.DType()), t) }},
	{"copy", func(t, b *T) *T { return t.CopyFrom(b) },
		func(t, b *T) *T { return t.Mul(0).Add(b) }},
	{"zero", func(t, b *T) *T { return t.ZeroInPlace() }, func(t, b *T) *T { return t.Mul(0) }},
	{"fill", func(t, b *T) *T { return t.FillInPlace(3) },
		func(t, b *T) *T { return t.Mul(0).Add(3) }},
}

func drawn(d tensor.DType, shape ...int) *T {
	return tensor.Rand(shape...).To(tensor.Float64).Add(0.5).To(d)
}

// TestInPlaceForms: an in-place op gives what the op gives that is not in place, recorded or not,
// and the gradients of first and second order.
func TestInPlaceForms(t *testing.T) {
	for _, form := range inPlaceForms {
		t.Run(form.name, func(t *testing.T) {
			for _, d := range []tensor.DType{
				tensor.Float64, tensor.Float32, tensor.Float16, tensor.BFloat16,
			} {
				x, b := drawn(d, 2, 3), drawn(d, 3)
				want := form.function(x, b).To(d).Float64s()
				plain := x.Clone()
				equal(t, d.String()+" returns its receiver", form.write(plain, b) == plain, true)
				near(t, d.String(), plain.Float64s(), want, d, 10)
				equal(t, d.String()+" version", plain.Version() > 0, true)
				y := x.SetRequiresGrad(true).Clone()
				form.write(y, b)
				near(t, d.String()+" recorded", y.Float64s(), want, d, 10)
				equal(t, d.String()+" dtype", y.DType(), d)
				equal(t, d.String()+" requires a gradient", y.RequiresGrad(), true)
			}
			x, b := drawn(tensor.Float64, 2, 3), drawn(tensor.Float64, 3)
			checkWrites(t, func(x ...*T) *T { return form.write(x[0].Mul(x[0]), x[1]) },
				func(x ...*T) *T { return form.function(x[0].Mul(x[0]), x[1]) }, x, b)
		})
	}
}

// checkWrites compares f, which writes in place, with g, which does not: values, gradients, and
// both orders of f's gradients with differences.
func checkWrites(t *testing.T, f, g func(x ...*T) *T, inputs ...*T) {
	t.Helper()
	for _, x := range inputs {
		x.SetRequiresGrad(true)
	}
	gradients := func(f func(x ...*T) *T) (value []float64, gs [][]float64) {
		y := f(inputs...)
		weights := tensor.Arange(float64(y.Numel())).Add(1).Reshape(y.Shape()...)
		for i, g := range tensor.Grad([]*T{y.Mul(weights).Sum()}, inputs) {
			if g == nil {
				g = tensor.ZerosLike(inputs[i])
			}
			gs = append(gs, g.Float64s())
		}
		return y.Float64s(), gs
	}
	value, gs := gradients(f)
	want, wantGs := gradients(g)
	near(t, "value", value, want, tensor.Float64, 100)
	for i := range gs {
		near(t, "gradient", gs[i], wantGs[i], tensor.Float64, 100)
	}
	if err := tensor.GradCheck(f, inputs...); err != nil {
		t.Error(err)
	}
	if err := tensor.GradGradCheck(f, inputs...); err != nil {
		t.Error(err)
	}
}

// TestInPlaceThroughViews: a write through a view changes its base and all its views, and the
// gradients know it.
func TestInPlaceThroughViews(t *testing.T) {
	column := func(b *T) *T { return b.Reshape(3, 1) }
	for name, c := range map[string]struct{ write, function func(x ...*T) *T }{
		"row of zeros": {func(x ...*T) *T {
			out := tensor.Zeros(2, 3).To(tensor.Float64)
			out.Index(0).CopyFrom(x[1])
			out.Index(1).CopyFrom(x[1].Mul(2))
			return out
		}, func(x ...*T) *T { return tensor.Stack([]*T{x[1], x[1].Mul(2)}, 0) }},
		"base follows": {func(x ...*T) *T {
			y := x[0].Mul(x[0])
			y.Index(1).MulInPlace(x[1])
			return y
		}, func(x ...*T) *T {
			y := x[0].Mul(x[0])
			return tensor.Stack([]*T{y.Index(0), y.Index(1).Mul(x[1])}, 0)
		}},
		"view follows base": {func(x ...*T) *T {
			y := x[0].Mul(x[0])
			v := y.Index(1)
			y.MulInPlace(x[1])
			return v.Mul(v)
		}, func(x ...*T) *T {
			v := x[0].Mul(x[0]).Mul(x[1]).Index(1)
			return v.Mul(v)
		}},
		"sibling follows": {func(x ...*T) *T {
			y := x[0].Mul(x[0])
			transposed, row := y.T(), y.Index(0)
			row.AddInPlace(x[1])
			return transposed.Mul(column(x[1]))
		}, func(x ...*T) *T {
			y := x[0].Mul(x[0])
			y = tensor.Stack([]*T{y.Index(0).Add(x[1]), y.Index(1)}, 0)
			return y.T().Mul(column(x[1]))
		}},
		"view of a view": {func(x ...*T) *T {
			y := x[0].Mul(x[0])
			v := y.T().Slice(0, 1, 3)
			w := v.Index(1)
			w.MulInPlace(x[1].Slice(0, 0, 2))
			v.AddInPlace(1)
			return tensor.Cat([]*T{y.Reshape(-1), v.Reshape(-1), w.Reshape(-1)}, 0)
		}, func(x ...*T) *T {
			y := x[0].Mul(x[0]).T()
			last := y.Index(2).Mul(x[1].Slice(0, 0, 2)).Add(1)
			y = tensor.Stack([]*T{y.Index(0), y.Index(1).Add(1), last}, 0)
			return tensor.Cat([]*T{y.T().Reshape(-1), y.Slice(0, 1, 3).Reshape(-1), last}, 0)
		}},
		"several writes to one view": {func(x ...*T) *T {
			y := x[0].Mul(1)
			v := y.Slice(1, 0, 2)
			v.ExpInPlace()
			v.MulInPlace(x[0].Slice(1, 1, 3))
			y.TanhInPlace()
			return y.Add(v.Sum())
		}, func(x ...*T) *T {
			v := x[0].Slice(1, 0, 2).Exp().Mul(x[0].Slice(1, 1, 3)).Tanh()
			return tensor.Cat([]*T{v, x[0].Slice(1, 2, 3).Tanh()}, 1).Add(v.Sum())
		}},
		"expanded view of a written base": {func(x ...*T) *T {
			y := x[1].Mul(1)
			e := y.Expand(2, 3)
			y.MulInPlace(x[1])
			return e.Mul(x[0])
		}, func(x ...*T) *T { return x[1].Mul(x[1]).Mul(x[0]) }},
		"part of a permuted base": {func(x ...*T) *T {
			y := x[0].Mul(x[0]).T().Contiguous().T()
			v := y.Detach().CopyFrom(y) // a base of its own that is not row-major
			v.Index(0).MulInPlace(x[1])
			return tensor.Cat([]*T{v.Reshape(-1), v.T().Reshape(-1)}, 0)
		}, func(x ...*T) *T {
			y := x[0].Mul(x[0])
			y = tensor.Stack([]*T{y.Index(0).Mul(x[1]), y.Index(1)}, 0)
			return tensor.Cat([]*T{y.Reshape(-1), y.T().Reshape(-1)}, 0)
		}},
		"part of a base with gaps": {func(x ...*T) *T {
			v := tensor.Zeros(2, 6).To(tensor.Float64).Slice(1, 0, 6, 2).Detach()
			v.CopyFrom(x[0])
			v.Index(1).MulInPlace(x[1])
			return v.Mul(v)
		}, func(x ...*T) *T {
			y := tensor.Stack([]*T{x[0].Index(0), x[0].Index(1).Mul(x[1])}, 0)
			return y.Mul(y)
		}},
		"overwritten": {func(x ...*T) *T {
			y := x[0].Mul(x[0])
			y.Index(0).ZeroInPlace()
			return y.Add(x[1])
		}, func(x ...*T) *T {
			y := x[0].Mul(x[0])
			return tensor.Stack([]*T{y.Index(0).Mul(0), y.Index(1)}, 0).Add(x[1])
		}},
		"a loop over elements": {func(x ...*T) *T {
			out := tensor.Zeros(4).To(tensor.Float64)
			out.Index(0).FillInPlace(1)
			for i := range 3 {
				out.Index(i + 1).CopyFrom(out.Index(i).Clone().Mul(x[1].Index(i)))
			}
			return out
		}, func(x ...*T) *T {
			a := x[1].Index(0)
			b := a.Mul(x[1].Index(1))
			return tensor.Stack([]*T{tensor.OnesLike(a), a, b, b.Mul(x[1].Index(2))}, 0)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			x, b := drawn(tensor.Float64, 2, 3), drawn(tensor.Float64, 3)
			checkWrites(t, c.write, c.function, x, b)
		})
	}
}

// TestInPlaceDTypes: the destination's dtype stays, and gradients have their tensors' dtypes.
func TestInPlaceDTypes(t *testing.T) {
	w := leaf(1, 2)
	low := tensor.Ones(2).To(tensor.Float16)
	low.MulInPlace(w)
	equal(t, "dtype", low.DType(), tensor.Float16)
	low.Sum().Backward()
	equal(t, "gradient", w.Grad().Float32s(), []float32{1, 1})
	equal(t, "gradient's dtype", w.Grad().DType(), tensor.Float32)
	ints := tensor.New([]int{1, 2})
	ints.CopyFrom(w)
	equal(t, "integers", ints.RequiresGrad(), false)
	for want, f := range map[string]func(){
		"ExpInPlace: the result is float32, which a tensor of int64 does not hold; use the op " +
			"that returns a new tensor": func() { ints.ExpInPlace() },
		"MinimumInPlace: the result has shape [3 2] and the tensor that is written in place [2]": func() {
			tensor.Zeros(2).MinimumInPlace(tensor.Zeros(3, 2))
		},
		"AddInPlace: the tensor repeats its elements (strides [0]); write to a Clone": func() {
			w.Index(0).Clone().Expand(3).AddInPlace(1)
		},
		"AddInPlace: the tensor is a view of one that repeats its elements (strides [0 1]); write " +
			"to a view of a Clone": func() {
			tensor.Zeros(2).Expand(3, 2).Detach().Index(0).AddInPlace(w)
		},
		"NegInPlace: the tensor repeats its elements (strides [0]); write to a Clone": func() {
			w.Index(0).Clone().Expand(3).NegInPlace()
		},
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
}

// TestStaleValues: a write that is recorded leaves stale what other ops have kept, and the error
// names both ops.
func TestStaleValues(t *testing.T) {
	x := leaf(1, 2)
	for want, f := range map[string]func() *T{
		"exp kept a float32 tensor of shape [2] for its gradient, and AddInPlace": func() *T {
			y := x.Exp()
			return y.AddInPlace(1)
		},
		"mul kept a float32 tensor of shape [2] for its gradient, and ZeroInPlace": func() *T {
			y := x.Add(1)
			z := y.Mul(x)
			y.Index(0).ZeroInPlace()
			return z
		},
		"tanh kept a float32 tensor of shape [2] for its gradient, and TanhInPlace": func() *T {
			y := x.Tanh()
			y.Reshape(2, 1).TanhInPlace()
			return y
		},
		"mul kept a float32 tensor of shape [2] for its gradient, and CopyFrom": func() *T {
			buffer := tensor.Ones(2)
			z := x.Mul(buffer)
			buffer.CopyFrom(x)
			return z.Add(buffer)
		},
	} {
		got := reference.Mistake(func() { f().Sum().Backward() })
		if !strings.Contains(got, want) {
			t.Errorf("message %q, want %q in it", got, want)
		}
	}
	// What an op has kept for itself stays as it was.
	y := x.Clone().LogInPlace().ExpInPlace().AddInPlace(1)
	y.Sum().Backward()
	equal(t, "chain", x.Grad().Float32s(), []float32{1, 1})
}

// TestInPlaceUnderNoGrad: what is written there keeps its place on the tape, be it a leaf, a result
// or a view.
func TestInPlaceUnderNoGrad(t *testing.T) {
	for _, form := range inPlaceForms {
		for name, mode := range map[string]func(f func()){
			"": func(f func()) { f() }, " watched": tensor.DetectNonFinite,
		} {
			x, b := drawn(tensor.Float64, 2, 3).SetRequiresGrad(true), drawn(tensor.Float64, 3)
			y := x.Mul(1)
			v, z := x.T(), x.Mul(1).T()
			mode(func() {
				tensor.NoGrad(func() {
					form.write(x, b)
					form.write(y, b)
					form.write(z, b.Slice(0, 0, 2))
				})
			})
			what := form.name + name
			equal(t, what+": the leaf", x.IsLeaf() && x.RequiresGrad(), true)
			grads := tensor.Grad([]*T{v.Sum(), y.Sum(), z.Sum()}, []*T{x})
			equal(t, what+": gradient", grads[0].Float64s(), []float64{3, 3, 3, 3, 3, 3})
		}
	}
}

// TestCutOffViews: views made by Detach or under NoGrad do not take part.
func TestCutOffViews(t *testing.T) {
	x := leaf(1, 2)
	y := x.Mul(2)
	d := y.Detach()
	d.AddInPlace(1)
	equal(t, "shared", y.Float32s(), []float32{3, 5})
	equal(t, "detached", d.RequiresGrad(), false)
	y.Sum().Backward()
	equal(t, "gradient", x.Grad().Float32s(), []float32{2, 2})

	z := x.Mul(2)
	var v *T
	tensor.NoGrad(func() { v = z.Index(0) })
	z.MulInPlace(2)
	equal(t, "made under NoGrad", v.RequiresGrad(), false)
	equal(t, "message", reference.Mistake(func() { v.AddInPlace(1) }), "AddInPlace: the tensor is "+
		"a view that was made under NoGrad or in a Function: a recorded write to it would not "+
		"reach the tensor that it is a part of; make the view outside, or write under NoGrad")
	equal(t, "not written", z.Float32s(), []float32{4, 8})
	tensor.NoGrad(func() { v.AddInPlace(1) })
	equal(t, "written", z.Float32s(), []float32{5, 8})
}

// TestViewsAndRequiresGrad: making the base a leaf later does not change views that exist.
func TestViewsAndRequiresGrad(t *testing.T) {
	base := tensor.Zeros(2)
	v := base.Index(0)
	base.SetRequiresGrad(true)
	equal(t, "view", v.RequiresGrad(), false)
	plain := tensor.Zeros(2)
	part := plain.Index(0).SetRequiresGrad(true)
	plain.Index(1).CopyFrom(leaf(3).Index(0))
	equal(t, "a view that is a leaf stays one", part.IsLeaf() && part.RequiresGrad(), true)
	own := tensor.Arange(4).Reshape(2, 2).SetRequiresGrad(true)
	own.Index(0).Mul(own.Index(1)).Sum().Backward()
	equal(t, "a view as leaf", own.Grad().Float32s(), []float32{2, 3, 0, 1})
	if got := reference.Mistake(func() { own.Index(0).ZeroInPlace() }); !strings.Contains(got, "leaf") {
		t.Errorf("message %q", got)
	}
}
