package tensor_test

import (
	"fmt"
	"math"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// layouts returns the same numbers in tensors with different strides.
func layouts(values []float32, rows, columns int, d tensor.DType) map[string]*tensor.Tensor {
	dense := tensor.FromFloat32(values, rows, columns).To(d)
	wide := tensor.Zeros(rows, 2*columns).To(d)
	every := wide.Slice(1, 1, 2*columns, 2)
	every.CopyFrom(dense)
	return map[string]*tensor.Tensor{
		"dense":      dense,
		"transposed": dense.T().Clone().T(),
		"stepped":    every,
	}
}

// TestElementwiseLayouts: an op gives the same bits whatever the strides and the size, which
// decide between the paths that it can take.
func TestElementwiseLayouts(t *testing.T) {
	binary := map[string]func(a, b *T) *T{
		"add": func(a, b *T) *T { return a.Add(b) }, "div": func(a, b *T) *T { return a.Div(b) },
		"maximum": (*T).Maximum, "lt": func(a, b *T) *T { return a.Lt(b) },
		"where": func(a, b *T) *T { return tensor.Where(a.Gt(0), a, b) },
	}
	unary := map[string]func(*T) *T{
		"exp": (*T).Exp, "relu": (*T).ReLU, "neg": (*T).Neg, "isnan": (*T).IsNaN,
		"add 1.5": func(x *T) *T { return x.Add(1.5) }, "ge 0": func(x *T) *T { return x.Ge(0) },
	}
	for _, d := range floatTypes {
		for _, shape := range [][2]int{{3, 5}, {130, 257}} {
			rows, columns := shape[0], shape[1]
			as := layouts(tensor.Randn(rows*columns).Float32s(), rows, columns, d)
			bs := layouts(tensor.Randn(rows*columns).Float32s(), rows, columns, d)
			for la, a := range as {
				for name, op := range unary {
					what := fmt.Sprintf("%s %s %v %s", d, name, shape, la)
					near(t, what, op(a).Float64s(), op(as["dense"]).Float64s(), d, 0)
				}
				for lb, b := range bs {
					for name, op := range binary {
						what := fmt.Sprintf("%s %s %v %s %s", d, name, shape, la, lb)
						got, want := op(a, b), op(as["dense"], bs["dense"])
						near(t, what, got.Float64s(), want.Float64s(), d, 0)
					}
				}
			}
		}
	}
}

func TestPromotion(t *testing.T) {
	make := func(d tensor.DType, shape ...int) *tensor.Tensor { return tensor.Ones(shape...).To(d) }
	for _, c := range []struct {
		a, b *T
		want tensor.DType
	}{
		{make(tensor.Float16, 2), make(tensor.Float32, 2), tensor.Float32},
		{make(tensor.Float16, 2), make(tensor.BFloat16, 2), tensor.Float32},
		{make(tensor.Float32, 2), make(tensor.Float64, 2), tensor.Float64},
		{make(tensor.Float16, 2), make(tensor.Int64, 2), tensor.Float16},
		{make(tensor.Bool, 2), make(tensor.Int64, 2), tensor.Int64},
		{make(tensor.Float16, 2), make(tensor.Float32), tensor.Float16},
		{make(tensor.Float32), make(tensor.Float16, 2), tensor.Float16},
		{make(tensor.Float16), make(tensor.Float32), tensor.Float32},
		{make(tensor.Int64, 2), make(tensor.Float32), tensor.Float32},
		{make(tensor.Float64), make(tensor.Int64, 2), tensor.Float64},
	} {
		what := fmt.Sprintf("%s%v + %s%v", c.a.DType(), c.a.Shape(), c.b.DType(), c.b.Shape())
		equal(t, what, c.a.Add(c.b).DType(), c.want)
	}
	ints := make(tensor.Int64, 2)
	equal(t, "int + 1", ints.Add(1).DType(), tensor.Int64)
	equal(t, "int + 1.5", ints.Add(1.5).Float64s(), []float64{2.5, 2.5})
	equal(t, "int / 2", ints.Div(2).DType(), tensor.Float32)
	equal(t, "int / int", ints.Div(ints.Add(1)).Float64s(), []float64{0.5, 0.5})
	equal(t, "float16 + 1.5", make(tensor.Float16, 1).Add(1.5).DType(), tensor.Float16)
	equal(t, "bool sum", make(tensor.Bool, 3).Sum().DType(), tensor.Int64)
	equal(t, "2 < 2.5", tensor.New([]int{2, 3}).Lt(2.5).Bools(), []bool{true, false})
	equal(t, "exp of ints", ints.Exp().DType(), tensor.Float32)
	equal(t, "large ints", tensor.New([]int{1 << 60}).Add(tensor.New([]int{1})).Int64s(),
		[]int64{1<<60 + 1})
}

// TestNonFinite: NaN spreads where PyTorch lets it.
func TestNonFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	x := tensor.New([]float64{nan, inf, -inf, -1, 2})
	one := tensor.Full(1, 5)
	equal(t, "relu", x.ReLU().Float64s(), []float64{nan, inf, 0, 0, 2})
	equal(t, "maximum", x.Maximum(one).Float64s(), []float64{nan, inf, 1, 1, 2})
	equal(t, "clamp", x.Clamp(-2, 2).Float64s(), []float64{nan, 2, -2, -1, 2})
	equal(t, "isfinite", x.IsFinite().Bools(), []bool{false, false, false, true, true})
	equal(t, "allfinite", x.AllFinite(), false)
	equal(t, "sigmoid", x.Sigmoid().Slice(0, 1, 3).Float64s(), []float64{1, 0})
	equal(t, "max", x.Max().Item(), nan)
	equal(t, "argmax", x.Argmax(0).Item(), 0.0)
	equal(t, "0-dim overflow", tensor.Ones(2).To(tensor.Float16).Mul(tensor.Full(65536)).Float64s(),
		[]float64{inf, inf})
}

func TestElementwiseMistakes(t *testing.T) {
	a := tensor.Ones(2, 3)
	for want, f := range map[string]func(){
		"add: shapes [2 3] and [2] do not broadcast: sizes 3 and 2 differ": func() {
			a.Add(tensor.Ones(2))
		},
		"mul: a string is neither a *tensor.Tensor nor a number": func() { a.Mul("2") },
		"add: argument 2 is nil":                                 func() { a.Add((*T)(nil)) },
		"sum: argument 1 is an empty tensor.Tensor; make one with tensor.New or tensor.Zeros": func() {
			new(T).Sum()
		},
		"exp: argument 1 is an empty tensor.Tensor; make one with tensor.New or tensor.Zeros": func() {
			new(T).Exp()
		},
		"matmul: argument 2 is an empty tensor.Tensor; make one with tensor.New or tensor.Zeros": func() {
			a.MatMul(new(T))
		},
		"mul: argument 2 is an empty tensor.Tensor; make one with tensor.New or tensor.Zeros": func() {
			a.Mul(new(T))
		},
		"where: condition of float32; it is bool": func() { tensor.Where(a, a, a) },
		"to: the dtype is unset; choose one of float64 float32 float16 bfloat16 " +
			"int64 bool": func() {
			a.To(tensor.DType(0))
		},
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
	best := "cpu"
	if err := tensor.CUDAError(); err == nil {
		best = "cuda:0"
	} else {
		equal(t, "no GPU", reference.Mistake(func() { a.To(tensor.CUDA(0)) }), "to: "+err.Error())
	}
	equal(t, "best device", tensor.BestDevice().String(), best)
	equal(t, "cuda", tensor.CUDA(1).String(), "cuda:1")
}
