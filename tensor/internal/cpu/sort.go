package cpu

import (
	"cmp"
	"math"
	"slices"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// A ranked is an element in the order of unsigned numbers, and its place.
type ranked struct {
	key uint64
	at  int
}

// Argsort implements device.Backend.
func (Backend) Argsort(out, x *device.Array, axis int, descending bool) {
	rows, grain := rowsAlong(x, axis)
	n := x.Shape[axis]
	pool.Split(rows, grain, func(lo, hi int) {
		items, places := make([]ranked, n), make([]int64, n)
		for i := lo; i < hi; i++ {
			rankRow(items, x, axis, i)
			for k := range items {
				if descending {
					items[k].key = ^items[k].key
				}
			}
			slices.SortFunc(items, func(a, b ranked) int {
				if a.key != b.key {
					return cmp.Compare(a.key, b.key)
				}
				return a.at - b.at
			})
			for k, item := range items {
				places[k] = int64(item.at)
			}
			store(out, rowOffset(out, axis, i), out.Strides[axis], places)
		}
	})
}

// rankRow reads row number i of x.
func rankRow(items []ranked, x *device.Array, axis, i int) {
	off, step := rowOffset(x, axis, i), x.Strides[axis]
	if x.DType.ComputeIn() == device.Int64 {
		values := make([]int64, len(items))
		load(values, x, off, step)
		for k, v := range values {
			items[k] = ranked{uint64(v) ^ 1<<63, k}
		}
		return
	}
	values := make([]float64, len(items))
	load(values, x, off, step)
	for k, v := range values {
		items[k] = ranked{orderOf(v), k}
	}
}

// orderOf maps numbers to unsigned ones in the same order; −0 is 0, and NaN the largest.
func orderOf(v float64) uint64 {
	b := math.Float64bits(v)
	switch {
	case v != v:
		return math.MaxUint64
	case v == 0:
		return 1 << 63
	case v < 0:
		return ^b
	}
	return b | 1<<63
}
