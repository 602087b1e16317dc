package tensor

// This file implements how ops of several steps are computed on 16-bit formats: in float32, and
// rounded once at the end.

// wide returns the type in which sums over values of type d are kept.
func wide(d DType) DType {
	if d.isHalf() {
		return Float32
	}
	return d
}

// widen returns t in the type in which ops of several steps are computed.
func (t *Tensor) widen() *Tensor { return t.To(wide(t.DType())) }

// wide returns kept tensor number k, widened.
func (n *node) wide(k int) *Tensor { return n.get(k).widen() }

// widely computes an op of several steps on tensors in the wide type, under no cast state, and
// rounds the result to dtype.
func widely(dtype DType, f func(ts []*Tensor) *Tensor, ts ...*Tensor) *Tensor {
	return composed(func() *Tensor {
		w := make([]*Tensor, len(ts))
		for i, t := range ts {
			if t != nil {
				w[i] = t.widen()
			}
		}
		return f(w).To(dtype)
	})
}
