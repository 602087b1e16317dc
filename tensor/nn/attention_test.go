package nn

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// A matrix is rows of plain numbers. The functions below work attention out on them, by the
// formulas and without any op of package tensor.
type matrix [][]float64

// rowsOfTensor returns the rows of a tensor of two dimensions.
func rowsOfTensor(t *tensor.Tensor) matrix {
	values, n := t.Float64s(), t.Size(1)
	var m matrix
	for ; len(values) > 0; values = values[n:] {
		m = append(m, values[:n])
	}
	return m
}

// plainLinear is x·Wᵀ + b with the rows of the weight from … to-1; b may be nil.
func plainLinear(x matrix, w, b *tensor.Tensor, from, to int) matrix {
	weight, bias := rowsOfTensor(w), make([]float64, w.Size(0))
	if b != nil {
		bias = b.Float64s()
	}
	out := make(matrix, len(x))
	for i, row := range x {
		for j := from; j < to; j++ {
			sum := bias[j]
			for k, v := range row {
				sum += v * weight[j][k]
			}
			out[i] = append(out[i], sum)
		}
	}
	return out
}

// plainAttention is multi-head attention with the layer's weights; allowed says who sees whom.
func plainAttention(m *MultiheadAttention, q, k, v matrix, allowed func(i, j int) bool) matrix {
	embed := len(q[0])
	q = plainLinear(q, m.InProjWeight, m.InProjBias, 0, embed)
	k = plainLinear(k, m.InProjWeight, m.InProjBias, embed, 2*embed)
	v = plainLinear(v, m.InProjWeight, m.InProjBias, 2*embed, 3*embed)
	out := make(matrix, len(q))
	size := embed / m.heads
	for i := range q {
		out[i] = make([]float64, embed)
		for h := range m.heads {
			var weights []float64
			total := 0.0
			for j := range k {
				score := 0.0
				for d := h * size; d < (h+1)*size; d++ {
					score += q[i][d] * k[j][d]
				}
				weight := 0.0
				if allowed(i, j) {
					weight = math.Exp(score / math.Sqrt(float64(size)))
				}
				weights = append(weights, weight)
				total += weight
			}
			for j := range k {
				for d := h * size; d < (h+1)*size; d++ {
					out[i][d] += weights[j] / total * v[j][d]
				}
			}
		}
	}
	return plainLinear(out, m.OutProj.Weight, m.OutProj.Bias, 0, embed)
}

func everyone(i, j int) bool { return true }
func before(i, j int) bool   { return j <= i }

// closeTo reports where a tensor differs from rows of numbers.
func closeTo(t *testing.T, what string, got *tensor.Tensor, want matrix) {
	t.Helper()
	flat := slices.Concat(want...)
	for i, v := range got.Float64s() {
		if math.Abs(v-flat[i]) > 1e-12*max(1, math.Abs(flat[i])) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, v, flat[i])
		}
	}
}

// wide returns m in float64, with biases that are not zero.
func wide[M any](m M) M {
	To(m, tensor.Float64)
	for _, p := range Parameters(m) {
		if p.Dim() == 1 {
			tensor.NoGrad(func() { p.AddInPlace(tensor.Randn(p.Shape()...)) })
		}
	}
	return m
}

func randn(shape ...int) *tensor.Tensor { return tensor.Randn(shape...).To(tensor.Float64) }

func TestMultiheadAttention(t *testing.T) {
	tensor.Seed(1)
	m := wide(NewMultiheadAttention(6, 3))
	q, k, v := randn(2, 4, 6), randn(2, 5, 6), randn(2, 5, 6)
	per := func(n int, allowed func(n int) func(i, j int) bool, k, v *tensor.Tensor) matrix {
		return plainAttention(m, rowsOfTensor(q.Index(n)), rowsOfTensor(k.Index(n)),
			rowsOfTensor(v.Index(n)), allowed(n))
	}
	both := func(allowed func(n int) func(i, j int) bool, k, v *tensor.Tensor) matrix {
		return append(per(0, allowed, k, v), per(1, allowed, k, v)...)
	}
	all := func(int) func(i, j int) bool { return everyone }
	causal := func(int) func(i, j int) bool { return before }
	closeTo(t, "self", m.Forward(q), both(all, q, q))
	closeTo(t, "cross", m.Attend(q, k, v), both(all, k, v))
	closeTo(t, "causal", m.Attend(q, q, q, AttentionConfig{Causal: true}), both(causal, q, q))

	lengths := []int{3, 5} // of the sequences; what comes behind is padding
	mask := tensor.Arange(5).Reshape(1, 1, 5).
		Lt(tensor.New([]float32{3, 5}).Reshape(2, 1, 1))
	padded := func(n int) func(i, j int) bool {
		return func(_, j int) bool { return j < lengths[n] }
	}
	closeTo(t, "padding", m.Attend(q, k, v, AttentionConfig{Mask: mask}), both(padded, k, v))

	near := tensor.New([][]int{{1, 1, 0, 0}, {1, 1, 1, 0}, {0, 1, 1, 1}, {0, 0, 1, 1}}).
		To(tensor.Bool)
	neighbours := func(int) func(i, j int) bool {
		return func(i, j int) bool { return max(i-j, j-i) <= 1 }
	}
	closeTo(t, "mask", m.Attend(q, q, q, AttentionConfig{Mask: near}), both(neighbours, q, q))

	single := m.Forward(q.Index(1))
	if !slices.Equal(single.Shape(), []int{4, 6}) {
		t.Errorf("without a batch: shape %v, want [4 6]", single.Shape())
	}
	closeTo(t, "without a batch", single, per(1, all, q, q))

	fixed := wide(NewMultiheadAttention(6, 2, MultiheadAttentionConfig{Causal: true, NoBias: true}))
	closeTo(t, "no bias", fixed.Forward(q.Index(0)), plainAttention(fixed,
		rowsOfTensor(q.Index(0)), rowsOfTensor(q.Index(0)), rowsOfTensor(q.Index(0)), before))
}

// attentionOf is m with other parameters, in the order of Parameters.
func attentionOf(m *MultiheadAttention, p []*tensor.Tensor) *MultiheadAttention {
	return &MultiheadAttention{InProjWeight: p[0], InProjBias: p[1],
		OutProj: &Linear{Weight: p[2], Bias: p[3]}, heads: m.heads, config: m.config}
}

func TestMultiheadAttentionGradients(t *testing.T) {
	tensor.Seed(2)
	m := wide(NewMultiheadAttention(4, 2))
	x, y := randn(2, 3, 4).SetRequiresGrad(true), randn(2, 2, 4).SetRequiresGrad(true)
	inputs := append(Parameters(m), x, y)
	for name, f := range map[string]func(m *MultiheadAttention, x, y *tensor.Tensor) *tensor.Tensor{
		"self": func(m *MultiheadAttention, x, y *tensor.Tensor) *tensor.Tensor {
			return m.Forward(x)
		},
		"causal": func(m *MultiheadAttention, x, y *tensor.Tensor) *tensor.Tensor {
			return m.Attend(x, x, x, AttentionConfig{Causal: true})
		},
		"cross": func(m *MultiheadAttention, x, y *tensor.Tensor) *tensor.Tensor {
			return m.Attend(x, y, y.Mul(2))
		},
	} {
		err := tensor.GradCheck(func(in ...*tensor.Tensor) *tensor.Tensor {
			return f(attentionOf(m, in), in[4], in[5])
		}, inputs...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMultiheadAttentionNames(t *testing.T) {
	m := NewMultiheadAttention(6, 3)
	shapes := map[string][]int{}
	for name, p := range NamedParameters(m) {
		shapes[name] = p.Shape()
	}
	want := map[string][]int{"in_proj_weight": {18, 6}, "in_proj_bias": {18},
		"out_proj.weight": {6, 6}, "out_proj.bias": {6}}
	if diff := cmp.Diff(want, shapes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, b := range slices.Concat(m.InProjBias.Float32s(), m.OutProj.Bias.Float32s()) {
		if b != 0 {
			t.Fatalf("a bias of %v at first", b)
		}
	}
	bound := float32(math.Sqrt(6.0 / (6 + 18)))
	weights := m.InProjWeight.Float32s()
	if low, high := slices.Min(weights), slices.Max(weights); low < -bound || high > bound ||
		high < bound/2 {
		t.Errorf("weights from %v to %v, want ±%v", low, high, bound)
	}
	if got := m.String(); got != "MultiheadAttention(6, 3 heads)" {
		t.Errorf("got %s", got)
	}
}

// TestAttentionDropout: attention drops weights in training alone.
func TestAttentionDropout(t *testing.T) {
	m := NewMultiheadAttention(8, 2, MultiheadAttentionConfig{Dropout: 0.5})
	plain := NewMultiheadAttention(8, 2)
	if err := LoadStateDict(plain, StateDict(m)); err != nil {
		t.Fatal(err)
	}
	x := tensor.Randn(4, 6, 8)
	if slices.Equal(m.Forward(x).Float32s(), m.Forward(x).Float32s()) {
		t.Error("nothing is dropped in training")
	}
	Train(m, false)
	if !slices.Equal(m.Forward(x).Float32s(), plain.Forward(x).Float32s()) {
		t.Error("something is dropped in evaluation")
	}
}

func TestAttentionErrors(t *testing.T) {
	m := NewMultiheadAttention(4, 2)
	z := tensor.Zeros
	tests := []struct {
		want string
		f    func()
	}{
		{"multihead_attention: 6 features and 4 heads: the heads must divide the features",
			func() { NewMultiheadAttention(6, 4) }},
		{"multihead_attention: dropout 2 is not from 0 to 1",
			func() { NewMultiheadAttention(4, 2, MultiheadAttentionConfig{Dropout: 2}) }},
		{"multihead_attention: queries [2 3 5], keys [2 3 5] and values [2 3 5]: " +
			"they are [N, length, 4] or [length, 4]", func() { m.Forward(z(2, 3, 5)) }},
		{"multihead_attention: queries [2 3 4], keys [3 4] and values [3 4]: " +
			"they are [N, length, 4] or [length, 4]",
			func() { m.Attend(z(2, 3, 4), z(3, 4), z(3, 4)) }},
		{"transformer_encoder: 0 layers: must be at least 1",
			func() { NewTransformerEncoder(0, 4, 2) }},
	}
	for _, test := range tests {
		if got := reference.Mistake(test.f); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// plainNorm is layer normalisation of rows.
func plainNorm(l *LayerNorm, x matrix) matrix {
	weight, bias := l.Weight.Float64s(), l.Bias.Float64s()
	out := make(matrix, len(x))
	for i, row := range x {
		n := float64(len(row))
		mean, variance := 0.0, 0.0
		for _, v := range row {
			mean += v / n
		}
		for _, v := range row {
			variance += (v - mean) * (v - mean) / n
		}
		for j, v := range row {
			out[i] = append(out[i], (v-mean)/math.Sqrt(variance+1e-5)*weight[j]+bias[j])
		}
	}
	return out
}

func plainAdd(a, b matrix) matrix {
	out := make(matrix, len(a))
	for i := range a {
		for j := range a[i] {
			out[i] = append(out[i], a[i][j]+b[i][j])
		}
	}
	return out
}

func plainMap(x matrix, f func(float64) float64) matrix {
	out := make(matrix, len(x))
	for i, row := range x {
		for _, v := range row {
			out[i] = append(out[i], f(v))
		}
	}
	return out
}

// plainLayer is an encoder's layer.
func plainLayer(l *TransformerEncoderLayer, x matrix, act func(float64) float64,
	allowed func(i, j int) bool) matrix {
	attend := func(x matrix) matrix { return plainAttention(l.SelfAttn, x, x, x, allowed) }
	feed := func(x matrix) matrix {
		x = plainMap(plainLinear(x, l.Linear1.Weight, l.Linear1.Bias, 0, l.Linear1.Weight.Size(0)),
			act)
		return plainLinear(x, l.Linear2.Weight, l.Linear2.Bias, 0, l.Linear2.Weight.Size(0))
	}
	if l.normFirst {
		x = plainAdd(x, attend(plainNorm(l.Norm1, x)))
		return plainAdd(x, feed(plainNorm(l.Norm2, x)))
	}
	x = plainNorm(l.Norm1, plainAdd(x, attend(x)))
	return plainNorm(l.Norm2, plainAdd(x, feed(x)))
}

func TestTransformerEncoder(t *testing.T) {
	tensor.Seed(3)
	relu := func(v float64) float64 { return max(v, 0) }
	gelu := func(v float64) float64 { return v * (1 + math.Erf(v/math.Sqrt2)) / 2 }
	x := randn(5, 6)
	tests := []struct {
		config  TransformerEncoderConfig
		act     func(float64) float64
		allowed func(i, j int) bool
	}{
		{TransformerEncoderConfig{FeedForward: 7}, relu, everyone},
		{TransformerEncoderConfig{FeedForward: 7, NormFirst: true, Activation: NewGELU(),
			FinalNorm: true}, gelu, everyone},
		{TransformerEncoderConfig{FeedForward: 7, Causal: true}, relu, before},
	}
	for i, test := range tests {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			e := wide(NewTransformerEncoder(2, 6, 2, test.config))
			want := rowsOfTensor(x)
			for _, l := range e.Layers {
				want = plainLayer(l, want, test.act, test.allowed)
			}
			if e.Norm != nil {
				want = plainNorm(e.Norm, want)
			}
			closeTo(t, "result", e.Forward(x), want)
			batch := e.Forward(tensor.Stack([]*tensor.Tensor{x, x.Mul(2)}, 0))
			closeTo(t, "first of a batch", batch.Index(0), want)
		})
	}
	e := wide(NewTransformerEncoder(1, 6, 2, tests[0].config))
	got := e.Encode(x, AttentionConfig{Causal: true})
	closeTo(t, "mask", got, plainLayer(e.Layers[0], rowsOfTensor(x), relu, before))
}

func TestTransformerEncoderGradients(t *testing.T) {
	tensor.Seed(4)
	for _, first := range []bool{false, true} {
		l := wide(NewTransformerEncoderLayer(4, 2, TransformerEncoderConfig{FeedForward: 3,
			NormFirst: first, Activation: NewGELU()}))
		x := randn(2, 3, 4).SetRequiresGrad(true)
		err := tensor.GradCheck(func(in ...*tensor.Tensor) *tensor.Tensor {
			other, norm1, norm2 := *l, *l.Norm1, *l.Norm2
			other.SelfAttn = attentionOf(l.SelfAttn, in)
			other.Linear1, other.Linear2 = &Linear{in[4], in[5]}, &Linear{in[6], in[7]}
			norm1.Weight, norm1.Bias, norm2.Weight, norm2.Bias = in[8], in[9], in[10], in[11]
			other.Norm1, other.Norm2 = &norm1, &norm2
			return other.Forward(in[12])
		}, append(Parameters(l), x)...)
		if err != nil {
			t.Errorf("norm first %v: %v", first, err)
		}
	}
}

func TestTransformerEncoderNames(t *testing.T) {
	e := NewTransformerEncoder(2, 4, 2, TransformerEncoderConfig{FeedForward: 8, FinalNorm: true,
		Dropout: 0.1})
	var want []string
	for i := range 2 {
		for _, name := range []string{"self_attn.in_proj_weight", "self_attn.in_proj_bias",
			"self_attn.out_proj.weight", "self_attn.out_proj.bias", "linear1.weight",
			"linear1.bias", "linear2.weight", "linear2.bias", "norm1.weight", "norm1.bias",
			"norm2.weight", "norm2.bias"} {
			want = append(want, fmt.Sprintf("layers.%d.%s", i, name))
		}
	}
	want = append(want, "norm.weight", "norm.bias")
	if diff := cmp.Diff(want, names(e)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Each layer is drawn for itself.
	a, b := e.Layers[0].Linear1.Weight.Float32s(), e.Layers[1].Linear1.Weight.Float32s()
	if slices.Equal(a, b) {
		t.Error("both layers have the same weights")
	}
	x := tensor.Randn(3, 4)
	if slices.Equal(e.Forward(x).Float32s(), e.Forward(x).Float32s()) {
		t.Error("nothing is dropped in training")
	}
	Train(e, false)
	if !slices.Equal(e.Forward(x).Float32s(), e.Forward(x).Float32s()) {
		t.Error("something is dropped in evaluation")
	}
	want2 := "TransformerEncoder(2 layers of TransformerEncoderLayer(4, 2 heads, 8))"
	if got := e.String(); got != want2 {
		t.Errorf("got %s, want %s", got, want2)
	}
}
