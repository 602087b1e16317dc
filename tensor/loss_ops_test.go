package tensor_test

import (
	"fmt"

	"halfnote/tensor"
)

// reductions are those of a plain loss.
var reductions = []tensor.Reduction{tensor.MeanLoss, tensor.SumLoss, tensor.NoneLoss}

// sides returns a target of 1 and −1 in turn.
func sides(shape ...int) *T {
	n := tensor.Zeros(shape...).Numel()
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(1 - 2*(i%2))
	}
	return tensor.FromFloat64(values, shape...).To(tensor.Float32)
}

// classes returns targets below c.
func classes(c int, shape ...int) *T {
	n := tensor.Zeros(shape...).Numel()
	values := make([]int64, n)
	for i := range values {
		values[i] = int64((5*i + 1) % c)
	}
	return tensor.FromInt64(values, shape...)
}

func init() {
	type lossFunc func(r tensor.Reduction, x ...*T) *T
	row := func(name string, n int, f lossFunc) opRow {
		return opRow{name: name, in: same(n, 4, 3), terms: 24, f: func(x ...*T) *T {
			return f(tensor.MeanLoss, x...)
		}}
	}
	for _, r := range reductions {
		c := tensor.LossConfig{Reduction: r}
		pair := func(name string, f func(a, b *T, c ...tensor.LossConfig) *T) opRow {
			return opRow{name: fmt.Sprintf("%s_%s", name, r), in: same(2, 4, 3), terms: 24,
				also: [][][]int{same(2), same(2, 5)},
				f:    func(x ...*T) *T { return f(x[0], x[1], c) }}
		}
		addOps(
			pair("mse_loss", tensor.MSELoss),
			pair("l1_loss", tensor.L1Loss),
			pair("huber_loss", func(a, b *T, c ...tensor.LossConfig) *T {
				return tensor.HuberLoss(a, b, 0.7, c...)
			}),
			pair("smooth_l1_loss", func(a, b *T, c ...tensor.LossConfig) *T {
				return tensor.SmoothL1Loss(a, b, 0.5, c...)
			}),
			pair("bce", func(a, b *T, c ...tensor.LossConfig) *T {
				return tensor.BCELoss(a, b, tensor.BCEConfig{Reduction: r})
			}).between(0.1, 0.9),
			pair("bce_with_logits", func(a, b *T, c ...tensor.LossConfig) *T {
				return tensor.BCEWithLogitsLoss(a, b, tensor.BCEConfig{Reduction: r})
			}),
			pair("kl_div", func(a, b *T, c ...tensor.LossConfig) *T {
				return tensor.KLDivLoss(a, b, tensor.KLDivConfig{Reduction: r})
			}).between(0.1, 1),
			pair("poisson_nll_loss", func(a, b *T, c ...tensor.LossConfig) *T {
				return tensor.PoissonNLLLoss(a, b, tensor.PoissonNLLConfig{Reduction: r})
			}),
			opRow{name: fmt.Sprintf("cross_entropy_%s", r), in: [][]int{{4, 3}}, terms: 24,
				also: [][][]int{{{2, 3, 2}}, {{3}}},
				f: func(x ...*T) *T {
					shape := x[0].Shape()
					rest := append(shape[:min(1, len(shape)-1):1], shape[min(2, len(shape)):]...)
					c := tensor.LossConfig{Reduction: r, LabelSmoothing: 0.1, IgnoreIndex: []int{1},
						Weight: tensor.New([]float64{0.5, 2, 1.5}, x[0].DType())}
					target := classes(3, rest...)
					if len(rest) == 0 {
						target = tensor.New(2)
					}
					return tensor.CrossEntropy(x[0], target, c)
				}},
		)
	}
	addOps(
		row("nll_loss", 1, func(r tensor.Reduction, x ...*T) *T {
			return tensor.NLLLoss(x[0], classes(3, 4), tensor.LossConfig{Reduction: r})
		}),
		row("cross_entropy_probabilities", 2, func(r tensor.Reduction, x ...*T) *T {
			return tensor.CrossEntropy(x[0], x[1], tensor.LossConfig{LabelSmoothing: 0.2,
				Weight: tensor.New([]float64{0.5, 2, 1.5}, x[0].DType())})
		}),
		row("bce_weights", 2, func(r tensor.Reduction, x ...*T) *T {
			return tensor.BCEWithLogitsLoss(x[0], x[1], tensor.BCEConfig{
				Weight:    tensor.New([]float64{0.5, 2, 1.5}, x[0].DType()),
				PosWeight: tensor.New([]float64{3, 1, 0.25}, x[0].DType())})
		}),
		row("kl_div_log_target", 2, func(r tensor.Reduction, x ...*T) *T {
			return tensor.KLDivLoss(x[0], x[1], tensor.KLDivConfig{LogTarget: true,
				Reduction: tensor.BatchMeanLoss})
		}),
		row("poisson_nll_rate", 2, func(r tensor.Reduction, x ...*T) *T {
			return tensor.PoissonNLLLoss(x[0], x[1], tensor.PoissonNLLConfig{Rate: true, Full: true})
		}).between(1.1, 3),
		row("hinge_embedding_loss", 1, func(r tensor.Reduction, x ...*T) *T {
			return tensor.HingeEmbeddingLoss(x[0], sides(4, 3), 0.9)
		}),
		row("margin_ranking_loss", 2, func(r tensor.Reduction, x ...*T) *T {
			return tensor.MarginRankingLoss(x[0], x[1], sides(4, 3), 0.3)
		}),
		row("soft_margin_loss", 1, func(r tensor.Reduction, x ...*T) *T {
			return tensor.SoftMarginLoss(x[0], sides(4, 3))
		}),
		row("cosine_embedding_loss", 2, func(r tensor.Reduction, x ...*T) *T {
			return tensor.CosineEmbeddingLoss(x[0], x[1], sides(4), 0.1)
		}),
		row("multi_margin_loss", 1, func(r tensor.Reduction, x ...*T) *T {
			return tensor.MultiMarginLoss(x[0], classes(3, 4), 1, 0.8)
		}),
		row("multi_margin_loss2", 1, func(r tensor.Reduction, x ...*T) *T {
			return tensor.MultiMarginLoss(x[0], classes(3, 4), 2, 0.8, tensor.LossConfig{
				Weight: tensor.New([]float64{0.5, 2, 1.5}, x[0].DType())})
		}),
		row("multilabel_margin_loss", 1, func(r tensor.Reduction, x ...*T) *T {
			return tensor.MultilabelMarginLoss(x[0], tensor.New(
				[][]int{{1, -1, 0}, {2, 0, -1}, {-1, 0, 0}, {0, 1, 2}}))
		}),
		row("triplet_margin_loss", 3, func(r tensor.Reduction, x ...*T) *T {
			return tensor.TripletMarginLoss(x[0], x[1], x[2])
		}),
		row("triplet_margin_swap", 3, func(r tensor.Reduction, x ...*T) *T {
			return tensor.TripletMarginLoss(x[0], x[1], x[2], tensor.TripletConfig{Swap: true,
				Margin: new(2.0), P: 3})
		}),
	)
}
