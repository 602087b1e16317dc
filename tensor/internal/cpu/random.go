package cpu

import (
	"math"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// Random implements device.Backend.
func (Backend) Random(out *device.Array, d device.Draw) {
	if d.Kind == device.Integers {
		fill(out, func(dst []int64, first int) {
			for k := range dst {
				dst[k] = d.Low + int64(Below(d.N, d.Seed, d.Counter, first+k))
			}
		})
		return
	}
	fill(out, drawer(out.DType, d))
}

// fill calls draw for pieces of out, each with the number of its first element.
func fill[T number](out *device.Array, draw func(dst []T, first int)) {
	l := makeLoop(out)
	pool.Split(l.total, grainMath, func(lo, hi int) {
		part := l
		part.seek(lo, hi)
		var buf [chunk]T
		for {
			off, n := part.next(chunk)
			if n == 0 {
				return
			}
			draw(buf[:n], lo)
			store(out, off[0], part.step[0], buf[:n])
			lo += n
		}
	})
}

// drawer returns what computes elements of d, from the one with number first on.
func drawer(dtype device.DType, d device.Draw) func(dst []float64, first int) {
	switch wide := dtype == device.Float64; {
	case d.Kind == device.Bernoulli:
		limit := BernoulliLimit(d.A)
		return blockwise(4, func(block uint64) (v [4]float64) {
			for i, w := range Philox(d.Seed, d.Counter+block, 0) {
				v[i] = float64(isBelow(w, limit))
			}
			return v
		})
	case d.Kind == device.Uniform:
		return uniform(dtype, d)
	case wide:
		return blockwise(2, func(block uint64) (v [4]float64) {
			w := long(Philox(d.Seed, d.Counter+block, 0))
			v[0], v[1] = boxMuller(d, float64(w[0]>>11+1)*0x1p-53, float64(w[1]>>11)*0x1p-53)
			return v
		})
	}
	return blockwise(4, func(block uint64) (v [4]float64) {
		w := Philox(d.Seed, d.Counter+block, 0)
		for i := 0; i < 4; i += 2 {
			v[i], v[i+1] = boxMuller(d, (float64(w[i])+1)*0x1p-32, float64(w[i+1])*0x1p-32)
		}
		return v
	})
}

// uniform returns what computes uniform numbers, so that rounding to dtype keeps the bounds.
func uniform(dtype device.DType, d device.Draw) func(dst []float64, first int) {
	low, high := UniformBounds(dtype, d.A, d.B)
	within := func(u float64) float64 {
		v := d.A + float64(u*(d.B-d.A)) // the conversion forbids to fuse the two
		if low <= high {
			v = min(max(v, low), high)
		}
		return v
	}
	if dtype == device.Float64 {
		return blockwise(2, func(block uint64) (v [4]float64) {
			for i, w := range long(Philox(d.Seed, d.Counter+block, 0)) {
				v[i] = within(float64(w>>11) * 0x1p-53)
			}
			return v
		})
	}
	return blockwise(4, func(block uint64) (v [4]float64) {
		for i, w := range Philox(d.Seed, d.Counter+block, 0) {
			v[i] = within(float64(w>>8) * 0x1p-24)
		}
		return v
	})
}

// boxMuller returns two independent normal numbers for a v in (0, 1] and a u in [0, 1).
func boxMuller(d device.Draw, v, u float64) (x, y float64) {
	radius := d.B * math.Sqrt(-2*math.Log(v))
	sin, cos := math.Sincos(2 * math.Pi * u)
	return d.A + float64(radius*cos), d.A + float64(radius*sin)
}

// blockwise returns what computes any run of elements out of whole blocks of per elements.
func blockwise(per int, block func(number uint64) [4]float64) func(dst []float64, first int) {
	return func(dst []float64, first int) {
		for len(dst) > 0 {
			values := block(uint64(first / per))
			n := copy(dst, values[first%per:per])
			dst = dst[n:]
			first += n
		}
	}
}

// UniformBounds returns the least and the largest number of dtype that is at least a and less than b. There
// is none where the first is larger than the second.
func UniformBounds(dtype device.DType, a, b float64) (least, most float64) {
	return atLeast(dtype, a), -above(dtype, -b)
}

// BernoulliLimit is what a word is less than with probability p.
func BernoulliLimit(p float64) uint64 { return uint64(math.RoundToEven(p * 0x1p32)) }

// atLeast returns the least number of dtype that is not less than v.
func atLeast(dtype device.DType, v float64) float64 {
	r := rounded(dtype, v)
	if r >= v {
		return r
	}
	return above(dtype, v)
}

// above returns the least number of dtype that is more than v.
func above(dtype device.DType, v float64) float64 {
	r := rounded(dtype, v)
	if r > v {
		return r
	}
	up := func(bits uint16) uint16 { // the next larger one in either 16-bit format
		switch {
		case bits == 0x8000: // −0
			return 1
		case bits > 0x8000:
			return bits - 1
		}
		return bits + 1
	}
	switch dtype {
	case device.Float64:
		return math.Nextafter(r, math.Inf(1))
	case device.Float16:
		return float64(simd.Float16ToFloat32(up(simd.Float32ToFloat16(float32(r)))))
	case device.BFloat16:
		return float64(simd.BFloat16ToFloat32(up(simd.Float32ToBFloat16(float32(r)))))
	}
	return float64(math.Nextafter32(float32(r), float32(math.Inf(1))))
}

// rounded returns v as dtype holds it.
func rounded(dtype device.DType, v float64) float64 {
	switch dtype {
	case device.Float64:
		return v
	case device.Float16:
		return float64(simd.Float16ToFloat32(simd.Float32ToFloat16(float32(v))))
	case device.BFloat16:
		return float64(simd.BFloat16ToFloat32(simd.Float32ToBFloat16(float32(v))))
	}
	return float64(float32(v))
}

// Dropout implements device.Backend.
func (Backend) Dropout(out, x *device.Array, d device.Draw, scale float64) {
	if out.DType.ComputeIn() == device.Float64 {
		dropout[float64](out, x, d, scale)
		return
	}
	dropout[float32](out, x, d, scale)
}

func dropout[T float](out, x *device.Array, d device.Draw, scale float64) {
	l := makeLoop(out, x)
	limit := BernoulliLimit(d.A)
	pool.Split(l.total, grainMath, func(lo, hi int) {
		part := l
		part.seek(lo, hi)
		var mask, bufX, bufOut [chunk]T
		for {
			off, n := part.next(chunk)
			if n == 0 {
				return
			}
			dropMask(mask[:n], lo, limit, d, T(scale))
			src, dst := row(bufX[:], x, off[1], part.step[1], n), bufOut[:n]
			if direct[T](&part, 0, out) {
				dst = elems[T](out, off[0], 1, n)
			}
			for i, m := range mask[:n] {
				dst[i] = src[i] * m
			}
			if !direct[T](&part, 0, out) {
				store(out, off[0], part.step[0], dst)
			}
			lo += n
		}
	})
}

// dropMask sets mask to scale or 0, from the element with number first on. Half of all branches on
// random words would be predicted wrong, so the value is looked up.
func dropMask[T float](mask []T, first int, limit uint64, d device.Draw, scale T) {
	values := [2]T{0, scale}
	for len(mask) > 0 {
		w := Philox(d.Seed, d.Counter+uint64(first/4), 0)
		if lane := first % 4; lane > 0 || len(mask) < 4 {
			n := min(len(mask), 4-lane)
			for i, w := range w[lane:][:n] {
				mask[i] = values[isBelow(w, limit)]
			}
			mask = mask[n:]
			first += n
			continue
		}
		m := mask[:4]
		m[0], m[1] = values[isBelow(w[0], limit)], values[isBelow(w[1], limit)]
		m[2], m[3] = values[isBelow(w[2], limit)], values[isBelow(w[3], limit)]
		mask = mask[4:]
		first += 4
	}
}

// isBelow returns 1 where the word is less than the limit, which is 2³² at most, and else 0.
func isBelow(word uint32, limit uint64) uint64 { return (uint64(word) - limit) >> 63 }
