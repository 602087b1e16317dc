package tensor_test

import (
	"math"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// TestBatchNormMoves checks the running moments by hand: values 0, 2, 4 have mean 2, variance 8/3,
// and the unbiased one 4.
func TestBatchNormMoves(t *testing.T) {
	x := tensor.New([][]float64{{0}, {2}, {4}})
	mean, variance := tensor.New([]float64{1}), tensor.New([]float64{1})
	c := tensor.BatchNormConfig{RunningMean: mean, RunningVar: variance, Training: true,
		Momentum: 0.5, Eps: 1. / 3}
	y := tensor.BatchNorm(x, c)
	s := 2 / math.Sqrt(3)
	near(t, "training", y.Float64s(), []float64{-s, 0, s}, tensor.Float64, 1)
	equal(t, "running mean", mean.Item(), 1.5)
	near(t, "running variance", variance.Float64s(), []float64{2.5}, tensor.Float64, 1)
	c.Training, c.Eps = false, 1.5
	near(t, "evaluation", tensor.BatchNorm(x, c).Float64s(), []float64{-0.75, 0.25, 1.25},
		tensor.Float64, 1)
	equal(t, "running mean after evaluation", mean.Item(), 1.5)
	c.RunningMean, c.RunningVar, c.Eps = nil, nil, 1./3
	equal(t, "without running moments", tensor.BatchNorm(x, c).Float64s(), y.Float64s())

	c.RunningMean, c.RunningVar, c.Training = mean, variance, true
	tensor.BatchNorm(tensor.Zeros(0, 1).To(tensor.Float64), c)
	equal(t, "running mean after an empty batch", mean.Item(), 1.5)
}

// TestBatchNormLaterBatch: a batch that moves the running moments does not spoil the gradients of
// one that was evaluated before.
func TestBatchNormLaterBatch(t *testing.T) {
	x := tensor.Rand(4, 2).SetRequiresGrad(true)
	c := tensor.BatchNormConfig{RunningMean: tensor.Zeros(2), RunningVar: tensor.Full(3, 2), Eps: 1}
	y := tensor.BatchNorm(x, c)
	c.Training = true
	tensor.BatchNorm(tensor.Rand(4, 2), c)
	y.Sum().Backward()
	near(t, "gradient", x.Grad().Float64s(), []float64{.5, .5, .5, .5, .5, .5, .5, .5},
		tensor.Float32, 1)
}

// TestNormHalf: beside 16-bit inputs, float32 weights and running moments stay what they are, and
// moments are not computed in 16 bits: float16 could not hold the squares.
func TestNormHalf(t *testing.T) {
	x := tensor.New([][]float64{{30000, -30000}, {-30000, 30000}}).To(tensor.Float16).
		SetRequiresGrad(true)
	w, b := tensor.Full(2, 2).SetRequiresGrad(true), tensor.Ones(2).SetRequiresGrad(true)
	c := tensor.BatchNormConfig{RunningMean: tensor.Zeros(2), RunningVar: tensor.Ones(2),
		Weight: w, Bias: b, Training: true, Momentum: 1}
	y := tensor.BatchNorm(x, c)
	equal(t, "result", y.Float64s(), []float64{3, -1, -1, 3})
	equal(t, "dtype of the result", y.DType(), tensor.Float16)
	equal(t, "running variance", c.RunningVar.Float64s(), []float64{1.8e9, 1.8e9})
	y.Backward(tensor.BackwardConfig{Gradient: y})
	equal(t, "gradient of the weight", w.Grad().Float64s(), []float64{4, 4})
	equal(t, "dtype of the weight's gradient", w.Grad().DType(), tensor.Float32)
	equal(t, "dtype of the gradient", x.Grad().DType(), tensor.Float16)
	y = tensor.LayerNorm(x.Detach(), []int{2}, w, b)
	equal(t, "layer norm", y.Float64s(), []float64{3, -1, -1, 3})
	y = tensor.RMSNorm(x.Detach(), []int{2}, w)
	equal(t, "rms norm", y.Float64s(), []float64{2, -2, -2, 2})
}

// TestNormFarFromZero: the variance of numbers far from zero keeps its digits.
func TestNormFarFromZero(t *testing.T) {
	x := tensor.New([][]float64{{1e8 + 1, 1e8 - 1, 1e8 + 1, 1e8 - 1}})
	near(t, "float64", tensor.LayerNorm(x, []int{4}, nil, nil, 0).Float64s(),
		[]float64{1, -1, 1, -1}, tensor.Float64, 1)
	x = tensor.New([][]float32{{1e5 + 1, 1e5 - 1, 1e5 + 1, 1e5 - 1}})
	near(t, "float32", tensor.LayerNorm(x, []int{4}, nil, nil, 0).Float64s(),
		[]float64{1, -1, 1, -1}, tensor.Float32, 1)
}

// TestRMSNormEps: without an eps it is the epsilon of what is computed in, as in PyTorch.
func TestRMSNormEps(t *testing.T) {
	for d, eps := range map[tensor.DType]float64{tensor.Float16: 0x1p-23, tensor.BFloat16: 0x1p-23,
		tensor.Float32: 0x1p-23, tensor.Float64: 0x1p-52} {
		x := tensor.Full(math.Sqrt(eps*3), 1).To(d)
		near(t, d.String(), tensor.RMSNorm(x, []int{1}, nil).Float64s(),
			[]float64{math.Sqrt(0.75)}, max(d, tensor.Float32), 1)
	}
}

// TestNormLarge compares rows that are cut into pieces with the same norms composed of other ops.
func TestNormLarge(t *testing.T) {
	for _, shape := range [][]int{{3, 600}, {5, 4, 11, 30}, {700, 3}, {300, 70}} {
		x := tensor.Randn(shape...).To(tensor.Float64).SetRequiresGrad(true)
		w := tensor.Randn(shape[len(shape)-1]).To(tensor.Float64).SetRequiresGrad(true)
		g := tensor.Randn(shape...).To(tensor.Float64)
		grads := func(f func() *T) (all [][]float64) {
			y := f()
			for _, r := range tensor.Grad([]*T{y}, []*T{x, w},
				tensor.GradConfig{GradOutputs: []*T{g}}) {
				all = append(all, r.Float64s())
			}
			return append(all, y.Float64s())
		}
		check := func(name string, got, want [][]float64) {
			t.Helper()
			for i, values := range want {
				largest := 1.0 // what is summed up is of that size, also where it nearly cancels
				for _, v := range values {
					largest = max(largest, math.Abs(v))
				}
				near(t, name, got[i], values, tensor.Float64, 100*largest)
			}
		}
		normalised := func(axes ...int) *T {
			kept := x.Shape()
			for _, a := range axes {
				kept[(a+len(kept))%len(kept)] = 1
			}
			d := x.Sub(x.Mean(axes...).Reshape(kept...))
			return d.Mul(d.Mul(d).Mean(axes...).Reshape(kept...).Add(1e-5).Rsqrt())
		}
		check("layer norm", grads(func() *T {
			return tensor.LayerNorm(x, []int{w.Numel()}, w, nil)
		}), grads(func() *T { return normalised(-1).Mul(w) }))
		if len(shape) == 2 {
			check("batch norm", grads(func() *T {
				return tensor.BatchNorm(x, tensor.BatchNormConfig{Weight: w})
			}), grads(func() *T { return normalised(0).Mul(w) }))
			continue
		}
		check("batch norm", grads(func() *T {
			return tensor.BatchNorm(x, tensor.BatchNormConfig{}).Mul(w)
		}), grads(func() *T { return normalised(0, 2, 3).Mul(w) }))
		check("instance norm", grads(func() *T {
			return tensor.InstanceNorm(x, nil, nil).Mul(w)
		}), grads(func() *T { return normalised(2, 3).Mul(w) }))
	}
}

func TestNormErrors(t *testing.T) {
	x, half := tensor.Zeros(2, 4), tensor.Zeros(2, 4).To(tensor.Float16)
	batch := func(x *T, c tensor.BatchNormConfig) func() {
		return func() { tensor.BatchNorm(x, c) }
	}
	for _, c := range []struct {
		want string
		f    func()
	}{
		{"layer_norm: input of shape [2 4] does not end in the shape [2] to normalise",
			func() { tensor.LayerNorm(x, []int{2}, nil, nil) }},
		{"layer_norm: input of shape [2 4] does not end in the shape [] to normalise",
			func() { tensor.LayerNorm(x, nil, nil, nil) }},
		{"layer_norm: weight of shape [2] for input of shape [2 4]; it is [4]",
			func() { tensor.LayerNorm(x, []int{4}, tensor.Ones(2), nil) }},
		{"layer_norm: bias of float16 for input of float32; convert one with To",
			func() { tensor.LayerNorm(x, []int{4}, nil, half.Index(0)) }},
		{"layer_norm: eps -1; it is not negative",
			func() { tensor.LayerNorm(x, []int{4}, nil, nil, -1) }},
		{"layer_norm: values of int64; floating point is needed",
			func() { tensor.LayerNorm(x.To(tensor.Int64), []int{4}, nil, nil) }},
		{"group_norm: 4 channels of input shape [2 4] do not divide into 3 groups",
			func() { tensor.GroupNorm(x, 3, nil, nil) }},
		{"group_norm: input of shape [4]; it is [N, C, …]",
			func() { tensor.GroupNorm(tensor.Zeros(4), 2, nil, nil) }},
		{"instance_norm: input of shape [2 4] has one value per channel, whose variance is 0",
			func() { tensor.InstanceNorm(x, nil, nil) }},
		{"batch_norm: input of shape [1 4] has one value per channel, whose variance is 0: give " +
			"larger batches, or evaluate with running moments",
			batch(tensor.Zeros(1, 4), tensor.BatchNormConfig{Training: true,
				RunningMean: tensor.Zeros(4), RunningVar: tensor.Ones(4)})},
		{"batch_norm: input of shape [4]; it is [N, C, …]",
			batch(tensor.Zeros(4), tensor.BatchNormConfig{})},
		{"batch_norm: one of the running mean and variance is nil; give both or neither",
			batch(x, tensor.BatchNormConfig{RunningMean: tensor.Zeros(4)})},
		{"batch_norm: running variance of shape [3] for input of shape [2 4]; it is [4]",
			batch(x, tensor.BatchNormConfig{RunningMean: tensor.Zeros(4),
				RunningVar: tensor.Ones(3)})},
		{"batch_norm: running mean of float32 for input of float64; convert one with To",
			batch(x.To(tensor.Float64), tensor.BatchNormConfig{RunningMean: tensor.Zeros(4),
				RunningVar: tensor.Ones(4)})},
		{"batch_norm: momentum -1; it lies between 0 and 1",
			batch(x, tensor.BatchNormConfig{Momentum: -1})},
		{"batch_norm: eps -1; it is not negative", batch(x, tensor.BatchNormConfig{Eps: -1})},
	} {
		if got := reference.Mistake(c.f); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}

// TestNormOverflow: rows whose variance float32 cannot hold are NaN and not zeros.
func TestNormOverflow(t *testing.T) {
	x := tensor.New([][]float32{{3e38, -3e38, 1, 2}, {1, 2, 3, 4}})
	for name, y := range map[string]*tensor.Tensor{
		"layer_norm": tensor.LayerNorm(x, []int{4}, nil, nil),
		"rms_norm":   tensor.RMSNorm(x, []int{4}, nil),
		"bfloat16":   tensor.LayerNorm(x.To(tensor.BFloat16), []int{4}, nil, nil),
		"turned":     tensor.LayerNorm(x.T().Clone().T(), []int{4}, nil, nil),
	} {
		equal(t, name, y.IsNaN().Any(1).Bools(), []bool{true, false})
	}
	equal(t, "float64", tensor.LayerNorm(x.To(tensor.Float64), []int{4}, nil, nil).AllFinite(), true)
}
