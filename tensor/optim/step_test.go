package optim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// This file compares the steps that go through the memory once with the same formulas written in
// ops on tensors, which round after each: the results are equal bit for bit.

// sgdByOps is a step of SGD in ops.
func sgdByOps(c *SGDConfig, p, grad *tensor.Tensor, s *state) {
	d := direction(p, grad, c.Maximize, c.WeightDecay)
	if c.Momentum != 0 {
		buffer := s.slots["momentum_buffer"]
		if buffer == nil {
			buffer = d.Clone()
			s.slots["momentum_buffer"] = buffer
		} else {
			buffer.MulInPlace(c.Momentum)
			buffer.AddScaledInPlace(d, 1-c.Dampening)
		}
		if c.Nesterov {
			d = d.Clone()
			d.AddScaledInPlace(buffer, c.Momentum)
		} else {
			d = buffer
		}
	}
	p.AddScaledInPlace(d, -c.LR)
}

// adamByOps is a step of Adam in ops, in PyTorch's order.
func adamByOps(c *AdamConfig, p, grad *tensor.Tensor, s *state) {
	decay := c.WeightDecay
	if c.DecoupledWeightDecay {
		p.MulInPlace(1 - c.LR*decay)
		decay = 0
	}
	g := direction(p, grad, c.Maximize, decay)
	mean, square := s.slot("exp_avg", p), s.slot("exp_avg_sq", p)
	lerp(mean, g, 1-c.Betas[0])
	square.MulInPlace(c.Betas[1]).AddcmulInPlace(g, g, 1-c.Betas[1])
	if c.AMSGrad {
		square = s.slot("max_exp_avg_sq", p).MaximumInPlace(square)
	}
	correction1 := 1 - math.Pow(c.Betas[0], float64(s.steps))
	correction2 := 1 - math.Pow(c.Betas[1], float64(s.steps))
	root := square.Sqrt()
	root.DivInPlace(math.Sqrt(correction2))
	root.AddInPlace(c.Eps)
	p.AddcdivInPlace(mean, root, -c.LR/correction1)
}

// rmspropByOps is a step of RMSprop in ops.
func rmspropByOps(c *RMSpropConfig, p, grad *tensor.Tensor, s *state) {
	g := direction(p, grad, c.Maximize, c.WeightDecay)
	square := s.slot("square_avg", p)
	square.MulInPlace(c.Alpha).AddcmulInPlace(g, g, 1-c.Alpha)
	root := square
	if c.Centered {
		mean := s.slot("grad_avg", p)
		lerp(mean, g, 1-c.Alpha)
		root = square.Clone().AddcmulInPlace(mean, mean, -1)
	}
	root = root.Sqrt().AddInPlace(c.Eps)
	if c.Momentum == 0 {
		p.AddcdivInPlace(g, root, -c.LR)
		return
	}
	buffer := s.slot("momentum_buffer", p)
	buffer.MulInPlace(c.Momentum).AddcdivInPlace(g, root, 1)
	p.AddScaledInPlace(buffer, -c.LR)
}

// adagradByOps is a step of Adagrad in ops.
func adagradByOps(c *AdagradConfig, p, grad *tensor.Tensor, s *state) {
	g := direction(p, grad, c.Maximize, c.WeightDecay)
	sum := s.slots["sum"]
	if sum == nil {
		sum = s.slot("sum", p).FillInPlace(c.InitialAccumulatorValue)
	}
	sum.AddcmulInPlace(g, g, 1)
	rate := c.LR / (1 + float64(s.steps-1)*c.LRDecay)
	p.AddcdivInPlace(g, sum.Sqrt().AddInPlace(c.Eps), -rate)
}

// direction is the gradient, turned to ascend, with weight decay added: grad itself where nothing
// changes, otherwise a copy.
func direction(p, grad *tensor.Tensor, maximize bool, weightDecay float64) *tensor.Tensor {
	if maximize {
		grad = grad.Neg()
	}
	if weightDecay != 0 {
		grad = grad.Clone()
		grad.AddScaledInPlace(p, weightDecay)
	}
	return grad
}

// layouts are the ways in which a parameter and its gradient lie in memory.
var layouts = map[string]func(t *tensor.Tensor) *tensor.Tensor{
	"dense":      func(t *tensor.Tensor) *tensor.Tensor { return t },
	"transposed": func(t *tensor.Tensor) *tensor.Tensor { return t.T().Contiguous().T() },
}

// sizes are shapes of every remainder, and one that is shared out among cores.
var sizes = [][]int{{1, 1}, {3, 5}, {7, 91}, {19, 27}, {300, 211}}

func TestStepsRoundAsOps(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	flip := func() bool { return random.IntN(2) == 0 }
	for _, dtype := range []tensor.DType{
		tensor.Float32, tensor.Float16, tensor.BFloat16, tensor.Float64,
	} {
		for _, shape := range sizes[:reference.Fewer(len(sizes), len(sizes)-1)] {
			for layout := range layouts {
				for range 3 {
					sgd := SGDConfig{LR: random.Float64(), WeightDecay: float64(random.IntN(2)) * 0.1,
						Maximize: flip()}
					if flip() {
						sgd.Momentum = random.Float64()
						if sgd.Nesterov = flip(); !sgd.Nesterov {
							sgd.Dampening = random.Float64()
						}
					}
					adam := AdamConfig{LR: random.Float64(), AMSGrad: flip(), Maximize: flip(),
						Betas: [2]float64{random.Float64(), random.Float64()}, Eps: 1e-4,
						WeightDecay: float64(random.IntN(2)) * 0.1, DecoupledWeightDecay: flip()}
					name := fmt.Sprintf("%v %v %s", dtype, shape, layout)
					equalSteps(t, fmt.Sprintf("%s %+v", name, sgd), dtype, shape, layout,
						func(p *tensor.Tensor) Optimizer {
							return NewSGD([]*tensor.Tensor{p}, sgd)
						}, func(p, grad *tensor.Tensor, s *state) { sgdByOps(&sgd, p, grad, s) })
					equalSteps(t, fmt.Sprintf("%s %+v", name, adam), dtype, shape, layout,
						func(p *tensor.Tensor) Optimizer {
							return NewAdam([]*tensor.Tensor{p}, adam)
						}, func(p, grad *tensor.Tensor, s *state) { adamByOps(&adam, p, grad, s) })
					rmsprop := RMSpropConfig{LR: random.Float64(), Alpha: random.Float64(), Eps: 1e-4,
						WeightDecay: float64(random.IntN(2)) * 0.1, Centered: flip(), Maximize: flip()}
					if flip() {
						rmsprop.Momentum = random.Float64()
					}
					equalSteps(t, fmt.Sprintf("%s %+v", name, rmsprop), dtype, shape, layout,
						func(p *tensor.Tensor) Optimizer {
							return NewRMSprop([]*tensor.Tensor{p}, rmsprop)
						}, func(p, grad *tensor.Tensor, s *state) { rmspropByOps(&rmsprop, p, grad, s) })
					adagrad := AdagradConfig{LR: random.Float64(), LRDecay: random.Float64(), Eps: 1e-4,
						InitialAccumulatorValue: float64(random.IntN(2)), Maximize: flip(),
						WeightDecay: float64(random.IntN(2)) * 0.1}
					equalSteps(t, fmt.Sprintf("%s %+v", name, adagrad), dtype, shape, layout,
						func(p *tensor.Tensor) Optimizer {
							return NewAdagrad([]*tensor.Tensor{p}, adagrad)
						}, func(p, grad *tensor.Tensor, s *state) { adagradByOps(&adagrad, p, grad, s) })
				}
			}
		}
	}
}

// equalSteps does three steps both ways, the last one with gradients that are not finite among
// them.
func equalSteps(t *testing.T, name string, dtype tensor.DType, shape []int, layout string,
	build func(p *tensor.Tensor) Optimizer, byOps func(p, grad *tensor.Tensor, s *state)) {
	t.Helper()
	lay := layouts[layout]
	got := lay(tensor.Randn(shape...).To(dtype)).Detach().SetRequiresGrad(true)
	want := lay(got.Detach().Clone())
	opt, kept := build(got), &state{slots: map[string]*tensor.Tensor{}}
	for i := range 3 {
		grad := tensor.Randn(shape...)
		if i == 2 {
			special := []float64{math.Inf(1), math.NaN(), 1e-45, 1e30}[shape[1]%4]
			grad.Flatten(0).Narrow(0, 0, 1).FillInPlace(special)
		}
		got.SetGrad(lay(grad.To(dtype)))
		opt.Step()
		kept.steps++
		tensor.NoGrad(func() { byOps(want, got.Grad(), kept) })
		equalBits(t, fmt.Sprintf("%s: step %d: parameter", name, i), got, want)
		state := opt.StateDict()
		for slot, w := range kept.slots {
			equalBits(t, fmt.Sprintf("%s: step %d: %s", name, i, slot), state["0."+slot], w)
		}
	}
}

// equalBits compares elements; one NaN is as good as another. On a GPU, where Adam's powers of β are
// computed too, float64 may differ by the last bits.
func equalBits(t *testing.T, name string, got, want *tensor.Tensor) {
	t.Helper()
	if got.DType() != want.DType() {
		t.Fatalf("%s: %v, want %v", name, got.DType(), want.DType())
	}
	w := want.Float64s()
	for i, v := range got.Float64s() {
		if !reference.OnCPU() && got.DType() == tensor.Float64 && math.Abs(v-w[i]) <= 1e-12*math.Abs(v) {
			continue
		}
		if math.Float64bits(v) != math.Float64bits(w[i]) && (v == v || w[i] == w[i]) {
			t.Fatalf("%s: element %d is %g, want %g", name, i, v, w[i])
		}
	}
}
