package rt

// This file implements the errors of indexes and slices that are out of bounds.

import "reflect"

// IndexError is Go's error for x[i] if i, an int64 or uint64, is out of bounds, else nil.
func IndexError(x reflect.Value, i any) error {
	if negative(i) || exceeds(i, x.Len()) {
		return newBoundsError(boundsIndex, i, x.Len())
	}
	return nil
}

// SliceError is Go's error for x[low:], x[low:high] or x[low:high:most] if that is out of bounds,
// else nil.
func SliceError(x reflect.Value, bounds []any) error {
	limit, capacity := x.Len(), uint8(0)
	if x.Kind() == reflect.Slice {
		limit, capacity = x.Cap(), 1
	}
	if len(bounds) == 1 {
		bounds = append(bounds, int64(x.Len()))
	}
	codes := []uint8{boundsLow, boundsLength + capacity}
	if len(bounds) == 3 {
		codes = []uint8{boundsLow3, boundsHigh3, boundsLength3 + capacity}
	}
	for i := len(bounds) - 1; i >= 0; i-- {
		if negative(bounds[i]) || exceeds(bounds[i], limit+1) {
			return newBoundsError(codes[i], bounds[i], limit)
		}
		limit = int(bounds[i].(int64))
	}
	return nil
}

func negative(n any) bool {
	i, ok := n.(int64)
	return ok && i < 0
}

// exceeds reports whether n, which is not negative, is limit or more.
func exceeds(n any, limit int) bool {
	i, ok := n.(int64)
	return !ok || i >= int64(limit)
}
