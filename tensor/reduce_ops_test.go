package tensor_test

import (
	"math"

	"halfnote/tensor"
)

func init() {
	// folded is a row of a reduction over no axes, which are all, or over some.
	folded := func(name string, f func(x *T, axes ...int) *T, axes ...int) opRow {
		r := opRow{name: name, in: same(1, 2, 3, 4), terms: 12,
			f: func(x ...*T) *T { return f(x[0], axes...) }}
		if len(axes) == 0 {
			r.also = [][][]int{same(1), same(1, 5), same(1, 1, 1)}
		}
		return r
	}
	along := func(name string, f func(x *T, axis int) *T) opRow {
		return opRow{name: name, in: same(1, 2, 3, 4), f: func(x ...*T) *T { return f(x[0], 1) },
			also: [][][]int{same(1, 3, 1), same(1, 2, 5), same(1, 2, 3, 0)}, terms: 12}
	}
	norm := func(p float64) func(x *T, axes ...int) *T {
		return func(x *T, axes ...int) *T { return x.Norm(p, axes...) }
	}
	biased := func(x *T, axes ...int) *T {
		return x.VarWith(tensor.VarConfig{Correction: new(0.0)}, axes...)
	}
	addOps(
		folded("sum", (*T).Sum), folded("sum_axis", (*T).Sum, 1),
		folded("mean", (*T).Mean), folded("mean_axes", (*T).Mean, 0, -1),
		folded("amax", (*T).Max), folded("amin_axis", (*T).Min, -1),
		folded("var_axis", (*T).Var, 1), folded("var_axes", (*T).Var, 0, 2),
		folded("var_biased", biased),
		folded("std_biased", func(x *T, axes ...int) *T {
			return x.StdWith(tensor.VarConfig{Correction: new(0.0)}, axes...)
		}, 1),
		folded("var_mean", func(x *T, axes ...int) *T {
			variance, mean := x.VarMean(axes...)
			return variance.Mul(mean)
		}, 1),
		folded("sum_as", func(x *T, axes ...int) *T { return x.SumAs(x.DType(), axes...) }),
		folded("prod_as", func(x *T, axes ...int) *T { return x.ProdAs(x.DType(), axes...) }, 1),
		folded("norm_as", func(x *T, axes ...int) *T { return x.NormAs(x.DType(), 2, axes...) }, 1),
		along("cumsum_as", func(x *T, axis int) *T { return x.CumsumAs(x.DType(), axis) }),
		along("cumprod_as", func(x *T, axis int) *T { return x.CumprodAs(x.DType(), axis) }),
		folded("std_axis", (*T).Std, -1), folded("std_axes", (*T).Std, 1, 2),
		folded("prod", (*T).Prod), folded("prod_axis", (*T).Prod, 1),
		folded("prod_axes", (*T).Prod, 2, 0),
		folded("logsumexp", (*T).Logsumexp), folded("logsumexp_axes", (*T).Logsumexp, 0, 1),
		folded("norm1", norm(1)), folded("norm1_axis", norm(1), 1),
		folded("norm2", norm(2)), folded("norm2_axis", norm(2), -1),
		folded("norm3", norm(3)), folded("norm3.5_axes", norm(3.5), 0, 1),
		folded("norm1.5_axis", norm(1.5), 0), folded("norm0.5", norm(0.5)).between(0.5, 2),
		folded("norm-1", norm(-1), 1).between(0.5, 2),
		folded("norm_inf", norm(math.Inf(1))), folded("norm_inf_axis", norm(math.Inf(1)), 1),
		folded("norm_-inf_axis", norm(math.Inf(-1)), 2),
		folded("norm0", norm(0), 1),
		folded("median", func(x *T, _ ...int) *T { return x.Median() }),
		along("median_axis", func(x *T, axis int) *T { v, _ := x.MedianIndex(axis); return v }),
		along("max_index", func(x *T, axis int) *T { v, _ := x.MaxIndex(axis); return v }),
		along("min_index", func(x *T, axis int) *T { v, _ := x.MinIndex(axis); return v }),
		along("softmax", func(x *T, axis int) *T { return x.Softmax(axis) }),
		along("log_softmax", func(x *T, axis int) *T { return x.LogSoftmax(axis) }),
		along("cumsum", (*T).Cumsum),
		along("cumprod", (*T).Cumprod),
		along("cumsum_first", func(x *T, _ int) *T { return x.Cumsum(0) }),
		along("cumprod_last", func(x *T, _ int) *T { return x.Cumprod(-1) }),
	)
}
