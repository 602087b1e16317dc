package repl_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"halfnote/amp"
	"halfnote/repl"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// calls are what BenchmarkCall measures, as a cell has them and compiled: each is called n times in
// a loop, and both loops have the variables of callSetup.
var calls = []struct {
	name, src string
	compiled  func(n int)
}{
	{"loop", `_ = i`, func(n int) {
		for i := range n {
			_ = i
		}
	}},
	{"no_argument", `k += x.Dim()`, func(n int) {
		for range n {
			benchSum += benchX.Dim()
		}
	}},
	{"number", `k += x.Size(0)`, func(n int) {
		for range n {
			benchSum += benchX.Size(0)
		}
	}},
	{"two_arguments", `z = x.Transpose(0, 1)`, func(n int) {
		for range n {
			benchZ = benchX.Transpose(0, 1)
		}
	}},
	{"pointer", `z = x.MatMul(y)`, func(n int) {
		for range n {
			benchZ = benchX.MatMul(benchY)
		}
	}},
	{"any", `z = x.Add(y)`, func(n int) {
		for range n {
			benchZ = benchX.Add(benchY)
		}
	}},
	{"any_number", `z = x.Add(2)`, func(n int) {
		for range n {
			benchZ = benchX.Add(2)
		}
	}},
	{"variadic_none", `z = x.Sum()`, func(n int) {
		for range n {
			benchZ = benchX.Sum()
		}
	}},
	{"variadic_function", `z = tensor.Zeros(4, 4)`, func(n int) {
		for range n {
			benchZ = tensor.Zeros(4, 4)
		}
	}},
	{"backward", `x.Mul(w).Sum().Backward()`, func(n int) {
		for range n {
			benchX.Mul(benchW).Sum().Backward()
		}
	}},
	{"interface_value", `z = module.Forward(x)`, func(n int) {
		for range n {
			benchZ = benchModule.Forward(benchX)
		}
	}},
	{"closure", `amp.Autocast(func() { z = x })`, func(n int) {
		for range n {
			amp.Autocast(func() { benchZ = benchX })
		}
	}},
}

var (
	benchX, benchY = tensor.Randn(4, 4), tensor.Randn(4, 4)
	benchW         = tensor.Randn(4, 4).SetRequiresGrad(true)
	benchZ         *tensor.Tensor
	benchModule    nn.Module = nn.NewIdentity()
	benchSum       int
)

const callSetup = `
import ("halfnote/amp"; "halfnote/tensor"; "halfnote/tensor/nn")
var module nn.Module = nn.NewIdentity()
`

const callLoop = `func %s(n int) {
	x, y, w := tensor.Randn(4, 4), tensor.Randn(4, 4), tensor.Randn(4, 4).SetRequiresGrad(true)
	var z *tensor.Tensor
	k := 0
	for i := 0; i < n; i++ {
		%s
	}
	_, _, _, _, _ = x, y, w, z, k
}`

// BenchmarkCall: calls of compiled code from a loop in a cell. Wanted are 300 ns beyond what the
// call takes compiled, with the loop's step.
func BenchmarkCall(b *testing.B) {
	s := repl.New(repl.Config{})
	evaluate := func(b *testing.B, src string) {
		b.Helper()
		if out := eval(b, s, src); out != "" {
			b.Fatal(out)
		}
	}
	evaluate(b, callSetup)
	for _, c := range calls {
		evaluate(b, fmt.Sprintf(callLoop, c.name, c.src))
		b.Run(c.name+"/cell", func(b *testing.B) {
			b.ReportAllocs()
			evaluate(b, c.name+"("+strconv.Itoa(b.N)+")")
		})
		b.Run(c.name+"/compiled", func(b *testing.B) {
			b.ReportAllocs()
			c.compiled(b.N)
		})
	}
}

// trainSource is the training loop that BenchmarkTrainingLoop runs in a cell; trainCompiled is the
// same.
const trainSource = `
import ("halfnote/amp"; "halfnote/tensor"; "halfnote/tensor/nn"; "halfnote/tensor/optim")
func train(n, batch, in, hidden int) {
	model := nn.NewSequential(nn.NewLinear(in, hidden), nn.NewReLU(), nn.NewLinear(hidden, hidden/2),
		nn.NewReLU(), nn.NewLinear(hidden/2, 10))
	opt := optim.NewSGD(nn.Parameters(model), optim.SGDConfig{LR: 0.1, Momentum: 0.9})
	scaler := amp.NewGradScaler(amp.ScalerConfig{})
	x, y := tensor.Randn(batch, in), tensor.Zeros(batch).To(tensor.Int64)
	for range n {
		opt.ZeroGrad()
		var loss *tensor.Tensor
		amp.Autocast(func() {
			loss = nn.CrossEntropy(model.Forward(x), y)
		})
		scaler.Scale(loss).Backward()
		scaler.Unscale(opt)
		nn.ClipGradNorm(nn.Parameters(model), 1.0)
		scaler.Step(opt)
		scaler.Update()
	}
}`

func trainCompiled(n, batch, in, hidden int) {
	model := nn.NewSequential(nn.NewLinear(in, hidden), nn.NewReLU(), nn.NewLinear(hidden, hidden/2),
		nn.NewReLU(), nn.NewLinear(hidden/2, 10))
	opt := optim.NewSGD(nn.Parameters(model), optim.SGDConfig{LR: 0.1, Momentum: 0.9})
	scaler := amp.NewGradScaler(amp.ScalerConfig{})
	x, y := tensor.Randn(batch, in), tensor.Zeros(batch).To(tensor.Int64)
	for range n {
		opt.ZeroGrad()
		var loss *tensor.Tensor
		amp.Autocast(func() {
			loss = nn.CrossEntropy(model.Forward(x), y)
		})
		scaler.Scale(loss).Backward()
		scaler.Unscale(opt)
		nn.ClipGradNorm(nn.Parameters(model), 1.0)
		scaler.Step(opt)
		scaler.Update()
	}
}

// BenchmarkTrainingLoop: the loop of the README in a cell, beside the same compiled. The tiny
// network, whose ops take little, shows what a step costs more in a cell; of the other one's step it
// is to be at most 5%.
func BenchmarkTrainingLoop(b *testing.B) {
	s := repl.New(repl.Config{})
	if out := eval(b, s, trainSource); out != "" {
		b.Fatal(out)
	}
	for _, size := range []struct {
		name              string
		batch, in, hidden int
	}{{"tiny", 2, 4, 4}, {"mnist", 128, 784, 512}} {
		b.Run(size.name+"/cell", func(b *testing.B) {
			src := fmt.Sprintf("train(%d, %d, %d, %d)", b.N, size.batch, size.in, size.hidden)
			if out := eval(b, s, src); strings.TrimSpace(out) != "" {
				b.Fatal(out)
			}
		})
		b.Run(size.name+"/compiled", func(b *testing.B) {
			trainCompiled(b.N, size.batch, size.in, size.hidden)
		})
	}
}
