package optim

import (
	"math"
	"testing"

	"halfnote/tensor"
)

// TestFormulas compares the options that the reference file leaves out with the formulas of the
// doc comments, worked out on plain numbers.
func TestFormulas(t *testing.T) {
	grads := []float64{0.5, -2, 1.5, 0.25}
	tests := []struct {
		name string
		make func(p []*tensor.Tensor) Optimizer
		next func() func(w, g float64) float64 // what w becomes
	}{
		{"rmsprop", func(p []*tensor.Tensor) Optimizer {
			return NewRMSprop(p, RMSpropConfig{LR: 0.1, Alpha: 0.8, Eps: 0.01, WeightDecay: 0.3,
				Momentum: 0.5, Maximize: true})
		}, func() func(w, g float64) float64 {
			v, b := 0.0, 0.0
			return func(w, g float64) float64 {
				g = -g + 0.3*w
				v = 0.8*v + 0.2*g*g
				b = 0.5*b + g/(math.Sqrt(v)+0.01)
				return w - 0.1*b
			}
		}},
		{"rmsprop_centered_fast_mean", func(p []*tensor.Tensor) Optimizer {
			return NewRMSprop(p, RMSpropConfig{LR: 0.1, Alpha: 0.25, Centered: true})
		}, func() func(w, g float64) float64 {
			v, mean := 0.0, 0.0
			return func(w, g float64) float64 {
				v = 0.25*v + 0.75*g*g
				mean = 0.25*mean + 0.75*g
				return w - 0.1*g/(math.Sqrt(v-mean*mean)+1e-8)
			}
		}},
		{"adagrad", func(p []*tensor.Tensor) Optimizer {
			return NewAdagrad(p, AdagradConfig{LR: 0.1, LRDecay: 0.2, WeightDecay: 0.3,
				InitialAccumulatorValue: 0.7, Eps: 0.01, Maximize: true})
		}, func() func(w, g float64) float64 {
			v, step := 0.7, 0.0
			return func(w, g float64) float64 {
				g = -g + 0.3*w
				v += g * g
				rate := 0.1 / (1 + step*0.2)
				step++
				return w - rate*g/(math.Sqrt(v)+0.01)
			}
		}},
		{"adam_maximize_decoupled", func(p []*tensor.Tensor) Optimizer {
			return NewAdam(p, AdamConfig{LR: 0.1, Betas: [2]float64{0.3, 0.9}, WeightDecay: 0.3,
				Maximize: true, DecoupledWeightDecay: true})
		}, func() func(w, g float64) float64 {
			m, v, step := 0.0, 0.0, 0.0
			return func(w, g float64) float64 {
				step++
				w -= 0.1 * 0.3 * w
				m = 0.3*m - 0.7*g
				v = 0.9*v + 0.1*g*g
				root := math.Sqrt(v / (1 - math.Pow(0.9, step)))
				return w - 0.1*m/(1-math.Pow(0.3, step))/(root+1e-8)
			}
		}},
		{"sgd_maximize_dampening", func(p []*tensor.Tensor) Optimizer {
			return NewSGD(p, SGDConfig{LR: 0.1, Momentum: 0.6, Dampening: 0.4, WeightDecay: 0.3,
				Maximize: true})
		}, func() func(w, g float64) float64 {
			b, first := 0.0, true
			return func(w, g float64) float64 {
				g = -g + 0.3*w
				if b = 0.6*b + (1-0.4)*g; first {
					b, first = g, false
				}
				return w - 0.1*b
			}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := tensor.New([]float64{1}).SetRequiresGrad(true)
			opt, next, want := test.make([]*tensor.Tensor{p}), test.next(), 1.0
			for i, g := range grads {
				p.SetGrad(tensor.New([]float64{g}))
				opt.Step()
				want = next(want, g)
				if got := p.Item(); math.Abs(got-want) > 1e-14 {
					t.Errorf("step %d: got %v, want %v", i, got, want)
				}
			}
		})
	}
}
