package nn_test

import (
	"testing"

	"halfnote/amp/bench/steps"
)

// BenchmarkTrainStep is a forward pass, a backward pass and a step of SGD; in float16 with a
// GradScaler. amp/bench runs the same beside PyTorch.
func BenchmarkTrainStep(b *testing.B) {
	for _, name := range steps.Networks {
		b.Run(name, func(b *testing.B) {
			for _, d := range steps.DTypes {
				b.Run(d.String(), func(b *testing.B) {
					step := steps.New(name, d)
					step()
					b.ReportAllocs()
					for b.Loop() {
						step()
					}
				})
			}
		})
	}
}
