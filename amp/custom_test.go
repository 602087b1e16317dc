package amp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/amp"
	"halfnote/tensor"
)

// seen is what a custom matmul found in its two directions.
type seen struct {
	Input, Output, Saved, Grad, Returned tensor.DType
	Enabled, BackwardEnabled             bool
	BackwardLow                          tensor.DType // what a matmul gives there
}

// observed returns a matmul that notes what it sees.
func observed(s *seen, config ...amp.CustomConfig) tensor.Function {
	return tensor.Function{
		Name: "observed",
		Forward: amp.CustomFwd(func(ctx *tensor.Context, in ...*tensor.Tensor) []*tensor.Tensor {
			ctx.Save(in...)
			y := in[0].MatMul(in[1])
			s.Input, s.Output, s.Enabled = in[0].DType(), y.DType(), amp.Enabled()
			return []*tensor.Tensor{y}
		}, config...),
		Backward: amp.CustomBwd(func(ctx *tensor.Context, g ...*tensor.Tensor) []*tensor.Tensor {
			in := ctx.Saved()
			s.Saved, s.Grad, s.BackwardEnabled = in[0].DType(), g[0].DType(), amp.Enabled()
			s.BackwardLow = lowDType()
			da, db := g[0].MatMul(in[1].T()), in[0].T().MatMul(g[0])
			s.Returned = da.DType()
			return []*tensor.Tensor{da, db}
		}),
	}
}

// TestCustomFunctions has a case for each cell of the table of custom functions: with and without
// CastInputs, in and out of an enabled region.
func TestCustomFunctions(t *testing.T) {
	const f16, bf16, f32, f64 = tensor.Float16, tensor.BFloat16, tensor.Float32, tensor.Float64
	in := func(cfg amp.Config) func(func()) {
		return func(f func()) { amp.AutocastWith(cfg, f) }
	}
	outside := func(f func()) { f() }
	toF32 := amp.CustomConfig{CastInputs: f32}
	for name, c := range map[string]struct {
		config   []amp.CustomConfig
		dtype    tensor.DType // of the leaves
		forward  func(func())
		backward func(func())
		want     seen
	}{
		"plain, float16 region": {nil, f32, in(amp.Config{}), outside,
			seen{f32, f16, f32, f16, f16, true, true, f16}},
		"plain, bfloat16 is remembered": {nil, f32, in(amp.Config{DType: bf16}), outside,
			seen{f32, bf16, f32, bf16, bf16, true, true, bf16}},
		"plain, backward in a float16 region": {nil, f32, in(amp.Config{DType: bf16}),
			in(amp.Config{}), seen{f32, bf16, f32, bf16, bf16, true, true, bf16}},
		"plain, outside": {nil, f32, outside, outside,
			seen{f32, f32, f32, f32, f32, false, false, f32}},
		"plain, outside and backward in a region": {nil, f32, outside, in(amp.Config{}),
			seen{f32, f32, f32, f32, f32, false, false, f32}},
		"plain, disabled region": {nil, f16, in(amp.Config{Disabled: true}), in(amp.Config{}),
			seen{f16, f16, f16, f16, f16, false, false, f32}},
		"plain, float64": {nil, f64, in(amp.Config{}), outside,
			seen{f64, f64, f64, f64, f64, true, true, f16}},

		"cast, float16 region": {[]amp.CustomConfig{toF32}, f16, in(amp.Config{}), outside,
			seen{f32, f32, f32, f32, f32, false, false, f32}},
		"cast, backward in a region": {[]amp.CustomConfig{toF32}, f16, in(amp.Config{}),
			in(amp.Config{DType: bf16}), seen{f32, f32, f32, f32, f32, false, false, f32}},
		"cast, outside": {[]amp.CustomConfig{toF32}, f16, outside, outside,
			seen{f16, f16, f16, f16, f16, false, false, f32}},
		"cast, disabled region": {[]amp.CustomConfig{toF32}, f16, in(amp.Config{Disabled: true}),
			outside, seen{f16, f16, f16, f16, f16, false, false, f32}},
		"cast, float64": {[]amp.CustomConfig{toF32}, f64, in(amp.Config{}), outside,
			seen{f64, f64, f64, f64, f64, false, false, f32}},
		"cast to float16": {[]amp.CustomConfig{{CastInputs: f16}}, f32, in(amp.Config{}), outside,
			seen{f16, f16, f16, f16, f16, false, false, f32}},
		"cast to bfloat16 in a float16 region": {[]amp.CustomConfig{{CastInputs: bf16}}, f32,
			in(amp.Config{}), outside, seen{bf16, bf16, bf16, bf16, bf16, false, false, f32}},
	} {
		t.Run(name, func(t *testing.T) {
			a := tensor.Ones(2, 2).To(c.dtype).SetRequiresGrad(true)
			b := tensor.Full(3, 2, 2).To(c.dtype).SetRequiresGrad(true)
			var got seen
			f := observed(&got, c.config...)
			var y *tensor.Tensor
			c.forward(func() {
				before := amp.Enabled()
				y = f.Apply(a, b)[0]
				if amp.Enabled() != before {
					t.Error("the region changed behind the function")
				}
			})
			c.backward(func() {
				y.Backward(tensor.BackwardConfig{Gradient: tensor.OnesLike(y)})
			})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if a.Grad().DType() != c.dtype || b.Grad().DType() != c.dtype {
				t.Errorf("gradients of %v and %v for leaves of %v", a.Grad().DType(),
					b.Grad().DType(), c.dtype)
			}
			if v := a.Grad().Float64s()[0]; v != 6 {
				t.Errorf("gradient %v, want 6", v)
			}
		})
	}
}

// What is no floating tensor is not cast: integers, bools, nils.
func TestCustomFwdCastsFloatsOnly(t *testing.T) {
	var got []tensor.DType
	f := tensor.Function{
		Forward: amp.CustomFwd(func(_ *tensor.Context, in ...*tensor.Tensor) []*tensor.Tensor {
			for _, x := range in {
				if x == nil {
					got = append(got, 0)
					continue
				}
				got = append(got, x.DType())
			}
			return nil
		}, amp.CustomConfig{CastInputs: tensor.Float32}),
	}
	in := []*tensor.Tensor{
		tensor.Ones(1).To(tensor.Int64), tensor.Ones(1).To(tensor.Bool), nil,
		tensor.Ones(1).To(tensor.BFloat16), tensor.Ones(1).To(tensor.Float64),
	}
	bfloat := in[3]
	amp.Autocast(func() { f.Apply(in...) })
	want := []tensor.DType{tensor.Int64, tensor.Bool, 0, tensor.Float32, tensor.Float64}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if in[3] != bfloat {
		t.Error("the caller's inputs were replaced")
	}
}

// The policy and the switch of the cache are remembered too, and a weight that Backward casts is
// cast once.
func TestCustomBwdRegion(t *testing.T) {
	var forward, backward tensor.DType
	vector := func() tensor.DType {
		args, _ := tensor.CurrentCastState().Cast("mv", []*tensor.Tensor{tensor.Ones(2)}, 0)
		return args[0].DType()
	}
	f := tensor.Function{
		Forward: amp.CustomFwd(func(_ *tensor.Context, in ...*tensor.Tensor) []*tensor.Tensor {
			forward = vector()
			return []*tensor.Tensor{in[0].Mul(1)}
		}),
		Backward: amp.CustomBwd(func(_ *tensor.Context, g ...*tensor.Tensor) []*tensor.Tensor {
			backward = vector()
			return g
		}),
	}
	x := weight(2)
	var y *tensor.Tensor
	amp.AutocastWith(amp.Config{Policy: amp.CPUPolicy()}, func() { y = f.Apply(x)[0].Sum() })
	y.Backward()
	if forward != tensor.Float32 || backward != tensor.Float32 {
		t.Errorf("mv gets %v and in backward %v; the CPU policy does not lower it", forward, backward)
	}
}

// The gradient of the gradient goes through the wrapped functions.
func TestCustomFunctionSecondOrder(t *testing.T) {
	square := tensor.Function{
		Forward: amp.CustomFwd(func(ctx *tensor.Context, in ...*tensor.Tensor) []*tensor.Tensor {
			ctx.Save(in[0])
			return []*tensor.Tensor{in[0].Mul(in[0])}
		}),
		Backward: amp.CustomBwd(func(ctx *tensor.Context, g ...*tensor.Tensor) []*tensor.Tensor {
			return []*tensor.Tensor{g[0].Mul(ctx.Saved()[0]).Mul(2)}
		}),
	}
	x := tensor.Full(3, 2).SetRequiresGrad(true)
	amp.Autocast(func() {
		y := square.Apply(square.Apply(x)[0])[0].Sum() // x⁴
		g := tensor.Grad([]*tensor.Tensor{y}, []*tensor.Tensor{x}, tensor.GradConfig{CreateGraph: true})
		g[0].Sum().Backward()
	})
	if got := x.Grad().Float64s()[0]; got != 12*9 {
		t.Errorf("second gradient %v, want 108", got)
	}
}

func TestCustomMistakes(t *testing.T) {
	pass := func(_ *tensor.Context, in ...*tensor.Tensor) []*tensor.Tensor {
		return []*tensor.Tensor{in[0].Mul(1)}
	}
	for name, f := range map[string]func(){
		"integers":    func() { amp.CustomFwd(pass, amp.CustomConfig{CastInputs: tensor.Int64}) },
		"two configs": func() { amp.CustomFwd(pass, amp.CustomConfig{}, amp.CustomConfig{}) },
		"not wrapped": func() {
			g := tensor.Function{Forward: pass, Backward: amp.CustomBwd(pass)}
			g.Apply(weight(1))[0].Backward()
		},
	} {
		if got := failure(t, f); got != amp.BadConfig {
			t.Errorf("%s: kind %q, want %q", name, got, amp.BadConfig)
		}
	}
}
