package cpu

import (
	"math"
	"slices"
	"sync/atomic"
	"unsafe"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// Unscale implements device.Backend.
func (Backend) Unscale(xs []*device.Array, counts, found *device.Array, inv float32,
	scale *device.Array) {
	if scale != nil {
		inv = float32(1 / float64(elems[float32](scale, scale.Offset, 1, 1)[0]))
	}
	all := elems[int64](counts, counts.Offset, 1, 2*len(xs))
	for i, x := range xs {
		l := makeLoop(x)
		var infs, nans int
		if l.total <= grainCheap {
			infs, nans = unscaleRange(&l, x, inv)
		} else {
			infs, nans = unscaleParallel(l, x, inv)
		}
		all[2*i] += int64(infs)
		all[2*i+1] += int64(nans)
		if found != nil && infs+nans > 0 {
			elems[float32](found, found.Offset, 1, 1)[0] = 1
		}
	}
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

// Norm implements device.Backend.
func (b Backend) Norm(out *device.Array, xs []*device.Array, p float64) {
	parts := device.Array{DType: device.Float64, Shape: []int{len(xs)}, Strides: []int{1}}
	var few [64]float64
	all := few[:]
	if len(xs) > len(few) {
		all = make([]float64, len(xs))
	}
	parts.Data = unsafe.Pointer(&all[0])
	n := 0
	for _, x := range xs {
		if x.Numel() > 0 { // of no elements some norms are infinite
			b.Reduce(device.PNorm, element(&parts, n, len(x.Shape)), x, p)
			n++
		}
	}
	parts.Shape[0] = n
	b.Reduce(device.PNorm, element(out, 0, 1), &parts, p)
}

// element returns element i of a as an array of so many dimensions.
func element(a *device.Array, i, dims int) *device.Array {
	ones := slices.Repeat([]int{1}, dims)
	return &device.Array{Data: a.Data, DType: a.DType, Offset: a.Offset + i, Shape: ones, Strides: ones}
}

// Clip implements device.Backend.
func (b Backend) Clip(xs []*device.Array, norm *device.Array, most float64) {
	const epsilon = 1e-6 // PyTorch's, against a division by zero
	by := min(1, most/(elems[float64](norm, norm.Offset, 1, 1)[0]+epsilon))
	if by == 1 {
		return
	}
	for _, x := range xs {
		b.Unary(device.MulP, x, x, by)
	}
}

// Adapt implements device.Backend. As in PyTorch the iterations are compared for equality: with the
// interval lowered below them nothing grows until the next overflow.
func (Backend) Adapt(scale, track *device.Array, found []*device.Array, s device.Scaling) {
	at := elems[float32](scale, scale.Offset, 1, 1)
	k := elems[int64](track, track.Offset, 1, device.TrackLen)
	sum := float32(0)
	for _, f := range found {
		sum += elems[float32](f, f.Offset, 1, 1)[0]
	}
	if sum != 0 {
		k[device.TrackGrowth] = 0
		k[device.TrackOverflows]++
		if k[device.TrackOverflows] < int64(s.Hysteresis) {
			return
		}
		if float64(at[0]) <= s.Least {
			k[device.TrackCollapses]++
		}
		at[0] = float32(max(float64(at[0])*s.Backoff, s.Least))
		return
	}
	k[device.TrackOverflows] = 0
	k[device.TrackGrowth]++
	if k[device.TrackGrowth] != int64(s.Interval) {
		return
	}
	k[device.TrackGrowth] = 0
	if grown := float32(float64(at[0]) * s.Growth); float64(grown) <= s.Most {
		at[0] = grown
	}
}

// Stats implements device.Backend.
func (Backend) Stats(out *device.Array, xs []*device.Array, scale float64, by *device.Array) {
	if by != nil {
		scale *= float64(elems[float32](by, by.Offset, 1, 1)[0])
	}
	all := elems[float64](out, out.Offset, 1, device.StatsLen*len(xs))
	for i, x := range xs {
		stats((*[device.StatsLen]float64)(all[i*device.StatsLen:]), x, scale)
	}
}

func stats(s *[device.StatsLen]float64, x *device.Array, scale float64) {
	var buf [chunk]float64
	var zeros, subnormals, infs, nans int
	var squares, most float64
	l := makeLoop(x)
	for {
		off, n := l.next(chunk)
		if n == 0 {
			break
		}
		load(buf[:n], x, off[0], l.step[0])
		for _, v := range buf[:n] {
			v *= scale
			a := math.Abs(v)
			squares += v * v
			most = max(most, a)
			switch {
			case v != v:
				nans++
			case a > math.MaxFloat64:
				infs++
			case a <= 0x1p-25: // the tie goes to even, which is zero
				zeros++
			case a < 0x1p-14 && simd.Float32ToFloat16(float32(a)) < 0x400:
				subnormals++
			}
		}
	}
	*s = [device.StatsLen]float64{
		device.StatsZeros: float64(zeros), device.StatsSubnormals: float64(subnormals),
		device.StatsInfs: float64(infs), device.StatsNaNs: float64(nans),
		device.StatsTotal:      float64(l.total),
		device.StatsSumSquares: squares, device.StatsMaxAbs: most,
	}
}
