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

// TestCrossEntropyForms: ignored targets, weights, and shapes.
func TestCrossEntropyForms(t *testing.T) {
	logits := tensor.Randn(4, 3, 2, 5).To(tensor.Float64)
	target := classes(3, 4, 2, 5)
	flat := logits.Permute(0, 2, 3, 1).Reshape(-1, 3)
	want := tensor.CrossEntropy(flat, target.Reshape(-1))
	near(t, "[N, C, d, d]", tensor.CrossEntropy(logits, target).Float64s(), want.Float64s(),
		tensor.Float64, 4)
	none := tensor.LossConfig{Reduction: tensor.NoneLoss}
	equal(t, "shape", tensor.CrossEntropy(logits, target, none).Shape(), []int{4, 2, 5})
	permuted := logits.Permute(1, 0, 2, 3).Clone().Permute(1, 0, 2, 3)
	near(t, "strides", tensor.CrossEntropy(permuted, target).Float64s(), want.Float64s(),
		tensor.Float64, 4)
	// An infinite gradient of one sample leaves the others alone.
	x := tensor.Zeros(2, 2).SetRequiresGrad(true)
	losses := tensor.NLLLoss(x, tensor.New([]int{0, 1}), none)
	losses.Backward(tensor.BackwardConfig{Gradient: tensor.New([]float32{float32(inf), 1})})
	equal(t, "gradient", x.Grad().Float64s(), []float64{-inf, 0, 0, -1})
	empty := tensor.CrossEntropy(tensor.Zeros(0, 3), tensor.FromInt64(nil, 0))
	equal(t, "no samples", empty.Item(), nan)
	equal(t, "no samples, added", tensor.CrossEntropy(tensor.Zeros(0, 3), tensor.FromInt64(nil, 0),
		tensor.LossConfig{Reduction: tensor.SumLoss}).Item(), 0.0)
	weight := tensor.Ones(3).SetRequiresGrad(true)
	equal(t, "weight", reference.Mistake(func() {
		tensor.CrossEntropy(tensor.Ones(2, 3), tensor.New([]int{0, 1}),
			tensor.LossConfig{Weight: weight})
	}), "cross_entropy: the weight of the classes requires a gradient, which it does not get; "+
		"Detach it")
	// The loss has the target as it was.
	changed := tensor.New([]int{0, 1})
	x.SetGrad(nil)
	loss := tensor.NLLLoss(x, changed)
	changed.FillInPlace(1)
	loss.Backward()
	equal(t, "gradient of a target that was changed", x.Grad().Float64s(), []float64{-0.5, 0, 0, -0.5})
}

// TestLossesRoundOnce: 16-bit losses are computed in float32.
func TestLossesRoundOnce(t *testing.T) {
	a := tensor.Full(1000, 4).To(tensor.Float16)
	b := tensor.Full(700, 4).To(tensor.Float16)
	equal(t, "mse", tensor.MSELoss(a, b, tensor.LossConfig{Reduction: tensor.SumLoss}).Item(), inf)
	b = tensor.Full(872, 4).To(tensor.Float16) // 128² = 16384, four times too large for float16
	equal(t, "mean", tensor.MSELoss(a, b).Item(), 16384.0)
	equal(t, "dtype", tensor.MSELoss(a, b).DType(), tensor.Float16)
	for _, d := range []tensor.DType{tensor.Float16, tensor.BFloat16} {
		x := tensor.Randn(64, 10).Mul(4).To(d)
		target := classes(10, 64)
		got := tensor.CrossEntropy(x, target)
		want := tensor.CrossEntropy(x.To(tensor.Float32), target).To(d)
		equal(t, "cross entropy", got.Item(), want.Item())
	}
}

// TestBCEEdges: the logarithm stops at −100, and the gradient stays finite.
func TestBCEEdges(t *testing.T) {
	p := tensor.New([]float64{0, 1, 0, 1}).SetRequiresGrad(true)
	y := tensor.New([]float64{0, 1, 1, 0}).SetRequiresGrad(true)
	losses := tensor.BCELoss(p, y, tensor.BCEConfig{Reduction: tensor.NoneLoss})
	equal(t, "losses", losses.Float64s(), []float64{0, 0, 100, 100})
	tensor.DetectNonFinite(func() { tensor.BCELoss(p, y).Backward() })
	p.SetGrad(nil)
	y.SetGrad(nil)
	losses.Sum().Backward()
	equal(t, "gradient", p.Grad().Float64s(), []float64{0, 0, -1e12, 1e12})
	equal(t, "gradient of the target", y.Grad().Float64s(), []float64{100, -100, 100, -100})
	x := tensor.New([]float64{1e4, -1e4, 1e4, -1e4}).SetRequiresGrad(true)
	losses = tensor.BCEWithLogitsLoss(x, tensor.New([]float64{1, 0, 0, 1}),
		tensor.BCEConfig{Reduction: tensor.NoneLoss})
	equal(t, "with logits", losses.Float64s(), []float64{0, 0, 1e4, 1e4})
	losses.Sum().Backward()
	equal(t, "its gradient", x.Grad().Float64s(), []float64{0, 0, 1, -1})
}

// TestKLDivZero: where the target is 0, the loss and all gradients are finite.
func TestKLDivZero(t *testing.T) {
	x := tensor.New([]float64{-1, -2}).SetRequiresGrad(true)
	y := tensor.New([]float64{0, 1}).SetRequiresGrad(true)
	loss := tensor.KLDivLoss(x, y, tensor.KLDivConfig{Reduction: tensor.SumLoss})
	equal(t, "loss", loss.Item(), 2.0)
	loss.Backward()
	equal(t, "gradient", x.Grad().Float64s(), []float64{0, -1})
	equal(t, "gradient of the target", y.Grad().AllFinite(), true)
}

// TestMarginLosses: values worked out by hand.
func TestMarginLosses(t *testing.T) {
	sum := tensor.LossConfig{Reduction: tensor.SumLoss}
	x := tensor.New([]float64{0.25, 0.75, 2})
	y := tensor.New([]float64{1, -1, -1})
	scores := tensor.New([][]float64{{0.5, 2, 1}, {1, 0, 0.25}})
	for name, c := range map[string]struct {
		got  *T
		want float64
	}{
		"hinge":    {tensor.HingeEmbeddingLoss(x, y, 1, sum), 0.25 + 0.25 + 0},
		"ranking":  {tensor.MarginRankingLoss(x, x.Mul(2), y, 0.5, sum), 0.75},
		"soft":     {tensor.SoftMarginLoss(x.Mul(0), y, sum), 3 * math.Ln2},
		"multi":    {tensor.MultiMarginLoss(scores, tensor.New([]int{1, 0}), 1, 1, sum), 0.25 / 3},
		"squared":  {tensor.MultiMarginLoss(scores, tensor.New([]int{2, 1}), 2, 1, sum), 9.8125 / 3},
		"of one":   {tensor.MultiMarginLoss(scores.Index(1), tensor.New(2), 1, 1), 2.5 / 3},
		"no label": {tensor.MultilabelMarginLoss(scores, tensor.Full(-1, 2, 3).To(tensor.Int64)), 0},
		"labels": {tensor.MultilabelMarginLoss(scores, tensor.New([][]int{{1, 2, -1}, {0, -1, 1}}),
			sum), (0.5 + 0 + 0.25) / 3},
		"cosine": {tensor.CosineEmbeddingLoss(tensor.New([][]float64{{1, 0}, {3, 4}}),
			tensor.New([][]float64{{0, 2}, {3, 4}}), tensor.New([]int{1, -1}), 0.25, sum), 1.75},
		"triplet": {tensor.TripletMarginLoss(tensor.New([]float64{0, 0}),
			tensor.New([]float64{0, 3}), tensor.New([]float64{2, 0})), 2},
		"swapped": {tensor.TripletMarginLoss(tensor.New([]float64{0, 0}),
			tensor.New([]float64{0, 3}), tensor.New([]float64{0, 4}),
			tensor.TripletConfig{Swap: true, Margin: new(0.5), P: 1}), 2.5},
		"poisson": {tensor.PoissonNLLLoss(tensor.New([]float64{0}), tensor.New([]float64{2})), 1},
		"stirling": {tensor.PoissonNLLLoss(tensor.New([]float64{1}), tensor.New([]float64{2}),
			tensor.PoissonNLLConfig{Rate: true, Full: true}),
			1 + 2*math.Ln2 - 2 + 0.5*math.Log(4*math.Pi)},
		"huber":     {tensor.HuberLoss(x, x.Mul(0), 1, sum), 0.03125 + 0.28125 + 1.5},
		"smooth l1": {tensor.SmoothL1Loss(x, x.Mul(0), 0.5, sum), 0.0625 + 0.5 + 1.75},
		"smooth 0":  {tensor.SmoothL1Loss(x, x.Mul(0), 0, sum), 3},
	} {
		if got := c.got.Item(); math.Abs(got-c.want) > 3e-6 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestMarginLossMistakes(t *testing.T) {
	x := tensor.Ones(2, 3)
	ints := tensor.New([]int{0, 1})
	for want, f := range map[string]func(){
		"l1_loss: values of int64; floating point is needed, which To gives": func() {
			tensor.L1Loss(ints, ints)
		},
		"huber_loss: delta 0; it is above 0":         func() { tensor.HuberLoss(x, x, 0) },
		"smooth_l1_loss: beta -1; it is not below 0": func() { tensor.SmoothL1Loss(x, x, -1) },
		"multi_margin_loss: p is 3; it is 1 or 2":    func() { tensor.MultiMarginLoss(x, ints, 3, 1) },
		"binary_cross_entropy: PosWeight belongs to BCEWithLogitsLoss": func() {
			tensor.BCELoss(x, x, tensor.BCEConfig{PosWeight: x})
		},
		"binary_cross_entropy: a prediction is no probability between 0 and 1; put a Sigmoid " +
			"before it, or use BCEWithLogitsLoss": func() { tensor.BCELoss(x.Mul(2), x) },
		"binary_cross_entropy_with_logits: weight of shape [4 2 3] does not broadcast to [2 3]": func() {
			tensor.BCEWithLogitsLoss(x, x, tensor.BCEConfig{Weight: tensor.Ones(4, 2, 3)})
		},
		"mse_loss: Weight, IgnoreIndex and LabelSmoothing belong to losses on classes, as " +
			"CrossEntropy": func() { tensor.MSELoss(x, x, tensor.LossConfig{Weight: x}) },
		`l1_loss: reduction "batchmean" belongs to KLDivLoss`: func() {
			tensor.L1Loss(x, x, tensor.LossConfig{Reduction: tensor.BatchMeanLoss})
		},
		"multi_margin_loss: target 3 is no class; there are 3": func() {
			tensor.MultiMarginLoss(x, tensor.New([]int{0, 3}), 1, 1)
		},
		"multilabel_margin_loss: target 4 is no class; there are 3": func() {
			tensor.MultilabelMarginLoss(x, tensor.New([][]int{{0, -1, 9}, {0, 4, -1}}))
		},
		"multilabel_margin_loss: input of shape [2 3], which is [N, C] or [C], and target of " +
			"shape [2]": func() { tensor.MultilabelMarginLoss(x, ints) },
		"cosine_embedding_loss: vectors of shapes [2 3] and [2 3] and target of shape []; they are " +
			"[N, D] and [N], or [D] and []": func() {
			tensor.CosineEmbeddingLoss(x, x, tensor.New(1), 0)
		},
		"triplet_margin_loss: inputs of shape []; they are vectors, [D] or [N, D]": func() {
			tensor.TripletMarginLoss(tensor.Full(1), tensor.Full(1), tensor.Full(1))
		},
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
}
