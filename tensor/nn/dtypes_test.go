package nn_test

import (
	"fmt"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/reference"
)

// TestDTypes: every module can be moved to each floating dtype and trained there: results and
// gradients have that dtype, and are near those in float64.
func TestDTypes(t *testing.T) {
	ids := tensor.New([][]int{{0, 2, 1}, {1, 1, 0}})
	for _, test := range []struct {
		make  func() nn.Module
		shape []int // of the input; nil means ids
	}{
		{func() nn.Module { return nn.NewLinear(4, 3) }, []int{2, 4}},
		{func() nn.Module { return nn.NewConv1d(2, 3, 3) }, []int{2, 2, 5}},
		{func() nn.Module { return nn.NewConv2d(2, 3, 3) }, []int{2, 2, 5, 4}},
		{func() nn.Module { return nn.NewConvTranspose1d(2, 3, 3) }, []int{2, 2, 5}},
		{func() nn.Module { return nn.NewConvTranspose2d(2, 3, 3) }, []int{2, 2, 3, 4}},
		{func() nn.Module { return nn.NewBatchNorm1d(3) }, []int{5, 3}},
		{func() nn.Module { return nn.NewBatchNorm2d(3) }, []int{2, 3, 2, 2}},
		{func() nn.Module { return nn.NewLayerNorm(4) }, []int{2, 3, 4}},
		{func() nn.Module { return nn.NewGroupNorm(2, 4) }, []int{2, 4, 3}},
		{func() nn.Module { return nn.NewRMSNorm(4) }, []int{2, 3, 4}},
		{func() nn.Module { return nn.NewEmbedding(3, 2) }, nil},
		{func() nn.Module { return nn.NewDropout(0.5, tensor.NewGenerator(1)) }, []int{3, 4}},
		{func() nn.Module { return nn.NewDropout2d(0.5, tensor.NewGenerator(1)) }, []int{3, 4, 2, 2}},
		{func() nn.Module { return nn.NewMaxPool1d(2) }, []int{2, 2, 5}},
		{func() nn.Module { return nn.NewMaxPool2d(2) }, []int{2, 2, 5, 4}},
		{func() nn.Module { return nn.NewAvgPool1d(2) }, []int{2, 2, 5}},
		{func() nn.Module { return nn.NewAvgPool2d(2) }, []int{2, 2, 5, 4}},
		{func() nn.Module { return nn.NewAdaptiveAvgPool1d(2) }, []int{2, 2, 5}},
		{func() nn.Module { return nn.NewAdaptiveAvgPool2d(2) }, []int{2, 2, 5, 4}},
		{func() nn.Module { return nn.NewAdaptiveMaxPool1d(2) }, []int{2, 2, 5}},
		{func() nn.Module { return nn.NewAdaptiveMaxPool2d(2) }, []int{2, 2, 5, 4}},
		{func() nn.Module { return nn.NewReLU() }, []int{2, 3}},
		{func() nn.Module { return nn.NewLeakyReLU() }, []int{2, 3}},
		{func() nn.Module { return nn.NewPReLU() }, []int{2, 3}},
		{func() nn.Module { return nn.NewELU() }, []int{2, 3}},
		{func() nn.Module { return nn.NewGELU() }, []int{2, 3}},
		{func() nn.Module { return nn.NewSiLU() }, []int{2, 3}},
		{func() nn.Module { return nn.NewMish() }, []int{2, 3}},
		{func() nn.Module { return nn.NewSoftplus() }, []int{2, 3}},
		{func() nn.Module { return nn.NewHardtanh() }, []int{2, 3}},
		{func() nn.Module { return nn.NewSigmoid() }, []int{2, 3}},
		{func() nn.Module { return nn.NewTanh() }, []int{2, 3}},
		{func() nn.Module { return nn.NewSoftmax(-1) }, []int{2, 3}},
		{func() nn.Module { return nn.NewLogSoftmax(-1) }, []int{2, 3}},
		{func() nn.Module { return nn.NewFlatten() }, []int{2, 3, 2}},
		{func() nn.Module { return nn.NewIdentity() }, []int{2, 3}},
		{func() nn.Module { return nn.NewSinusoidalPositions(5, 4) }, []int{2, 3, 4}},
		{func() nn.Module { return nn.NewLearnedPositions(5, 4) }, []int{2, 3, 4}},
		{func() nn.Module { return nn.NewMultiheadAttention(4, 2) }, []int{2, 3, 4}},
		{func() nn.Module { return nn.NewTransformerEncoderLayer(4, 2) }, []int{2, 3, 4}},
		{func() nn.Module {
			return nn.NewSequential(nn.NewLinear(4, 3), nn.NewReLU(), nn.NewLinear(3, 2))
		}, []int{2, 4}},
	} {
		t.Run(fmt.Sprintf("%T", test.make()), func(t *testing.T) {
			run := func(dtype, stored tensor.DType) (y *tensor.Tensor, grads []*tensor.Tensor) {
				tensor.Seed(1)
				m, x := test.make(), ids
				nn.To(m, stored)
				nn.To(m, dtype)
				if test.shape != nil {
					x = tensor.Randn(test.shape...).To(stored).To(dtype).SetRequiresGrad(true)
				}
				tensor.Seed(2) // for dropout
				y = m.Forward(x)
				y.Mul(y).Sum().Backward()
				for name, p := range nn.NamedParameters(m) {
					if p.Grad() == nil || p.Grad().DType() != dtype {
						t.Fatalf("%s: gradient %v", name, p.Grad())
					}
					grads = append(grads, p.Grad())
				}
				if test.shape != nil {
					grads = append(grads, x.Grad())
				}
				return y, grads
			}
			for _, dtype := range []tensor.DType{tensor.Float64, tensor.Float32, tensor.Float16,
				tensor.BFloat16} {
				y, grads := run(dtype, dtype)
				want, wantGrads := run(tensor.Float64, dtype)
				if y.DType() != dtype {
					t.Errorf("%v: result %v", dtype, y.DType())
				}
				near := func(what string, got, want *tensor.Tensor) {
					size := 4 + want.Abs().Max().Item() // of the terms of its sums
					diff := got.To(tensor.Float64).Sub(want).Abs().Max().Item()
					if !(diff <= 8*reference.Tolerance(dtype)*size) { // a module is several ops
						t.Errorf("%v: %s is off by %.3g of %.3g", dtype, what, diff, size)
					}
				}
				near("result", y, want)
				for i := range grads {
					near(fmt.Sprint("gradient ", i), grads[i], wantGrads[i])
				}
			}
		})
	}
}
