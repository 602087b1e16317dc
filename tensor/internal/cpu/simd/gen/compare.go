package main

import "math"

// The kernels that write bools, and the one that reads them.
var comparisons = []kernel{
	comparison("Equal", "a = b", func(b *body, x, y value) value { return b.compare(x, equal, y) }),
	comparison("NotEqual", "a ≠ b", func(b *body, x, y value) value { return b.compare(x, notEqual, y) }),
	comparison("Less", "a < b", func(b *body, x, y value) value { return b.compare(x, less, y) }),
	comparison("LessEqual", "a ≤ b", func(b *body, x, y value) value { return b.compare(x, lessEqual, y) }),
	withNumber("EqualScalar", "x = c", func(b *body, x, c value) value { return b.compare(x, equal, c) }),
	withNumber("NotEqualScalar", "x ≠ c", func(b *body, x, c value) value { return b.compare(x, notEqual, c) }),
	withNumber("LessScalar", "x < c", func(b *body, x, c value) value { return b.compare(x, less, c) }),
	withNumber("LessEqualScalar", "x ≤ c", func(b *body, x, c value) value { return b.compare(x, lessEqual, c) }),
	withNumber("GreaterScalar", "x > c", func(b *body, x, c value) value { return b.compare(c, less, x) }),
	withNumber("GreaterEqualScalar", "x ≥ c", func(b *body, x, c value) value { return b.compare(c, lessEqual, x) }),
	{
		doc: "IsFinite reports for each element whether it is neither infinite nor NaN.",
		sig: "IsFinite(out []bool, x []float32)",
		body: func(b *body) {
			b.storeByte("out", b.compare(b.abs(b.load("x")), lessEqual, b.float(math.MaxFloat32)))
		},
	},
	{
		doc: "Where computes b where cond is true, else c.",
		sig: "Where(out []float32, cond []bool, b, c []float32)",
		body: func(b *body) {
			// 1 becomes the bits of 2
			on := b.compare(b.shl(b.loadByte("cond"), 30), notEqual, b.float(0))
			b.store("out", b.choose(on, b.load("b"), b.load("c")))
		},
	},
}

func comparison(name, what string, f func(b *body, x, y value) value) kernel {
	return kernel{
		doc:  name + " reports for each element whether " + what + ".",
		sig:  name + "(out []bool, a, b []float32)",
		body: func(b *body) { b.storeByte("out", f(b, b.load("a"), b.load("b"))) },
	}
}

func withNumber(name, what string, f func(b *body, x, c value) value) kernel {
	return kernel{
		doc:  name + " reports for each element whether " + what + ".",
		sig:  name + "(out []bool, x []float32, c float32)",
		body: func(b *body) { b.storeByte("out", f(b, b.load("x"), b.scalar("c"))) },
	}
}
