package tensor_test

import "halfnote/tensor"

func init() {
	f := func(name string, n int, f func(x ...*T) *T) opRow {
		r := elementwise(name, n, f)
		r.noGrad = true
		return r
	}
	compare := func(name string, g func(*T, any) *T) {
		addOps(f(name, 2, func(x ...*T) *T { return g(x[0], x[1]) }),
			f(name+"_number", 1, func(x ...*T) *T { return g(x[0], 0.5) }))
	}
	compare("eq", (*T).Eq)
	compare("ne", (*T).Ne)
	compare("lt", (*T).Lt)
	compare("le", (*T).Le)
	compare("gt", (*T).Gt)
	compare("ge", (*T).Ge)
	logic := func(name string, g func(a, b *T) *T) {
		addOps(f(name, 2, func(x ...*T) *T { return g(x[0].Gt(0), x[1].Gt(0)) }))
	}
	logic("and", (*T).And)
	logic("or", (*T).Or)
	logic("xor", (*T).Xor)
	special := func(x *T) *T { return x.Trunc().Reciprocal().Sub(1).Log() } // NaN, ±inf and 0
	addOps(
		f("not", 1, func(x ...*T) *T { return x[0].Gt(0).Not() }),
		f("isnan", 1, func(x ...*T) *T { return special(x[0]).IsNaN() }),
		f("isinf", 1, func(x ...*T) *T { return special(x[0]).IsInf() }),
		f("isfinite", 1, func(x ...*T) *T { return special(x[0]).IsFinite() }),
		f("allfinite", 1, func(x ...*T) *T { return tensor.New(x[0].Reciprocal().AllFinite()) }),
	)

	folded := func(name string, f func(x *T, axes ...int) *T, also ...[][]int) {
		addOps(
			opRow{name: name, in: same(1, 2, 3, 4), noGrad: true, also: append(also, same(1)),
				f: func(x ...*T) *T { return f(x[0]) }},
			opRow{name: name + "_axis", in: same(1, 2, 3, 4), noGrad: true,
				also: [][][]int{same(1, 0, 3)}, f: func(x ...*T) *T { return f(x[0], -1) }},
		)
	}
	folded("any", func(x *T, axes ...int) *T { return x.Gt(1).Any(axes...) }, same(1, 0))
	folded("all", func(x *T, axes ...int) *T { return x.Lt(1).All(axes...) }, same(1, 0))
	folded("argmax", (*T).Argmax)
	folded("argmin", (*T).Argmin)
	addOps(
		opRow{name: "argsort", in: same(1, 2, 3, 4), noGrad: true,
			also: [][][]int{same(1, 5), same(1, 2, 0)},
			f:    func(x ...*T) *T { return x[0].Argsort(-1, true) }},
		opRow{name: "nonzero", in: same(1, 3, 4), noGrad: true,
			also: [][][]int{same(1), same(1, 0, 3)},
			f:    func(x ...*T) *T { return x[0].Trunc().Nonzero() }},
	)
}
