package tensor_test

import (
	"math"
	"slices"
	"testing"

	"halfnote/tensor"
)

// An edge is an op on empty inputs, or on ones without dimensions, that the op's own rows leave
// out.
type edge struct {
	name  string
	f     func(x ...*T) *T
	in    [][]int
	shape []int    // of the result
	all   *float64 // what each element is, where the inputs do not say
}

var edges = func() (all []edge) {
	add := func(name string, f func(x ...*T) *T, in [][]int, shape []int, value ...float64) {
		e := edge{name: name, f: f, in: in, shape: shape}
		if len(value) > 0 {
			e.all = &value[0]
		}
		all = append(all, e)
	}
	scalar, nan, inf := []int{}, math.NaN(), math.Inf(1)
	f := func(f func(x *T) *T) func(x ...*T) *T { return func(x ...*T) *T { return f(x[0]) } }

	type folded = func(x *T, axes ...int) *T
	norm := func(p float64) folded { return func(x *T, axes ...int) *T { return x.Norm(p, axes...) } }
	for _, r := range []struct {
		name  string
		f     folded
		value float64
	}{
		{"sum", (*T).Sum, 0}, {"mean", (*T).Mean, nan}, {"var", (*T).Var, nan},
		{"std", (*T).Std, nan}, {"prod", (*T).Prod, 1}, {"logsumexp", (*T).Logsumexp, -inf},
		{"norm0", norm(0), 0}, {"norm1", norm(1), 0}, {"norm2", norm(2), 0}, {"norm3", norm(3), 0},
	} {
		add(r.name, f(func(x *T) *T { return r.f(x) }), same(1, 0), scalar, r.value)
		add(r.name+" axis", f(func(x *T) *T { return r.f(x, 1) }), same(1, 2, 0, 3), []int{2, 3},
			r.value)
		add(r.name+" other axis", f(func(x *T) *T { return r.f(x, 2) }), same(1, 2, 0, 3),
			[]int{2, 0})
		add(r.name+" 0-dim axis", f(func(x *T) *T { return r.f(x, 0) }), same(1), scalar)
	}
	for name, g := range map[string]folded{"max": (*T).Max, "min": (*T).Min,
		"norm inf": norm(inf), "norm -inf": norm(-inf)} {
		add(name+" other axis", f(func(x *T) *T { return g(x, 0) }), same(1, 2, 0), []int{0})
		add(name+" 0-dim", f(func(x *T) *T { return g(x, -1) }), same(1), scalar)
	}
	for name, g := range map[string]func(x *T) *T{
		"softmax":     func(x *T) *T { return x.Softmax(0) },
		"log_softmax": func(x *T) *T { return x.LogSoftmax(-1) },
		"cumsum":      func(x *T) *T { return x.Cumsum(0) },
		"cumprod":     func(x *T) *T { return x.Cumprod(0) },
		"max index":   func(x *T) *T { v, _ := x.MaxIndex(0); return v },
		"median":      func(x *T) *T { v, _ := x.MedianIndex(0); return v },
		"sort":        func(x *T) *T { v, _ := x.Sort(0, true); return v },
		"topk":        func(x *T) *T { v, _ := x.TopK(1, 0); return v },
		"flip":        func(x *T) *T { return x.Flip() },
		"flip axis":   func(x *T) *T { return x.Flip(-1) },
		"transpose":   func(x *T) *T { return x.Transpose(0, -1) },
		"movedim":     func(x *T) *T { return x.Movedim(-1, 0) },
		"squeeze":     func(x *T) *T { return x.Squeeze(0) },
		"normalize":   func(x *T) *T { return x.Normalize(2, 0) },
		"clone":       (*T).Clone,
		"contiguous":  (*T).Contiguous,
	} {
		add(name+" 0-dim", f(g), same(1), scalar)
	}
	for name, g := range map[string]func(x *T) *T{
		"softmax":     func(x *T) *T { return x.Softmax(0) },
		"log_softmax": func(x *T) *T { return x.LogSoftmax(0) },
		"cumsum":      func(x *T) *T { return x.Cumsum(0) },
		"cumprod":     func(x *T) *T { return x.Cumprod(0) },
		"sort":        func(x *T) *T { v, _ := x.Sort(0, true); return v },
		"flip":        func(x *T) *T { return x.Flip(0, 1) },
		"roll":        func(x *T) *T { return x.Roll(2, 0) },
		"roll other":  func(x *T) *T { return x.Roll(2, 1) },
		"tril":        func(x *T) *T { return x.Tril() },
		"triu":        func(x *T) *T { return x.Triu(1) },
		"clone":       (*T).Clone,
		"contiguous":  func(x *T) *T { return x.Transpose(0, 1).Contiguous().T() },
		"masked_fill": func(x *T) *T { return x.MaskedFill(tensor.New(true), 2) },
	} {
		add(name+" empty", f(g), same(1, 0, 3), []int{0, 3})
	}
	none := tensor.Zeros(0).To(tensor.Int64)
	empty := tensor.Zeros(0, 2).To(tensor.Int64)
	zero := tensor.New(0)
	add("slice", f(func(x *T) *T { return x.Slice(0, 2, 2) }), same(1, 3, 4), []int{0, 4})
	add("index", f(func(x *T) *T { return x.Index(1) }), same(1, 3, 0), []int{0})
	add("transpose", f((*T).T), same(1, 0, 3), []int{3, 0})
	add("permute 0-dim", f(func(x *T) *T { return x.Permute() }), same(1), scalar)
	add("movedim", f(func(x *T) *T { return x.Movedim(0, 1) }), same(1, 0, 3), []int{3, 0})
	add("reshape", f(func(x *T) *T { return x.Reshape(4, 0) }), same(1, 0, 3), []int{4, 0})
	add("reshape 0-dim", f(func(x *T) *T { return x.Reshape(1, 1) }), same(1), []int{1, 1})
	add("flatten 0-dim", f(func(x *T) *T { return x.Flatten(0) }), same(1), []int{1})
	add("expand", f(func(x *T) *T { return x.Expand(0, 3) }), same(1, 1, 3), []int{0, 3})
	add("expand 0-dim", f(func(x *T) *T { return x.Expand(2, 3) }), same(1), []int{2, 3})
	add("split", f(func(x *T) *T { return x.Split(2, 1)[1] }), same(1, 0, 4), []int{0, 2})
	add("split of nothing", f(func(x *T) *T { return x.Split(2, 0)[0] }), same(1, 0, 4), []int{0, 4})
	add("chunk", f(func(x *T) *T { return x.Chunk(3, 0)[2] }), same(1, 0, 4), []int{0, 4})
	add("unbind", f(func(x *T) *T { return x.Unbind(0)[1] }), same(1, 2, 0), []int{0})
	add("diagonal", f(func(x *T) *T { return x.Diagonal() }), same(1, 0, 3), []int{0})
	add("diagonal far", f(func(x *T) *T { return x.Diagonal(tensor.DiagonalConfig{Offset: 5}) }),
		same(1, 2, 3), []int{0})
	add("unfold", f(func(x *T) *T { return x.Unfold(1, 2, 1) }), same(1, 0, 3), []int{0, 2, 2})
	add("unfold 0-dim", f(func(x *T) *T { return x.Unfold(0, 1, 1) }), same(1), []int{1})
	add("cat", func(x ...*T) *T { return tensor.Cat(x, 0) }, [][]int{{0, 3}, {2, 3}}, []int{2, 3})
	add("cat nothing", func(x ...*T) *T { return tensor.Cat(x, 1) }, [][]int{{0, 1}, {0, 3}},
		[]int{0, 4})
	add("stack", func(x ...*T) *T { return tensor.Stack(x, 0) }, same(2, 0), []int{2, 0})
	add("stack 0-dim", func(x ...*T) *T { return tensor.Stack(x, 0) }, same(2), []int{2})
	add("meshgrid", func(x ...*T) *T { return tensor.Meshgrid(x...)[0] }, [][]int{{0}, {3}},
		[]int{0, 3})
	add("repeat", f(func(x *T) *T { return x.Repeat(2, 3) }), same(1, 0, 3), []int{0, 9})
	add("repeat none", f(func(x *T) *T { return x.Repeat(0, 3) }), same(1, 2, 3), []int{0, 9})
	add("repeat 0-dim", f(func(x *T) *T { return x.Repeat(2, 3) }), same(1), []int{2, 3})
	add("repeat_interleave", f(func(x *T) *T { return x.RepeatInterleave(2, 0) }), same(1, 0, 3),
		[]int{0, 3})
	add("pad", f(func(x *T) *T { return x.Pad([]int{1, 2, 0, 1}, "constant", 3) }), same(1, 0, 3),
		[]int{1, 6}, 3)
	add("pad reflect", f(func(x *T) *T { return x.Pad([]int{1, 1}, "reflect", 0) }), same(1, 0, 2, 3),
		[]int{0, 2, 5})
	add("gather", f(func(x *T) *T { return x.Gather(0, empty) }), same(1, 3, 2), []int{0, 2})
	add("gather 0-dim", f(func(x *T) *T { return x.Gather(0, zero) }), same(1), scalar)
	add("index_select", f(func(x *T) *T { return x.IndexSelect(0, none) }), same(1, 3, 2), []int{0, 2})
	add("take_along_dim", f(func(x *T) *T { return x.TakeAlongDim(empty, 0) }), same(1, 3, 2),
		[]int{0, 2})
	add("take", f(func(x *T) *T { return x.Take(none) }), same(1, 3, 2), []int{0, 2})
	add("take mask", f(func(x *T) *T { return x.Take(tensor.New([]bool{false, false})) }),
		same(1, 2, 3), []int{0, 3})
	add("masked_select", f(func(x *T) *T { return x.MaskedSelect(tensor.New(false)) }),
		same(1, 2, 3), []int{0})
	add("masked_select 0-dim", f(func(x *T) *T { return x.MaskedSelect(tensor.New(true)) }),
		same(1), []int{1})
	add("scatter_add", func(x ...*T) *T { return x[0].ScatterAdd(0, empty, x[1]) },
		[][]int{{3, 2}, {0, 2}}, []int{3, 2})
	add("scatter", func(x ...*T) *T { return x[0].Scatter(0, empty, x[1]) },
		[][]int{{3, 2}, {0, 2}}, []int{3, 2})
	add("scatter_reduce", func(x ...*T) *T { return x[0].ScatterReduce(0, empty, x[1], "amax", true) },
		[][]int{{3, 2}, {0, 2}}, []int{3, 2})
	for name, g := range map[string]func(x, y *T) *T{
		"scatter_add":    func(x, y *T) *T { return x.ScatterAdd(0, zero, y) },
		"scatter_reduce": func(x, y *T) *T { return x.ScatterReduce(0, zero, y, "prod", true) },
		"index_select":   func(x, y *T) *T { return x.Mul(y).IndexSelect(0, zero.Reshape(1)) },
		"index_add":      func(x, y *T) *T { return x.IndexAdd(0, zero, y) },
		"index_copy":     func(x, y *T) *T { return x.IndexCopy(0, zero, y) },
		"index_fill":     func(x, y *T) *T { return x.IndexFill(0, zero, y) },
		"cosine":         func(x, y *T) *T { return tensor.CosineSimilarity(x, y, 0) },
	} {
		add(name+" 0-dim", func(x ...*T) *T { return g(x[0], x[1]) }, same(2), scalar)
	}
	add("scatter 0-dim", func(x ...*T) *T { return x[0].Scatter(0, zero, x[1]) }, same(2), scalar)
	add("index_add", func(x ...*T) *T { return x[0].IndexAdd(0, none, x[1]) },
		[][]int{{3, 2}, {0, 2}}, []int{3, 2})
	add("index_copy", func(x ...*T) *T { return x[0].IndexCopy(0, none, x[1]) },
		[][]int{{3, 2}, {0, 2}}, []int{3, 2})
	add("index_fill", f(func(x *T) *T { return x.IndexFill(0, none, 2) }), same(1, 3, 2), []int{3, 2})
	add("index_put", func(x ...*T) *T { return x[0].IndexPut([]any{none}, x[1], true) },
		[][]int{{3, 2}, {0, 2}}, []int{3, 2})
	add("embedding", f(func(x *T) *T { return tensor.Embedding(x, empty) }), same(1, 3, 4),
		[]int{0, 2, 4})
	add("embedding 0-dim", f(func(x *T) *T { return tensor.Embedding(x, zero) }), same(1, 3, 4),
		[]int{4})
	for _, mode := range []string{"nearest", "bilinear", "bicubic"} {
		add("interpolate "+mode, f(func(x *T) *T {
			return x.Interpolate(tensor.InterpolateConfig{Mode: mode, Size: []int{2, 3}})
		}), same(1, 0, 2, 4, 4), []int{0, 2, 2, 3})
	}

	product := func(name string, f func(a, b *T) *T, in [][]int, shape []int, value ...float64) {
		add(name, func(x ...*T) *T { return f(x[0], x[1]) }, in, shape, value...)
	}
	product("mm", (*T).MM, [][]int{{2, 0}, {0, 3}}, []int{2, 3}, 0)
	product("bmm", (*T).BMM, [][]int{{0, 2, 3}, {0, 3, 2}}, []int{0, 2, 2})
	product("bmm inner", (*T).BMM, [][]int{{2, 2, 0}, {2, 0, 2}}, []int{2, 2, 2}, 0)
	product("tensordot", func(a, b *T) *T { return tensor.Tensordot(a, b, []int{1}, []int{0}) },
		[][]int{{2, 0}, {0, 3}}, []int{2, 3}, 0)
	product("multi_dot", func(a, b *T) *T { return tensor.MultiDot(a, b) },
		[][]int{{0, 2}, {2, 3}}, []int{0, 3})
	product("einsum", func(a, b *T) *T { return tensor.Einsum("ij,jk->ik", a, b) },
		[][]int{{2, 0}, {0, 3}}, []int{2, 3}, 0)
	product("einsum 0-dim", func(a, b *T) *T { return tensor.Einsum(",->", a, b) }, same(2), scalar)
	added := func(name string, f func(c, a, b *T, beta, alpha float64) *T, shape []int, in ...[]int) {
		add(name, func(x ...*T) *T { return f(x[0], x[1], x[2], 1, 1) }, in, shape)
	}
	added("baddbmm", (*T).Baddbmm, []int{0, 2, 4}, []int{1}, []int{0, 2, 3}, []int{0, 3, 4})
	added("addbmm", (*T).Addbmm, []int{2, 4}, []int{2, 4}, []int{0, 2, 3}, []int{0, 3, 4})
	added("addmv", (*T).Addmv, []int{2}, []int{2}, []int{2, 0}, []int{0})
	added("addr", (*T).Addr, []int{0, 3}, []int{0, 3}, []int{0}, []int{3})

	conv := func(name string, f func(x ...*T) *T, shape []int, in ...[]int) { add(name, f, in, shape) }
	conv("conv1d", func(x ...*T) *T { return tensor.Conv1d(x[0], x[1], x[2]) }, []int{0, 4, 3},
		[]int{0, 2, 5}, []int{4, 2, 3}, []int{4})
	conv("conv_transpose1d", func(x ...*T) *T { return tensor.ConvTranspose1d(x[0], x[1], x[2]) },
		[]int{0, 4, 7}, []int{0, 2, 5}, []int{2, 4, 3}, []int{4})
	pool := tensor.PoolConfig{Kernel: []int{2}}
	add("max_pool1d", f(func(x *T) *T { return tensor.MaxPool1d(x, pool) }), same(1, 0, 3, 4),
		[]int{0, 3, 2})
	add("avg_pool1d", f(func(x *T) *T { return tensor.AvgPool1d(x, pool) }), same(1, 0, 3, 4),
		[]int{0, 3, 2})
	add("adaptive_avg_pool1d", f(func(x *T) *T { return tensor.AdaptiveAvgPool1d(x, 2) }),
		same(1, 0, 3, 4), []int{0, 3, 2})
	add("adaptive_max_pool1d", f(func(x *T) *T { return tensor.AdaptiveMaxPool1d(x, 2) }),
		same(1, 0, 3, 4), []int{0, 3, 2})
	add("instance_norm", func(x ...*T) *T { return tensor.InstanceNorm(x[0], x[1], x[2]) },
		[][]int{{0, 3, 4}, {3}, {3}}, []int{0, 3, 4})

	type pair = func(a, b *T, r tensor.Reduction) *T
	for name, g := range map[string]pair{
		"mse": func(a, b *T, r tensor.Reduction) *T {
			return tensor.MSELoss(a, b, tensor.LossConfig{Reduction: r})
		},
		"l1": func(a, b *T, r tensor.Reduction) *T {
			return tensor.L1Loss(a, b, tensor.LossConfig{Reduction: r})
		},
		"huber": func(a, b *T, r tensor.Reduction) *T {
			return tensor.HuberLoss(a, b, 1, tensor.LossConfig{Reduction: r})
		},
		"smooth_l1": func(a, b *T, r tensor.Reduction) *T {
			return tensor.SmoothL1Loss(a, b, 1, tensor.LossConfig{Reduction: r})
		},
		"bce": func(a, b *T, r tensor.Reduction) *T {
			return tensor.BCELoss(a, b, tensor.BCEConfig{Reduction: r})
		},
		"bce_with_logits": func(a, b *T, r tensor.Reduction) *T {
			return tensor.BCEWithLogitsLoss(a, b, tensor.BCEConfig{Reduction: r})
		},
		"kl_div": func(a, b *T, r tensor.Reduction) *T {
			return tensor.KLDivLoss(a, b, tensor.KLDivConfig{Reduction: r})
		},
		"poisson_nll": func(a, b *T, r tensor.Reduction) *T {
			return tensor.PoissonNLLLoss(a, b, tensor.PoissonNLLConfig{Reduction: r})
		},
		"cross_entropy": func(a, _ *T, r tensor.Reduction) *T {
			return tensor.CrossEntropy(a, none, tensor.LossConfig{Reduction: r})
		},
		"nll": func(a, _ *T, r tensor.Reduction) *T {
			return tensor.NLLLoss(a, none, tensor.LossConfig{Reduction: r})
		},
		"multi_margin": func(a, _ *T, r tensor.Reduction) *T {
			return tensor.MultiMarginLoss(a, none, 1, 1, tensor.LossConfig{Reduction: r})
		},
		"triplet": func(a, b *T, r tensor.Reduction) *T {
			return tensor.TripletMarginLoss(a, b, a, tensor.TripletConfig{Reduction: r})
		},
		"margin_ranking": func(a, b *T, r tensor.Reduction) *T {
			return tensor.MarginRankingLoss(a, b, sides(0, 3), 1, tensor.LossConfig{Reduction: r})
		},
		"hinge_embedding": func(a, _ *T, r tensor.Reduction) *T {
			return tensor.HingeEmbeddingLoss(a, sides(0, 3), 1, tensor.LossConfig{Reduction: r})
		},
		"soft_margin": func(a, _ *T, r tensor.Reduction) *T {
			return tensor.SoftMarginLoss(a, sides(0, 3), tensor.LossConfig{Reduction: r})
		},
		"cosine_embedding": func(a, b *T, r tensor.Reduction) *T {
			return tensor.CosineEmbeddingLoss(a, b, sides(0), 1, tensor.LossConfig{Reduction: r})
		},
	} {
		add(name+" mean", func(x ...*T) *T { return g(x[0], x[1], tensor.MeanLoss) },
			same(2, 0, 3), scalar, nan)
		add(name+" sum", func(x ...*T) *T { return g(x[0], x[1], tensor.SumLoss) },
			same(2, 0, 3), scalar, 0)
	}
	return all
}()

// TestOpEdges checks what becomes of empty inputs and of ones without dimensions, in each dtype,
// with gradients and strides as TestOps does.
func TestOpEdges(t *testing.T) {
	for _, e := range edges {
		t.Run(e.name, func(t *testing.T) {
			defer func() {
				if p := recover(); p != nil {
					t.Fatal(p)
				}
			}()
			r := opRow{name: e.name, f: e.f, in: e.in, terms: 16, low: 0.2, high: 0.8}
			y := e.f(r.inputs(e.in)...)
			if !slices.Equal(y.Shape(), e.shape) {
				t.Fatalf("shape %v, want %v", y.Shape(), e.shape)
			}
			if e.all != nil {
				want := slices.Repeat([]float64{*e.all}, y.Numel())
				equal(t, "result", y.Float64s(), want)
			}
			if v := y.Float64s(); len(v) == 0 || v[0] == v[0] { // NaN has no differences
				r.checkGradients(t, e.in)
			}
			r.checkDTypes(t, e.in)
			r.checkStrides(t, e.in)
		})
	}
}
