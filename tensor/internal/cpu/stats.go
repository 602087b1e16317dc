package cpu

import (
	"math"
	"sync/atomic"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// Unscale implements device.Backend.
func (Backend) Unscale(x, counts *device.Array, inv float32) {
	var infs, nans atomic.Int64
	l := makeLoop(x)
	pool.Split(l.total, grainCheap, func(lo, hi int) {
		part := l
		part.seek(lo, hi)
		var i, n int
		if x.DType == device.Float64 {
			i, n = unscale(&part, x, float64(inv))
		} else {
			i, n = unscale(&part, x, inv)
		}
		infs.Add(int64(i))
		nans.Add(int64(n))
	})
	found := elems[int64](counts, counts.Offset, 1, 2)
	found[0] += infs.Load()
	found[1] += nans.Load()
}

// unscale multiplies and counts. The result is stored first, because a 16-bit or float32 gradient
// may overflow only when it is rounded.
func unscale[T float](l *loop, x *device.Array, inv T) (infs, nans int) {
	var buf [chunk]T
	for {
		off, n := l.next(chunk)
		if n == 0 {
			return infs, nans
		}
		xs := row(buf[:], x, off[0], l.step[0], n)
		i, k := nonFinite(xs)
		infs, nans = infs+i, nans+k
		if inv == 1 {
			continue
		}
		for j := range xs {
			xs[j] *= inv
		}
		if !direct[T](l, 0, x) {
			store(x, off[0], l.step[0], xs)
			load(xs, x, off[0], l.step[0])
		}
		born, bornNaN := nonFinite(xs)
		infs += max(0, born-i)
		nans += max(0, bornNaN-k)
	}
}

// nonFinite counts infinities and NaNs.
func nonFinite[T float](xs []T) (infs, nans int) {
	clean := true
	for _, v := range xs {
		clean = clean && v-v == 0
	}
	if clean {
		return 0, 0
	}
	for _, v := range xs {
		switch {
		case v != v:
			nans++
		case v-v != 0:
			infs++
		}
	}
	return infs, nans
}

// Stats implements device.Backend.
func (Backend) Stats(x *device.Array, scale float64) device.Stats {
	var s device.Stats
	var buf [chunk]float64
	l := makeLoop(x)
	s.Total = l.total
	for {
		off, n := l.next(chunk)
		if n == 0 {
			return s
		}
		load(buf[:n], x, off[0], l.step[0])
		for _, v := range buf[:n] {
			v *= scale
			a := math.Abs(v)
			s.SumSquares += v * v
			s.MaxAbs = max(s.MaxAbs, a)
			switch {
			case v != v:
				s.NaNs++
			case a > math.MaxFloat64:
				s.Infs++
			case a <= 0x1p-25: // the tie goes to even, which is zero
				s.Zeros++
			case a < 0x1p-14 && simd.Float32ToFloat16(float32(a)) < 0x400:
				s.Subnormals++
			}
		}
	}
}
