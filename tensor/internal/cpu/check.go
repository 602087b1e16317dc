package cpu

import (
	"slices"
	"unsafe"

	"halfnote/tensor/internal/device"
)

// Check implements device.Indexings.
func (b Backend) Check(out, sums, x, weight *device.Array, skip []int64, n int) {
	at, to := elems[int64](x, x.Offset, 1, x.Numel()), elems[int64](out, out.Offset, 1, x.Numel())
	var weights []float64
	if weight != nil && n > 0 {
		weights = make([]float64, n)
		b.ToHost(&device.Array{Data: unsafe.Pointer(&weights[0]), DType: device.Float64, Shape: []int{n},
			Strides: []int{1}}, weight)
	}
	sum, wrong := 0.0, 0.0
	for i, k := range at {
		switch {
		case slices.Contains(skip, k):
			k = -1
		case k < 0 || k >= int64(n):
			k = 0
			wrong++
		case weights != nil:
			sum += weights[k]
		default:
			sum++
		}
		to[i] = k
	}
	all := elems[float64](sums, sums.Offset, 1, 2)
	all[0], all[1] = sum, wrong
}
