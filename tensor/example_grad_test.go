package tensor_test

import (
	"fmt"

	"halfnote/tensor"
)

// In-place ops are recorded: rows of a buffer are filled one by one, and gradients reach what they
// were filled with.
func ExampleTensor_CopyFrom() {
	x := tensor.New([]float32{1, 2, 3}).SetRequiresGrad(true)
	out := tensor.Zeros(2, 3)
	out.Index(0).CopyFrom(x)
	out.Index(1).CopyFrom(x.Mul(10))
	out.Index(1).AddInPlace(1)
	out.Sum().Backward()
	fmt.Println(out.Float32s(), x.Grad().Float32s())
	// Output: [1 2 3 11 21 31] [11 11 11]
}

// A hook looks at gradients as they pass, and may change them: here it limits them.
func ExampleTensor_RegisterHook() {
	x := tensor.New([]float32{1, 2}).SetRequiresGrad(true)
	h := x.Mul(3)
	remove := h.RegisterHook(func(g *tensor.Tensor) *tensor.Tensor {
		fmt.Println("gradient:", g.Float32s())
		return g.Clamp(-1, 1)
	})
	h.Mul(tensor.New([]float32{0.5, 100})).Sum().Backward()
	fmt.Println(x.Grad().Float32s())
	remove()
	// Output:
	// gradient: [0.5 100]
	// [1.5 3]
}

// A straight-through estimator: rounding forward, and backward as if there were none.
func ExampleFunction() {
	round := tensor.Function{
		Name: "round",
		Forward: func(ctx *tensor.Context, in ...*tensor.Tensor) []*tensor.Tensor {
			return []*tensor.Tensor{in[0].To(tensor.Int64).To(in[0].DType())}
		},
		Backward: func(ctx *tensor.Context, g ...*tensor.Tensor) []*tensor.Tensor {
			return g
		},
	}
	x := tensor.New([]float32{1.2, 2.7}).SetRequiresGrad(true)
	y := round.Apply(x)[0]
	y.Square().Sum().Backward()
	fmt.Println(y.Float32s(), x.Grad().Float32s())
	// Output: [1 2] [2 4]
}

// Between the two calls nothing of the function's inside is kept.
func ExampleCheckpoint() {
	x := tensor.New([]float32{0.5, 1}).SetRequiresGrad(true)
	block := func(in ...*tensor.Tensor) *tensor.Tensor {
		fmt.Println("computed")
		return in[0].Exp().Tanh()
	}
	loss := tensor.Checkpoint(block, x).Sum()
	fmt.Println("backward")
	loss.Backward()
	fmt.Printf("%.3f\n", x.Grad().Float32s())
	// Output:
	// computed
	// backward
	// computed
	// [0.227 0.047]
}

// The op that made the first infinity is named.
func ExampleDetectNonFinite() {
	w := tensor.New([]float32{1, 0}).SetRequiresGrad(true).SetName("layer.weight")
	defer func() { fmt.Println(recover()) }()
	tensor.DetectNonFinite(func() {
		w.Sqrt().Sum().Backward()
	})
	// Output:
	// sqrt: backward: the gradient of shape [2] (float32) has 1 inf and 0 NaN, computed of gradients that are finite: it is that of layer.weight
}

// GradCheck compares gradients with differences.
func ExampleGradCheck() {
	x := tensor.New([]float64{1, 2}).SetRequiresGrad(true)
	f := func(in ...*tensor.Tensor) *tensor.Tensor { return in[0].Exp().Mul(in[0]) }
	fmt.Println(tensor.GradCheck(f, x), tensor.GradGradCheck(f, x))
	// Output: <nil> <nil>
}
