package steps

import (
	"math/rand/v2"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
)

// A Run is a training in float16 with a GradScaler: what it starts from, and what each step gave.
type Run struct {
	Sizes   []int       `json:"sizes"`   // of the layers of an MLP
	Weights [][]float32 `json:"weights"` // of each layer, [out, in], and its biases
	Batch   int         `json:"batch"`
	Inputs  [][]float32 `json:"inputs"`  // a batch for each step
	Classes [][]int64   `json:"classes"` // of its inputs

	Scaler struct {
		InitScale      float64 `json:"init_scale"`
		GrowthInterval int     `json:"growth_interval"`
	} `json:"scaler"`
	SGD struct {
		LR       float64 `json:"lr"`
		Momentum float64 `json:"momentum"`
	} `json:"sgd"`

	Losses []float64 `json:"losses"`
	Scales []float64 `json:"scales"` // after the step
}

// NewRun returns what a run starts from, the same on every machine. The scale is so high at first and
// grows so often that some steps overflow.
func NewRun(count, batch int, sizes ...int) *Run {
	random := rand.New(rand.NewPCG(1, 1))
	normal := func(n int, scale float64) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(random.NormFloat64() * scale)
		}
		return x
	}
	r := &Run{Sizes: sizes, Batch: batch}
	r.Scaler.InitScale, r.Scaler.GrowthInterval = 1<<20, 10
	r.SGD.LR, r.SGD.Momentum = 0.05, 0.9
	for i := range len(sizes) - 1 {
		r.Weights = append(r.Weights, normal(sizes[i+1]*sizes[i], 0.1), normal(sizes[i+1], 0.1))
	}
	classes := sizes[len(sizes)-1]
	for range count {
		x := normal(batch*sizes[0], 1)
		y := make([]int64, batch)
		for i := range y { // the largest of the first numbers is the class
			for c := range classes {
				if row := x[i*sizes[0]:]; row[c] > row[y[i]] {
					y[i] = int64(c)
				}
			}
		}
		r.Inputs, r.Classes = append(r.Inputs, x), append(r.Classes, y)
	}
	return r
}

// Train does all steps on the default device.
func (r *Run) Train() {
	var layers []nn.Module
	for i := range len(r.Sizes) - 1 {
		in, out := r.Sizes[i], r.Sizes[i+1]
		l := nn.NewLinear(in, out)
		l.Weight.SetData(tensor.New(r.Weights[2*i]).Reshape(out, in))
		l.Bias.SetData(tensor.New(r.Weights[2*i+1]))
		if i > 0 {
			layers = append(layers, nn.NewReLU())
		}
		layers = append(layers, l)
	}
	model := nn.NewSequential(layers...)
	opt := optim.NewSGD(nn.Parameters(model), optim.SGDConfig{LR: r.SGD.LR, Momentum: r.SGD.Momentum})
	scaler := amp.NewGradScaler(amp.ScalerConfig{
		InitScale: r.Scaler.InitScale, GrowthInterval: r.Scaler.GrowthInterval})
	for i := range r.Inputs {
		x := tensor.New(r.Inputs[i]).Reshape(r.Batch, r.Sizes[0])
		classes := tensor.New(r.Classes[i])
		opt.ZeroGrad()
		var loss *tensor.Tensor
		amp.Autocast(func() { loss = nn.CrossEntropy(model.Forward(x), classes) })
		scaler.Scale(loss).Backward()
		scaler.Step(opt)
		scaler.Update()
		r.Losses = append(r.Losses, loss.Item())
		r.Scales = append(r.Scales, scaler.LossScale())
	}
}
