package nn

import (
	"fmt"
	"slices"

	"halfnote/internal/own"
	"halfnote/tensor"
)

// MultiheadAttention lets each position of a sequence take in what others hold: H times attention
// over E/H features each, between four linear maps. Batches come first: x is [N, L, E] or [L, E].
// The tensors have PyTorch's names and shapes.
type MultiheadAttention struct {
	InProjWeight *tensor.Tensor `nn:"in_proj_weight"` // [3·E, E]: for queries, keys and values
	InProjBias   *tensor.Tensor `nn:"in_proj_bias"`   // [3·E], or nil
	OutProj      *Linear        `nn:"out_proj"`

	heads    int
	config   MultiheadAttentionConfig `nn:"-"`
	evaluate bool
}

// MultiheadAttentionConfig holds the options of [NewMultiheadAttention].
type MultiheadAttentionConfig struct {
	Dropout float64 // the share of the attention weights that are dropped in training
	NoBias  bool
	Causal  bool // Forward and Attend let a position see itself and earlier ones only
}

// AttentionConfig says who attends to whom. Unlike in PyTorch's MultiheadAttention, and as in its
// scaled_dot_product_attention, a Bool mask is true where attention is allowed.
type AttentionConfig = tensor.AttentionConfig

// NewMultiheadAttention returns a layer for embed features and that many heads in float32, drawn as
// PyTorch draws it: the input's weight by Xavier's uniform distribution, zero for the biases. It
// panics with a [*tensor.Error] unless heads divides embed and Dropout is from 0 to 1.
func NewMultiheadAttention(
	embed, heads int, config ...MultiheadAttentionConfig,
) *MultiheadAttention {
	const op = "multihead_attention"
	c := option(op, config)
	switch {
	case embed < 1 || heads < 1 || embed%heads != 0:
		fail(op, "%d features and %d heads: the heads must divide the features", embed, heads)
	case !(c.Dropout >= 0 && c.Dropout <= 1):
		fail(op, "dropout %v is not from 0 to 1", c.Dropout)
	}
	m := &MultiheadAttention{heads: heads, config: c,
		InProjWeight: XavierUniform(tensor.Zeros(3*embed, embed)).SetRequiresGrad(true),
		OutProj:      NewLinear(embed, embed, LinearConfig{NoBias: c.NoBias})}
	if !c.NoBias {
		m.InProjBias = tensor.Zeros(3 * embed).SetRequiresGrad(true)
		tensor.NoGrad(func() { m.OutProj.Bias.ZeroInPlace() })
	}
	return m
}

// Forward returns what each position of x [N, L, E] or [L, E] takes in from the positions of x.
func (m *MultiheadAttention) Forward(x *tensor.Tensor) *tensor.Tensor {
	return m.Attend(x, x, x)
}

// Attend returns what the queries [N, L, E] take in from the values [N, S, E] with the keys
// [N, S, E]; without a batch they are [L, E] and [S, E]. The mask is [L, S], [N, L, S] or
// [N, H, L, S], with sizes that may be 1: [N, 1, S] leaves out the padding of each sequence. The
// layer's own Causal and Dropout count where the config has none; in evaluation nothing is dropped.
// It panics with a [*tensor.Error] if shapes do not fit.
func (m *MultiheadAttention) Attend(
	q, k, v *tensor.Tensor, config ...AttentionConfig,
) *tensor.Tensor {
	const op = "multihead_attention"
	c := option(op, config)
	given(op, q, k, v)
	embed := m.OutProj.Weight.Size(0)
	for _, t := range []*tensor.Tensor{q, k, v} {
		if t.Dim() != q.Dim() || t.Dim() != 2 && t.Dim() != 3 || t.Size(-1) != embed {
			fail(op, "queries %v, keys %v and values %v: they are [N, length, %d] or [length, %d]",
				q.Shape(), k.Shape(), v.Shape(), embed, embed)
		}
	}
	c.Causal = c.Causal || m.config.Causal
	if c.Dropout == 0 {
		c.Dropout = m.config.Dropout
	}
	if m.evaluate {
		c.Dropout = 0
	}
	if c.Mask != nil && c.Mask.Dim() == 3 {
		c.Mask = c.Mask.Unsqueeze(1)
	}
	shape := q.Shape()
	qs, ks, vs := m.project(q, k, v)
	heads := value{tensor.ScaledDotProductAttention(qs, ks, vs, c), true}
	for _, x := range []*tensor.Tensor{qs, ks, vs} {
		own.Drop(x)
	}
	out := heads.became(heads.Transpose(-3, -2).Reshape(shape...))
	return ran(m, out.through(m.OutProj).Tensor)
}

// project maps to queries, keys and values [N, H, length, E/H], in one product if all are of one
// tensor.
func (m *MultiheadAttention) project(q, k, v *tensor.Tensor) (qs, ks, vs *tensor.Tensor) {
	embed := q.Size(-1)
	if q == k && k == v {
		all := tensor.Linear(q, m.InProjWeight, m.InProjBias)
		return m.split(all.Narrow(-1, 0, embed)), m.split(all.Narrow(-1, embed, embed)),
			m.split(all.Narrow(-1, 2*embed, embed))
	}
	part := func(i int, x *tensor.Tensor) *tensor.Tensor {
		var bias *tensor.Tensor
		if m.InProjBias != nil {
			bias = m.InProjBias.Narrow(0, i*embed, embed)
		}
		return m.split(tensor.Linear(x, m.InProjWeight.Narrow(0, i*embed, embed), bias))
	}
	return part(0, q), part(1, k), part(2, v)
}

// split cuts the features in heads: [..., L, E] becomes [..., H, L, E/H].
func (m *MultiheadAttention) split(x *tensor.Tensor) *tensor.Tensor {
	shape := x.Shape()
	last := len(shape) - 1
	shape = append(slices.Clone(shape[:last]), m.heads, shape[last]/m.heads)
	return x.Reshape(shape...).Transpose(-3, -2)
}

// Train says whether attention weights are dropped.
func (m *MultiheadAttention) Train(on bool) { m.evaluate = !on }

// Training reports whether attention weights are dropped.
func (m *MultiheadAttention) Training() bool { return !m.evaluate }

// String names the layer and its sizes.
func (m *MultiheadAttention) String() string {
	return fmt.Sprintf("MultiheadAttention(%d, %d heads)", m.OutProj.Weight.Size(0), m.heads)
}
