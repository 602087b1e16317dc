package std_test

import (
	"cmp"
	"fmt"
	"math"
	"testing"

	ours "halfnote/repl/std/cmp"
)

func TestCmp(t *testing.T) {
	t.Run("int", func(t *testing.T) { compared(t, 0, 1, -1, math.MaxInt, math.MinInt) })
	t.Run("uint8", func(t *testing.T) { compared[uint8](t, 0, 1, 127, 128, 255) })
	t.Run("named", func(t *testing.T) { compared[id](t, 0, 1, -1) })
	t.Run("float64", func(t *testing.T) { compared(t, 0, zero, 1, -1, inf, -inf, nan, -nan) })
	t.Run("float32", func(t *testing.T) { compared(t, 0, weight(zero), 1, weight(inf), weight(nan)) })
	t.Run("string", func(t *testing.T) { compared(t, "", "a", "ab", "b", "\xff", "é") })
}

func compared[T cmp.Ordered](t *testing.T, values ...T) {
	for _, x := range values {
		for _, y := range values {
			what := fmt.Sprintf("%v and %v", x, y)
			equal(t, what,
				func() any { return []any{ours.Compare(x, y), ours.Less(x, y)} },
				func() any { return []any{cmp.Compare(x, y), cmp.Less(x, y)} })
			for _, z := range values {
				equal(t, "Or of "+what,
					func() any { return []T{ours.Or[T](), ours.Or(x), ours.Or(x, y), ours.Or(x, y, z)} },
					func() any { return []T{cmp.Or[T](), cmp.Or(x), cmp.Or(x, y), cmp.Or(x, y, z)} })
			}
		}
	}
	a, b := 1, 2
	if ours.Or(nil, &b, &a) != &b || ours.Or(point{}, point{0, 1}) != (point{0, 1}) {
		t.Error("Or missed a pointer or a struct")
	}
}
