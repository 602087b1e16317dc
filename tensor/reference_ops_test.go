package tensor_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// The tolerances of reference values in float64.
const (
	relative64 = 1e-10
	absolute64 = 1e-12
)

// opCase is one case of a file ops_*.json.
type opCase struct {
	Op         string
	Attrs      attrs
	Inputs     map[string]*reference.Tensor
	Output     *reference.Tensor
	GradOutput *reference.Tensor            `json:"grad_output"`
	Grads      map[string]*reference.Tensor `json:"grads"`
	running
}

// attrs are the arguments of an op that are no tensors.
type attrs map[string]json.RawMessage

func (a attrs) int(name string) int {
	var v int
	a.get(name, &v)
	return v
}

func (a attrs) float(name string) float64 {
	var v float64
	a.get(name, &v)
	return v
}

func (a attrs) string(name string) string {
	var v string
	a.get(name, &v)
	return v
}

// get decodes an argument into v, which stays as it is where the argument is missing or null.
func (a attrs) get(name string, v any) {
	raw, ok := a[name]
	if !ok || string(raw) == "null" {
		return
	}
	if err := json.Unmarshal(raw, v); err != nil {
		panic(fmt.Sprintf("attribute %s: %v", name, err))
	}
}

// in is the tensors of a case by name.
type in map[string]*tensor.Tensor

type opFunc func(in, attrs) *tensor.Tensor

// one is an op on the only input, whatever its name.
func one(f func(*tensor.Tensor) *tensor.Tensor) opFunc {
	return func(x in, _ attrs) *tensor.Tensor {
		for _, t := range x {
			return f(t)
		}
		panic("no input")
	}
}

// two is an op on the inputs a and b.
func two(f func(a, b *tensor.Tensor) *tensor.Tensor) opFunc {
	return func(x in, _ attrs) *tensor.Tensor { return f(x["a"], x["b"]) }
}

// method turns the methods that take a tensor or a number into functions on tensors.
func method(f func(*tensor.Tensor, any) *tensor.Tensor) opFunc {
	return two(func(a, b *tensor.Tensor) *tensor.Tensor { return f(a, b) })
}

type T = tensor.Tensor

// ops maps the ops of the files to ours. Every op of a file must be here.
var ops = map[string]map[string]opFunc{
	"ops_elementwise.json":  elementwiseOps,
	"ops_matmul.json":       matmulOps,
	"ops_loss.json":         lossOps,
	"ops_reduce_index.json": reduceIndexOps,
	"ops_conv.json":         convOps,
	"ops_pool_norm.json":    poolNormOps,
}

var elementwiseOps = map[string]opFunc{
	"relu":            one((*T).ReLU),
	"sigmoid":         one((*T).Sigmoid),
	"tanh":            one((*T).Tanh),
	"exp":             one((*T).Exp),
	"log":             one((*T).Log),
	"sqrt":            one((*T).Sqrt),
	"rsqrt":           one((*T).Rsqrt),
	"reciprocal":      one((*T).Reciprocal),
	"abs":             one((*T).Abs),
	"neg":             one((*T).Neg),
	"sign":            one((*T).Sign),
	"square":          one((*T).Square),
	"pow3":            one(func(x *T) *T { return x.Pow(3) }),
	"pow_scalar_0.5":  one(func(x *T) *T { return x.Pow(0.5) }),
	"clamp(-0.5,0.7)": one(func(x *T) *T { return x.Clamp(-0.5, 0.7) }),
	"rsub2":           one(func(x *T) *T { return x.RSub(2) }),
	"rpow2":           one(func(x *T) *T { return x.RPow(2) }),
	"rdiv1":           one(func(x *T) *T { return x.RDiv(1) }),
	"gelu_erf":        one(func(x *T) *T { return x.GELU() }),
	"gelu_tanh":       one(func(x *T) *T { return x.GELU("tanh") }),
	"silu":            one((*T).SiLU),
	"softplus":        one(func(x *T) *T { return x.Softplus(1, 20) }),
	"leaky_relu_0.1":  one(func(x *T) *T { return x.LeakyReLU(0.1) }),
	"elu":             one(func(x *T) *T { return x.ELU(1) }),
	"mish":            one((*T).Mish),
	"sin":             one((*T).Sin),
	"cos":             one((*T).Cos),
	"erf":             one((*T).Erf),
	"expm1":           one((*T).Expm1),
	"hardtanh":        one(func(x *T) *T { return x.Hardtanh(-1, 1) }),
	"logsigmoid":      one((*T).LogSigmoid),
	"log1p":           one((*T).Log1p),
	"log2":            one((*T).Log2),
	"atan2":           two((*T).Atan2),
	"cosine_similarity": func(x in, a attrs) *T {
		return tensor.CosineSimilarity(x["a"], x["b"], a.int("dim"))
	},
	"add":     method((*T).Add),
	"sub":     method((*T).Sub),
	"mul":     method((*T).Mul),
	"div":     method((*T).Div),
	"pow_tt":  method((*T).Pow),
	"maximum": two((*T).Maximum),
	"minimum": two((*T).Minimum),
	"addcmul": func(x in, a attrs) *T {
		return x["c"].Addcmul(x["a"], x["b"], a.float("value"))
	},
	"addcdiv": func(x in, a attrs) *T {
		return x["c"].Addcdiv(x["a"], x["b"], a.float("value"))
	},
	"embedding": func(x in, a attrs) *T {
		var c tensor.EmbeddingConfig
		a.get("padding_idx", &c.PaddingIndex)
		return tensor.Embedding(x["w"], x["idx"], c)
	},
	"lerp": func(x in, a attrs) *T { return x["a"].Lerp(x["b"], a.float("w")) },
}

var matmulOps = map[string]opFunc{
	"matmul": two((*T).MatMul),
	"bmm":    two((*T).BMM),
	"dot":    two((*T).Dot),
	"outer":  two((*T).Outer),
	"addmm": func(x in, a attrs) *T {
		return x["c"].Addmm(x["a"], x["b"], a.float("beta"), a.float("alpha"))
	},
	"baddbmm": func(x in, _ attrs) *T { return x["c"].Baddbmm(x["a"], x["b"], 1, 1) },
	"einsum": func(x in, a attrs) *T {
		return tensor.Einsum(a.string("eq"), x["a"], x["b"])
	},
	"linear": func(x in, _ attrs) *T { return tensor.Linear(x["x"], x["w"], x["b"]) },
	"scaled_dot_product_attention": func(x in, a attrs) *T {
		c := tensor.AttentionConfig{Mask: x["mask"]}
		a.get("is_causal", &c.Causal)
		return tensor.ScaledDotProductAttention(x["q"], x["k"], x["v"], c)
	},
	"linear_nobias": func(x in, _ attrs) *T { return tensor.Linear(x["x"], x["w"], nil) },
}

var lossOps = map[string]opFunc{
	"softmax":     func(x in, a attrs) *T { return x["x"].Softmax(a.int("dim")) },
	"log_softmax": func(x in, a attrs) *T { return x["x"].LogSoftmax(a.int("dim")) },
	"cross_entropy": func(x in, a attrs) *T {
		return tensor.CrossEntropy(x["x"], x["target"], lossConfig(a))
	},
	"nll_loss": func(x in, a attrs) *T {
		return tensor.NLLLoss(x["x"], x["target"], lossConfig(a))
	},
	"mse_loss": func(x in, a attrs) *T {
		return tensor.MSELoss(x["x"], x["y"], lossConfig(a))
	},
	"l1_loss": func(x in, a attrs) *T {
		return tensor.L1Loss(x["x"], x["y"], lossConfig(a))
	},
	"smooth_l1_loss": func(x in, a attrs) *T {
		return tensor.SmoothL1Loss(x["x"], x["y"], a.float("beta"), lossConfig(a))
	},
	"huber_loss": func(x in, a attrs) *T {
		return tensor.HuberLoss(x["x"], x["y"], a.float("delta"), lossConfig(a))
	},
	"bce_with_logits": func(x in, a attrs) *T {
		c := tensor.BCEConfig{Reduction: tensor.Reduction(a.string("reduction"))}
		var weights []float64
		if a.get("pos_weight", &weights); weights != nil {
			c.PosWeight = tensor.New(weights)
		}
		return tensor.BCEWithLogitsLoss(x["x"], x["y"], c)
	},
	"kl_div": func(x in, a attrs) *T {
		c := tensor.KLDivConfig{Reduction: tensor.Reduction(a.string("reduction"))}
		return tensor.KLDivLoss(x["x"], x["y"], c)
	},
	"logsumexp": func(x in, a attrs) *T { return x["x"].Logsumexp(a.int("dim")) },
}

func lossConfig(a attrs) tensor.LossConfig {
	c := tensor.LossConfig{
		Reduction:      tensor.Reduction(a.string("reduction")),
		LabelSmoothing: a.float("label_smoothing"),
	}
	if _, ok := a["ignore_index"]; ok {
		c.IgnoreIndex = []int{a.int("ignore_index")}
	}
	var weight *reference.Tensor
	a.get("weight", &weight)
	if weight != nil {
		c.Weight = weight.Tensor()
	}
	return c
}

var reduceIndexOps = map[string]opFunc{
	"red:sum":    one(func(x *T) *T { return x.Sum() }),
	"red:sum_d1": one(func(x *T) *T { return x.Sum(1) }),
	"red:sum_d02_keep": one(func(x *T) *T {
		return x.Sum(0, 2).Unsqueeze(0).Unsqueeze(2)
	}),
	"red:mean":     one(func(x *T) *T { return x.Mean() }),
	"red:mean_d-1": one(func(x *T) *T { return x.Mean(-1) }),
	"red:amax":     one(func(x *T) *T { return x.Max() }),
	"red:amax_d1":  one(func(x *T) *T { return x.Max(1) }),
	"red:amin_d0":  one(func(x *T) *T { return x.Min(0) }),
	"red:min":      one(func(x *T) *T { return x.Min() }),
	"red:var":      one(func(x *T) *T { return x.Var() }),
	"red:var_d1_biased": one(func(x *T) *T {
		return x.VarWith(tensor.VarConfig{Correction: new(0.0)}, 1)
	}),
	"red:std_d2":        one(func(x *T) *T { return x.Std(2) }),
	"red:prod":          one(func(x *T) *T { return x.Prod() }),
	"red:prod_d1":       one(func(x *T) *T { return x.Prod(1) }),
	"red:max_d0_values": one(func(x *T) *T { v, _ := x.MaxIndex(0); return v }),
	"red:max_d1_values": one(func(x *T) *T { v, _ := x.MaxIndex(1); return v }),
	"red:norm2":         one(func(x *T) *T { return x.Norm(2) }),
	"red:norm1_d1":      one(func(x *T) *T { return x.Norm(1, 1) }),
	"red:norminf":       one(func(x *T) *T { return x.Norm(math.Inf(1)) }),
	"red:cumsum_d1":     one(func(x *T) *T { return x.Cumsum(1) }),
	"red:cumprod_d1":    one(func(x *T) *T { return x.Cumprod(1) }),
	"view:index_int":    one(func(y *T) *T { return y.Index(1) }),
	"view:index_neg":    one(func(y *T) *T { return y.Index(-1) }),
	"view:slice_step": one(func(y *T) *T {
		return y.Slice(0, 1, 4, 2).Slice(1, 0, y.Size(1), 2)
	}),
	"view:topk2":           one(func(y *T) *T { v, _ := y.TopK(2, 1); return v }),
	"view:sort_desc":       one(func(y *T) *T { v, _ := y.Sort(1, true); return v }),
	"view:slice_col":       one(func(y *T) *T { return y.Slice(1, 1, 3) }),
	"view:newaxis":         one(func(y *T) *T { return y.Slice(1, 2, 3).Squeeze(1).Unsqueeze(1) }),
	"view:ellipsis":        one(func(y *T) *T { return y.T().Index(0) }),
	"view:transpose":       one((*T).T),
	"view:permute_reshape": one(func(y *T) *T { return y.Permute(1, 0).Reshape(y.Size(1), -1) }),
	"view:view_flat":       one(func(y *T) *T { return y.View(-1) }),
	"view:expand":          one(func(y *T) *T { return y.Slice(0, 0, 1).Expand(3, -1) }),
	"view:unsqueeze":       one(func(y *T) *T { return y.Unsqueeze(1) }),
	"view:squeeze":         one(func(y *T) *T { return y.Unsqueeze(0).Squeeze(0) }),
	"view:narrow":          one(func(y *T) *T { return y.Narrow(1, 1, 2) }),
	"view:repeat":          one(func(y *T) *T { return y.Repeat(2, 1) }),
	"view:flip":            one(func(y *T) *T { return y.Flip(0) }),
	"view:roll":            one(func(y *T) *T { return y.Roll(1, 1) }),
	"view:chunk1":          one(func(y *T) *T { return y.Chunk(3, 1)[1] }),
	"view:split2":          one(func(y *T) *T { return y.Split([]int{1, y.Size(0) - 1}, 0)[1] }),
	"view:unbind2":         one(func(y *T) *T { return y.Unbind(0)[2] }),
	"view:tril":            one(func(y *T) *T { return y.Tril() }),
	"view:triu_1":          one(func(y *T) *T { return y.Triu(1) }),
	"view:diag":            one(func(y *T) *T { return y.Diagonal() }),
	"view:pad_const": one(func(y *T) *T {
		return y.Pad([]int{1, 2, 0, 1}, "constant", 3)
	}),
	"view:pad_neg": one(func(y *T) *T { return y.Pad([]int{-1, 0}, "constant", 0) }),
	"view:pad_reflect": one(func(y *T) *T {
		return y.Unsqueeze(0).Pad([]int{2, 1}, "reflect", 0)
	}),
	"view:pad_replicate": one(func(y *T) *T {
		return y.Unsqueeze(0).Pad([]int{2, 1}, "replicate", 0)
	}),
	"view:masked_fill":       one(func(y *T) *T { return y.MaskedFill(y.Gt(0), -5) }),
	"view:repeat_interleave": one(func(y *T) *T { return y.RepeatInterleave(2, 0) }),
	"view:unfold":            one(func(y *T) *T { return y.Unfold(1, 3, 1) }),
	"fancy_index":            func(x in, _ attrs) *T { return x["y"].Take(x["i"], x["j"]) },
	"bool_index":             func(x in, _ attrs) *T { return x["y"].Take(x["m"]) },
	"scatter": func(x in, a attrs) *T {
		return x["y"].Scatter(a.int("dim"), x["idx"], x["s"])
	},
	"index_add": func(x in, a attrs) *T {
		return x["y"].IndexAdd(a.int("dim"), x["idx"], x["s"])
	},
	"index_put_acc": func(x in, a attrs) *T {
		return x["y"].IndexPut([]any{x["i"]}, x["s"], true)
	},
	"gather": func(x in, a attrs) *T { return x["y"].Gather(a.int("dim"), x["idx"]) },
	"index_select": func(x in, a attrs) *T {
		return x["y"].IndexSelect(a.int("dim"), x["idx"])
	},
	"scatter_add": func(x in, a attrs) *T {
		return x["y"].ScatterAdd(a.int("dim"), x["idx"], x["s"])
	},
	"where": func(x in, _ attrs) *T { return tensor.Where(x["c"], x["a"], x["b"]) },
	"where_inf_trap": one(func(a *T) *T {
		return tensor.Where(a.Gt(0), a.Sqrt(), tensor.ZerosLike(a))
	}),
	"cat": func(x in, a attrs) *T {
		return tensor.Cat([]*T{x["a"], x["b"]}, a.int("dim"))
	},
	"stack": func(x in, a attrs) *T {
		return tensor.Stack([]*T{x["a"], x["b"]}, a.int("dim"))
	},
	"cat_same_twice":  one(func(a *T) *T { return tensor.Cat([]*T{a, a}, 0) }),
	"broadcast_reuse": one(func(a *T) *T { return a.Add(a.Mul(a.Sum())) }),
}

// smooth tells where differences cannot check a gradient: at jumps and kinks the reference values
// sit exactly on.
func smooth(op string, c opCase) bool {
	switch op {
	case "red:norm2":
		return slices.ContainsFunc(c.Inputs["x"].Float64s(), func(v float64) bool { return v != 0 })
	case "hardtanh":
		return !slices.ContainsFunc(c.Inputs["x"].Float64s(), func(v float64) bool {
			return math.Abs(v) == 1
		})
	case "clamp(-0.5,0.7)":
		x := c.Inputs["x"].Float64s()
		return !slices.Contains(x, -0.5) && !slices.Contains(x, 0.7)
	case "relu", "abs", "sign", "leaky_relu_0.1":
		return !slices.Contains(c.Inputs["x"].Float64s(), 0)
	case "where_inf_trap":
		return false
	case "embedding":
		return c.Attrs["padding_idx"] == nil // its row has a gradient of 0, whatever differences say
	}
	note := c.Attrs.string("note")
	return !strings.Contains(note, "ties") && !strings.Contains(note, "one index") &&
		!strings.Contains(note, "-inf") &&
		!strings.Contains(c.Attrs.string("variant"), "nan")
}

// TestReferenceOps runs every case of an op that exists: the values and gradients are PyTorch's,
// and the gradients agree with differences.
func TestReferenceOps(t *testing.T) {
	for _, file := range slices.Sorted(maps.Keys(ops)) {
		var f struct{ Cases []opCase }
		reference.Load(t, file, &f)
		for i, c := range f.Cases {
			op, ok := ops[file][c.Op]
			if !ok {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d_%s", strings.TrimSuffix(file, ".json"), i, c.Op),
				func(t *testing.T) { runOpCase(t, c, op) })
		}
	}
}

func runOpCase(t *testing.T, c opCase, op opFunc) {
	x := in{}
	var names []string // the inputs with gradients
	for name, r := range c.Inputs {
		if r == nil {
			continue
		}
		x[name] = r.Tensor()
		if c.Grads[name] != nil {
			x[name].SetRequiresGrad(true)
			names = append(names, name)
		}
	}
	slices.Sort(names)
	c.begin(x)
	out := op(x, c.Attrs)
	c.check(t, x)
	reference.Close(t, "output", out, c.Output, relative64, absolute64)
	if !out.RequiresGrad() {
		t.Fatal("the output requires no gradient")
	}
	out.Backward(tensor.BackwardConfig{Gradient: c.GradOutput.Tensor()})
	for _, name := range names {
		got := x[name].Grad()
		if got == nil {
			got = tensor.ZerosLike(x[name])
		}
		reference.Close(t, "gradient of "+name, got, c.Grads[name], relative64, absolute64)
	}
	if !smooth(c.Op, c) {
		return
	}
	leaves := make([]*T, len(names))
	for i, name := range names {
		leaves[i] = x[name]
	}
	err := tensor.GradCheck(func(xs ...*T) *T {
		y := maps.Clone(x)
		for i, name := range names {
			y[name] = xs[i]
		}
		return op(y, c.Attrs)
	}, leaves...)
	if err != nil {
		t.Error(err)
	}
}

// TestReferenceCovered: the files of this package have no op that is not tested.
func TestReferenceCovered(t *testing.T) {
	for file, covered := range ops {
		var f struct{ Cases []opCase }
		reference.Load(t, file, &f)
		var names []string
		for _, c := range f.Cases {
			names = append(names, c.Op)
		}
		reference.CheckCovered(t, file, names, func(op string) bool { return covered[op] != nil })
	}
	var second struct{ Cases []struct{ Op string } }
	reference.Load(t, "second_order.json", &second)
	var names []string
	for _, c := range second.Cases {
		names = append(names, c.Op)
	}
	reference.CheckCovered(t, "second_order.json", names,
		func(op string) bool { return secondOrderOps[op] != nil })
}

// secondOrderOps are f in second_order.json's Σ f(x)·w.
var secondOrderOps = map[string]func(x, w *T) *T{
	"tanh":        func(x, w *T) *T { return x.Tanh().Mul(w) },
	"exp":         func(x, w *T) *T { return x.Exp().Mul(w) },
	"pow3":        func(x, w *T) *T { return x.Pow(3).Mul(w) },
	"softmax":     func(x, w *T) *T { return x.Softmax(0).Mul(w) },
	"matmul_sq":   func(x, w *T) *T { return x.Unsqueeze(1).MatMul(x.Unsqueeze(0)).Mul(w) },
	"log_softmax": func(x, w *T) *T { return x.LogSoftmax(0).Mul(w) },
	"layer_norm":  func(x, w *T) *T { return tensor.LayerNorm(x, x.Shape(), nil, nil).Mul(w) },
	"norm":        func(x, w *T) *T { return x.Norm(2).Mul(w) },
	"gelu":        func(x, w *T) *T { return x.GELU().Mul(w) },
	"silu":        func(x, w *T) *T { return x.SiLU().Mul(w) },
}

func TestReferenceSecondOrder(t *testing.T) {
	var f struct {
		Cases []struct {
			Op              string
			X, W, V, Grad   *reference.Tensor
			HessianTimesVec *reference.Tensor `json:"hvp"`
		}
	}
	reference.Load(t, "second_order.json", &f)
	for _, c := range f.Cases {
		op := secondOrderOps[c.Op]
		if op == nil {
			continue
		}
		t.Run(c.Op, func(t *testing.T) {
			x := c.X.Tensor().SetRequiresGrad(true)
			y := op(x, c.W.Tensor()).Sum()
			g := tensor.Grad([]*T{y}, []*T{x}, tensor.GradConfig{CreateGraph: true})[0]
			reference.Close(t, "gradient", g, c.Grad, relative64, absolute64)
			h := tensor.Grad([]*T{g.Mul(c.V.Tensor()).Sum()}, []*T{x})[0]
			reference.Close(t, "Hessian times v", h, c.HessianTimesVec, relative64, absolute64)
			if x.Grad() != nil {
				t.Error("Grad changed the leaf's own gradient")
			}
		})
	}
}
