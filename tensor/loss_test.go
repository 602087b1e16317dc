package tensor_test

import (
	"math"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func TestLossMistakes(t *testing.T) {
	x := tensor.Ones(2, 3)
	for want, f := range map[string]func(){
		"cross_entropy: target 3 is no class; there are 3": func() {
			tensor.CrossEntropy(x, tensor.New([]int{0, 3}))
		},
		"cross_entropy: input of shape [2 3] and target of shape [3]; " +
			"they are [N, C, …] and [N, …]": func() {
			tensor.CrossEntropy(x, tensor.New([]int{0, 1, 2}))
		},
		"cross_entropy: target of bool; classes are int64": func() {
			tensor.CrossEntropy(x, tensor.New([]bool{true, false}))
		},
		"cross_entropy: input of shape [2 3] and probabilities of shape [2] differ": func() {
			tensor.CrossEntropy(x, tensor.Ones(2))
		},
		"nll_loss: label smoothing belongs to CrossEntropy": func() {
			tensor.NLLLoss(x, tensor.New([]int{0, 1}), tensor.LossConfig{LabelSmoothing: 0.1})
		},
		"nll_loss: weight of shape [2] for 3 classes": func() {
			tensor.NLLLoss(x, tensor.New([]int{0, 1}), tensor.LossConfig{Weight: tensor.Ones(2)})
		},
		"mse_loss: prediction of shape [2 3] and target of shape [3] differ": func() {
			tensor.MSELoss(x, tensor.Ones(3))
		},
		`mse_loss: reduction "max"; it is mean, sum or none`: func() {
			tensor.MSELoss(x, x, tensor.LossConfig{Reduction: "max"})
		},
		"cross_entropy: logits of shape []; they are [N, C] or [C]": func() {
			tensor.CrossEntropy(tensor.Ones(), tensor.New(0))
		},
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
}

// TestCrossEntropyIgnoredInfinity: a sample that counts for nothing may be infinite.
func TestCrossEntropyIgnoredInfinity(t *testing.T) {
	logp := tensor.New([][]float32{{-1, -2}, {float32(math.Inf(-1)), 0}}).SetRequiresGrad(true)
	loss := tensor.NLLLoss(logp, tensor.New([]int{1, -100}))
	equal(t, "loss", loss.Item(), 2.0)
	loss.Backward()
	equal(t, "gradient", logp.Grad().Float32s(), []float32{0, -1, 0, 0})
	one := tensor.CrossEntropy(tensor.New([]float32{0, 0}), tensor.New(1))
	near(t, "one sample", one.Float64s(), []float64{math.Ln2}, tensor.Float32, 1)
}
