package amp_test

import (
	"fmt"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/dist"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// This file holds the recipes of PyTorch's notes on mixed precision. All of them fit y = 2x + 1.

func points() (x, y *tensor.Tensor) {
	x = tensor.Arange(-1, 1, 0.25).Reshape(8, 1)
	return x, x.Mul(2).Add(1)
}

// A typical iteration: forward and loss in the region, all else outside.
func ExampleGradScaler() {
	x, y := points()
	model := nn.NewLinear(1, 1)
	opt := optim.NewSGD(nn.Parameters(model), optim.SGDConfig{LR: 0.2})
	scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 1024})

	var loss *tensor.Tensor
	for range 100 {
		opt.ZeroGrad()
		amp.Autocast(func() {
			loss = nn.MSELoss(model.Forward(x), y)
		})
		scaler.Scale(loss).Backward()
		scaler.Step(opt)
		scaler.Update()
	}
	fmt.Println("loss below 0.001:", loss.Item() < 0.001)
	// Output: loss below 0.001: true
}

// Gradients are unscaled before they are clipped: the norm is the one that max means.
func ExampleGradScaler_Unscale() {
	w := tensor.Ones(2).SetRequiresGrad(true)
	opt := optim.NewSGD([]*tensor.Tensor{w}, optim.SGDConfig{LR: 1})
	scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 1024})

	loss := w.Mul(tensor.New([]float32{3, 4})).Sum()
	scaler.Scale(loss).Backward()
	fmt.Println("scaled:  ", w.Grad().Float32s())
	scaler.Unscale(opt)
	fmt.Println("unscaled:", w.Grad().Float32s())
	norm := nn.ClipGradNorm(opt.Params(), 1)
	fmt.Println("norm:    ", norm.Item())
	scaler.Step(opt)
	scaler.Update()
	fmt.Printf("weights:  %.1f\n", w.Float32s())
	// Output:
	// scaled:   [3072 4096]
	// unscaled: [3 4]
	// norm:     5
	// weights:  [0.4 0.2]
}

// Gradients of several small batches add up while they are scaled. Nothing is unscaled, and the
// scale does not move, before the last of them.
func ExampleGradScaler_accumulate() {
	x, y := points()
	model := nn.NewLinear(1, 1)
	opt := optim.NewSGD(nn.Parameters(model), optim.SGDConfig{LR: 0.2})
	scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 1024})

	const parts = 4
	steps := 0
	for range 100 {
		for i := range parts {
			var loss *tensor.Tensor
			amp.Autocast(func() {
				out := model.Forward(x.Narrow(0, 2*i, 2))
				loss = nn.MSELoss(out, y.Narrow(0, 2*i, 2)).Div(parts)
			})
			scaler.Scale(loss).Backward()
		}
		scaler.Step(opt)
		scaler.Update()
		opt.ZeroGrad()
		steps++
	}
	var loss *tensor.Tensor
	amp.Autocast(func() { loss = nn.MSELoss(model.Forward(x), y) })
	fmt.Println(steps, "steps, loss below 0.001:", loss.Item() < 0.001)
	// Output: 100 steps, loss below 0.001: true
}

// A penalty on the gradients: these are computed of the scaled loss, out of place, and are unscaled
// by ordinary arithmetic, since no optimizer owns them. The penalty is forward work, in a region.
func ExampleGradScaler_gradientPenalty() {
	x, y := points()
	model := nn.NewLinear(1, 1)
	params := nn.Parameters(model)
	opt := optim.NewSGD(params, optim.SGDConfig{LR: 0.1})
	scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 1024})

	var loss, penalty *tensor.Tensor
	for range 200 {
		opt.ZeroGrad()
		amp.Autocast(func() { loss = nn.MSELoss(model.Forward(x), y) })
		grads := tensor.Grad([]*tensor.Tensor{scaler.Scale(loss)}, params,
			tensor.GradConfig{CreateGraph: true})
		inv := 1 / scaler.LossScale()
		var total *tensor.Tensor
		amp.Autocast(func() {
			penalty = tensor.Zeros()
			for _, g := range grads {
				penalty = penalty.Add(g.Mul(inv).Square().Sum())
			}
			total = loss.Add(penalty.Mul(0.1))
		})
		scaler.Scale(total).Backward()
		scaler.Step(opt)
		scaler.Update()
	}
	fmt.Println("loss and penalty below 0.001:", loss.Item() < 0.001, penalty.Item() < 0.001)
	// Output: loss and penalty below 0.001: true true
}

// Several models, losses and optimizers have one scaler: Scale for each loss, Unscale where
// gradients are read, Step for each optimizer, and one Update.
func ExampleGradScaler_several() {
	x, y := points()
	a, b := nn.NewLinear(1, 1), nn.NewLinear(1, 1)
	optA := optim.NewSGD(nn.Parameters(a), optim.SGDConfig{LR: 0.1})
	optB := optim.NewAdam(nn.Parameters(b), optim.AdamConfig{LR: 0.1})
	scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 1024})

	var loss0, loss1 *tensor.Tensor
	for range 200 {
		optA.ZeroGrad()
		optB.ZeroGrad()
		amp.Autocast(func() {
			outA, outB := a.Forward(x), b.Forward(x)
			loss0 = nn.MSELoss(outA.Add(outB), y)
			loss1 = nn.MSELoss(outA.Sub(outB), y)
		})
		scaler.Scale(loss0).Backward(tensor.BackwardConfig{RetainGraph: true})
		scaler.Scale(loss1).Backward()
		scaler.Unscale(optA) // to clip A's gradients alone
		nn.ClipGradNorm(optA.Params(), 5)
		scaler.Step(optA)
		scaler.Step(optB)
		scaler.Update()
	}
	fmt.Println("losses below 0.001:", loss0.Item() < 0.001, loss1.Item() < 0.001)
	// Output: losses below 0.001: true true
}

// Replicas on goroutines take part in the region of the caller; the scaler sees one loss, and the
// gradients arrive in the module's own parameters.
func ExampleGradScaler_dataParallel() {
	x, y := points()
	model := nn.NewLinear(1, 1)
	replicas := dist.DataParallel(model, tensor.CPU, tensor.CPU)
	opt := optim.NewSGD(nn.Parameters(model), optim.SGDConfig{LR: 0.2})
	scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 1024})

	var loss *tensor.Tensor
	for range 100 {
		opt.ZeroGrad()
		amp.Autocast(func() {
			out := replicas.Forward(x)
			loss = nn.MSELoss(out, y)
		})
		scaler.Scale(loss).Backward()
		scaler.Step(opt)
		scaler.Update()
	}
	fmt.Println("loss below 0.001:", loss.Item() < 0.001)
	// Output: loss below 0.001: true
}

// A schedule must not advance on a step that was skipped.
func ExampleStepResult_Skipped() {
	w := tensor.Ones().SetRequiresGrad(true)
	opt := optim.NewSGD([]*tensor.Tensor{w}, optim.SGDConfig{LR: 0.1})
	scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 0x1p127})

	for range 4 {
		opt.ZeroGrad()
		scaler.Scale(w.Mul(3)).Backward()
		if !scaler.Step(opt).Skipped() {
			opt.SetLR(opt.LR() / 2)
		}
		scaler.Update()
		fmt.Println(opt.LR())
	}
	// Output:
	// 0.1
	// 0.05
	// 0.025
	// 0.0125
}

// A worker's goroutine is in no region until it is given one.
func ExampleCaptureState() {
	a := tensor.Ones(2, 2)
	amp.AutocastWith(amp.Config{DType: tensor.BFloat16}, func() {
		state := amp.CaptureState()
		done := make(chan bool)
		go func() {
			fmt.Println("without:", a.MatMul(a).DType())
			state.With(func() { fmt.Println("with:   ", a.MatMul(a).DType()) })
			close(done)
		}()
		<-done
	})
	// Output:
	// without: float32
	// with:    bfloat16
}

// Wrap is the decorator form: the function opens a region on whatever goroutine calls it.
func ExampleWrap() {
	square := amp.Wrap(func(x *tensor.Tensor) *tensor.Tensor { return x.MatMul(x) })
	fmt.Println(square(tensor.Ones(2, 2)).DType())
	// Output: float16
}
