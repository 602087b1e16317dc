package tensor_test

import (
	"math"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// TestWholeNumbers: integers are computed with and compared as such, up to the largest.
func TestWholeNumbers(t *testing.T) {
	big := 1<<53 + 1
	x := tensor.FromInt64([]int64{1 << 53, int64(big), -3, 0}, 4)
	inf := math.Inf(1)
	equal(t, "add", x.Add(big).Int64s(), []int64{1<<54 + 1, 1<<54 + 2, 1<<53 - 2, 1<<53 + 1})
	equal(t, "eq", x.Eq(big).Bools(), []bool{false, true, false, false})
	equal(t, "lt ∞", x.Lt(inf).Bools(), []bool{true, true, true, true})
	equal(t, "ge ∞", x.Ge(inf).Bools(), []bool{false, false, false, false})
	equal(t, "gt −∞", x.Gt(-inf).Bools(), []bool{true, true, true, true})
	equal(t, "lt 1e30", x.Lt(1e30).Bools(), []bool{true, true, true, true})

	base := tensor.FromInt64([]int64{3, -3, 1 << 62, 0, -1, -1, 2}, 7)
	power := tensor.FromInt64([]int64{39, 3, 7, -1, -3, -4, -1}, 7)
	equal(t, "pow", base.Pow(power).Int64s(), []int64{4052555153018976267, -27, 0, 0, -1, 1, 0})
	equal(t, "pow number", base.Pow(39).Int64s()[0], int64(4052555153018976267))
	equal(t, "rpow", power.RPow(0).Int64s(), []int64{0, 0, 0, 0, 0, 0, 0})
	equal(t, "pow −1", reference.Mistake(func() { base.Pow(-1) }),
		"pow: integers to the power of -1 are fractions; convert them to floating point")
	equal(t, "sign", tensor.FromBool([]bool{true, false}, 2).Sign().Bools(), []bool{true, false})
	none := tensor.FromInt64(nil, 0).Remainder(tensor.FromBool([]bool{false}))
	equal(t, "remainder of nothing", none.Shape(), []int{0})
}

// TestCompareIn: what is compared is compared in the dtype that both promote to.
func TestCompareIn(t *testing.T) {
	number := tensor.FromFloat64([]float64{0.1})
	for _, d := range []tensor.DType{tensor.Float64, tensor.Float32, tensor.Float16, tensor.BFloat16} {
		x := tensor.FromFloat64([]float64{0.1}, 1).To(d)
		equal(t, d.String()+" with a number", x.Eq(0.1).Bools(), []bool{true})
		equal(t, d.String()+" with a tensor", x.Eq(number).Bools(), []bool{true})
	}
	wide := tensor.FromFloat64([]float64{0.1}, 1)
	equal(t, "vectors", wide.Eq(wide.To(tensor.Float32)).Bools(), []bool{false})
}

// TestEdges of functions whose versions in package math lose values there.
func TestEdges(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(*T) *T
		x    float64
		want float64
	}{
		{"log", (*T).Log, 1e-310, -713.8013788281542},
		{"log10", (*T).Log10, 1e-310, -310},
		{"log2", (*T).Log2, 1e-310, -1029.797709415082},
		{"log2", (*T).Log2, 1 + 0x1p-30, 1.3436144592400231e-09},
		{"sinh", (*T).Sinh, -710, -1.1169973830808557e308},
		{"cosh", (*T).Cosh, -710, 1.1169973830808557e308},
		{"cosh", (*T).Cosh, 711, math.Inf(1)},
	} {
		got := c.f(tensor.New(c.x)).Item()
		if got != c.want && !(math.Abs(got-c.want) <= 1e-12*math.Abs(c.want)) {
			t.Errorf("%s(%v) = %v, want %v", c.name, c.x, got, c.want)
		}
	}
	zero := tensor.New(0.0).SetRequiresGrad(true)
	zero.Atan2(zero).Backward()
	equal(t, "gradient of atan2 at the origin", zero.Grad().Item(), 0.0)
}

// TestAxisOfNone: a tensor without dimensions is reduced as if it were of shape [1].
func TestAxisOfNone(t *testing.T) {
	x := tensor.New(0.5).SetRequiresGrad(true)
	for name, f := range map[string]func(axis int) *T{
		"sum":       func(axis int) *T { return x.Sum(axis) },
		"mean":      func(axis int) *T { return x.Mean(axis) },
		"max":       func(axis int) *T { return x.Max(axis) },
		"prod":      func(axis int) *T { return x.Prod(axis) },
		"norm":      func(axis int) *T { return x.Norm(2, axis) },
		"logsumexp": func(axis int) *T { return x.Logsumexp(axis) },
	} {
		for _, axis := range []int{0, -1} {
			y := f(axis)
			equal(t, name, y.Shape(), []int{})
			equal(t, name, y.Item(), 0.5)
			x.SetGrad(nil)
			y.Backward()
			equal(t, name, x.Grad().Item(), 1.0)
		}
	}
	equal(t, "var", math.IsNaN(x.Var(0).Item()), true)
	equal(t, "normalize", x.Normalize(2, -1).Item(), 1.0)
	equal(t, "all", x.All(0).Bools(), []bool{true})
}

// TestWholeInPlace: what integers cannot hold is an error of in-place ops, and no rounding.
func TestWholeInPlace(t *testing.T) {
	halves := tensor.New([]float64{0.5, 1.5})
	ints := func() *T { return tensor.FromInt64([]int64{1, 2}, 2) }
	for op, f := range map[string]func(x *T){
		"AddcmulInPlace": func(x *T) { x.AddcmulInPlace(halves, halves, 1) },
		"AddcdivInPlace": func(x *T) { x.AddcdivInPlace(halves, halves, 1) },
		"LerpInPlace":    func(x *T) { x.LerpInPlace(halves, 0.5) },
	} {
		equal(t, op, reference.Mistake(func() { f(ints()) }), op+": the result is float64, which "+
			"a tensor of int64 does not hold; use the op that returns a new tensor")
	}
	for op, f := range map[string]func(x *T){
		"AddcmulInPlace": func(x *T) { x.AddScaledInPlace(x, 0.5) },
		"AddcdivInPlace": func(x *T) { x.AddcdivInPlace(x, ints(), 1) },
		"LerpInPlace":    func(x *T) { x.LerpInPlace(x, 0.5) },
	} {
		equal(t, op, reference.Mistake(func() { f(ints()) }), op+": the result is float32, which "+
			"a tensor of int64 does not hold; use the op that returns a new tensor")
	}
	equal(t, "add 2x", ints().AddScaledInPlace(ints(), 2).Int64s(), []int64{3, 6})
	equal(t, "lerp", ints().Lerp(ints().Add(1), 0.25).Float64s(), []float64{1.25, 2.25})
}
