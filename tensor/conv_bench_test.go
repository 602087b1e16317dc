package tensor_test

import (
	"fmt"
	"testing"

	"halfnote/tensor"
)

// BenchmarkConv reports GFLOP/s of the three products of the convolutions of a small network.
func BenchmarkConv(b *testing.B) {
	for _, d := range []tensor.DType{tensor.Float32, tensor.Float16} {
		for _, s := range [][]int{{64, 1, 28, 16}, {64, 16, 14, 32}, {8, 64, 32, 64}} {
			n, c, size, o := s[0], s[1], s[2], s[3]
			x, w := tensor.Randn(n, c, size, size).To(d), tensor.Randn(o, c, 3, 3).To(d)
			g := tensor.Randn(n, o, size, size).To(d)
			config := tensor.ConvConfig{Padding: []int{1}}
			x.SetRequiresGrad(true)
			w.SetRequiresGrad(true)
			y := tensor.Conv2d(x, w, nil, config)
			grad := func(of *tensor.Tensor) func() {
				return func() {
					tensor.Grad([]*T{y}, []*T{of},
						tensor.GradConfig{GradOutputs: []*T{g}, RetainGraph: true})
				}
			}
			flops := 2 * 9 * float64(n*c*o*size*size)
			for _, f := range []struct {
				name string
				op   func()
			}{
				{"forward", func() { tensor.Conv2d(x, w, nil, config) }},
				{"both_gradients", grad(w)},
			} {
				b.Run(fmt.Sprintf("%s/%v/%s", d, s, f.name), func(b *testing.B) {
					times := 1.0
					if f.name != "forward" {
						times = 2
					}
					for b.Loop() {
						f.op()
					}
					b.ReportMetric(times*flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
				})
			}
		}
	}
}

// BenchmarkLayers is what a small network does beside its convolutions: forward, and both ways.
func BenchmarkLayers(b *testing.B) {
	for _, d := range []tensor.DType{tensor.Float32, tensor.Float16} {
		x := tensor.Randn(64, 16, 28, 28).To(d).SetRequiresGrad(true)
		w, bias := tensor.Ones(16).SetRequiresGrad(true), tensor.Zeros(16).SetRequiresGrad(true)
		row := x.Detach().Reshape(64*16, 28*28).SetRequiresGrad(true)
		for _, c := range []struct {
			name string
			op   func() *T
		}{
			{"relu", func() *T { return x.ReLU() }},
			{"max_pool", func() *T {
				return tensor.MaxPool2d(x, tensor.PoolConfig{Kernel: []int{2}})
			}},
			{"avg_pool", func() *T {
				return tensor.AvgPool2d(x, tensor.PoolConfig{Kernel: []int{2}})
			}},
			{"batch_norm", func() *T {
				return tensor.BatchNorm(x, tensor.BatchNormConfig{Training: true, Weight: w, Bias: bias})
			}},
			{"layer_norm", func() *T { return tensor.LayerNorm(row, []int{28 * 28}, nil, nil) }},
			{"bias", func() *T { return x.Add(bias.To(d).Reshape(16, 1, 1)) }},
		} {
			b.Run(fmt.Sprintf("%s/%s/forward", d, c.name), func(b *testing.B) {
				for b.Loop() {
					tensor.NoGrad(func() { c.op() })
				}
			})
			b.Run(fmt.Sprintf("%s/%s/both", d, c.name), func(b *testing.B) {
				y := c.op()
				g := tensor.OnesLike(y)
				for b.Loop() {
					c.op().Backward(tensor.BackwardConfig{Gradient: g})
				}
			})
		}
	}
}
