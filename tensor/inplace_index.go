package tensor

// This file implements the in-place forms of the ops that index and multiply.

// The names under which they appear in messages about kept tensors.
var (
	nameScatter       = "ScatterInPlace"
	nameScatterAdd    = "ScatterAddInPlace"
	nameScatterReduce = "ScatterReduceInPlace"
	nameIndexAdd      = "IndexAddInPlace"
	nameIndexCopy     = "IndexCopyInPlace"
	nameIndexFill     = "IndexFillInPlace"
	nameIndexPut      = "IndexPutInPlace"
	nameTril          = "TrilInPlace"
	nameTriu          = "TriuInPlace"
	nameMM            = "MMFrom"
	nameAddmm         = "AddmmInPlace"
	nameBaddbmm       = "BaddbmmInPlace"
	nameAddbmm        = "AddbmmInPlace"
	nameAddmv         = "AddmvInPlace"
	nameAddr          = "AddrInPlace"
)

// ScatterInPlace is Scatter into t itself, which it returns.
func (t *Tensor) ScatterInPlace(axis int, index *Tensor, src any) *Tensor {
	return t.rewrite(&nameScatter, func(x *Tensor) *Tensor { return x.Scatter(axis, index, src) })
}

// ScatterAddInPlace is ScatterAdd to t itself, which it returns.
func (t *Tensor) ScatterAddInPlace(axis int, index, src *Tensor) *Tensor {
	return t.rewrite(&nameScatterAdd, func(x *Tensor) *Tensor {
		return x.ScatterAdd(axis, index, src)
	})
}

// ScatterReduceInPlace is ScatterReduce into t itself, which it returns.
func (t *Tensor) ScatterReduceInPlace(axis int, index, src *Tensor, reduce string,
	includeSelf bool) *Tensor {
	return t.rewrite(&nameScatterReduce, func(x *Tensor) *Tensor {
		return x.ScatterReduce(axis, index, src, reduce, includeSelf)
	})
}

// IndexAddInPlace is IndexAdd to t itself, which it returns.
func (t *Tensor) IndexAddInPlace(axis int, index, src *Tensor, alpha ...float64) *Tensor {
	return t.rewrite(&nameIndexAdd, func(x *Tensor) *Tensor {
		return x.IndexAdd(axis, index, src, alpha...)
	})
}

// IndexCopyInPlace is IndexCopy into t itself, which it returns.
func (t *Tensor) IndexCopyInPlace(axis int, index, src *Tensor) *Tensor {
	return t.rewrite(&nameIndexCopy, func(x *Tensor) *Tensor {
		return x.IndexCopy(axis, index, src)
	})
}

// IndexFillInPlace is IndexFill of t itself, which it returns.
func (t *Tensor) IndexFillInPlace(axis int, index *Tensor, v any) *Tensor {
	return t.rewrite(&nameIndexFill, func(x *Tensor) *Tensor { return x.IndexFill(axis, index, v) })
}

// IndexPutInPlace is IndexPut into t itself, which it returns: PyTorch's t[i, j] = values, or +=.
func (t *Tensor) IndexPutInPlace(indices []any, values any, accumulate bool) *Tensor {
	return t.rewrite(&nameIndexPut, func(x *Tensor) *Tensor {
		return x.IndexPut(indices, values, accumulate)
	})
}

// TrilInPlace sets what lies above a diagonal of t to zero, as Tril, and returns t.
func (t *Tensor) TrilInPlace(diagonal ...int) *Tensor {
	return t.rewrite(&nameTril, func(x *Tensor) *Tensor { return x.Tril(diagonal...) })
}

// TriuInPlace sets what lies below a diagonal of t to zero, as Triu, and returns t.
func (t *Tensor) TriuInPlace(diagonal ...int) *Tensor {
	return t.rewrite(&nameTriu, func(x *Tensor) *Tensor { return x.Triu(diagonal...) })
}

// MMFrom overwrites t with the product of two matrices of its dtype and returns t: PyTorch's
// mm(a, b, out=t).
func (t *Tensor) MMFrom(a, b *Tensor) *Tensor {
	sameDType("mm", t, a)
	return t.rewrite(&nameMM, func(*Tensor) *Tensor { return a.MM(b) })
}

// AddmmInPlace is Addmm into t itself, which it returns.
func (t *Tensor) AddmmInPlace(a, b *Tensor, beta, alpha float64) *Tensor {
	return t.rewrite(&nameAddmm, func(x *Tensor) *Tensor { return x.Addmm(a, b, beta, alpha) })
}

// BaddbmmInPlace is Baddbmm into t itself, which it returns.
func (t *Tensor) BaddbmmInPlace(a, b *Tensor, beta, alpha float64) *Tensor {
	return t.rewrite(&nameBaddbmm, func(x *Tensor) *Tensor { return x.Baddbmm(a, b, beta, alpha) })
}

// AddbmmInPlace is Addbmm into t itself, which it returns.
func (t *Tensor) AddbmmInPlace(a, b *Tensor, beta, alpha float64) *Tensor {
	return t.rewrite(&nameAddbmm, func(x *Tensor) *Tensor { return x.Addbmm(a, b, beta, alpha) })
}

// AddmvInPlace is Addmv into t itself, which it returns.
func (t *Tensor) AddmvInPlace(a, v *Tensor, beta, alpha float64) *Tensor {
	return t.rewrite(&nameAddmv, func(x *Tensor) *Tensor { return x.Addmv(a, v, beta, alpha) })
}

// AddrInPlace is Addr into t itself, which it returns.
func (t *Tensor) AddrInPlace(u, v *Tensor, beta, alpha float64) *Tensor {
	return t.rewrite(&nameAddr, func(x *Tensor) *Tensor { return x.Addr(u, v, beta, alpha) })
}
