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
	"mm":     (*tensor.Tensor).MatMul,
	"matmul": (*tensor.Tensor).MatMul,
	"bmm": func(a, b *tensor.Tensor) *tensor.Tensor {
		return a.Unsqueeze(0).MatMul(b.Unsqueeze(0))
	},
	"linear":   func(a, b *tensor.Tensor) *tensor.Tensor { return tensor.Linear(a, b, nil) },
	"mse_loss": func(a, b *tensor.Tensor) *tensor.Tensor { return tensor.MSELoss(a, b) },
	"add_":     func(a, b *tensor.Tensor) *tensor.Tensor { return a.AddInPlace(b) },
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
	reference.CheckUncovered(t, "autocast_dtypes.json", ops, func(op string) bool {
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
