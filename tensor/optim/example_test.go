package optim_test

import (
	"fmt"

	"halfnote/tensor"
	"halfnote/tensor/optim"
)

func Example() {
	// Minimise (w - 3)², whose gradient is 2(w - 3).
	w := tensor.New([]float32{0}).SetRequiresGrad(true)
	opt := optim.NewSGD([]*tensor.Tensor{w}, optim.SGDConfig{LR: 0.25})
	for range 4 {
		opt.ZeroGrad()
		d := w.Sub(3)
		d.Mul(d).Sum().Backward()
		opt.Step()
		fmt.Println(w.Float32s())
	}
	fmt.Println(opt)
	// Output:
	// [1.5]
	// [2.25]
	// [2.625]
	// [2.8125]
	// SGD{LR: 0.25}
}

// Two groups: the last layer learns ten times faster, and a state dict carries both on.
func ExampleSGD_AddGroup() {
	body := tensor.New([]float32{1}).SetRequiresGrad(true)
	head := tensor.New([]float32{1}).SetRequiresGrad(true)
	opt := optim.NewSGD([]*tensor.Tensor{body}, optim.SGDConfig{LR: 0.01, Momentum: 0.9})
	opt.AddGroup([]*tensor.Tensor{head}, optim.SGDConfig{LR: 0.1, Momentum: 0.9})

	body.Mul(head).Sum().Backward()
	opt.Step()
	fmt.Println(body.Float32s(), head.Float32s())
	opt.Group(1).LR = 0.05
	fmt.Println(opt)
	// Output:
	// [0.99] [0.9]
	// SGD{LR: 0.01, Momentum: 0.9} + SGD{LR: 0.05, Momentum: 0.9}
}

// A warm-up, then half a cosine. A curve can be looked at before anything is trained.
func ExampleNewWarmup() {
	w := tensor.New([]float32{1}).SetRequiresGrad(true)
	opt := optim.NewSGD([]*tensor.Tensor{w}, optim.SGDConfig{LR: 0.5})
	sched := optim.NewWarmup(opt, optim.WarmupConfig{
		TotalIters: 2, Then: optim.CosineLRConfig{TMax: 4, EtaMin: 0.1}})
	var lrs []float64
	for step := range 7 {
		lrs = append(lrs, sched.At(step)[0])
	}
	fmt.Printf("%.3f\n", lrs)

	for range 4 {
		opt.Step()
		sched.Step()
	}
	fmt.Println(sched)
	// Output:
	// [0.250 0.375 0.500 0.441 0.300 0.159 0.100]
	// Warmup{TotalIters: 2, Then: CosineLR{TMax: 4, EtaMin: 0.1}}, step 4: LR 0.3
}

// The rate falls when the loss has not improved twice in a row.
func ExamplePlateau() {
	w := tensor.New([]float32{1}).SetRequiresGrad(true)
	opt := optim.NewSGD([]*tensor.Tensor{w}, optim.SGDConfig{LR: 0.5})
	sched := optim.NewPlateau(opt, optim.PlateauConfig{Factor: 0.5, Patience: 1})
	for _, loss := range []float64{2, 1, 1.1, 1.2, 0.9} {
		sched.Step(loss)
		fmt.Print(opt.LR(), " ")
	}
	// Output: 0.5 0.5 0.5 0.25 0.25
}

// Averages are often better than the last weights; Apply evaluates with them.
func ExampleEMA() {
	w := tensor.New([]float32{0}).SetRequiresGrad(true)
	ema := optim.NewEMA([]*tensor.Tensor{w}, optim.EMAConfig{Decay: 0.5, BiasCorrection: true})
	for _, v := range []float32{3, 6} {
		tensor.NoGrad(func() { w.FillInPlace(float64(v)) })
		ema.Update()
	}
	ema.Apply(func() { fmt.Println("average:", w.Float32s()) })
	fmt.Println("weights:", w.Float32s())
	// Output:
	// average: [5]
	// weights: [6]
}
