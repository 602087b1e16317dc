package amp_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/nn"
)

// TestCheckpointUnderAutocast: a network with random zeros has the same gradients, bit for bit,
// with checkpoints and without, although Backward is called outside of the region. A layer is used
// twice, so that the gradients of both uses meet at the one cast of its weight.
func TestCheckpointUnderAutocast(t *testing.T) {
	tensor.Seed(3)
	a, b := nn.NewLinear(8, 16), nn.NewLinear(16, 8)
	params := append(nn.Parameters(a), nn.Parameters(b)...)
	block := func(in ...*tensor.Tensor) *tensor.Tensor {
		h := a.Forward(in[0]).ReLU()
		h = h.Mul(tensor.Rand(h.Shape()...).Gt(0.25).To(h.DType())).Div(0.75)
		return b.Forward(h).Softmax(1)
	}
	run := func(cfg amp.Config, checkpoint bool) (out [][]float32) {
		for _, p := range params {
			p.SetGrad(nil)
		}
		tensor.Seed(4)
		x := tensor.Randn(5, 8)
		var loss *tensor.Tensor
		amp.AutocastWith(cfg, func() {
			h := x
			for range 2 {
				if checkpoint {
					h = tensor.Checkpoint(block, h)
				} else {
					h = block(h)
				}
			}
			loss = nn.CrossEntropy(b.Forward(a.Forward(h)), tensor.Arange(5).To(tensor.Int64))
		})
		loss.Mul(1024).Backward()
		out = append(out, loss.Float32s(), tensor.Rand(2).Float32s())
		for _, p := range params {
			out = append(out, p.Grad().Float32s())
		}
		return out
	}
	for name, cfg := range map[string]amp.Config{
		"float16": {}, "bfloat16": {DType: tensor.BFloat16}, "no_cache": {NoCache: true},
		"disabled": {Disabled: true},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(run(cfg, false), run(cfg, true)); diff != "" {
				t.Errorf("(-plain +checkpoint):\n%s", diff)
			}
		})
	}
}

// TestCheckpointCastMask: attention whose mask autocast has cast has the same gradients with a
// checkpoint and without.
func TestCheckpointCastMask(t *testing.T) {
	mask := tensor.Randn(2, 64, 64)
	f := func(in ...*tensor.Tensor) *tensor.Tensor {
		return tensor.ScaledDotProductAttention(in[0], in[0], in[0],
			tensor.AttentionConfig{Mask: mask, Dropout: 0.1})
	}
	start := tensor.Randn(2, 64, 32)
	run := func(forward func(in ...*tensor.Tensor) *tensor.Tensor) []float32 {
		tensor.Seed(4)
		x := start.Clone().SetRequiresGrad(true)
		var y *tensor.Tensor
		amp.Autocast(func() { y = forward(x) })
		takeFree(mask.Shape())
		y.Square().Sum().Backward()
		return x.Grad().Float32s()
	}
	got := run(func(in ...*tensor.Tensor) *tensor.Tensor { return tensor.Checkpoint(f, in...) })
	if !slices.Equal(got, run(f)) {
		t.Error("the gradients with a checkpoint differ")
	}
}
