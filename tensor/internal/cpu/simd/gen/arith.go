package main

// The arithmetic of rows.
var arith = []kernel{
	binary("Add", "out = a + b", (*body).add),
	binary("Sub", "out = a − b", (*body).sub),
	binary("Mul", "out = a·b", (*body).mul),
	binary("Div", "out = a ÷ b", (*body).div),
	{
		doc:  "Max computes the larger of a and b; NaN is larger than any number, and +0 than −0.",
		sig:  "Max(out, a, b []float32)",
		body: func(b *body) { b.store("out", b.maxNaN(b.load("a"), b.load("b"))) },
	},
	{
		doc:  "Min computes the smaller of a and b; NaN is smaller than any number, and −0 than +0.",
		sig:  "Min(out, a, b []float32)",
		body: func(b *body) { b.store("out", b.minNaN(b.load("a"), b.load("b"))) },
	},
	withScalar("AddScalar", "computes out = x + c", (*body).add),
	withScalar("ScalarSub", "computes out = c − x", func(b *body, x, c value) value { return b.sub(c, x) }),
	withScalar("ScalarDiv", "computes out = c ÷ x", func(b *body, x, c value) value { return b.div(c, x) }),
	withScalar("MulScalar", "computes out = x·c", (*body).mul),
	withScalar("DivScalar", "computes out = x ÷ c", (*body).div),
	withScalar("MaxScalar", "is Max with c for every element of b", (*body).maxNaN),
	withScalar("MinScalar", "is Min with c for every element of b", (*body).minNaN),
	{
		doc: "SubTwice computes out = (x − c) − d, rounded after each operation.",
		sig: "SubTwice(out, x []float32, c, d float32)",
		body: func(b *body) {
			b.store("out", b.sub(b.sub(b.load("x"), b.scalar("c")), b.scalar("d")))
		},
	},
	{
		doc:  "Fill computes out = c.",
		sig:  "Fill(out []float32, c float32)",
		body: func(b *body) { b.store("out", b.or(b.scalar("c"), b.float(0))) },
	},
	{
		doc: "ReLUGrad computes b where a > 0 or a is NaN, else 0.",
		sig: "ReLUGrad(out, a, b []float32)",
		body: func(b *body) {
			zero := b.float(0)
			off := b.maskBits(b.compare(b.load("a"), lessEqual, zero))
			b.store("out", b.andNot(off, b.load("b")))
		},
	},
	{
		doc: "LeakyReLU computes y where x > 0, else y·slope: of y = x the function, of a gradient y its\ngradient.",
		sig: "LeakyReLU(out, x, y []float32, slope float32)",
		body: func(b *body) {
			y := b.load("y")
			on := b.compare(b.float(0), less, b.load("x"))
			b.store("out", b.choose(on, y, b.mul(y, b.scalar("slope"))))
		},
	},
	{
		doc: "TanhGrad computes out = b·(1 − a²).",
		sig: "TanhGrad(out, a, b []float32)",
		body: func(b *body) {
			a := b.load("a")
			b.store("out", b.mul(b.sub(b.float(1), b.mul(a, a)), b.load("b")))
		},
	},
	{
		doc: "SigmoidGrad computes out = b·(1 − a)·a.",
		sig: "SigmoidGrad(out, a, b []float32)",
		body: func(b *body) {
			a := b.load("a")
			b.store("out", b.mul(b.mul(b.sub(b.float(1), a), b.load("b")), a))
		},
	},
	{
		doc: "Axpy computes out = a + p·x: first the product, rounded, then the sum.",
		sig: "Axpy(out, a, x []float32, p float32)",
		body: func(b *body) {
			b.store("out", b.add(b.load("a"), b.mul(b.load("x"), b.scalar("p"))))
		},
	},
	{
		doc: "Addcmul computes out = a + p·b·c, rounded after each operation, from the left.",
		sig: "Addcmul(out, a, b, c []float32, p float32)",
		body: func(b *body) {
			product := b.mul(b.mul(b.load("b"), b.scalar("p")), b.load("c"))
			b.store("out", b.add(b.load("a"), product))
		},
	},
	{
		doc: "Addcdiv computes out = a + p·b ÷ c, rounded after each operation, from the left.",
		sig: "Addcdiv(out, a, b, c []float32, p float32)",
		body: func(b *body) {
			quotient := b.div(b.mul(b.load("b"), b.scalar("p")), b.load("c"))
			b.store("out", b.add(b.load("a"), quotient))
		},
	},
	{
		doc: "Adam does a step of Adam, rounded after each operation from the left: mean += (grad − mean)·way,\n" +
			"square = square·keep + add·grad·grad and theta += rate·mean ÷ (√square ÷ root + eps).",
		sig: "Adam(theta, mean, square, grad []float32, way, keep, add, root, eps, rate float32)",
		body: func(b *body) {
			grad, mean := b.load("grad"), b.load("mean")
			mean = b.add(mean, b.mul(b.sub(grad, mean), b.scalar("way")))
			b.store("mean", mean)
			square := b.add(b.mul(b.load("square"), b.scalar("keep")), b.mul(b.mul(grad, b.scalar("add")), grad))
			b.store("square", square)
			below := b.add(b.div(b.sqrt(square), b.scalar("root")), b.scalar("eps"))
			b.store("theta", b.add(b.load("theta"), b.div(b.mul(mean, b.scalar("rate")), below)))
		},
	},
	{
		doc: "RootStep does a step of RMSprop or Adagrad, rounded after each operation from the left: square =\n" +
			"square·keep + add·grad·grad and theta += rate·grad ÷ (√square + eps).",
		sig: "RootStep(theta, square, grad []float32, keep, add, eps, rate float32)",
		body: func(b *body) {
			grad := b.load("grad")
			square := b.add(b.mul(b.load("square"), b.scalar("keep")), b.mul(b.mul(grad, b.scalar("add")), grad))
			b.store("square", square)
			below := b.add(b.sqrt(square), b.scalar("eps"))
			b.store("theta", b.add(b.load("theta"), b.div(b.mul(grad, b.scalar("rate")), below)))
		},
	},
	unary("Neg", "out = −x", func(b *body, x value) value { return b.xor(x, b.bits(1<<31)) }),
	unary("Abs", "out = |x|", (*body).abs),
	unary("Sqrt", "out = √x", (*body).sqrt),
	unary("Rsqrt", "out = 1 ÷ √x, rounded once", func(b *body, x value) value {
		lo, hi := b.widen(x)
		one := b.wide(1)
		return b.narrow(b.div(one, b.sqrt(lo)), b.div(one, b.sqrt(hi)))
	}),
}

func unary(name, what string, f func(b *body, x value) value) kernel {
	return kernel{
		doc:  name + " computes " + what + ".",
		sig:  name + "(out, x []float32)",
		body: func(b *body) { b.store("out", f(b, b.load("x"))) },
	}
}

func binary(name, what string, f func(b *body, x, y value) value) kernel {
	return kernel{
		doc:  name + " computes " + what + ".",
		sig:  name + "(out, a, b []float32)",
		body: func(b *body) { b.store("out", f(b, b.load("a"), b.load("b"))) },
	}
}

func withScalar(name, what string, f func(b *body, x, y value) value) kernel {
	return kernel{
		doc:  name + " " + what + ".",
		sig:  name + "(out, x []float32, c float32)",
		body: func(b *body) { b.store("out", f(b, b.load("x"), b.scalar("c"))) },
	}
}
