package tensor

import (
	"math"

	"halfnote/tensor/internal/device"
)

// This file implements the measurements that gradient scaling, clipping and monitors take: each
// goes through the elements once, on their device.

// Stats counts what a tensor's elements would be in float16.
type Stats struct {
	Zeros      int     // exactly zero, or too small for float16
	Subnormals int     // below 2⁻¹⁴ but not zero: bits of precision are lost
	Infs, NaNs int     // not finite as they are
	Total      int     // elements in all
	SumSquares float64 // Σ x², in float64
	MaxAbs     float64 // the largest |x|
}

// Statistics returns the Stats of each tensor times scale. Nil tensors give zero Stats.
func Statistics(ts []*Tensor, scale float64) []Stats {
	out := make([]Stats, len(ts))
	for i, t := range ts {
		if t == nil {
			continue
		}
		s := t.backend("statistics").Stats(&t.arr, scale)
		out[i] = Stats{s.Zeros, s.Subnormals, s.Infs, s.NaNs, s.Total, s.SumSquares, s.MaxAbs}
	}
	return out
}

// NormFloat64 returns the p-norm of the elements of all tensors together, computed in float64;
// p may be infinite. Nil tensors are left out.
func NormFloat64(ts []*Tensor, p float64) float64 {
	var sum, top float64
	for _, t := range ts {
		if t == nil {
			continue
		}
		switch s := t.backend("norm").Stats(&t.arr, 1); {
		case s.NaNs > 0:
			top, sum = math.NaN(), math.NaN()
		case p == 1:
			sum += s.SumAbs
		case p == 2:
			sum += s.SumSquares
		case math.IsInf(p, 1):
			top = max(top, s.MaxAbs)
		default:
			sum += powers(t, p)
		}
	}
	if math.IsInf(p, 1) {
		return top
	}
	return math.Pow(sum, 1/p)
}

// powers returns Σ |x|ᵖ.
func powers(t *Tensor, p float64) (sum float64) {
	for _, v := range t.Float64s() {
		sum += math.Pow(math.Abs(v), p)
	}
	return sum
}

// UnscaleInPlace multiplies each gradient by inv in place, which is skipped where inv is 1. The
// result is Int64 of shape [len(grads), 2]: for each gradient how many elements are infinite and
// how many NaN, before the multiplication or only since. Nil gradients count nothing.
func UnscaleInPlace(grads []*Tensor, inv float32) *Tensor {
	counts := empty("unscale", CPU, Int64, []int{len(grads), 2})
	for i, g := range grads {
		if g == nil {
			continue
		}
		if !g.DType().IsFloat() {
			fail("unscale", "a gradient of %s; it is floating point", g.DType())
		}
		g.mayWrite("unscale")
		pair := device.Array{Data: counts.arr.Data, DType: counts.arr.DType, Offset: 2 * i,
			Shape: []int{2}, Strides: []int{1}}
		g.backend("unscale").Unscale(&g.arr, &pair, inv)
		if inv != 1 {
			g.wrote(&nameUnscale)
		}
	}
	return counts
}
