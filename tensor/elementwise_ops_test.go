package tensor_test

import "halfnote/tensor"

func init() {
	f := func(f func(*T) *T) func(x ...*T) *T { return func(x ...*T) *T { return f(x[0]) } }
	g := func(f func(*T, any) *T) func(x ...*T) *T {
		return func(x ...*T) *T { return f(x[0], x[1]) }
	}
	addOps(
		elementwise("add", 2, g((*T).Add)),
		elementwise("sub", 2, g((*T).Sub)),
		elementwise("mul", 2, g((*T).Mul)),
		elementwise("div", 2, g((*T).Div)).between(0.5, 2),
		elementwise("pow", 2, g((*T).Pow)).between(0.5, 2),
		elementwise("maximum", 2, func(x ...*T) *T { return x[0].Maximum(x[1]) }),
		elementwise("minimum", 2, func(x ...*T) *T { return x[0].Minimum(x[1]) }),
		elementwise("neg", 1, f((*T).Neg)),
		elementwise("abs", 1, f((*T).Abs)),
		elementwise("sign", 1, f((*T).Sign)),
		elementwise("clamp", 1, func(x ...*T) *T { return x[0].Clamp(-0.5, 0.7) }),
		elementwise("exp", 1, f((*T).Exp)),
		elementwise("log", 1, f((*T).Log)).between(0.5, 2),
		elementwise("sqrt", 1, f((*T).Sqrt)).between(0.5, 2),
		elementwise("rsqrt", 1, f((*T).Rsqrt)).between(0.5, 2),
		elementwise("reciprocal", 1, f((*T).Reciprocal)).between(0.5, 2),
		elementwise("square", 1, f((*T).Square)),
		elementwise("clamp_min", 1, func(x ...*T) *T { return x[0].ClampMin(-0.5) }),
		elementwise("clamp_max", 1, func(x ...*T) *T { return x[0].ClampMax(0.7) }),
		elementwise("rsub", 1, func(x ...*T) *T { return x[0].RSub(1.3) }),
		elementwise("rdiv", 1, func(x ...*T) *T { return x[0].RDiv(1.3) }).between(0.5, 2),
		elementwise("rpow", 1, func(x ...*T) *T { return x[0].RPow(1.3) }),
		elementwise("addcmul", 3, func(x ...*T) *T { return x[0].Addcmul(x[1], x[2], 1.5) }),
		elementwise("addcdiv", 3, func(x ...*T) *T {
			return x[0].Addcdiv(x[1], x[2], 1.5)
		}).between(0.5, 2),
		elementwise("lerp", 2, func(x ...*T) *T { return x[0].Lerp(x[1], 0.3) }),
		elementwise("lerp_far", 2, func(x ...*T) *T { return x[0].Lerp(x[1], 0.8) }),
		elementwise("sin", 1, f((*T).Sin)),
		elementwise("cos", 1, f((*T).Cos)),
		elementwise("tan", 1, f((*T).Tan)).between(-1, 1),
		elementwise("asin", 1, f((*T).Asin)).between(-0.8, 0.8),
		elementwise("acos", 1, f((*T).Acos)).between(-0.8, 0.8),
		elementwise("atan", 1, f((*T).Atan)),
		elementwise("sinh", 1, f((*T).Sinh)),
		elementwise("cosh", 1, f((*T).Cosh)),
		elementwise("erf", 1, f((*T).Erf)),
		elementwise("erfinv", 1, f((*T).Erfinv)).between(-0.8, 0.8),
		elementwise("expm1", 1, f((*T).Expm1)),
		elementwise("log1p", 1, f((*T).Log1p)).between(-0.5, 2),
		elementwise("log2", 1, f((*T).Log2)).between(0.5, 2),
		elementwise("log10", 1, f((*T).Log10)).between(0.5, 2),
		elementwise("floor", 1, f((*T).Floor)),
		elementwise("ceil", 1, f((*T).Ceil)),
		elementwise("round", 1, f((*T).Round)),
		elementwise("trunc", 1, f((*T).Trunc)),
		elementwise("atan2", 2, func(x ...*T) *T { return x[0].Atan2(x[1]) }).between(0.5, 2),
		elementwise("fmod", 2, g((*T).Fmod)).between(1.1, 2),
		elementwise("fmod_number", 1, func(x ...*T) *T { return x[0].Fmod(0.75) }),
		elementwise("remainder", 2, g((*T).Remainder)).between(1.1, 2),
		elementwise("remainder_number", 1, func(x ...*T) *T { return x[0].Remainder(-0.75) }),
		opRow{name: "cosine_similarity", in: same(2, 2, 3), f: func(x ...*T) *T {
			return tensor.CosineSimilarity(x[0], x[1], 1)
		}, also: [][][]int{{{2, 1, 3}, {4, 3}}, same(2, 0, 3), {{3, 3, 3}, {3}}}, low: 0.5, high: 2,
			terms: 2},
		opRow{name: "normalize", in: same(1, 2, 3), f: func(x ...*T) *T {
			return x[0].Normalize(2, -1)
		}, also: [][][]int{same(1, 0, 3), same(1, 4)}, low: 0.5, high: 2},
		opRow{name: "addcmul_broadcast", f: func(x ...*T) *T {
			return x[0].Addcmul(x[1], x[2], -0.5)
		}, in: [][]int{{3}, {2, 1}, {}}, terms: 4},
		opRow{name: "add_broadcast", f: g((*T).Add), in: [][]int{{2, 3, 2}, {3, 1}},
			also: [][][]int{{{2, 3}, {}}, {{0, 3}, {3}}}, terms: 4},
		opRow{name: "mul_broadcast", f: g((*T).Mul), in: [][]int{{2, 3, 2}, {3, 1}},
			also: [][][]int{{{2, 3}, {}}, {{0, 3}, {3}}}, terms: 4},
	)
}
