package tensor

import "halfnote/tensor/internal/device"

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
		out[i] = Stats(t.backend("statistics").Stats(&t.arr, scale))
	}
	return out
}

// NormFloat64 returns the p-norm of the elements of all tensors together, computed in float64 so
// that no power overflows or vanishes; p may be infinite. Nil tensors are left out. It waits for
// the device once.
func NormFloat64(ts []*Tensor, p float64) (norm float64) {
	var norms []*Tensor
	quietly(func() {
		for _, t := range ts {
			if t != nil && t.Numel() > 0 {
				one := t.norm(Float64, p, nil)
				if len(norms) > 0 {
					one = one.To(norms[0].Device())
				}
				norms = append(norms, one)
			}
		}
		if len(norms) > 0 {
			norm = composed(func() *Tensor { return Stack(norms, 0).norm(Float64, p, nil) }).Item()
		}
	})
	return norm
}

// UnscaleInPlace multiplies each gradient by inv in place, which is skipped where inv is 1. The
// result is Int64 of shape [len(grads), 2]: for each gradient how many elements are infinite and
// how many NaN, before the multiplication or only since. Nil gradients count nothing. All are on
// one device, and the result is there.
func UnscaleInPlace(grads []*Tensor, inv float32) *Tensor {
	at := CPU
	for _, g := range grads {
		if g != nil {
			at = g.Device()
			break
		}
	}
	counts := zeros("unscale", at, Int64, []int{len(grads), 2})
	for i, g := range grads {
		if g == nil {
			continue
		}
		if !g.DType().IsFloat() {
			fail("unscale", "a gradient of %s; it is floating point", g.DType())
		}
		sameDevice("unscale", g, counts)
		g.writable("unscale") // never recorded, as an optimizer's step
		pair := device.Array{Data: counts.arr.Data, DType: counts.arr.DType, Offset: 2 * i,
			Shape: []int{2}, Strides: []int{1}}
		g.backend("unscale").Unscale(&g.arr, &pair, inv)
		if inv != 1 {
			g.wrote(&nameUnscale)
		}
	}
	return counts
}
