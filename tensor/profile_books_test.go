package tensor_test

import (
	"testing"

	"halfnote/tensor"
)

// This file checks a profile's books over all ops: what they call, make and write is there.

// checkProfile compares a profile with what f, which it was made of, gave: each line has calls, what
// was made was written too, and so was what f returned, which took so many bytes.
func checkProfile(t *testing.T, what string, p *tensor.ProfileTable, bytes int) {
	t.Helper()
	var written int64
	for _, o := range p.Ops {
		if o.Calls <= 0 || o.Written < o.Allocated || o.Self > o.Total {
			t.Errorf("%s: %+v", what, o)
		}
		written += o.Written
	}
	if written < int64(bytes) {
		t.Errorf("%s: %d bytes are written, and the result has %d:\n%s", what, written, bytes, p)
	}
}

// bytesOf returns what t's elements take, or 0 where they may be another tensor's.
func bytesOf(t *T) int {
	if t.IsView() {
		return 0
	}
	return t.Numel() * t.DType().Size()
}

func TestProfileOfOps(t *testing.T) {
	for _, r := range opTable {
		var y *T
		xs := leaves(r.inputs(r.in))
		p := tensor.Profile(func() { y = r.f(xs...) })
		checkProfile(t, r.name, p, bytesOf(y))
		if r.noGrad {
			continue
		}
		ones := tensor.OnesLike(y)
		p = tensor.Profile(func() { y.Backward(tensor.BackwardConfig{Gradient: ones}) })
		checkProfile(t, r.name+" backward", p, 0)
		if len(p.Ops) == 0 {
			t.Errorf("%s: its gradient is not in the profile", r.name)
		}
	}
	for _, form := range inPlaceForms {
		x, b := drawn(tensor.Float32, 2, 3), drawn(tensor.Float32, 3)
		p := tensor.Profile(func() { form.write(x, b) })
		checkProfile(t, form.name+" in place", p, bytesOf(x))
	}
}

// TestProfileOfCreation: what makes tensors is one call under its own name, of as many bytes.
func TestProfileOfCreation(t *testing.T) {
	x := tensor.Rand(40, 50)
	floats, integers, bools := make([]float64, 2000), make([]int64, 2000), make([]bool, 2000)
	for _, c := range []struct {
		op string
		f  func() *T
	}{
		{"zeros", func() *T { return tensor.Zeros(40, 50) }},
		{"zeros", func() *T { return tensor.Zeros(3) }},
		{"zeros_like", func() *T { return tensor.ZerosLike(x) }},
		{"ones", func() *T { return tensor.Ones(40, 50) }},
		{"full", func() *T { return tensor.Full(7, 40, 50) }},
		{"ones_like", func() *T { return tensor.OnesLike(x) }},
		{"rand", func() *T { return tensor.Rand(40, 50) }},
		{"randn", func() *T { return tensor.Randn(40, 50) }},
		{"randint", func() *T { return tensor.Randint(0, 9, 40, 50) }},
		{"randperm", func() *T { return tensor.Randperm(2000) }},
		{"uniform", func() *T { return tensor.DefaultGenerator().Uniform(1, 2, 40, 50) }},
		{"normal", func() *T { return tensor.DefaultGenerator().Normal(1, 2, 40, 50) }},
		{"bernoulli", func() *T { return tensor.DefaultGenerator().Bernoulli(0.5, 40, 50) }},
		{"from_float32", func() *T { return tensor.Arange(2000) }},
		{"from_float32", func() *T { return tensor.FromFloat32(make([]float32, 2000), 40, 50) }},
		{"from_float64", func() *T { return tensor.FromFloat64(floats, 40, 50) }},
		{"from_float64", func() *T { return tensor.New(floats) }},
		{"from_int64", func() *T { return tensor.FromInt64(integers, 40, 50) }},
		{"from_bool", func() *T { return tensor.FromBool(bools, 40, 50) }},
		{"from_half", func() *T { return tensor.FromHalf(make([]tensor.Half, 2000), 40, 50) }},
		{"from_bfloat", func() *T { return tensor.FromBFloat(make([]tensor.BFloat, 2000), 40, 50) }},
		{"clone", func() *T { return x.Clone() }},
		{"to", func() *T { return x.To(tensor.Float16) }},
	} {
		var y *T
		p := tensor.Profile(func() { y = c.f() })
		checkProfile(t, c.op, p, bytesOf(y))
		if len(p.Ops) != 1 {
			t.Errorf("%s: want one line\n%s", c.op, p)
			continue
		}
		o, want := p.Ops[0], int64(bytesOf(y))
		if o.Op != c.op || o.Backward || o.Calls != 1 || o.Written != want || o.Allocated != want {
			t.Errorf("%+v, want one call of %s with %d bytes", o, c.op, want)
		}
	}
	p := tensor.Profile(func() { tensor.Eye(50) })
	checkProfile(t, "eye", p, 4*50*50)
}
