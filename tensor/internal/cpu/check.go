package cpu

import (
	"slices"
	"unsafe"

	"halfnote/tensor/internal/device"
)

// Check implements device.Indexings.
func (b Backend) Check(out, found, total, x, weight *device.Array, skip []int64, n int, back bool) {
	at, told := elems[int64](x, x.Offset, 1, x.Numel()), elems[int64](found, found.Offset, 1, 3)
	mistake := func(i int) {
		if told[0]++; told[0] == 1 {
			told[1], told[2] = int64(i), at[i]
		}
	}
	if out == nil && total == nil && len(skip) == 0 && !back {
		for i, k := range at {
			if uint64(k) >= uint64(n) {
				mistake(i)
			}
		}
		return
	}
	var weights []float64
	if weight != nil && n > 0 {
		weights = make([]float64, n)
		b.ToHost(&device.Array{Data: unsafe.Pointer(&weights[0]), DType: device.Float64, Shape: []int{n},
			Strides: []int{1}}, weight)
	}
	var to []int64
	if out != nil {
		to = elems[int64](out, out.Offset, 1, len(at))
	}
	sum := 0.0
	for i, k := range at {
		if back && k < 0 && k >= -int64(n) {
			k += int64(n)
		}
		switch {
		case slices.Contains(skip, at[i]):
			k = -1
		case k < 0 || k >= int64(n):
			k = -1
			mistake(i)
		case weights != nil:
			sum += weights[k]
		default:
			sum++
		}
		if to != nil {
			to[i] = k
		}
	}
	if total != nil {
		elems[float64](total, total.Offset, 1, 1)[0] = sum
	}
}
