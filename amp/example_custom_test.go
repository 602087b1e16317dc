package amp_test

import (
	"fmt"

	"halfnote/amp"
	"halfnote/tensor"
)

// A function with several inputs, or with ops in it that autocast casts: both directions run in the
// region that Forward was called in.
func ExampleCustomFwd() {
	matmul := tensor.Function{
		Name: "my_matmul",
		Forward: amp.CustomFwd(func(ctx *tensor.Context, in ...*tensor.Tensor) []*tensor.Tensor {
			ctx.Save(in...)
			return []*tensor.Tensor{in[0].MatMul(in[1])}
		}),
		Backward: amp.CustomBwd(func(ctx *tensor.Context, g ...*tensor.Tensor) []*tensor.Tensor {
			a, b := ctx.Saved()[0], ctx.Saved()[1]
			fmt.Println("backward:", a.DType(), "saved, gradient", g[0].DType())
			return []*tensor.Tensor{g[0].MatMul(b.T()), a.T().MatMul(g[0])}
		}),
	}
	x, w := tensor.Ones(2, 3), tensor.Ones(3, 4).SetRequiresGrad(true)
	scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 1024})
	var loss *tensor.Tensor
	amp.AutocastWith(amp.Config{DType: tensor.BFloat16}, func() {
		y := matmul.Apply(x, w)[0]
		fmt.Println("forward:", y.DType())
		loss = y.Sum()
	})
	scaler.Scale(loss).Backward()
	fmt.Println("weight:", w.Grad().DType(), w.Grad().Index(0, 0).Item())
	// Output:
	// forward: bfloat16
	// backward: float32 saved, gradient bfloat16
	// weight: float32 2048
}

// A function that needs one dtype: its inputs are cast, and autocast is off in both directions.
func ExampleCustomFwd_castInputs() {
	logSumSquares := tensor.Function{
		Name: "log_sum_squares",
		Forward: amp.CustomFwd(func(ctx *tensor.Context, in ...*tensor.Tensor) []*tensor.Tensor {
			fmt.Println("forward:", in[0].DType(), "autocast", amp.Enabled())
			sum := in[0].Mul(in[0]).Sum()
			ctx.Save(in[0], sum)
			return []*tensor.Tensor{sum.Log()}
		}, amp.CustomConfig{CastInputs: tensor.Float32}),
		Backward: amp.CustomBwd(func(ctx *tensor.Context, g ...*tensor.Tensor) []*tensor.Tensor {
			fmt.Println("backward:", g[0].DType(), "autocast", amp.Enabled())
			x, sum := ctx.Saved()[0], ctx.Saved()[1]
			return []*tensor.Tensor{g[0].Mul(x).Mul(2).Div(sum)}
		}),
	}
	// Too large to be squared in float16.
	x := tensor.Full(300, 4).To(tensor.Float16).SetRequiresGrad(true)
	var y *tensor.Tensor
	amp.Autocast(func() { y = logSumSquares.Apply(x)[0] })
	y.Backward()
	fmt.Printf("%.3f %v\n", y.Item(), x.Grad().DType())
	// Output:
	// forward: float32 autocast false
	// backward: float32 autocast false
	// 12.794 float16
}

// A function that is not ours to wrap is called in a disabled region, with inputs cast by hand.
func ExampleAutocastWith_disabled() {
	foreign := func(x *tensor.Tensor) *tensor.Tensor {
		if x.DType() != tensor.Float32 {
			panic("float32 only")
		}
		return x.MatMul(x.T())
	}
	x := tensor.Ones(2, 2).SetRequiresGrad(true)
	var y *tensor.Tensor
	amp.Autocast(func() {
		h := x.MatMul(x) // float16
		amp.AutocastWith(amp.Config{Disabled: true}, func() {
			y = foreign(h.To(tensor.Float32))
		})
	})
	y.Sum().Backward()
	fmt.Println(y.DType(), x.Grad().DType())
	// Output: float32 float32
}
