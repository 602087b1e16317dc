package tensor_test

import (
	"math"
	"path/filepath"
	"testing"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/data"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
	"halfnote/tensor/reference"
)

// TestTour goes through the library in the order in which one learns it, from outside.
func TestTour(t *testing.T) {
	tensor.Seed(1)

	// Tensors come from Go's own values, and have a shape and a dtype.
	m := tensor.New([][]float32{{1, 2, 3}, {4, 5, 6}})
	equal(t, "shape", m.Shape(), []int{2, 3})
	equal(t, "dtype", m.DType(), tensor.Float32)
	equal(t, "values", tensor.Arange(4).Float32s(), []float32{0, 1, 2, 3})

	// Views share elements; writing in place shows in both.
	row := m.Index(1)
	row.MulInPlace(10)
	equal(t, "view", m.Float32s(), []float32{1, 2, 3, 40, 50, 60})
	equal(t, "transposed", m.T().Index(0).Float32s(), []float32{1, 40})

	// Elements are picked by positions and by masks, and products are written as equations.
	big := m.MaskedSelect(m.Gt(4))
	equal(t, "picked", big.Float32s(), []float32{40, 50, 60})
	equal(t, "gathered", m.IndexSelect(1, tensor.New([]int{2, 0})).Float32s(),
		[]float32{3, 1, 60, 40})
	equal(t, "einsum", tensor.Einsum("ij,kj->ik", m, m).Float32s(), []float32{14, 320, 320, 7700})

	// Shapes broadcast, from the last dimension on.
	scaled := m.Div(tensor.New([]float32{1, 2, 3}))
	equal(t, "broadcast", scaled.Float32s(), []float32{1, 1, 1, 40, 25, 20})
	equal(t, "reduced", m.Sum(1).Float32s(), []float32{6, 150})
	equal(t, "largest", m.Argmax(1).Int64s(), []int64{2, 2})

	// Float16 holds 11 bits, up to 65504 and down to 6e-8. Ops round once.
	h := tensor.New([]float32{1.0 / 3, 65504, 6e-8}, tensor.Float16)
	equal(t, "float16", h.Float32s(), []float32{0.33325195, 65504, 5.9604645e-8})
	equal(t, "overflow", h.Mul(2).Index(1).Item(), math.Inf(1))
	equal(t, "underflow", h.Div(4).Index(2).Item(), 0.0)

	// Gradients come from the tape, also through what is written in place.
	x := tensor.New([]float32{1, 2, 3}).SetRequiresGrad(true)
	y := x.Square()
	y.Index(0).MulInPlace(10)
	y.Sum().Backward()
	equal(t, "gradient", x.Grad().Float32s(), []float32{20, 4, 6})
	z := tensor.New(2.0).SetRequiresGrad(true)
	cube := z.Pow(3)
	first := tensor.Grad([]*T{cube}, []*T{z}, tensor.GradConfig{CreateGraph: true})
	second := tensor.Grad(first, []*T{z}, tensor.GradConfig{})
	equal(t, "second derivative", second[0].Item(), 12.0)

	// A network is a struct with a Forward method; its weights are found in its fields.
	net := &digitsNet{
		nn.NewConv2d(1, 8, 3, nn.ConvConfig{Padding: []int{1}}), nn.NewBatchNorm2d(8),
		nn.NewLinear(8*4*4, 10),
	}
	equal(t, "parameters", nn.NumParameters(net), 8*9+8+2*8+8*4*4*10+10)

	// Training in float16: a region chooses the dtypes, and a scaler keeps small gradients.
	train, test := data.Digits()
	opt := optim.NewAdamW(nn.Parameters(net), optim.AdamWConfig{LR: 0.01})
	warmup := optim.NewWarmup(opt, optim.WarmupConfig{TotalIters: 10})
	scaler := amp.NewGradScaler(amp.ScalerConfig{})
	for range 2 {
		for x, y := range train.Batches(64) {
			opt.ZeroGrad()
			var loss *T
			amp.Autocast(func() { loss = nn.CrossEntropy(net.Forward(x), y) })
			scaler.Scale(loss).Backward()
			scaler.Unscale(opt)
			nn.ClipGradNorm(nn.Parameters(net), 1)
			step := scaler.Step(opt)
			scaler.Update()
			warmup.StepAfter(step)
		}
	}
	nn.Train(net, false)
	if accuracy := nn.Accuracy(net, test); accuracy < 0.85 {
		t.Errorf("accuracy %v", accuracy)
	}

	// A run is saved in one file, which Python's safetensors reads, too.
	path := filepath.Join(t.TempDir(), "run.safetensors")
	run := nn.Checkpoint{"model": net, "optimizer": opt, "scaler": scaler, "schedule": warmup}
	if err := run.Save(path); err != nil {
		t.Fatal(err)
	}
	before := net.dense.Weight.Clone()
	net.dense.Weight.Detach().ZeroInPlace()
	if err := run.Load(path); err != nil {
		t.Fatal(err)
	}
	equal(t, "loaded", net.dense.Weight.Float32s(), before.Float32s())

	// A mistake panics with an *Error that says what does not fit.
	equal(t, "mistake", reference.Mistake(func() { m.MatMul(m) }),
		"matmul: shapes [2 3] and [2 3]: inner sizes 3 and 2 differ")
}

type digitsNet struct {
	conv  *nn.Conv2d
	norm  *nn.BatchNorm2d
	dense *nn.Linear
}

func (n *digitsNet) Forward(x *T) *T {
	x = n.norm.Forward(n.conv.Forward(x.Reshape(-1, 1, 8, 8))).ReLU()
	return n.dense.Forward(tensor.MaxPool2d(x, tensor.PoolConfig{Kernel: []int{2}}).Flatten(1))
}
