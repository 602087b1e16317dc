package amp_test

import (
	"fmt"
	"strings"
	"testing"

	"halfnote/amp"
	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// policyOp runs an op of autocast_dtypes.json on one or two [4, 4] tensors of halves.
type policyOp func(a, b *tensor.Tensor) *tensor.Tensor

func unary(f func(*tensor.Tensor) *tensor.Tensor) policyOp {
	return func(a, _ *tensor.Tensor) *tensor.Tensor { return f(a) }
}

// policyOps are the ops that exist here, by the names of the reference file.
var policyOps = map[string]policyOp{
	"exp":        unary((*tensor.Tensor).Exp),
	"log":        unary((*tensor.Tensor).Log),
	"sqrt":       unary((*tensor.Tensor).Sqrt),
	"rsqrt":      unary((*tensor.Tensor).Rsqrt),
	"reciprocal": unary((*tensor.Tensor).Reciprocal),
	"tanh":       unary((*tensor.Tensor).Tanh),
	"sigmoid":    unary((*tensor.Tensor).Sigmoid),
	"relu":       unary((*tensor.Tensor).ReLU),
	"abs":        unary((*tensor.Tensor).Abs),
	"neg":        unary((*tensor.Tensor).Neg),
	"sign":       unary((*tensor.Tensor).Sign),
	"square":     unary((*tensor.Tensor).Square),
	"dropout":    unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Dropout(0.5) }),
	"clone":      unary((*tensor.Tensor).Clone),
	"transpose":  unary((*tensor.Tensor).T),
	"reshape":    unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Reshape(2, 8) }),
	"sum":        unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Sum() }),
	"mean":       unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Mean() }),
	"amax":       unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Max() }),
	"amin":       unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Min() }),
	"max_dim":    unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Max(1) }),
	"pow2":       unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Pow(2) }),
	"softmax":    unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Softmax(-1) }),
	"log_softmax": unary(func(a *tensor.Tensor) *tensor.Tensor {
		return a.LogSoftmax(-1)
	}),
	"softmax_dtype_f32": unary(func(a *tensor.Tensor) *tensor.Tensor {
		return a.Softmax(-1, tensor.Float32)
	}),
	"softmax_dtype_low": unary(func(a *tensor.Tensor) *tensor.Tensor {
		return a.Softmax(-1, lowDType())
	}),
	"sum_dtype_f64": unary(func(a *tensor.Tensor) *tensor.Tensor {
		return a.SumAs(tensor.Float64)
	}),
	"nll_loss(a)": unary(func(a *tensor.Tensor) *tensor.Tensor {
		return tensor.NLLLoss(a, labels())
	}),
	"cross_entropy(a)": unary(func(a *tensor.Tensor) *tensor.Tensor {
		return tensor.CrossEntropy(a, labels())
	}),
	"add":     func(a, b *tensor.Tensor) *tensor.Tensor { return a.Add(b) },
	"mul":     func(a, b *tensor.Tensor) *tensor.Tensor { return a.Mul(b) },
	"div":     func(a, b *tensor.Tensor) *tensor.Tensor { return a.Div(b) },
	"pow_tt":  func(a, b *tensor.Tensor) *tensor.Tensor { return a.Pow(b) },
	"maximum": (*tensor.Tensor).Maximum,
	"where": func(a, b *tensor.Tensor) *tensor.Tensor {
		return tensor.Where(tensor.Ones(4, 4).To(tensor.Bool), a, b)
	},
	"cat": func(a, b *tensor.Tensor) *tensor.Tensor {
		return tensor.Cat([]*tensor.Tensor{a, b}, 0)
	},
	"stack": func(a, b *tensor.Tensor) *tensor.Tensor {
		return tensor.Stack([]*tensor.Tensor{a, b}, 0)
	},
	"log1p":      unary((*tensor.Tensor).Log1p),
	"log2":       unary((*tensor.Tensor).Log2),
	"log10":      unary((*tensor.Tensor).Log10),
	"expm1":      unary((*tensor.Tensor).Expm1),
	"sin":        unary((*tensor.Tensor).Sin),
	"cos":        unary((*tensor.Tensor).Cos),
	"tan":        unary((*tensor.Tensor).Tan),
	"asin":       unary((*tensor.Tensor).Asin),
	"acos":       unary((*tensor.Tensor).Acos),
	"sinh":       unary((*tensor.Tensor).Sinh),
	"cosh":       unary((*tensor.Tensor).Cosh),
	"erf":        unary((*tensor.Tensor).Erf),
	"erfinv":     unary((*tensor.Tensor).Erfinv),
	"floor":      unary((*tensor.Tensor).Floor),
	"gelu":       unary(func(a *tensor.Tensor) *tensor.Tensor { return a.GELU() }),
	"silu":       unary((*tensor.Tensor).SiLU),
	"softplus":   unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Softplus(1, 20) }),
	"leaky_relu": unary(func(a *tensor.Tensor) *tensor.Tensor { return a.LeakyReLU(0.01) }),
	"elu":        unary(func(a *tensor.Tensor) *tensor.Tensor { return a.ELU(1) }),
	"prelu": func(a, b *tensor.Tensor) *tensor.Tensor {
		return a.PReLU(b.Index(0))
	},
	"rpow2":       unary(func(a *tensor.Tensor) *tensor.Tensor { return a.RPow(2) }),
	"rdiv":        unary(func(a *tensor.Tensor) *tensor.Tensor { return a.RDiv(1) }),
	"atan2":       (*tensor.Tensor).Atan2,
	"prod":        unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Prod() }),
	"std":         unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Std() }),
	"var":         unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Var() }),
	"norm":        unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Norm(2) }),
	"norm_dim":    unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Norm(2, 1) }),
	"vector_norm": unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Norm(2) }),
	"normalize":   unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Normalize(2, 1) }),
	"logsumexp":   unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Logsumexp(1) }),
	"cumsum":      unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Cumsum(0) }),
	"cumprod":     unary(func(a *tensor.Tensor) *tensor.Tensor { return a.Cumprod(0) }),
	"l1_loss":     func(a, b *tensor.Tensor) *tensor.Tensor { return tensor.L1Loss(a, b) },
	"smooth_l1_loss": func(a, b *tensor.Tensor) *tensor.Tensor {
		return tensor.SmoothL1Loss(a, b, 1)
	},
	"huber_loss": func(a, b *tensor.Tensor) *tensor.Tensor { return tensor.HuberLoss(a, b, 1) },
	"binary_cross_entropy": func(a, b *tensor.Tensor) *tensor.Tensor {
		return tensor.BCELoss(a, b)
	},
	"bce_with_logits": func(a, b *tensor.Tensor) *tensor.Tensor {
		return tensor.BCEWithLogitsLoss(a, b)
	},
	"kl_div": func(a, b *tensor.Tensor) *tensor.Tensor { return tensor.KLDivLoss(a, b) },
	"cosine_similarity": func(a, b *tensor.Tensor) *tensor.Tensor {
		return tensor.CosineSimilarity(a, b, 1)
	},
	"mm":     (*tensor.Tensor).MM,
	"matmul": (*tensor.Tensor).MatMul,
	"bmm": func(a, b *tensor.Tensor) *tensor.Tensor {
		return a.Unsqueeze(0).BMM(b.Unsqueeze(0))
	},
	"mv":    func(a, b *tensor.Tensor) *tensor.Tensor { return a.MV(b.Index(0)) },
	"dot":   func(a, b *tensor.Tensor) *tensor.Tensor { return a.Index(0).Dot(b.Index(0)) },
	"outer": func(a, b *tensor.Tensor) *tensor.Tensor { return a.Index(0).Outer(b.Index(0)) },
	"einsum": func(a, b *tensor.Tensor) *tensor.Tensor {
		return tensor.Einsum("ij,jk->ik", a, b)
	},
	"tensordot": func(a, b *tensor.Tensor) *tensor.Tensor {
		return tensor.Tensordot(a, b, []int{1}, []int{0})
	},
	"sdpa": func(a, b *tensor.Tensor) *tensor.Tensor {
		return tensor.ScaledDotProductAttention(a, b, b)
	},
	"embedding(w=a)": unary(func(a *tensor.Tensor) *tensor.Tensor {
		return tensor.Embedding(a, labels())
	}),
	"interpolate(a)": unary(func(a *tensor.Tensor) *tensor.Tensor {
		return a.Reshape(1, 1, 4, 4).Interpolate(tensor.InterpolateConfig{Scale: []float64{2},
			Mode: "bilinear"})
	}),
	"pad(a)": unary(func(a *tensor.Tensor) *tensor.Tensor {
		return a.Pad([]int{1, 1}, "constant", 0)
	}),
	"masked_fill": unary(func(a *tensor.Tensor) *tensor.Tensor { return a.MaskedFill(a.Gt(0), 1) }),
	"index_add": func(a, b *tensor.Tensor) *tensor.Tensor {
		return a.IndexAdd(0, labels(), b)
	},
	"index_put": func(a, b *tensor.Tensor) *tensor.Tensor {
		return a.IndexPut([]any{labels()}, b, false)
	},
	"scatter_add": func(a, b *tensor.Tensor) *tensor.Tensor {
		return a.ScatterAdd(0, labels().Unsqueeze(0), b)
	},
	"gru_cell": func(a, b *tensor.Tensor) *tensor.Tensor {
		return tensor.GRUCell(a, b, tensor.Ones(12, 4), tensor.Ones(12, 4), nil, nil)
	},
	"linear": func(a, b *tensor.Tensor) *tensor.Tensor { return tensor.Linear(a, b, nil) },
	"conv1d": func(a, b *tensor.Tensor) *tensor.Tensor {
		return tensor.Conv1d(a.Reshape(1, 4, 4), b.Reshape(2, 4, 2), nil)
	},
	"conv2d": func(a, b *tensor.Tensor) *tensor.Tensor {
		return tensor.Conv2d(a.Reshape(1, 1, 4, 4), b.Reshape(1, 1, 4, 4), nil)
	},
	"conv_transpose2d": func(a, b *tensor.Tensor) *tensor.Tensor {
		return tensor.ConvTranspose2d(a.Reshape(1, 4, 2, 2), b.Reshape(4, 4, 1, 1), nil)
	},
	"max_pool2d(a)": unary(func(a *tensor.Tensor) *tensor.Tensor {
		return tensor.MaxPool2d(a.Unsqueeze(0), tensor.PoolConfig{Kernel: []int{2}})
	}),
	"avg_pool2d(a)": unary(func(a *tensor.Tensor) *tensor.Tensor {
		return tensor.AvgPool2d(a.Unsqueeze(0), tensor.PoolConfig{Kernel: []int{2}})
	}),
	"adaptive_avg_pool2d(a)": unary(func(a *tensor.Tensor) *tensor.Tensor {
		return tensor.AdaptiveAvgPool2d(a.Unsqueeze(0), 1)
	}),
	"batch_norm(a,stats f32)": unary(func(a *tensor.Tensor) *tensor.Tensor {
		return tensor.BatchNorm(a, tensor.BatchNormConfig{Training: true,
			RunningMean: tensor.Zeros(4), RunningVar: tensor.Ones(4)})
	}),
	"batch_norm_affine_f32": unary(func(a *tensor.Tensor) *tensor.Tensor {
		return tensor.BatchNorm(a, tensor.BatchNormConfig{Training: true,
			RunningMean: tensor.Zeros(4), RunningVar: tensor.Ones(4),
			Weight: tensor.Ones(4), Bias: tensor.Zeros(4)})
	}),
	"layer_norm": unary(func(a *tensor.Tensor) *tensor.Tensor {
		return tensor.LayerNorm(a, []int{4}, nil, nil)
	}),
	"layer_norm_affine(a,w=b)": func(a, b *tensor.Tensor) *tensor.Tensor {
		return tensor.LayerNorm(a, []int{4}, b.Index(0), b.Index(1))
	},
	"rms_norm": unary(func(a *tensor.Tensor) *tensor.Tensor {
		return tensor.RMSNorm(a, []int{4}, nil)
	}),
	"group_norm": unary(func(a *tensor.Tensor) *tensor.Tensor {
		return tensor.GroupNorm(a, 2, nil, nil)
	}),
	"mse_loss": func(a, b *tensor.Tensor) *tensor.Tensor { return tensor.MSELoss(a, b) },
	"addmm_": func(a, b *tensor.Tensor) *tensor.Tensor {
		return a.Clone().AddmmInPlace(a, b, 1, 1)
	},
	"mm_out_f32": func(a, b *tensor.Tensor) *tensor.Tensor {
		return tensor.Zeros(4, 4).MMFrom(a, b)
	},
	"add_": func(a, b *tensor.Tensor) *tensor.Tensor { return a.AddInPlace(b) },
}

func labels() *tensor.Tensor { return tensor.New([]int{0, 1, 2, 3}) }

// TestReferenceAutocastDTypes compares the dtype of each op's result, for each dtype of its
// arguments, with what PyTorch's dispatch gives under the CUDA and the CPU policy.
func TestReferenceAutocastDTypes(t *testing.T) {
	var file map[string]any
	var ops []string
	reference.Load(t, "autocast_dtypes.json", &file)
	for set, low := range map[string]tensor.DType{
		"cuda_f16": tensor.Float16, "cuda_bf16": tensor.BFloat16,
		"cpu_f16": tensor.Float16, "cpu_bf16": tensor.BFloat16,
	} {
		cfg := amp.Config{DType: low, Policy: amp.CUDAPolicy()}
		if strings.HasPrefix(set, "cpu") {
			cfg.Policy = amp.CPUPolicy()
		}
		for _, row := range file[set].([]any) {
			row := row.([]any)
			op, want := row[0].(string), row[2].(string)
			var args []tensor.DType
			for _, a := range row[1].([]any) {
				dtype := low
				if a != "low" {
					dtype = reference.DType(a.(string))
				}
				args = append(args, dtype)
			}
			ops = append(ops, op)
			f, ok := policyOps[op]
			if !ok {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s%v", set, op, args), func(t *testing.T) {
				if got := resultDType(t, cfg, f, args); got != want {
					t.Errorf("result %s, want %s", got, want)
				}
			})
		}
	}
	reference.CheckCovered(t, "autocast_dtypes.json", ops, func(op string) bool {
		_, ok := policyOps[op]
		return ok
	})
}

// resultDType returns the dtype of an op's result in the file's spelling, or error:dtype.
func resultDType(t *testing.T, cfg amp.Config, f policyOp, args []tensor.DType) (name string) {
	t.Helper()
	var in [2]*tensor.Tensor
	for i, dtype := range args {
		in[i] = tensor.Full(0.5, 4, 4).To(dtype)
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *amp.Error:
			name = "error:dtype"
			if e.Kind == amp.RefusedOp {
				name = "error:banned"
			}
		case *tensor.Error:
			name = "error:dtype"
		default:
			panic(e)
		}
	}()
	var out *tensor.Tensor
	amp.AutocastWith(cfg, func() { out = f(in[0], in[1]) })
	for _, short := range []string{"f64", "f32", "f16", "bf16", "i64", "bool"} {
		if reference.DType(short) == out.DType() {
			return short
		}
	}
	return out.DType().String()
}
