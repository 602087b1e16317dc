package std_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	ours "halfnote/repl/std/slices"
)

// windows calls f with every slice of n elements 1, 2, … with room for some more (which hold
// values, too), and a way to make it anew.
func windows(f func(n, size int, fresh func() []int)) {
	for size := range 7 {
		for n := range size + 1 {
			f(n, size, func() []int {
				all := make([]int, size)
				for i := range all {
					all[i] = i + 1
				}
				return all
			})
		}
	}
}

// TestSlicesInsert: also values that lie in the slice itself or in its unused capacity, at every
// place, and places that do not exist.
func TestSlicesInsert(t *testing.T) {
	windows(func(n, size int, fresh func() []int) {
		for lo := range size + 1 {
			for hi := lo; hi <= size; hi++ {
				for i := -1; i <= size+1; i++ {
					run := func(insert func([]int, int, ...int) []int) func() any {
						return func() any {
							all := fresh()
							r := insert(all[:n], i, all[lo:hi]...)
							return [][]int{r, all}
						}
					}
					equal(t, fmt.Sprintf("Insert of [%d:%d] at %d into %d of %d", lo, hi, i, n, size),
						run(ours.Insert[[]int]), run(slices.Insert[[]int]))
					for j := -1; j <= size+1; j++ {
						run := func(replace func([]int, int, int, ...int) []int) func() any {
							return func() any {
								all := fresh()
								r := replace(all[:n], i, j, all[lo:hi]...)
								return [][]int{r, all}
							}
						}
						equal(t, fmt.Sprintf("Replace of [%d:%d] by [%d:%d] in %d of %d",
							i, j, lo, hi, n, size),
							run(ours.Replace[[]int]), run(slices.Replace[[]int]))
					}
				}
			}
		}
	})
	for _, s := range [][]int{nil, {}} {
		for _, v := range [][]int{nil, {}, {1}, {1, 2, 3}} {
			equal(t, fmt.Sprintf("Insert and Replace: nil %t, values %v", s == nil, v),
				func() any { return [][]int{ours.Insert(s, 0, v...), ours.Replace(s, 0, 0, v...)} },
				func() any { return [][]int{slices.Insert(s, 0, v...), slices.Replace(s, 0, 0, v...)} })
		}
	}
}

// TestSlicesInsertGrowth: one by one takes few allocations.
func TestSlicesInsertGrowth(t *testing.T) {
	var s []int
	grown := 0
	for i := range 10000 {
		before := cap(s)
		s = ours.Insert(s, i/2, i)
		if cap(s) != before {
			grown++
		}
	}
	if grown > 50 {
		t.Errorf("10000 insertions grew the slice %d times", grown)
	}
}

func TestSlicesDelete(t *testing.T) {
	windows(func(n, size int, fresh func() []int) {
		for i := -1; i <= size+1; i++ {
			for j := -1; j <= size+1; j++ {
				run := func(del func([]int, int, int) []int) func() any {
					return func() any {
						all := fresh()
						return [][]int{del(all[:n], i, j), all}
					}
				}
				equal(t, fmt.Sprintf("Delete of [%d:%d] in %d of %d", i, j, n, size),
					run(ours.Delete[[]int]), run(slices.Delete[[]int]))
			}
		}
	})
	equal(t, "Delete in nil",
		func() any { return ours.Delete([]int(nil), 0, 0) },
		func() any { return slices.Delete([]int(nil), 0, 0) })
}

func TestSlicesCopies(t *testing.T) {
	windows(func(n, size int, fresh func() []int) {
		what := fmt.Sprintf("%d of %d", n, size)
		equal(t, "Reverse of "+what,
			func() any { all := fresh(); ours.Reverse(all[:n]); return all },
			func() any { all := fresh(); slices.Reverse(all[:n]); return all })
		equal(t, "Clip of "+what,
			func() any { s := ours.Clip(fresh()[:n]); return []any{s, cap(s)} },
			func() any { s := slices.Clip(fresh()[:n]); return []any{s, cap(s)} })
		equal(t, "Clone of "+what,
			func() any { all := fresh(); s := ours.Clone(all[:n]); clear(all); return s },
			func() any { all := fresh(); s := slices.Clone(all[:n]); clear(all); return s })
		for count := -1; count < 9; count++ {
			equal(t, fmt.Sprintf("Repeat of %s, %d times", what, count),
				func() any { s := ours.Repeat(fresh()[:n], count); return []any{s, cap(s)} },
				func() any { s := slices.Repeat(fresh()[:n], count); return []any{s, cap(s)} })
			equal(t, fmt.Sprintf("Grow of %s by %d", what, count),
				func() any { s := ours.Grow(fresh()[:n], count); return []any{s, cap(s)} },
				func() any { s := slices.Grow(fresh()[:n], count); return []any{s, cap(s)} })
		}
		for _, other := range [][]int{nil, {}, {7, 8}} {
			equal(t, fmt.Sprintf("Concat of %s and %v", what, other),
				func() any {
					all := fresh()
					return [][]int{ours.Concat(all[:n], other, all[n:]), ours.Concat(other), all}
				},
				func() any {
					all := fresh()
					return [][]int{slices.Concat(all[:n], other, all[n:]), slices.Concat(other), all}
				})
		}
	})
}

func TestSlicesNil(t *testing.T) {
	var none []int
	equal(t, "results for nil",
		func() any {
			return [][]int{ours.Clip(none), ours.Clone(none), ours.Concat[[]int](), ours.Grow(none, 0),
				ours.Repeat(none, 3), ours.Compact(none), ours.CompactFunc(none, nil),
				ours.DeleteFunc(none, nil)}
		},
		func() any {
			return [][]int{slices.Clip(none), slices.Clone(none), slices.Concat[[]int](),
				slices.Grow(none, 0), slices.Repeat(none, 3), slices.Compact(none),
				slices.CompactFunc(none, nil), slices.DeleteFunc(none, nil)}
		})
	ours.Reverse(none)
	ours.Sort(none)
	ours.SortFunc(none, nil)
}

func TestSlicesTooLong(t *testing.T) {
	huge := make([]struct{}, math.MaxInt)
	equal(t, "Concat",
		func() any { return ours.Concat(huge, huge) }, func() any { return slices.Concat(huge, huge) })
	equal(t, "Repeat",
		func() any { return ours.Repeat(huge, 2) }, func() any { return slices.Repeat(huge, 2) })
	for _, n := range []int{math.MaxInt, math.MaxInt / 8, math.MinInt} {
		equal(t, fmt.Sprintf("Grow by %d", n),
			func() any { return ours.Grow([]int{1}, n) },
			func() any { return slices.Grow([]int{1}, n) })
	}
}
