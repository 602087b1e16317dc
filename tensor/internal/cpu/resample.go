package cpu

import (
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// Resample implements device.Backend.
func (Backend) Resample(out, x *device.Array, axis int, taps *device.Taps) {
	if out.DType.ComputeIn() == device.Float64 {
		resample[float64](out, x, axis, taps)
		return
	}
	resample[float32](out, x, axis, taps)
}

func resample[T float](out, x *device.Array, axis int, taps *device.Taps) {
	weights := make([]T, len(taps.Weights))
	for k, w := range taps.Weights {
		weights[k] = T(w)
	}
	if last := len(out.Shape) - 1; axis != last {
		resampleRows(out, x, axis, taps, weights)
		return
	}
	from, to := x.Shape[axis], out.Shape[axis]
	rows := out.Numel() / max(1, to)
	pool.Split(rows, max(1, grainCheap/max(1, len(weights))), func(lo, hi int) {
		buf, sums := make([]T, from), make([]T, to)
		for r := lo; r < hi; r++ {
			load(buf, x, rowOffset(x, axis, r), x.Strides[axis])
			for i := range sums {
				var sum T
				for k := taps.Starts[i]; k < taps.Starts[i+1]; k++ {
					sum += weights[k] * buf[taps.Places[k]]
				}
				sums[i] = sum
			}
			store(out, rowOffset(out, axis, r), out.Strides[axis], sums)
		}
	})
}

// resampleRows adds up whole rows along the last dimension, which is not the resampled one.
func resampleRows[T float](out, x *device.Array, axis int, taps *device.Taps, weights []T) {
	last := len(out.Shape) - 1
	n := out.Shape[last]
	if n == 0 {
		return
	}
	rows := out.Numel() / n
	pool.Split(rows, max(1, grainCheap/(4*n)), func(lo, hi int) {
		var buf [chunk]T
		sums := make([]T, n)
		for r := lo; r < hi; r++ {
			begin, at := resampledRow(out, x, axis, r)
			clear(sums)
			for k := taps.Starts[at]; k < taps.Starts[at+1]; k++ {
				off := begin + taps.Places[k]*x.Strides[axis]
				for j := 0; j < n; j += chunk {
					m := min(chunk, n-j)
					for i, v := range row(buf[:], x, off+j*x.Strides[last], x.Strides[last], m) {
						sums[j+i] += weights[k] * v
					}
				}
			}
			store(out, rowOffset(out, last, r), out.Strides[last], sums)
		}
	})
}

// resampledRow returns where row r of out has its sources in x, at position 0 of axis, and the
// row's own position along axis.
func resampledRow(out, x *device.Array, axis, r int) (off, at int) {
	off = x.Offset
	for d := len(out.Shape) - 2; d >= 0; d-- {
		i := r % out.Shape[d]
		r /= out.Shape[d]
		if d == axis {
			at = i
			continue
		}
		off += i * x.Strides[d]
	}
	return off, at
}
