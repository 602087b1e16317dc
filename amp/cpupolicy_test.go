package amp_test

import (
	"slices"
	"testing"

	"halfnote/amp"
	"halfnote/tensor"
)

// TestCPUPolicyComposed: ops that PyTorch's CPU policy names as a whole, and ops that it leaves to
// their parts.
func TestCPUPolicyComposed(t *testing.T) {
	logits := tensor.New([][]float32{{3.1, -1.2, 0.4}, {0.7, 9.3, 9.1}}).To(tensor.BFloat16)
	chances := tensor.New([][]float32{{0.2, 0.3, 0.5}, {0.9, 0.05, 0.05}})
	labels := tensor.FromInt64([]int64{2, 1}, 2)
	a, b := tensor.Rand(2, 3), tensor.Rand(3, 3)
	for name, target := range map[string]*tensor.Tensor{"labels": labels, "chances": chances} {
		want := tensor.CrossEntropy(logits.To(tensor.Float32), target)
		amp.AutocastWith(amp.Config{DType: tensor.BFloat16, Policy: amp.CPUPolicy()}, func() {
			got := tensor.CrossEntropy(logits, target)
			if got.DType() != tensor.Float32 || !slices.Equal(got.Float64s(), want.Float64s()) {
				t.Errorf("cross entropy of %s: %v, want %v", name, got, want)
			}
		})
	}
	amp.AutocastWith(amp.Config{DType: tensor.BFloat16, Policy: amp.CPUPolicy()}, func() {
		for name, y := range map[string]*tensor.Tensor{
			"multi_dot":     tensor.MultiDot(a, b, b),
			"rnn_tanh_cell": tensor.RNNTanhCell(a, a, b, b, nil, nil),
			"rnn_relu_cell": tensor.RNNReLUCell(a, a, b, b, nil, nil),
		} {
			if y.DType() != tensor.BFloat16 {
				t.Errorf("%s of float32 gives %s, want bfloat16", name, y.DType())
			}
		}
	})
}
