package amp_test

import (
	"fmt"
	"slices"
	"testing"

	"halfnote/amp"
	"halfnote/tensor"
)

// lowOps are the ops under the rule Low, of an input x [8, 128, 128], of which some take less, and of
// weights w [128, 128], large enough that the memory of their casts is used again.
var lowOps = map[string]func(x, w *tensor.Tensor) *tensor.Tensor{
	"linear":           func(x, w *tensor.Tensor) *tensor.Tensor { return tensor.Linear(x, w, nil) },
	"matmul":           func(x, w *tensor.Tensor) *tensor.Tensor { return x.MatMul(w) },
	"mm":               func(x, w *tensor.Tensor) *tensor.Tensor { return x.Index(0).MM(w) },
	"bmm":              func(x, w *tensor.Tensor) *tensor.Tensor { return x.BMM(stacked(w)) },
	"mv":               func(x, w *tensor.Tensor) *tensor.Tensor { return w.MV(x.Index(0, 0)) },
	"addmm":            func(x, w *tensor.Tensor) *tensor.Tensor { return w.Addmm(w, w, 1, 0) },
	"addmv":            func(x, w *tensor.Tensor) *tensor.Tensor { return x.Index(0, 0).Addmv(w, x.Index(0, 1), 1, 1) },
	"addr":             func(x, w *tensor.Tensor) *tensor.Tensor { return w.Addr(x.Index(0, 0), x.Index(0, 1), 1, 0) },
	"addbmm":           func(x, w *tensor.Tensor) *tensor.Tensor { return w.Addbmm(x, x, 1, 1) },
	"baddbmm":          func(x, w *tensor.Tensor) *tensor.Tensor { return w.Baddbmm(x, x, 1, 1) },
	"einsum":           func(x, w *tensor.Tensor) *tensor.Tensor { return tensor.Einsum("ij->ji", w) },
	"prelu":            func(x, w *tensor.Tensor) *tensor.Tensor { return w.PReLU(x.Index(0, 0)) },
	"linalg_multi_dot": func(x, w *tensor.Tensor) *tensor.Tensor { return tensor.MultiDot(w, w, w) },
	"linalg_vecdot":    func(x, w *tensor.Tensor) *tensor.Tensor { return w.Vecdot(x.Index(0), 0) },
	"conv1d": func(x, w *tensor.Tensor) *tensor.Tensor {
		return tensor.Conv1d(x, w.Unsqueeze(-1), nil)
	},
	"conv2d": func(x, w *tensor.Tensor) *tensor.Tensor {
		return tensor.Conv2d(x.Unsqueeze(-1), w.Reshape(128, 128, 1, 1), nil)
	},
	"conv_transpose1d": func(x, w *tensor.Tensor) *tensor.Tensor {
		return tensor.ConvTranspose1d(x, w.Unsqueeze(-1), nil)
	},
	"conv_transpose2d": func(x, w *tensor.Tensor) *tensor.Tensor {
		return tensor.ConvTranspose2d(x.Unsqueeze(-1), w.Reshape(128, 128, 1, 1), nil)
	},
	"scaled_dot_product_attention": func(x, w *tensor.Tensor) *tensor.Tensor {
		return tensor.ScaledDotProductAttention(x, x, w.Expand(8, 128, 128))
	},
	"lstm_cell": func(x, w *tensor.Tensor) *tensor.Tensor {
		ws := tensor.Cat([]*tensor.Tensor{w, w, w, w}, 0)
		h, c := tensor.LSTMCell(x.Index(0), x.Index(1), x.Index(2), ws, ws, nil, nil)
		return h.Add(c)
	},
	"gru_cell": func(x, w *tensor.Tensor) *tensor.Tensor {
		ws := tensor.Cat([]*tensor.Tensor{w, w, w}, 0)
		return tensor.GRUCell(x.Index(0), w, ws, ws, nil, nil)
	},
	"rnn_tanh_cell": func(x, w *tensor.Tensor) *tensor.Tensor {
		return tensor.RNNTanhCell(x.Index(0), w, w, w, nil, nil)
	},
	"rnn_relu_cell": func(x, w *tensor.Tensor) *tensor.Tensor {
		return tensor.RNNReLUCell(x.Index(0), w, w, w, nil, nil)
	},
}

// noOps are those that package tensor lacks.
var noOps = []string{"chain_matmul", "conv3d", "conv_tbc", "conv_transpose3d", "mkldnn_rnn_layer",
	"native_multi_head_attention"}

func stacked(w *tensor.Tensor) *tensor.Tensor {
	return tensor.Stack(slices.Repeat([]*tensor.Tensor{w}, 8), 0)
}

// keeping is a cast state of a program's own.
type keeping struct{ tensor.CastState }

// TestCastsOutliveTheirOps: the cast of a weight ends with the region, and neither results nor
// gradients of any op that is cast to 16 bits change then.
func TestCastsOutliveTheirOps(t *testing.T) {
	for _, policy := range []*amp.Policy{amp.CUDAPolicy(), amp.CPUPolicy()} {
		for _, name := range policy.Ops(amp.Low) {
			op := lowOps[name]
			if (op == nil) != slices.Contains(noOps, name) {
				t.Errorf("%s: add it to lowOps", name)
			}
			if op == nil {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s", policy, name), func(t *testing.T) {
				gradient := func(forward func(f func())) []float64 {
					tensor.Seed(1)
					x, w := tensor.Randn(8, 128, 128), tensor.Randn(128, 128).SetRequiresGrad(true)
					var y *tensor.Tensor
					var value []float64
					amp.AutocastWith(amp.Config{Policy: policy}, func() {
						forward(func() { y = op(x, w) })
						value = y.Float64s()
					})
					takeFree(x.Shape(), w.Shape())
					y.Sum().Backward()
					takeFree(x.Shape(), w.Shape())
					if !slices.EqualFunc(y.Float64s(), value, same) {
						t.Error("the result has changed")
					}
					return w.Grad().Float64s()
				}
				got := gradient(func(f func()) { f() })
				want := gradient(func(f func()) { // of a state that keeps its casts
					tensor.WithCastState(keeping{tensor.CurrentCastState()}, f)
				})
				if !slices.EqualFunc(got, want, same) {
					t.Error("the gradient is another one where nothing ends early")
				}
			})
		}
	}
}
