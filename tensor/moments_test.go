package tensor_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// TestReduceDefinition compares the folds of powers with their definitions, over each choice of
// axes of dense and permuted tensors whose sizes take each of the paths.
func TestReduceDefinition(t *testing.T) {
	shape := [3]int{5, 37, 70}
	values := tensor.Randn(shape[:]...).Float64s()
	dense := tensor.FromFloat64(values, shape[:]...)
	permuted := dense.Permute(2, 0, 1).Clone().Permute(1, 2, 0)
	power := func(p float64) func(a, b float64) float64 {
		return func(a, b float64) float64 { return a + math.Pow(math.Abs(b), p) }
	}
	for _, axes := range [][]int{{0}, {1}, {2}, {0, 2}, {1, 2}, {0, 1, 2}} {
		for layout, x := range map[string]*T{"dense": dense, "permuted": permuted} {
			for _, p := range []float64{1, 2, 2.5, -0.5} {
				want := fold(values, shape, axes, power(p), 0)
				for i := range want {
					want[i] = math.Pow(want[i], 1/p)
				}
				near(t, fmt.Sprintf("norm %v over %v, %s", p, axes, layout),
					x.Norm(p, axes...).Float64s(), want, tensor.Float64, 64*slices.Max(want))
			}
			prod := fold(values, shape, axes, func(a, b float64) float64 { return a * b }, 1)
			near(t, "prod", x.Prod(axes...).Float64s(), prod, tensor.Float64, 1)
			exps := fold(values, shape, axes, func(a, b float64) float64 { return a + math.Exp(b) }, 0)
			for i := range exps {
				exps[i] = math.Log(exps[i])
			}
			near(t, "logsumexp", x.Logsumexp(axes...).Float64s(), exps, tensor.Float64, 64)
			largest := fold(values, shape, axes, math.Max, math.Inf(-1))
			some := x.Gt(1.5)
			for i, v := range some.Any(axes...).Bools() {
				if v != (largest[i] > 1.5) {
					t.Fatalf("any over %v, %s: element %d is %v", axes, layout, i, v)
				}
			}
			equal(t, "all", some.All(axes...).Not().Bools(), some.Not().Any(axes...).Bools())
			equal(t, "of numbers", some.To(tensor.Float32).All(axes...).Bools(),
				some.All(axes...).Bools())
		}
	}
}

func TestVariance(t *testing.T) {
	x := tensor.New([]float32{1e6 + 1, 1e6 + 2, 1e6 + 3, 1e6 + 6})
	equal(t, "var", x.Var().Item(), float64(float32(14.0/3)))
	equal(t, "biased", x.VarWith(tensor.VarConfig{Correction: new(0.0)}).Item(), 3.5)
	near(t, "std", x.Std().Float64s(), []float64{math.Sqrt(14.0 / 3)}, tensor.Float32, 2)
	equal(t, "of one", x.Slice(0, 0, 1).Var().Item(), nan)
	equal(t, "divisor 0", x.VarWith(tensor.VarConfig{Correction: new(4.0)}).Item(), inf)
	v, m := x.VarMean(0)
	equal(t, "both", []float64{v.Item(), m.Item()}, []float64{x.Var().Item(), 1e6 + 3})
	flat := tensor.Ones(3).SetRequiresGrad(true)
	flat.Std().Backward()
	equal(t, "gradient of a deviation of 0", flat.Grad().Float64s(), []float64{0, 0, 0})
	wide := tensor.Randn(20, 3, 37).To(tensor.Float64)
	for _, axes := range [][]int{{0}, {1}, {0, 1}} {
		moved := wide.Permute(2, 0, 1).Contiguous().Permute(1, 2, 0)
		near(t, "columns", wide.Var(axes...).Float64s(), moved.Var(axes...).Float64s(),
			tensor.Float64, 4)
	}
	equal(t, "ints", reference.Mistake(func() { tensor.New([]int{1}).Var() }),
		"var: values of int64; floating point is needed, which To gives")
	one := tensor.New([][]float64{{2}, {3}}).SetRequiresGrad(true)
	one.VarWith(tensor.VarConfig{Correction: new(0.0)}, 1).Sum().Backward()
	equal(t, "gradient of one element each", one.Grad().Float64s(), []float64{0, 0})
}

func TestNorm(t *testing.T) {
	x := tensor.New([]float32{3e38, -1e38}).SetRequiresGrad(true)
	for _, p := range []float64{2, 3, 10} {
		x.SetGrad(nil)
		n := x.Norm(p)
		n.Backward()
		want := 3e38 * math.Pow(1+math.Pow(1.0/3, p), 1/p)
		near(t, fmt.Sprint("norm ", p), n.Float64s(), []float64{want}, tensor.Float32, want)
		if !x.Grad().AllFinite() {
			t.Errorf("norm %v: gradient %v", p, x.Grad().Float64s())
		}
	}
	tiny := tensor.New([]float64{1e-200, 1e-200})
	for _, p := range []float64{2, 3} {
		want := 1e-200 * math.Pow(2, 1/p)
		near(t, fmt.Sprintf("norm %v of tiny numbers", p), tiny.Norm(p).Float64s(), []float64{want},
			tensor.Float64, want)
	}
	y := tensor.New([]float64{3, -4, 0})
	for p, want := range map[float64]float64{0: 2, 1: 7, 2: 5, inf: 4, -inf: 0, -1: 0} {
		equal(t, "norm", y.Norm(p).Item(), want)
	}
	equal(t, "NaN", tensor.New([]float64{1, nan}).Norm(inf).Item(), nan)
	equal(t, "infinite", tensor.New([]float64{1, -inf}).Norm(3).Item(), inf)
	for _, p := range []float64{0, 0.5, 1, 1.5, 2, 3, inf} {
		zero := tensor.Zeros(3).SetRequiresGrad(true)
		zero.Norm(p).Backward()
		equal(t, "gradient at 0", zero.Grad().Float64s(), []float64{0, 0, 0})
	}
	half := tensor.Full(300, 4).To(tensor.Float16)
	equal(t, "16 bits", half.Norm(2).Item(), 600.0)
	equal(t, "dtype given", half.NormAs(tensor.Float64, 2).DType(), tensor.Float64)
	equal(t, "empty", tensor.Zeros(0).Norm(2).Item(), 0.0)
	equal(t, "extreme of nothing", reference.Mistake(func() { tensor.Zeros(0).Norm(inf) }),
		"norm: shape [0] has no elements to choose from")
	equal(t, "NaN order", reference.Mistake(func() { y.Norm(nan) }), "norm: the order is NaN")
	unit := tensor.New([]float64{0, 0}).SetRequiresGrad(true)
	n := unit.Normalize(2, 0)
	n.Sum().Backward()
	equal(t, "normalize zero", n.Float64s(), []float64{0, 0})
	equal(t, "finite gradient", unit.Grad().AllFinite(), true)
}

func TestLogsumexp(t *testing.T) {
	x := tensor.New([][]float64{{-inf, -inf}, {1e4, 1e4}, {inf, 0}, {-1e300, 0}})
	x.SetRequiresGrad(true)
	y := x.Logsumexp(1)
	equal(t, "values", y.Float64s(), []float64{-inf, 1e4 + math.Ln2, inf, 0})
	y.Slice(0, 0, 2).Sum().Backward()
	near(t, "gradient", x.Grad().Slice(0, 0, 2).Float64s(), []float64{0, 0, 0.5, 0.5},
		tensor.Float64, 1e4)
	equal(t, "ints", tensor.New([]int{0, 0}).Logsumexp().DType(), tensor.Float32)
}

func TestProductsWithZeros(t *testing.T) {
	for _, c := range []struct{ x, prod, cumprod []float64 }{
		{[]float64{2, 3, 4}, []float64{12, 8, 6}, []float64{16, 10, 6}},
		{[]float64{2, 0, 4}, []float64{0, 8, 0}, []float64{1, 10, 0}},
		{[]float64{0, 0, 4}, []float64{0, 0, 0}, []float64{1, 0, 0}},
	} {
		x := tensor.New(c.x).SetRequiresGrad(true)
		x.Prod().Backward()
		equal(t, "prod", x.Grad().Float64s(), c.prod)
		x.SetGrad(nil)
		x.Cumprod(0).Sum().Backward()
		equal(t, "cumprod", x.Grad().Float64s(), c.cumprod)
	}
	for _, at := range [][]float64{{2, 0, 4}, {0, 0, 4}, {0, 0, 0}} {
		for name, f := range map[string]func(*T) *T{
			"prod":    func(x *T) *T { return x.Prod() },
			"cumprod": func(x *T) *T { return x.Cumprod(0) },
		} {
			first := func(x ...*T) *T {
				g := tensor.Grad([]*T{f(x[0]).Sum()}, x, tensor.GradConfig{CreateGraph: true})
				return g[0].Mul(g[0].Add(1)).Sum()
			}
			if err := tensor.GradCheck(first, tensor.New(at).SetRequiresGrad(true)); err != nil {
				t.Errorf("%s at %v, second order: %v", name, at, err)
			}
		}
	}
}

// TestCumulative compares with the definition, along each axis and for rows longer than a piece.
func TestCumulative(t *testing.T) {
	x := tensor.Randn(3, 700, 2).To(tensor.Float64)
	permuted := x.Permute(2, 0, 1).Clone().Permute(1, 2, 0)
	for axis := range 3 {
		sum, prod := tensor.ZerosLike(x), tensor.ZerosLike(x)
		for i := range x.Size(axis) {
			upTo := x.Narrow(axis, 0, i+1)
			sum.Narrow(axis, i, 1).CopyFrom(upTo.Sum(axis).Unsqueeze(axis))
			prod.Narrow(axis, i, 1).CopyFrom(upTo.Prod(axis).Unsqueeze(axis))
		}
		for _, y := range []*T{x, permuted} {
			near(t, "cumsum", y.Cumsum(axis).Float64s(), sum.Float64s(), tensor.Float64, 1000)
			near(t, "cumprod", y.Cumprod(axis).Float64s(), prod.Float64s(), tensor.Float64, 100)
		}
	}
	long := tensor.Ones(5000).To(tensor.Float16).Cumsum(0)
	equal(t, "16 bits", long.Index(-1).Item(), 5000.0)
	equal(t, "dtype given", long.CumsumAs(tensor.Float32, 0).DType(), tensor.Float32)
	large := tensor.Full(1e5, 5).To(tensor.Int64)
	equal(t, "a product of ints", large.ProdAs(tensor.Float64).Item(), 1e25)
	equal(t, "bools", tensor.New([]bool{true, true}).Cumsum(0).Int64s(), []int64{1, 2})
	equal(t, "0-dim", tensor.Full(3).Cumprod(-1).Item(), 3.0)
	equal(t, "axis", reference.Mistake(func() { long.Cumsum(1) }),
		"cumsum: shape [5000] has no dimension 1")
}

func TestReduceOfNothing(t *testing.T) {
	x := tensor.Zeros(0, 3)
	for name, c := range map[string]struct {
		got  *T
		want []float64
	}{
		"prod": {x.Prod(0), []float64{1, 1, 1}}, "var": {x.Var(0), []float64{nan, nan, nan}},
		"std": {x.Std(), []float64{nan}}, "any": {x.Any(0), []float64{0, 0, 0}},
		"all": {x.All(), []float64{1}}, "norm": {x.Norm(2, 0), []float64{0, 0, 0}},
		"logsumexp": {x.Logsumexp(0), []float64{-inf, -inf, -inf}},
		"cumsum":    {x.Cumsum(0), []float64{}}, "median": {x.Median(), []float64{nan}},
		"max of no rows": {x.Max(1), []float64{}}, "argmax": {x.Argmax(1), []float64{}},
	} {
		equal(t, name, c.got.Float64s(), c.want)
	}
	for want, f := range map[string]func(){
		"argmax: shape [0 3] has no elements to choose from": func() { x.Argmax() },
		"max: shape [0 3] has no elements to choose from":    func() { x.MaxIndex(0) },
		"min: shape [0 3] has no elements to choose from":    func() { x.MinIndex(-2) },
		"median: shape [0 3] has no elements to choose from": func() { x.MedianIndex(0) },
		"argmin: 2 axes given; one is the most, and none means all elements": func() {
			x.Argmin(0, 1)
		},
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
}

func TestChosenElements(t *testing.T) {
	x := tensor.New([][]float64{{1, 3, 3}, {nan, 2, nan}}).SetRequiresGrad(true)
	values, at := x.MaxIndex(1)
	equal(t, "values", values.Float64s(), []float64{3, nan})
	equal(t, "positions", at.Int64s(), []int64{1, 0})
	values.Sum().Backward()
	equal(t, "gradient", x.Grad().Float64s(), []float64{0, 1, 0, 1, 0, 0})
	equal(t, "argmax of all", tensor.New([][]int{{1, 9}, {9, 2}}).Argmax().Item(), 1.0)
	equal(t, "argmin of all", tensor.New([][]int{{1, 9}, {0, 2}}).Argmin().Item(), 2.0)
	equal(t, "argmax 0-dim", tensor.Full(1).Argmax(0).Item(), 0.0)
	v, i := tensor.Full(7).MinIndex(-1)
	equal(t, "0-dim", []float64{v.Item(), i.Item()}, []float64{7, 0})
	y := tensor.New([]float64{4, 1, 3, 2}).SetRequiresGrad(true)
	equal(t, "median", y.Median().Item(), 2.0)
	m, where := y.MedianIndex(0)
	m.Backward()
	equal(t, "its place", where.Item(), 3.0)
	equal(t, "its gradient", y.Grad().Float64s(), []float64{0, 0, 0, 1})
	m, where = x.MedianIndex(1)
	equal(t, "median with NaN", m.Float64s(), []float64{3, nan})
	equal(t, "its places", where.Int64s(), []int64{1, 0})
	equal(t, "median of all with NaN", x.Median().Item(), nan)
}
