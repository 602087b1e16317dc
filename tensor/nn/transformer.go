package nn

import (
	"fmt"

	"halfnote/tensor"
)

// TransformerEncoderLayer is self-attention and then two linear maps with an activation between
// them, each with a residual connection and a normalisation, see https://arxiv.org/abs/1706.03762.
// x is [N, L, E] or [L, E]. The tensors have PyTorch's names and shapes.
type TransformerEncoderLayer struct {
	SelfAttn *MultiheadAttention `nn:"self_attn"`
	Linear1  *Linear             `nn:"linear1"` // [feed-forward, E]
	Linear2  *Linear             `nn:"linear2"` // [E, feed-forward]
	Norm1    *LayerNorm          `nn:"norm1"`
	Norm2    *LayerNorm          `nn:"norm2"`

	dropout, dropout1, dropout2 *Dropout
	activation                  Module
	normFirst                   bool
}

// TransformerEncoderConfig holds the options of [NewTransformerEncoderLayer] and
// [NewTransformerEncoder].
type TransformerEncoderConfig struct {
	FeedForward int     // features between the linear maps; zero means 2048
	Dropout     float64 // PyTorch's default of 0.1 must be given
	Activation  Module  // nil means ReLU; layers of an encoder share it
	NormFirst   bool    // normalise what goes into attention and the linear maps, not the sums
	NoBias      bool
	Eps         float64 // of the normalisations; zero means 1e-5
	Causal      bool    // a position sees itself and earlier ones only
	FinalNorm   bool    // NewTransformerEncoder: normalise the end result, usual with NormFirst
}

// NewTransformerEncoderLayer returns a layer for embed features and that many heads in float32. It
// panics with a [*tensor.Error] if a size is less than 1, heads does not divide embed, or Dropout
// is not from 0 to 1.
func NewTransformerEncoderLayer(
	embed, heads int, config ...TransformerEncoderConfig,
) *TransformerEncoderLayer {
	c := option("transformer_encoder_layer", config)
	if c.FeedForward == 0 {
		c.FeedForward = 2048
	}
	if c.Activation == nil {
		c.Activation = NewReLU()
	}
	linear := LinearConfig{NoBias: c.NoBias}
	norm := NormConfig{Eps: c.Eps, NoBias: c.NoBias}
	return &TransformerEncoderLayer{
		SelfAttn: NewMultiheadAttention(embed, heads, MultiheadAttentionConfig{
			Dropout: c.Dropout, NoBias: c.NoBias, Causal: c.Causal}),
		Linear1: NewLinear(embed, c.FeedForward, linear),
		Linear2: NewLinear(c.FeedForward, embed, linear),
		Norm1:   NewLayerNorm(embed, norm),
		Norm2:   NewLayerNorm(embed, norm),

		dropout:    NewDropout(c.Dropout),
		dropout1:   NewDropout(c.Dropout),
		dropout2:   NewDropout(c.Dropout),
		activation: c.Activation,
		normFirst:  c.NormFirst,
	}
}

// Forward returns the layer's result for x, in the shape of x.
func (l *TransformerEncoderLayer) Forward(x *tensor.Tensor) *tensor.Tensor { return l.Encode(x) }

// Encode is Forward with a mask, see [MultiheadAttention.Attend].
func (l *TransformerEncoderLayer) Encode(
	x *tensor.Tensor, config ...AttentionConfig,
) *tensor.Tensor {
	v := value{Tensor: x}
	if l.normFirst {
		v = v.plus(l.attend(v.beside(l.Norm1), config))
		return ran(l, v.plus(l.feed(v.beside(l.Norm2))).Tensor)
	}
	v = v.plus(l.attend(v.kept(), config)).through(l.Norm1)
	return ran(l, v.plus(l.feed(v.kept())).through(l.Norm2).Tensor)
}

func (l *TransformerEncoderLayer) attend(v value, config []AttentionConfig) value {
	return v.became(l.SelfAttn.Attend(v.Tensor, v.Tensor, v.Tensor, config...)).through(l.dropout1)
}

func (l *TransformerEncoderLayer) feed(v value) value {
	v = v.through(l.Linear1).through(l.activation).through(l.dropout)
	return v.through(l.Linear2).through(l.dropout2)
}

// String names the layer and its sizes.
func (l *TransformerEncoderLayer) String() string {
	return fmt.Sprintf("TransformerEncoderLayer(%d, %d heads, %d)",
		l.Linear1.Weight.Size(1), l.SelfAttn.heads, l.Linear1.Weight.Size(0))
}

// TransformerEncoder is a stack of layers, each drawn for itself.
type TransformerEncoder struct {
	Layers []*TransformerEncoderLayer `nn:"layers"`
	Norm   *LayerNorm                 `nn:"norm"` // or nil
}

// NewTransformerEncoder returns a stack of that many layers, made as by
// [NewTransformerEncoderLayer]. It panics as that does, and if there are less than 1.
func NewTransformerEncoder(
	layers, embed, heads int, config ...TransformerEncoderConfig,
) *TransformerEncoder {
	c := option("transformer_encoder", config)
	if layers < 1 {
		fail("transformer_encoder", "%d layers: must be at least 1", layers)
	}
	e := &TransformerEncoder{}
	for range layers {
		e.Layers = append(e.Layers, NewTransformerEncoderLayer(embed, heads, c))
	}
	if c.FinalNorm {
		e.Norm = NewLayerNorm(embed, NormConfig{Eps: c.Eps, NoBias: c.NoBias})
	}
	return e
}

// Forward passes x [N, L, E] or [L, E] through the layers.
func (e *TransformerEncoder) Forward(x *tensor.Tensor) *tensor.Tensor { return e.Encode(x) }

// Encode is Forward with a mask, see [MultiheadAttention.Attend].
func (e *TransformerEncoder) Encode(
	x *tensor.Tensor, config ...AttentionConfig,
) *tensor.Tensor {
	v := value{Tensor: x}
	for _, l := range e.Layers {
		y := l.Encode(v.Tensor, config...)
		if keepsNothing(l) {
			v = v.became(y)
		} else {
			v = value{Tensor: y}
		}
	}
	if e.Norm != nil {
		v = v.through(e.Norm)
	}
	return ran(e, v.Tensor)
}

// String names the stack and its sizes.
func (e *TransformerEncoder) String() string {
	return fmt.Sprintf("TransformerEncoder(%d layers of %v)", len(e.Layers), e.Layers[0])
}
