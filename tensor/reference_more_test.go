package tensor_test

import (
	"fmt"
	"math"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// This file implements the tests on ops_more.json, which make_more.py beside it writes: what
// PyTorch computes for the ops that the other files leave out.

func (a attrs) bool(name string) (v bool) {
	a.get(name, &v)
	return v
}

// number is a float that may be inf.
func (a attrs) number(name string) float64 {
	var v reference.Number
	a.get(name, &v)
	return float64(v)
}

func (a attrs) reduction() tensor.Reduction { return tensor.Reduction(a.string("reduction")) }

func (a attrs) loss() tensor.LossConfig { return tensor.LossConfig{Reduction: a.reduction()} }

func vector(values []int) *T {
	wide := make([]int64, len(values))
	for i, v := range values {
		wide[i] = int64(v)
	}
	return tensor.FromInt64(wide, len(wide))
}

// inOrder returns the inputs a, b, c … that there are.
func (x in) inOrder() []*T {
	var ts []*T
	for _, name := range []string{"a", "b", "c", "d"} {
		if t := x[name]; t != nil {
			ts = append(ts, t)
		}
	}
	return ts
}

var moreOps = map[string]opFunc{
	"tan": one((*T).Tan), "atan": one((*T).Atan), "sinh": one((*T).Sinh), "cosh": one((*T).Cosh),
	"asin": one((*T).Asin), "acos": one((*T).Acos), "erfinv": one((*T).Erfinv),
	"floor": one((*T).Floor), "ceil": one((*T).Ceil), "round": one((*T).Round),
	"trunc": one((*T).Trunc), "erf": one((*T).Erf), "expm1": one((*T).Expm1),
	"log10": one((*T).Log10), "log2": one((*T).Log2), "log1p": one((*T).Log1p),
	"hardswish": one((*T).Hardswish), "hardsigmoid": one((*T).Hardsigmoid),
	"mish": one((*T).Mish), "silu": one((*T).SiLU), "logsigmoid": one((*T).LogSigmoid),
	"gelu":       one(func(x *T) *T { return x.GELU() }),
	"relu6":      one(func(x *T) *T { return x.Hardtanh(0, 6) }),
	"softsign":   one(func(x *T) *T { return x.Div(x.Abs().Add(1)) }),
	"tanhshrink": one(func(x *T) *T { return x.Sub(x.Tanh()) }),
	"selu": one(func(x *T) *T {
		return x.ELU(1.6732632423543772848170429916717).Mul(1.0507009873554804934193349852946)
	}),
	"celu":       one(func(x *T) *T { return x.ELU(1) }),
	"elu":        func(x in, a attrs) *T { return x["x"].ELU(a.float("alpha")) },
	"leaky_relu": func(x in, a attrs) *T { return x["x"].LeakyReLU(a.float("slope")) },
	"softplus": func(x in, a attrs) *T {
		return x["x"].Softplus(a.float("beta"), a.float("threshold"))
	},
	"hardtanh":  func(x in, a attrs) *T { return x["x"].Hardtanh(a.float("low"), a.float("high")) },
	"clamp":     func(x in, a attrs) *T { return x["x"].Clamp(a.float("low"), a.float("high")) },
	"clamp_min": func(x in, a attrs) *T { return x["x"].ClampMin(a.float("low")) },
	"clamp_max": func(x in, a attrs) *T { return x["x"].ClampMax(a.float("high")) },
	"prelu":     func(x in, _ attrs) *T { return x["x"].PReLU(x["w"]) },
	"fmod":      method((*T).Fmod),
	"remainder": method((*T).Remainder),
	"atan2":     two((*T).Atan2),
	"normalize": func(x in, a attrs) *T { return x["x"].Normalize(a.float("p"), a.int("dim")) },
	"cosine_similarity": func(x in, a attrs) *T {
		return tensor.CosineSimilarity(x["a"], x["b"], a.int("dim"))
	},

	"norm":      func(x in, a attrs) *T { return x["x"].Norm(a.number("p"), a.ints("dims")...) },
	"var":       func(x in, a attrs) *T { return x["x"].Var(a.ints("dims")...) },
	"std":       func(x in, a attrs) *T { return x["x"].Std(a.ints("dims")...) },
	"logsumexp": func(x in, a attrs) *T { return x["x"].Logsumexp(a.ints("dims")...) },
	"median":    one((*T).Median),
	"prod":      func(x in, a attrs) *T { return x["x"].Prod(a.int("dim")) },
	"cumprod":   func(x in, a attrs) *T { return x["x"].Cumprod(a.int("dim")) },
	"cumsum":    func(x in, a attrs) *T { return x["x"].Cumsum(a.int("dim")) },
	"sort": func(x in, a attrs) *T {
		values, _ := x["x"].Sort(a.int("dim"), a.bool("descending"))
		return values
	},
	"topk": func(x in, a attrs) *T {
		values, _ := x["x"].TopK(a.int("k"), a.int("dim"))
		return values
	},
	"argsort": func(x in, a attrs) *T { return x["x"].Argsort(0, a.bool("descending")) },

	"bce": func(x in, a attrs) *T {
		return tensor.BCELoss(x["x"], x["y"], tensor.BCEConfig{Reduction: a.reduction()})
	},
	"bce_weighted": func(x in, a attrs) *T {
		return tensor.BCELoss(x["x"], x["y"],
			tensor.BCEConfig{Reduction: a.reduction(), Weight: x["w"]})
	},
	"bce_with_logits_weighted": func(x in, a attrs) *T {
		return tensor.BCEWithLogitsLoss(x["x"], x["y"],
			tensor.BCEConfig{Reduction: a.reduction(), Weight: x["w"], PosWeight: x["p"]})
	},
	"kl_div_log": func(x in, a attrs) *T {
		return tensor.KLDivLoss(x["x"], x["y"],
			tensor.KLDivConfig{Reduction: a.reduction(), LogTarget: true})
	},
	"poisson_nll": func(x in, a attrs) *T {
		return tensor.PoissonNLLLoss(x["x"], x["y"],
			tensor.PoissonNLLConfig{Reduction: a.reduction()})
	},
	"poisson_nll_full": func(x in, a attrs) *T {
		return tensor.PoissonNLLLoss(x["x"], x["y"],
			tensor.PoissonNLLConfig{Reduction: a.reduction(), Rate: true, Full: true})
	},
	"hinge_embedding": func(x in, a attrs) *T {
		return tensor.HingeEmbeddingLoss(x["x"], x["y"], a.float("margin"), a.loss())
	},
	"soft_margin": func(x in, a attrs) *T {
		return tensor.SoftMarginLoss(x["x"], x["y"], a.loss())
	},
	"margin_ranking": func(x in, a attrs) *T {
		return tensor.MarginRankingLoss(x["a"], x["b"], x["y"], a.float("margin"), a.loss())
	},
	"cosine_embedding": func(x in, a attrs) *T {
		return tensor.CosineEmbeddingLoss(x["a"], x["b"], x["y"], a.float("margin"), a.loss())
	},
	"multi_margin": func(x in, a attrs) *T {
		return tensor.MultiMarginLoss(x["x"], x["t"], a.int("p"), a.float("margin"), a.loss())
	},
	"multilabel_margin": func(x in, a attrs) *T {
		return tensor.MultilabelMarginLoss(x["x"], x["t"], a.loss())
	},
	"triplet_margin": func(x in, a attrs) *T {
		margin := a.float("margin")
		return tensor.TripletMarginLoss(x["a"], x["b"], x["c"],
			tensor.TripletConfig{Reduction: a.reduction(), Margin: &margin})
	},

	"mv": two((*T).MV),
	"addmv": func(x in, a attrs) *T {
		return x["c"].Addmv(x["a"], x["b"], a.float("beta"), a.float("alpha"))
	},
	"addr": func(x in, a attrs) *T {
		return x["c"].Addr(x["a"], x["b"], a.float("beta"), a.float("alpha"))
	},
	"addbmm": func(x in, a attrs) *T {
		return x["c"].Addbmm(x["a"], x["b"], a.float("beta"), a.float("alpha"))
	},
	"tensordot": func(x in, a attrs) *T {
		return tensor.Tensordot(x["a"], x["b"], a.ints("a"), a.ints("b"))
	},
	"einsum": func(x in, a attrs) *T { return tensor.Einsum(a.string("eq"), x.inOrder()...) },
	"attention": func(x in, a attrs) *T {
		return tensor.ScaledDotProductAttention(x["q"], x["k"], x["v"], tensor.AttentionConfig{
			Mask: x["mask"], Causal: a.bool("causal"), Scale: a.float("scale")})
	},

	"index_copy": func(x in, a attrs) *T {
		return x["y"].IndexCopy(0, vector(a.ints("index")), x["s"])
	},
	"index_fill": func(x in, a attrs) *T {
		return x["y"].IndexFill(1, vector(a.ints("index")), a.float("value"))
	},
	"scatter_reduce": func(x in, a attrs) *T {
		return x["y"].ScatterReduce(0, x["i"], x["s"], a.string("reduce"), a.bool("include"))
	},
	"masked_select":  func(x in, _ attrs) *T { return x["y"].MaskedSelect(x["m"]) },
	"take_along_dim": func(x in, _ attrs) *T { return x["y"].TakeAlongDim(x["i"], 0) },
	"tril":           func(x in, a attrs) *T { return x["y"].Tril(a.int("k")) },
	"triu":           func(x in, a attrs) *T { return x["y"].Triu(a.int("k")) },
	"diagonal": func(x in, a attrs) *T {
		return x["y"].Diagonal(tensor.DiagonalConfig{Offset: a.int("k"), Axes: []int{-2, -1}})
	},
	"diag": func(x in, a attrs) *T { return x["y"].Diag(a.int("k")) },
	"pad": func(x in, a attrs) *T {
		return x["x"].Pad(a.ints("widths"), a.string("mode"), a.float("value"))
	},
	"roll": func(x in, a attrs) *T {
		y := x["x"]
		for i, d := range a.ints("dims") {
			y = y.Roll(a.ints("shifts")[i], d)
		}
		return y
	},
	"flip":   func(x in, a attrs) *T { return x["x"].Flip(a.ints("dims")...) },
	"repeat": func(x in, a attrs) *T { return x["x"].Repeat(a.ints("times")...) },
	"repeat_interleave": func(x in, a attrs) *T {
		return x["x"].RepeatInterleave(a.int("n"), a.int("dim"))
	},
	"movedim": func(x in, a attrs) *T { return x["x"].Movedim(a.int("source"), a.int("to")) },
	"unfold": func(x in, a attrs) *T {
		return x["x"].Unfold(a.int("dim"), a.int("size"), a.int("step"))
	},
	"interpolate": func(x in, a attrs) *T {
		c := tensor.InterpolateConfig{Size: a.ints("size"), Mode: a.string("mode"),
			AlignCorners: a.bool("align")}
		a.get("scale", &c.Scale)
		return x["x"].Interpolate(c)
	},

	"adaptive_max_pool2d": func(x in, a attrs) *T {
		return tensor.AdaptiveMaxPool2d(x["x"], a.ints("size")...)
	},
	"adaptive_avg_pool1d": func(x in, a attrs) *T {
		return tensor.AdaptiveAvgPool1d(x["x"], a.ints("size")[0])
	},
	"max_pool1d": func(x in, a attrs) *T { return tensor.MaxPool1d(x["x"], poolConfig1d(a)) },
	"avg_pool1d": func(x in, a attrs) *T { return tensor.AvgPool1d(x["x"], poolConfig1d(a)) },
	"instance_norm": func(x in, _ attrs) *T {
		return tensor.InstanceNorm(x["x"], x["w"], x["b"])
	},

	"rnn_tanh_cell": recurrent(tensor.RNNTanhCell),
	"rnn_relu_cell": recurrent(tensor.RNNReLUCell),
	"gru_cell":      recurrent(tensor.GRUCell),
	"lstm_cell": func(x in, _ attrs) *T {
		h, c := tensor.LSTMCell(x["x"], x["h"], x["c"], x["wi"], x["wh"], x["bi"], x["bh"])
		return tensor.Cat([]*T{h, c}, 0)
	},
}

func recurrent(f func(x, h, wIH, wHH, bIH, bHH *T) *T) opFunc {
	return func(x in, _ attrs) *T { return f(x["x"], x["h"], x["wi"], x["wh"], x["bi"], x["bh"]) }
}

func poolConfig1d(a attrs) tensor.PoolConfig {
	return tensor.PoolConfig{Kernel: []int{a.int("kernel")}, Stride: []int{a.int("stride")},
		Padding: []int{a.int("padding")}}
}

// moreLayers are the cases that are layers with parameters; package nn tests them.
var moreLayers = map[string]bool{"encoder_layer": true, "multihead_attention_causal": true}

func TestReferenceMoreOps(t *testing.T) {
	var f struct{ Cases []opCase }
	reference.Load(t, "ops_more.json", &f)
	for i, c := range f.Cases {
		if moreLayers[c.Op] {
			continue
		}
		t.Run(fmt.Sprintf("%d_%s", i, c.Op), func(t *testing.T) {
			op := moreOps[c.Op]
			if op == nil {
				t.Fatal("no such op")
			}
			x := in{}
			for name, r := range c.Inputs {
				x[name] = r.Tensor()
				if c.Grads[name] != nil {
					x[name].SetRequiresGrad(true)
				}
			}
			out := op(x, c.Attrs)
			reference.Close(t, "output", out, c.Output, relative64, absolute64)
			if c.Grads == nil {
				return
			}
			if out.RequiresGrad() {
				out.Backward(tensor.BackwardConfig{Gradient: c.GradOutput.Tensor()})
			}
			relative := relative64
			switch c.Op {
			case "bce", "hardsigmoid":
				relative = 1e-7 // PyTorch has a constant in float32 there
			case "logsumexp":
				if math.IsInf(c.Output.Float64s()[0], -1) {
					return // its gradient is 0 here and NaN in PyTorch
				}
			}
			for name, want := range c.Grads {
				got := x[name].Grad()
				if got == nil {
					got = tensor.ZerosLike(x[name])
				}
				reference.Close(t, "gradient of "+name, got, want, relative, absolute64)
			}
		})
	}
}
