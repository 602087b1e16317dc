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

// Statistics returns the Stats of each tensor times scale. Nil tensors give zero Stats. It waits once
// for each device.
func Statistics(ts []*Tensor, scale float64) []Stats {
	out := make([]Stats, len(ts))
	for at, places := range byDevice(ts) {
		arrays := make([]*device.Array, len(places))
		for k, i := range places {
			arrays[k] = &ts[i].arr
		}
		all := statsThere(at, arrays, scale, nil).Float64s()
		for k, i := range places {
			s := all[k*device.StatsLen:]
			out[i] = Stats{
				Zeros: int(s[device.StatsZeros]), Subnormals: int(s[device.StatsSubnormals]),
				Infs: int(s[device.StatsInfs]), NaNs: int(s[device.StatsNaNs]),
				Total:      int(s[device.StatsTotal]),
				SumSquares: s[device.StatsSumSquares], MaxAbs: s[device.StatsMaxAbs],
			}
		}
	}
	return out
}

// statsThere returns the numbers of Stats of arrays, [len(arrays), StatsLen], on their device.
func statsThere(at Device, arrays []*device.Array, scale float64, by *Tensor) *Tensor {
	found := empty("statistics", at, Float64, []int{len(arrays), device.StatsLen})
	found.backend("statistics").Stats(&found.arr, arrays, scale, by.array())
	return found
}

// stats returns t's own.
func (t *Tensor) stats() Stats { return Statistics([]*Tensor{t}, 1)[0] }

// byDevice returns where those on each device are in ts, but for nil.
func byDevice(ts []*Tensor) map[Device][]int {
	places := map[Device][]int{}
	for i, t := range ts {
		if t != nil {
			places[t.Device()] = append(places[t.Device()], i)
		}
	}
	return places
}

// NormFloat64 returns the p-norm of the elements of all tensors together, computed in float64 so
// that no power overflows or vanishes; p may be infinite. Nil tensors are left out. It waits for
// the device once.
func NormFloat64(ts []*Tensor, p float64) float64 {
	if norm := normTogether(ts, p); norm != nil {
		return norm.Item()
	}
	return 0
}

// normTogether is NormFloat64 as a tensor on the device of the first of ts, or nil where all are
// empty.
func normTogether(ts []*Tensor, p float64) (norm *Tensor) {
	if p != p {
		fail("norm", "the order is NaN")
	}
	var norms []*Tensor
	quietly(func() {
		for len(ts) > 0 {
			var arrays []*device.Array
			var here, rest []*Tensor // those of one device, and of others
			for _, t := range ts {
				switch {
				case t == nil || t.Numel() == 0:
				case here == nil || t.Device() == here[0].Device():
					if !t.DType().IsFloat() {
						fail("norm", "values of %s; floating point is needed, which To gives", t.DType())
					}
					here, arrays = append(here, t), append(arrays, &t.arr)
				default:
					rest = append(rest, t)
				}
			}
			if ts = rest; here == nil {
				continue
			}
			one := empty("norm", here[0].Device(), Float64, nil)
			one.backend("norm").Norm(&one.arr, arrays, p)
			if len(norms) > 0 {
				one = one.To(norms[0].Device())
			}
			norms = append(norms, one)
		}
		switch len(norms) {
		case 0:
		case 1:
			norm = norms[0]
		default:
			norm = composed(func() *Tensor { return Stack(norms, 0).norm(Float64, p, nil) })
		}
	})
	return norm
}

// UnscaleInPlace multiplies each gradient by inv in place, which is skipped where inv is 1. The
// result is Int64 of shape [len(grads), 2]: for each gradient how many elements are infinite and
// how many NaN, before the multiplication or only since. Nil gradients count nothing. All are on
// one device, and the result is there.
func UnscaleInPlace(grads []*Tensor, inv float32) *Tensor {
	counts, arrays := countsFor(grads)
	if len(arrays) == 0 {
		return counts
	}
	counts.backend("unscale").Unscale(arrays, &counts.arr, nil, inv, nil)
	if inv != 1 {
		noteStep(&nameUnscale, grads...)
	}
	return counts
}

// unscaleBy is UnscaleInPlace by the inverse of a scale on the device, and says whether something
// was found.
func unscaleBy(grads []*Tensor, scale *Tensor) (counts, found *Tensor) {
	counts, arrays := countsFor(grads)
	found = zeros("unscale", counts.Device(), Float32, nil)
	sameDevice("unscale", scale, counts)
	counts.backend("unscale").Unscale(arrays, &counts.arr, &found.arr, 0, &scale.arr)
	noteStep(&nameUnscale, grads...)
	return counts, found
}

// countsFor returns room for what is found in gradients that can be unscaled, and their elements:
// for nil none, which nothing is found in.
func countsFor(grads []*Tensor) (counts *Tensor, arrays []*device.Array) {
	at := CPU
	for _, g := range grads {
		if g != nil {
			at = g.Device()
			break
		}
	}
	counts = zeros("unscale", at, Int64, []int{len(grads), 2})
	arrays = make([]*device.Array, len(grads))
	for i, g := range grads {
		if g == nil {
			arrays[i] = &device.Array{Data: counts.arr.Data, DType: device.Float32, Shape: []int{0},
				Strides: []int{1}}
			continue
		}
		if !g.DType().IsFloat() {
			fail("unscale", "a gradient of %s; it is floating point", g.DType())
		}
		sameDevice("unscale", g, counts)
		g.writable("unscale") // never recorded, as an optimizer's step
		arrays[i] = &g.arr
	}
	return counts, arrays
}
