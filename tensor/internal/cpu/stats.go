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
	l := makeLoop(x)
	var infs, nans int
	if l.total <= grainCheap {
		infs, nans = unscaleRange(&l, x, inv)
	} else {
		infs, nans = unscaleParallel(l, x, inv)
	}
	found := elems[int64](counts, counts.Offset, 1, 2)
	found[0] += int64(infs)
	found[1] += int64(nans)
}

func unscaleParallel(l loop, x *device.Array, inv float32) (int, int) {
	var infs, nans atomic.Int64
	pool.Split(l.total, grainCheap, func(lo, hi int) {
		part := l
		part.seek(lo, hi)
		i, n := unscaleRange(&part, x, inv)
		infs.Add(int64(i))
		nans.Add(int64(n))
	})
	return int(infs.Load()), int(nans.Load())
}

func unscaleRange(l *loop, x *device.Array, inv float32) (infs, nans int) {
	switch {
	case x.DType == device.Float64:
		return unscale(l, x, float64(inv))
	case inv == 0 || inv-inv != 0:
		return unscale(l, x, inv)
	}
	// The largest float32 that does not become infinite when it is rounded to the dtype.
	limit := float32(math.MaxFloat32)
	switch x.DType {
	case device.Float16:
		limit = 65519.996
	case device.BFloat16:
		limit = math.Float32frombits(0x7f7f7fff)
	}
	return unscaleBlocks(l, x, inv, limit)
}

// unscaleBlocks multiplies block by block and counts what is not finite where there is something:
// a product with a finite number other than 0 is infinite or NaN wherever x is.
func unscaleBlocks(l *loop, x *device.Array, inv, limit float32) (infs, nans int) {
	var buf, products [block]float32
	for {
		off, n := l.next(block)
		if n == 0 {
			return infs, nans
		}
		xs, ys := row(buf[:], x, off[0], l.step[0], n), products[:n]
		if inv != 1 && direct[float32](l, 0, x) {
			ys = xs
		}
		over := simd.Unscale(ys, xs, inv, limit)
		if inv != 1 && !direct[float32](l, 0, x) {
			store(x, off[0], l.step[0], ys)
		}
		if math.Signbit(float64(over)) {
			load(ys, x, off[0], l.step[0])
			i, k := nonFinite(ys)
			infs, nans = infs+i, nans+k
		}
	}
}

// unscale multiplies and counts before and after it.
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
		infs, nans = infs+max(0, born-i), nans+max(0, bornNaN-k)
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
