package nn

import (
	"fmt"

	"halfnote/tensor"
)

// Embedding is a table of vectors: the ids [...] in a tensor of integers become rows [..., size].
type Embedding struct {
	Weight *tensor.Tensor `nn:"weight"` // [number, size]

	config EmbeddingConfig
}

// EmbeddingConfig holds the options of [NewEmbedding]: PaddingIndex is an id whose vector is zero
// at first and gets no gradient.
type EmbeddingConfig = tensor.EmbeddingConfig

// NewEmbedding returns a table of that many vectors of a size in float32, drawn from the standard
// normal distribution as PyTorch does. It panics with a [*tensor.Error] if a number is less than 1
// or the padding is no id.
func NewEmbedding(number, size int, config ...EmbeddingConfig) *Embedding {
	if number < 1 || size < 1 {
		fail("embedding", "%d vectors of size %d: both must be at least 1", number, size)
	}
	e := &Embedding{tensor.Randn(number, size), option("embedding", config)}
	if padding := e.config.PaddingIndex; padding != nil {
		at := *padding
		if at < -number || at >= number {
			fail("embedding", "padding index %d of %d vectors", at, number)
		}
		e.Weight.Index(at).ZeroInPlace()
	}
	e.Weight.SetRequiresGrad(true)
	return e
}

// Forward returns the vectors of ids; it panics with a [*tensor.Error] for one that has none.
func (e *Embedding) Forward(ids *tensor.Tensor) *tensor.Tensor {
	return ran(e, tensor.Embedding(e.Weight, ids, e.config))
}

// String names the layer and its sizes.
func (e *Embedding) String() string {
	return fmt.Sprintf("Embedding(%d, %d)", e.Weight.Size(0), e.Weight.Size(1))
}
