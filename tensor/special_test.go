package tensor_test

import (
	"math"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

var (
	nan = math.NaN()
	inf = math.Inf(1)
	neg = math.Copysign(0, -1) // −0
)

// exactly reports where got is not want, bit for bit but for NaN.
func exactly(t *testing.T, what string, got *T, want []float64) {
	t.Helper()
	values := got.Float64s()
	if len(values) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(values), len(want))
	}
	for i, v := range values {
		if math.Float64bits(v) != math.Float64bits(want[i]) && !(v != v && want[i] != want[i]) {
			t.Errorf("%s: element %d is %v, want %v", what, i, v, want[i])
		}
	}
}

// TestSpecialValues: what becomes of NaN, infinities and zeros of both signs is PyTorch's, in every
// floating dtype.
func TestSpecialValues(t *testing.T) {
	at := []float64{nan, inf, -inf, 0, neg}
	for _, c := range []struct {
		name string
		f    func(*T) *T
		want []float64
	}{
		{"sin", (*T).Sin, []float64{nan, nan, nan, 0, neg}},
		{"cos", (*T).Cos, []float64{nan, nan, nan, 1, 1}},
		{"tan", (*T).Tan, []float64{nan, nan, nan, 0, neg}},
		{"asin", (*T).Asin, []float64{nan, nan, nan, 0, neg}},
		{"sinh", (*T).Sinh, []float64{nan, inf, -inf, 0, neg}},
		{"cosh", (*T).Cosh, []float64{nan, inf, inf, 1, 1}},
		{"erf", (*T).Erf, []float64{nan, 1, -1, 0, neg}},
		{"erfinv", (*T).Erfinv, []float64{nan, nan, nan, 0, neg}},
		{"expm1", (*T).Expm1, []float64{nan, inf, -1, 0, neg}},
		{"log1p", (*T).Log1p, []float64{nan, inf, nan, 0, neg}},
		{"log", (*T).Log, []float64{nan, inf, nan, -inf, -inf}},
		{"log2", (*T).Log2, []float64{nan, inf, nan, -inf, -inf}},
		{"log10", (*T).Log10, []float64{nan, inf, nan, -inf, -inf}},
		{"exp", (*T).Exp, []float64{nan, inf, 0, 1, 1}},
		{"sqrt", (*T).Sqrt, []float64{nan, inf, nan, 0, neg}},
		{"rsqrt", (*T).Rsqrt, []float64{nan, 0, nan, inf, -inf}},
		{"reciprocal", (*T).Reciprocal, []float64{nan, 0, neg, inf, -inf}},
		{"floor", (*T).Floor, []float64{nan, inf, -inf, 0, neg}},
		{"ceil", (*T).Ceil, []float64{nan, inf, -inf, 0, neg}},
		{"round", (*T).Round, []float64{nan, inf, -inf, 0, neg}},
		{"trunc", (*T).Trunc, []float64{nan, inf, -inf, 0, neg}},
		{"tanh", (*T).Tanh, []float64{nan, 1, -1, 0, neg}},
		{"sigmoid", (*T).Sigmoid, []float64{nan, 1, 0, 0.5, 0.5}},
		{"gelu", func(x *T) *T { return x.GELU() }, []float64{nan, inf, nan, 0, neg}},
		{"gelu_tanh", func(x *T) *T { return x.GELU("tanh") }, []float64{nan, inf, nan, 0, neg}},
		{"silu", (*T).SiLU, []float64{nan, inf, nan, 0, neg}},
		{"mish", (*T).Mish, []float64{nan, inf, nan, 0, neg}},
		{"softplus", func(x *T) *T { return x.Softplus(1, 20) }, []float64{nan, inf, 0, ln2, ln2}},
		{"logsigmoid", (*T).LogSigmoid, []float64{nan, 0, -inf, -ln2, -ln2}},
		{"elu", func(x *T) *T { return x.ELU(1) }, []float64{nan, inf, -1, 0, neg}},
		{"leaky_relu", func(x *T) *T { return x.LeakyReLU(0.5) },
			[]float64{nan, inf, -inf, 0, neg}},
		{"hardtanh", func(x *T) *T { return x.Hardtanh(-1, 2) }, []float64{nan, 2, -1, 0, neg}},
		{"hardswish", (*T).Hardswish, []float64{nan, inf, nan, 0, neg}},
		{"hardsigmoid", (*T).Hardsigmoid, []float64{nan, 1, 0, 0.5, 0.5}},
		{"isinf", (*T).IsInf, []float64{0, 1, 1, 0, 0}},
		{"square", (*T).Square, []float64{nan, inf, inf, 0, 0}},
	} {
		for _, d := range floatTypes {
			got := c.f(tensor.New(at, d))
			want := tensor.New(c.want, got.DType()).Float64s()
			exactly(t, c.name+" "+d.String(), got, want)
		}
	}
}

const ln2 = math.Ln2

// TestRoundingOps: halves go to the even neighbour, and −0 stays −0.
func TestRoundingOps(t *testing.T) {
	x := tensor.New([]float64{-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.51, -0.2})
	exactly(t, "round", x.Round(), []float64{-2, -2, neg, 0, 2, 2, 3, neg})
	exactly(t, "floor", x.Floor(), []float64{-3, -2, -1, 0, 1, 2, 2, -1})
	exactly(t, "ceil", x.Ceil(), []float64{-2, -1, neg, 1, 2, 3, 3, neg})
	exactly(t, "trunc", x.Trunc(), []float64{-2, -1, neg, 0, 1, 2, 2, neg})
	large := tensor.New([]int{1<<62 + 1})
	equal(t, "integers stay as they are", large.Floor().Int64s(), []int64{1<<62 + 1})
}

func TestModulo(t *testing.T) {
	x := tensor.New([]float64{-5, 5, inf, 5, 5, 0, -1})
	y := tensor.New([]float64{3, -3, 2, 0, inf, 3, inf})
	exactly(t, "fmod", x.Fmod(y), []float64{-2, 2, nan, nan, 5, 0, -1})
	exactly(t, "remainder", x.Remainder(y), []float64{1, -1, nan, nan, 5, 0, inf})
	ints := tensor.New([]int{-7, 7, 1<<60 + 1})
	equal(t, "fmod of ints", ints.Fmod(3).Int64s(), []int64{-1, 1, 2})
	equal(t, "remainder of ints", ints.Remainder(-3).Int64s(), []int64{-1, -2, -1})
	equal(t, "a fraction of ints", ints.Fmod(1.5).DType(), tensor.Float32)
	equal(t, "by zero", reference.Mistake(func() { ints.Remainder(0) }),
		"remainder: integers are divided by zero; convert them to floating point, which gives NaN")
}

// TestActivationTails: derivatives of both orders are finite wherever the values are.
func TestActivationTails(t *testing.T) {
	acts := map[string]func(*T) *T{
		"gelu": func(x *T) *T { return x.GELU() }, "silu": (*T).SiLU, "mish": (*T).Mish,
		"gelu_tanh":  func(x *T) *T { return x.GELU("tanh") },
		"softplus":   func(x *T) *T { return x.Softplus(1, 20) },
		"logsigmoid": (*T).LogSigmoid, "elu": func(x *T) *T { return x.ELU(1) },
		"hardswish": (*T).Hardswish, "hardsigmoid": (*T).Hardsigmoid,
		"tanh": (*T).Tanh, "sigmoid": (*T).Sigmoid,
	}
	for name, f := range acts {
		for _, d := range floatTypes {
			x := tensor.New([]float64{-6e4, -800, -90, -20, -8, 8, 20, 90, 800, 6e4}, d)
			x.SetRequiresGrad(true)
			y := f(x)
			g := tensor.Grad([]*T{y.Sum()}, []*T{x}, tensor.GradConfig{CreateGraph: true})[0]
			h := tensor.Grad([]*T{g.Mul(g).Add(x.Mul(0.0)).Sum()}, []*T{x})[0]
			for what, v := range map[string]*T{"value": y, "gradient": g, "second": h} {
				if what == "value" && d.IsFloat() && !v.AllFinite() || !v.AllFinite() {
					t.Errorf("%s of %s in %s: %v", what, name, d, v.Float64s())
				}
			}
		}
	}
	x := tensor.New([]float64{1}).SetRequiresGrad(true)
	c := tensor.GradConfig{CreateGraph: true}
	g := tensor.Grad([]*T{x.GELU()}, []*T{x}, c)[0]
	h := tensor.Grad([]*T{g}, []*T{x}, c)[0]
	equal(t, "third order", reference.Mistake(func() { h.Backward() }),
		"gelu: its derivatives go up to order 2")
}

// TestKinks: the gradient at a kink is PyTorch's.
func TestKinks(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(*T) *T
		at   []float64
		want []float64
	}{
		{"relu", (*T).ReLU, []float64{0}, []float64{0}},
		{"leaky_relu", func(x *T) *T { return x.LeakyReLU(0.25) }, []float64{0}, []float64{0.25}},
		{"elu", func(x *T) *T { return x.ELU(0.25) }, []float64{0}, []float64{0.25}},
		{"hardtanh", func(x *T) *T { return x.Hardtanh(-1, 1) }, []float64{-1, 0, 1},
			[]float64{0, 1, 0}},
		{"clamp", func(x *T) *T { return x.Clamp(-1, 1) }, []float64{-1, 0, 1, 2},
			[]float64{0, 1, 0, 0}},
		{"clamp_min", func(x *T) *T { return x.ClampMin(-1) }, []float64{-2, -1, 7},
			[]float64{0, 0, 1}},
		{"clamp_max", func(x *T) *T { return x.ClampMax(1) }, []float64{-2, 1, 7},
			[]float64{1, 0, 0}},
		{"hardsigmoid", (*T).Hardsigmoid, []float64{-3, 3}, []float64{0, 0}},
		{"hardswish", (*T).Hardswish, []float64{-3, 3}, []float64{0, 1}},
		{"abs", (*T).Abs, []float64{0}, []float64{0}},
		{"floor", (*T).Floor, []float64{1, 1.5}, []float64{0, 0}},
	} {
		x := tensor.New(c.at).SetRequiresGrad(true)
		c.f(x).Sum().Backward()
		exactly(t, c.name, x.Grad(), c.want)
	}
}

// TestIntegerInputs: functions of integers give Float32, and the activations of networks refuse
// them.
func TestIntegerInputs(t *testing.T) {
	x := tensor.New([]int{0, 1})
	for name, f := range map[string]func(*T) *T{
		"sin": (*T).Sin, "cos": (*T).Cos, "tan": (*T).Tan, "asin": (*T).Asin, "acos": (*T).Acos,
		"atan": (*T).Atan, "sinh": (*T).Sinh, "cosh": (*T).Cosh, "erf": (*T).Erf,
		"erfinv": (*T).Erfinv, "expm1": (*T).Expm1, "log1p": (*T).Log1p, "log2": (*T).Log2,
		"log10": (*T).Log10, "rdiv": func(x *T) *T { return x.RDiv(2) },
		"atan2":      func(x *T) *T { return x.Atan2(x) },
		"half clamp": func(x *T) *T { return x.Clamp(0, 0.5) },
		"rpow":       func(x *T) *T { return x.RPow(2.5) },
		"addcdiv":    func(x *T) *T { return x.Addcdiv(x, x.Add(1), 1) },
	} {
		equal(t, name, f(x).DType(), tensor.Float32)
		equal(t, name+" of bools", f(x.To(tensor.Bool)).DType(), tensor.Float32)
	}
	for name, f := range map[string]func(*T) *T{
		"floor": (*T).Floor, "round": (*T).Round, "abs": (*T).Abs, "neg": (*T).Neg,
		"clamp": func(x *T) *T { return x.Clamp(0, 1) }, "sign": (*T).Sign,
		"clamp_min": func(x *T) *T { return x.ClampMin(1) },
		"rsub":      func(x *T) *T { return x.RSub(2) }, "rpow": func(x *T) *T { return x.RPow(2) },
		"fmod":    func(x *T) *T { return x.Fmod(2) },
		"addcmul": func(x *T) *T { return x.Addcmul(x, x, 2) },
		"prod":    func(x *T) *T { return x.Prod() },
		"cumsum":  func(x *T) *T { return x.Cumsum(0) },
		"cumprod": func(x *T) *T { return x.Cumprod(0) },
	} {
		equal(t, name, f(x).DType(), tensor.Int64)
	}
	equal(t, "no limits", x.Clamp(-inf, inf).Int64s(), []int64{0, 1})
	equal(t, "clamp_min", x.ClampMin(1).Int64s(), []int64{1, 1})
	equal(t, "rsub", x.RSub(5).Int64s(), []int64{5, 4})
	equal(t, "rsub of bools", tensor.New([]bool{true, false}).RSub(1).Int64s(), []int64{0, 1})
	equal(t, "rpow", x.RPow(5).Int64s(), []int64{1, 5})
	equal(t, "gelu", reference.Mistake(func() { x.GELU() }),
		"gelu: values of int64; floating point is needed, which To gives")
	equal(t, "huge integers", tensor.New([]int{1<<60 + 1, 1<<60 + 3}).Cumsum(0).Int64s(),
		[]int64{1<<60 + 1, 1<<61 + 4})
}

// TestNumberOnLeft: float64 keeps all digits of a number, and 16 bits round once.
func TestNumberOnLeft(t *testing.T) {
	exactly(t, "float64", tensor.New([]float64{0.25}).RPow(0.1), []float64{math.Pow(0.1, 0.25)})
	half := tensor.New([]float64{3}, tensor.Float16)
	equal(t, "dtype", half.RDiv(0.1).DType(), tensor.Float16)
	exactly(t, "rdiv", half.RDiv(0.1), tensor.New([]float64{float64(float32(0.1) / 3)},
		tensor.Float16).Float64s())
	equal(t, "0-dim", half.Index(0).RPow(2).DType(), tensor.Float16)
	equal(t, "tensor", reference.Mistake(func() { half.RSub(half) }),
		"rsub: it takes a number; call the method of the tensor on the left instead")
}

// TestAddcmulRoundsOnce: in 16 bits the product is not rounded before it is added.
func TestAddcmulRoundsOnce(t *testing.T) {
	x := tensor.New([]float64{-64992}, tensor.Float16)
	y := tensor.New([]float64{300}, tensor.Float16)
	exactly(t, "addcmul", x.Addcmul(y, y, 1), []float64{25008})
	exactly(t, "addcdiv", tensor.Full(-64992, 1).To(tensor.Float16).Addcdiv(y,
		tensor.Full(0x1p-8, 1).To(tensor.Float16), 1), []float64{11808})
	exactly(t, "lerp at 1", tensor.New([]float64{1e8}, tensor.Float32).Lerp(
		tensor.New([]float64{1}, tensor.Float32), 1), []float64{1})
}

func TestXor(t *testing.T) {
	a, b := tensor.New([]int{0, 0, 3, 4}), tensor.New([]float64{0, nan, 0, 2})
	equal(t, "xor", a.Xor(b).Bools(), []bool{false, true, true, false})
}

func TestActivationMistakes(t *testing.T) {
	x := tensor.Ones(2, 3)
	for want, f := range map[string]func(){
		`gelu: approximation "sigmoid"; it is tanh or none`: func() { x.GELU("sigmoid") },
		"hardtanh: the lower limit 2 is above the upper limit 1": func() {
			x.Hardtanh(2, 1)
		},
		"prelu: weight of shape [2] for an input of shape [2 3]; it has one element, or one for " +
			"each position of dimension 1": func() { x.PReLU(tensor.Ones(2)) },
		"fmod: shapes [2 3] and [2] do not broadcast: sizes 3 and 2 differ": func() {
			x.Fmod(tensor.Ones(2))
		},
		"addcmul: shapes [2 3] and [2] do not broadcast: sizes 3 and 2 differ": func() {
			x.Addcmul(tensor.Ones(2), tensor.Ones(2), 1)
		},
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
}
