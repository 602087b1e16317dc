package tensor_test

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
		elementwise("tanh", 1, f((*T).Tanh)),
		elementwise("sigmoid", 1, f((*T).Sigmoid)),
		elementwise("relu", 1, f((*T).ReLU)),
		elementwise("square", 1, f((*T).Square)),
		opRow{name: "add_broadcast", f: g((*T).Add), in: [][]int{{2, 3, 2}, {3, 1}},
			also: [][][]int{{{2, 3}, {}}, {{0, 3}, {3}}}, terms: 4},
		opRow{name: "mul_broadcast", f: g((*T).Mul), in: [][]int{{2, 3, 2}, {3, 1}},
			also: [][][]int{{{2, 3}, {}}, {{0, 3}, {3}}}, terms: 4},
	)
}
