package rt

// This file implements the texts of indexes and slices that are out of bounds.

import (
	"fmt"
	"reflect"
)

// IndexText is Go's text for x[i] if i, an int64 or uint64, is out of bounds, else "".
func IndexText(x reflect.Value, i any) string {
	switch {
	case negative(i):
		return fmt.Sprintf("index out of range [%d]", i)
	case exceeds(i, x.Len()):
		return fmt.Sprintf("index out of range [%d] with length %d", i, x.Len())
	}
	return ""
}

// SliceText is Go's text for x[low:], x[low:high] or x[low:high:most] if that is out of bounds,
// else "".
func SliceText(x reflect.Value, bounds []any) string {
	measure, limit := "length", x.Len()
	if x.Kind() == reflect.Slice {
		measure, limit = "capacity", x.Cap()
	}
	if len(bounds) == 1 {
		bounds = append(bounds, int64(x.Len()))
	}
	last := len(bounds) - 1
	where := []string{"[%[1]d:]", "[:%[1]d]", "[%[1]d:%[2]d]"}
	if last == 2 {
		where = []string{"[%[1]d::]", "[:%[1]d:]", "[::%[1]d]", "[%[1]d:%[2]d:]", "[:%[1]d:%[2]d]"}
	}
	text := func(form int, numbers ...any) string {
		return "slice bounds out of range " + fmt.Sprintf(where[form], numbers...)
	}
	if top := bounds[last]; negative(top) || exceeds(top, limit+1) {
		if negative(top) {
			return text(last, top)
		}
		return fmt.Sprintf("%s with %s %d", text(last, top), measure, limit)
	}
	for i := last - 1; i >= 0; i-- {
		low, high := bounds[i], bounds[i+1]
		switch {
		case negative(low):
			return text(i, low)
		case exceeds(low, int(high.(int64))+1):
			return text(last+1+i, low, high)
		}
	}
	return ""
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
