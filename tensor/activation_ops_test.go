package tensor_test

func init() {
	f := func(name string, f func(*T) *T) opRow {
		return elementwise(name, 1, func(x ...*T) *T { return f(x[0]) }).between(-4, 4)
	}
	addOps(
		f("tanh", (*T).Tanh),
		f("sigmoid", (*T).Sigmoid),
		f("relu", (*T).ReLU),
		f("gelu", func(x *T) *T { return x.GELU() }),
		f("gelu_tanh", func(x *T) *T { return x.GELU("tanh") }),
		f("silu", (*T).SiLU),
		f("softplus", func(x *T) *T { return x.Softplus(1, 20) }),
		f("softplus_beta", func(x *T) *T { return x.Softplus(1.5, 3) }),
		f("logsigmoid", (*T).LogSigmoid),
		f("mish", (*T).Mish),
		f("elu", func(x *T) *T { return x.ELU(1) }),
		f("elu_alpha", func(x *T) *T { return x.ELU(0.6) }),
		f("leaky_relu", func(x *T) *T { return x.LeakyReLU(0.1) }),
		f("hardtanh", func(x *T) *T { return x.Hardtanh(-1, 2) }),
		f("hardswish", (*T).Hardswish),
		f("hardsigmoid", (*T).Hardsigmoid),
		opRow{name: "prelu", f: func(x ...*T) *T { return x[0].PReLU(x[1]) },
			in:    [][]int{{2, 3, 2}, {3}},
			also:  [][][]int{{{2, 3}, {1}}, {{}, {}}, {{4}, {}}, {{0, 3}, {3}}},
			terms: 8},
	)
}
