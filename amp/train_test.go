package amp_test

import (
	"fmt"
	"testing"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/nn"
	"halfnote/tensor/optim"
	"halfnote/tensor/reference"
)

// A reader says which of two symbols comes more often in a sequence of ids.
type reader struct {
	embedding *nn.Embedding
	positions *nn.SinusoidalPositions
	encoder   *nn.TransformerEncoder
	head      *nn.Linear
}

func newReader() *reader {
	return &reader{nn.NewEmbedding(2, 16), nn.NewSinusoidalPositions(9, 16),
		nn.NewTransformerEncoder(1, 16, 2, nn.TransformerEncoderConfig{FeedForward: 32,
			Activation: nn.NewGELU(), NormFirst: true, FinalNorm: true, Dropout: 0.1}),
		nn.NewLinear(16, 2)}
}

func (r *reader) Forward(ids *tensor.Tensor) *tensor.Tensor {
	x := r.encoder.Forward(r.positions.Forward(r.embedding.Forward(ids)))
	return r.head.Forward(x.Mean(1))
}

// TestTrain trains a Transformer and a plain network in each format: under autocast with a scaler,
// and with all tensors in the format itself where it has float32's range.
func TestTrain(t *testing.T) {
	models := map[string]func() (m nn.Module, x, y *tensor.Tensor){
		"transformer": func() (m nn.Module, x, y *tensor.Tensor) {
			bits := tensor.Rand(64, 9).Gt(0.5).To(tensor.Int64)
			return newReader(), bits, bits.Sum(1).Gt(4).To(tensor.Int64)
		},
		"mlp": func() (m nn.Module, x, y *tensor.Tensor) {
			x = tensor.Randn(64, 8)
			return nn.NewSequential(nn.NewLinear(8, 32), nn.NewSiLU(), nn.NewDropout(0.1),
				nn.NewLinear(32, 32), nn.NewSiLU(), nn.NewLinear(32, 8)), x, x.Argmax(1)
		},
	}
	for name, make := range models {
		for _, d := range []tensor.DType{tensor.Float16, tensor.Float32, tensor.BFloat16}[:reference.Fewer(3, 1)] {
			for _, whole := range []bool{false, true} {
				if whole && d != tensor.BFloat16 { // the scaler refuses float16 parameters
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/whole_%v", name, d, whole), func(t *testing.T) {
					tensor.Seed(1)
					m, x, y := make()
					cfg := amp.Config{DType: d}
					if d == tensor.Float32 || whole {
						cfg = amp.Config{Disabled: true}
					}
					if whole {
						nn.To(m, d)
						if x.DType().IsFloat() {
							x = x.To(d)
						}
					}
					first, last := train(m, x, y, cfg, d == tensor.Float16)
					if !(last < 0.5*first) {
						t.Errorf("loss from %v to %v", first, last)
					}
				})
			}
		}
	}
}

// train returns the first and the last loss of a loop with all that goes around a step.
func train(m nn.Module, x, y *tensor.Tensor, cfg amp.Config, scaling bool) (first, last float64) {
	decayed, others := nn.SplitParameters(m, nn.Decays)
	opt := optim.NewAdamW(decayed, optim.AdamWConfig{LR: 0.02, WeightDecay: 0.01})
	opt.AddGroup(others, optim.AdamWConfig{LR: 0.02})
	const steps = 30
	sched := optim.NewWarmup(opt, optim.WarmupConfig{TotalIters: 5,
		Then: optim.CosineLRConfig{TMax: steps, EtaMin: 0.002}})
	scaler := amp.NewGradScaler(amp.ScalerConfig{InitScale: 1 << 22, Disabled: !scaling})
	for step := range steps {
		opt.ZeroGrad()
		var loss *tensor.Tensor
		amp.AutocastWith(cfg, func() { loss = nn.CrossEntropy(m.Forward(x), y) })
		if last = loss.Item(); step == 0 {
			first = last
		}
		scaler.Scale(loss).Backward()
		scaler.Unscale(opt)
		nn.ClipGradNorm(nn.Parameters(m), 1)
		result := scaler.Step(opt)
		scaler.Update()
		sched.StepAfter(result)
	}
	return first, last
}
