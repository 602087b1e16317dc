package nn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/nn"
)

// one runs the modules one by one, as a Sequential does that joins nothing.
func one(modules []nn.Module, x *tensor.Tensor) *tensor.Tensor {
	for _, m := range modules {
		x = m.Forward(x)
	}
	return x
}

// sameBits checks that two tensors are equal, bit for bit.
func sameBits(t *testing.T, what string, got, want *tensor.Tensor) {
	t.Helper()
	if got.DType() != want.DType() {
		t.Fatalf("%s: %v, want %v", what, got.DType(), want.DType())
	}
	xs, ys := got.To(tensor.Float64).Float64s(), want.To(tensor.Float64).Float64s()
	for i := range xs {
		if math.Float64bits(xs[i]) != math.Float64bits(ys[i]) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, xs[i], ys[i])
		}
	}
}

// awkward returns a tensor with many equal elements, zeros of both signs, infinities and NaN.
func awkward(r *rand.Rand, shape ...int) *tensor.Tensor {
	n := 1
	for _, s := range shape {
		n *= s
	}
	values := []float32{-2, -1, float32(math.Copysign(0, -1)), 0, 1, 2, 1e-7, -1e-7}
	xs := make([]float32, n)
	for i := range xs {
		xs[i] = values[r.IntN(len(values))]
		switch r.IntN(40) {
		case 0:
			xs[i] = float32(math.NaN())
		case 1:
			xs[i] = float32(math.Inf(1 - 2*r.IntN(2)))
		}
	}
	return tensor.New(xs).Reshape(shape...)
}

// TestSequentialJoins: results, gradients and gradients of gradients are those of the modules one by
// one, in all dtypes and under autocast.
func TestSequentialJoins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	chains := map[string][]nn.Module{
		"pool": {nn.NewReLU(), nn.NewMaxPool2d(2)},
		"overlapping": {nn.NewReLU(),
			nn.NewMaxPool2d(3, nn.PoolConfig{Stride: []int{2}, Padding: []int{1}, Ceil: true})},
		"dense":   {nn.NewReLU(), nn.NewMaxPool2d(2, nn.PoolConfig{Stride: []int{1}, Dilation: []int{2}})},
		"twice":   {nn.NewReLU(), nn.NewReLU(), nn.NewMaxPool2d(2), nn.NewReLU()},
		"network": {nn.NewConv2d(3, 4, 3), nn.NewReLU(), nn.NewMaxPool2d(2), nn.NewFlatten()},
	}
	for name, chain := range chains {
		for _, d := range []tensor.DType{tensor.Float64, tensor.Float32, tensor.Float16, tensor.BFloat16} {
			for _, low := range []tensor.DType{0, tensor.Float16, tensor.BFloat16} {
				if name == "network" && d != tensor.Float32 || low != 0 && d != tensor.Float32 {
					continue
				}
				for _, shape := range [][]int{{2, 3, 8, 9}, {3, 7, 6}} {
					x, seed := awkward(r, shape...).To(d), r.Uint64()
					results := func(forward func(x *tensor.Tensor) *tensor.Tensor) []*tensor.Tensor {
						x := x.Clone().SetRequiresGrad(true)
						var y *tensor.Tensor
						amp.AutocastWith(amp.Config{DType: low, Disabled: low == 0}, func() { y = forward(x) })
						r := rand.New(rand.NewPCG(seed, 1))
						g := awkward(r, y.Shape()...).To(y.DType()).SetRequiresGrad(true)
						of := append([]*tensor.Tensor{x}, nn.Parameters(nn.NewSequential(chain...))...)
						first := tensor.Grad([]*tensor.Tensor{y}, of, tensor.GradConfig{
							GradOutputs: []*tensor.Tensor{g}, CreateGraph: true})
						gg := awkward(r, shape...).To(d)
						second := tensor.Grad(first[:1], []*tensor.Tensor{g}, tensor.GradConfig{
							GradOutputs: []*tensor.Tensor{gg}, RetainGraph: true})
						y.Backward(tensor.BackwardConfig{Gradient: g.Detach()})
						return append(append(first, second...), y, x.Grad())
					}
					want := results(func(x *tensor.Tensor) *tensor.Tensor { return one(chain, x) })
					got := results(nn.NewSequential(chain...).Forward)
					for i := range want {
						sameBits(t, name, got[i], want[i])
					}
				}
			}
		}
	}
}

// TestSequentialPolicy: where autocast has a rule for an op, the modules run in their order.
func TestSequentialPolicy(t *testing.T) {
	x := tensor.Ones(1, 1, 4, 4)
	model := nn.NewSequential(nn.NewReLU(), nn.NewMaxPool2d(2))
	for rule, want := range map[string]string{"relu": "[relu max_pool2d]",
		"max_pool2d": "[relu max_pool2d]", "linear": "[max_pool2d relu]"} {
		var order []string
		tensor.WithCastState(rules{rule, &order}, func() { model.Forward(x) })
		if got := fmt.Sprint(order); got != want {
			t.Errorf("with a rule for %s the ops are %s, want %s", rule, got, want)
		}
	}
}

// rules is a cast state with a rule for one op, which notes what it is asked about.
type rules struct {
	op    string
	asked *[]string
}

func (r rules) Cast(op string, args []*tensor.Tensor, d tensor.DType) ([]*tensor.Tensor, tensor.DType) {
	*r.asked = append(*r.asked, op)
	return args, d
}

func (r rules) HasRule(op string) bool { return op == r.op }

func (r rules) Fresh() tensor.CastState { return r }
