package tensor

// An EmbeddingConfig changes how Embedding works.
type EmbeddingConfig struct {
	PaddingIndex *int // the row that receives no gradient; negative ones count from the end
}

// Embedding returns the rows of weight, of shape [N, D], that ids name: Int64 of any shape, to
// which the result adds a last dimension of D elements. The gradient of the weight is dense, and
// adds up for a row that is named more than once, in the order of the ids.
func Embedding(weight, ids *Tensor, config ...EmbeddingConfig) *Tensor {
	const op = "embedding"
	c := one(op, config)
	given(op, weight, ids)
	weight = cast(op, weight)
	if weight.Dim() != 2 {
		fail(op, "weight of shape %v; it is [N, D]", weight.arr.Shape)
	}
	sameDevice(op, weight, ids)
	if ids.DType() != Int64 {
		fail(op, "ids of %s; they are int64", ids.DType())
	}
	rows := weight.arr.Shape[0]
	shape := append(ids.Shape(), weight.arr.Shape[1])
	checkShape(op, shape)
	size := weight.Shape()
	safe := check{op: op, n: rows, explain: func(at []int, id int64) {
		fail(op, "id %d at %v is no row of the weight of shape %v", id, at, size)
	}}.of(ids)
	skip := -1
	if c.PaddingIndex != nil {
		if skip = *c.PaddingIndex; skip < 0 {
			skip += rows
		}
		if skip < 0 || skip >= rows {
			fail(op, "padding index %d is no row of the weight of shape %v", *c.PaddingIndex,
				weight.arr.Shape)
		}
	}
	flat := safe.Reshape(-1)
	return composed(func() *Tensor {
		if skip >= 0 {
			weight = weight.withoutGradient(skip)
		}
		return weight.gather(op, 0, weight.along(0, flat)).Reshape(shape...)
	})
}

// withoutGradient returns a view of t, one of whose rows receives no gradient.
func (t *Tensor) withoutGradient(row int) *Tensor {
	out := t.Detach()
	record("embedding", out, func(_ *node, g *Tensor, _ int) *Tensor {
		index := g.Device().int64s([]int64{int64(row)}, 1)
		return g.indexFill("index_fill", 0, index, full(g, 0))
	}, t)
	return out
}
