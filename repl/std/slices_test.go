package std_test

import (
	stdcmp "cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	ours "halfnote/repl/std/slices"
)

var (
	nan  = math.NaN()
	inf  = math.Inf(1)
	zero = math.Copysign(0, -1)
)

type (
	id     int
	ids    []int
	weight float32
	point  struct{ X, Y int }
)

// inputs are slices of each ordered kind: nil, empty, all edge values, and random ones from few
// different values, so that there are equal ones.
func inputs[E any](r *rand.Rand, values ...E) [][]E {
	in := [][]E{nil, {}, values}
	for n := range 40 {
		s := make([]E, n, n+r.IntN(3))
		for i := range s {
			s[i] = values[r.IntN(len(values))]
		}
		in = append(in, s)
	}
	return in
}

func TestSlicesOrdered(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	t.Run("int", func(t *testing.T) {
		ordered(t, inputs(r, 0, 1, -1, 2, 7, math.MaxInt, math.MinInt))
	})
	t.Run("named", func(t *testing.T) { ordered(t, inputs[id](r, 0, 1, -1, 2, 7, 8, 9, 10, 11)) })
	t.Run("uint8", func(t *testing.T) { ordered(t, inputs[uint8](r, 0, 1, 255, 2, 128)) })
	t.Run("float64", func(t *testing.T) {
		ordered(t, inputs(r, 0, zero, 1, -1, nan, inf, -inf, 0.5))
	})
	t.Run("float32", func(t *testing.T) {
		ordered(t, inputs(r, 0, float32(zero), 1, -1, float32(nan), float32(inf), 0.1))
	})
	t.Run("named float32", func(t *testing.T) {
		ordered(t, inputs(r, 0, weight(zero), 1, weight(nan), weight(inf), weight(-inf), 0.5))
	})
	t.Run("string", func(t *testing.T) { ordered(t, inputs(r, "", "a", "ab", "b", "é", "\xff")) })
}

// ordered compares the functions of slices of ordered elements.
func ordered[E stdcmp.Ordered](t *testing.T, in [][]E) {
	for i, x := range in {
		sorted := slices.Sorted(slices.Values(x))
		what := func(f string) string { return fmt.Sprintf("%s(%v)", f, x) }
		equal(t, what("Sort"),
			func() any { s := slices.Clone(x); ours.Sort(s); return s },
			func() any { s := slices.Clone(x); slices.Sort(s); return s })
		equal(t, what("Sorted"),
			func() any { return ours.Sorted(slices.Values(x)) },
			func() any { return sorted })
		equal(t, what("IsSorted"),
			func() any { return []bool{ours.IsSorted(x), ours.IsSorted(sorted)} },
			func() any { return []bool{slices.IsSorted(x), slices.IsSorted(sorted)} })
		equal(t, what("Min"), func() any { return ours.Min(x) }, func() any { return slices.Min(x) })
		equal(t, what("Max"), func() any { return ours.Max(x) }, func() any { return slices.Max(x) })
		equal(t, what("Compact"),
			func() any { s := slices.Clone(x); return [][]E{ours.Compact(s), s} },
			func() any { s := slices.Clone(x); return [][]E{slices.Compact(s), s} })
		for _, y := range [][]E{in[(i+1)%len(in)], x, slices.Clone(x), sorted, x[:len(x)/2]} {
			what := func(f string) string { return fmt.Sprintf("%s(%v, %v)", f, x, y) }
			equal(t, what("Equal"),
				func() any { return ours.Equal(x, y) }, func() any { return slices.Equal(x, y) })
			equal(t, what("Compare"),
				func() any { return ours.Compare(x, y) }, func() any { return slices.Compare(x, y) })
		}
		for _, v := range in[2] {
			what := func(f string) string { return fmt.Sprintf("%s(%v, %v)", f, x, v) }
			equal(t, what("Index"),
				func() any { return []any{ours.Index(x, v), ours.Contains(x, v)} },
				func() any { return []any{slices.Index(x, v), slices.Contains(x, v)} })
			equal(t, what("BinarySearch"),
				func() any { i, ok := ours.BinarySearch(sorted, v); return []any{i, ok} },
				func() any { i, ok := slices.BinarySearch(sorted, v); return []any{i, ok} })
		}
	}
}

// TestSlicesCallbacks: functions that take a function give the same results and call it with the
// same arguments in the same order.
func TestSlicesCallbacks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	in := inputs(r, 0, 1, 2, 3, 5, 8)
	for i, x := range in {
		y := in[(i*7+1)%len(in)]
		if i%2 == 0 { // of the same length, and equal for a while
			y = slices.Clone(x)
			if len(y) > 0 {
				y[len(y)/2] = 9
			}
		}
		for limit := range 6 {
			var calls []string
			note := func(a, b int) { calls = append(calls, fmt.Sprint(a, b)) }
			del := func(v int) bool { note(v, 0); return v > limit }
			// Neither symmetric nor transitive: the functions must not count on either.
			near := func(a, b int) bool { note(a, b); return a-b <= limit && b-a < 2 }
			order := func(a, b int) int { note(a, b); return a/(limit+1) - b/(limit+1) }
			check := func(name string, f, g func() any) {
				t.Helper()
				logged := func(f func() any) func() any {
					return func() any {
						calls = nil
						o := call(f)
						return []any{o.Result, o.Panic, calls}
					}
				}
				equal(t, fmt.Sprintf("%s(%v, %v) %d", name, x, y, limit), logged(f), logged(g))
			}
			sorted := slices.SortedFunc(slices.Values(x), order)
			check("EqualFunc",
				func() any { return ours.EqualFunc(x, y, near) },
				func() any { return slices.EqualFunc(x, y, near) })
			check("CompareFunc",
				func() any { return ours.CompareFunc(x, y, order) },
				func() any { return slices.CompareFunc(x, y, order) })
			check("IndexFunc",
				func() any { return ours.IndexFunc(x, del) },
				func() any { return slices.IndexFunc(x, del) })
			check("ContainsFunc",
				func() any { return ours.ContainsFunc(x, del) },
				func() any { return slices.ContainsFunc(x, del) })
			check("MinFunc",
				func() any { return ours.MinFunc(x, order) },
				func() any { return slices.MinFunc(x, order) })
			check("MaxFunc",
				func() any { return ours.MaxFunc(x, order) },
				func() any { return slices.MaxFunc(x, order) })
			check("IsSortedFunc",
				func() any { return []any{ours.IsSortedFunc(x, order), ours.IsSortedFunc(sorted, order)} },
				func() any {
					return []any{slices.IsSortedFunc(x, order), slices.IsSortedFunc(sorted, order)}
				})
			check("BinarySearchFunc",
				func() any { i, ok := ours.BinarySearchFunc(sorted, limit, order); return []any{i, ok} },
				func() any { i, ok := slices.BinarySearchFunc(sorted, limit, order); return []any{i, ok} })
			check("DeleteFunc",
				func() any { s := slices.Clone(x); return [][]int{ours.DeleteFunc(s, del), s} },
				func() any { s := slices.Clone(x); return [][]int{slices.DeleteFunc(s, del), s} })
			check("CompactFunc",
				func() any { s := slices.Clone(x); return [][]int{ours.CompactFunc(s, near), s} },
				func() any { s := slices.Clone(x); return [][]int{slices.CompactFunc(s, near), s} })
		}
	}
}

func TestSlicesSortFunc(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 200 {
		for _, values := range []int{1, 3, n + 1} {
			x := make([]point, n)
			for i := range x {
				x[i] = point{r.IntN(values), i}
			}
			if n%3 == 0 {
				slices.SortFunc(x, func(a, b point) int { return b.X - a.X })
			}
			compared := 0
			order := func(a, b point) int { compared++; return a.X - b.X }
			what := fmt.Sprintf("%d points", n)
			equal(t, "SortStableFunc of "+what,
				func() any { s := slices.Clone(x); ours.SortStableFunc(s, order); return s },
				func() any { s := slices.Clone(x); slices.SortStableFunc(s, order); return s })
			equal(t, "SortedStableFunc of "+what,
				func() any { return ours.SortedStableFunc(slices.Values(x), order) },
				func() any { return slices.SortedStableFunc(slices.Values(x), order) })
			equal(t, "SortFunc of "+what,
				func() any { s := slices.Clone(x); ours.SortFunc(s, order); return s },
				func() any { s := slices.Clone(x); slices.SortStableFunc(s, order); return s })
			equal(t, "SortedFunc of "+what,
				func() any { return ours.SortedFunc(slices.Values(x), order) },
				func() any { return slices.SortedStableFunc(slices.Values(x), order) })

			compared = 0
			ours.SortFunc(slices.Clone(x), order)
			if most := float64(n) * math.Log2(float64(n+1)); float64(compared) > most {
				t.Errorf("%s: %d comparisons, more than %.0f", what, compared, most)
			}
			slices.SortStableFunc(x, order)
			compared = 0
			ours.SortFunc(x, order)
			if compared > n {
				t.Errorf("%s in order: %d comparisons", what, compared)
			}
		}
	}
}

// TestSlicesSortPanic: a comparison that panics, or makes no sense, loses no element.
func TestSlicesSortPanic(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		x := r.Perm(30)
		left := r.IntN(120)
		o := call(func() any {
			ours.SortFunc(x, func(a, b int) int {
				if left--; left < 0 {
					panic("no more")
				}
				return r.IntN(3) - 1
			})
			return nil
		})
		if o.Panic != "" && o.Panic != "string no more" {
			t.Fatal(o.Panic)
		}
		slices.Sort(x)
		for i, v := range x {
			if v != i {
				t.Fatalf("after a comparison that panicked: %v", x)
			}
		}
	}
}

func TestSlicesSortLong(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	x := make([]weight, 5000)
	for i := range x {
		x[i] = weight(r.NormFloat64())
		if i%10 == 0 {
			x[i] = weight(nan)
		}
	}
	equal(t, "Sort of 5000 weights",
		func() any { s := slices.Clone(x); ours.Sort(s); return s },
		func() any { s := slices.Clone(x); slices.Sort(s); return s })
}

// TestSlicesTypes: results have the type of the arguments.
func TestSlicesTypes(t *testing.T) {
	s := ids{3, 1, 1, 2}
	equal(t, "types",
		func() any {
			return []any{ours.Clip(s), ours.Clone(s), ours.Concat(s, s), ours.Repeat(s, 2),
				ours.Grow(s, 1), ours.Insert(s, 1, 5), ours.Delete(ours.Clone(s), 0, 1),
				ours.AppendSeq(s, slices.Values(s)), ours.Collect(ours.Chunk(s, 3))}
		},
		func() any {
			return []any{slices.Clip(s), slices.Clone(s), slices.Concat(s, s), slices.Repeat(s, 2),
				slices.Grow(s, 1), slices.Insert(s, 1, 5), slices.Delete(slices.Clone(s), 0, 1),
				slices.AppendSeq(s, slices.Values(s)), slices.Collect(slices.Chunk(s, 3))}
		})
}

func TestSlicesIterators(t *testing.T) {
	for n := -1; n < 8; n++ {
		var s []string
		if n >= 0 {
			s = strings.Split("a b c d e f g h", " ")[:n]
		}
		for stop := range n + 3 {
			what := fmt.Sprintf("of %d, stopped after %d", n, stop)
			equal(t, "All "+what, pairs(ours.All(s), stop), pairs(slices.All(s), stop))
			equal(t, "Backward "+what, pairs(ours.Backward(s), stop), pairs(slices.Backward(s), stop))
			equal(t, "Values "+what, values(ours.Values(s), stop), values(slices.Values(s), stop))
			for size := -1; size < 10; size++ {
				equal(t, fmt.Sprintf("Chunk %s by %d", what, size),
					func() any { return capped(values(ours.Chunk(s, size), stop)()) },
					func() any { return capped(values(slices.Chunk(s, size), stop)()) })
			}
		}
		equal(t, "Collect", func() any { return ours.Collect(slices.Values(s)) },
			func() any { return slices.Collect(slices.Values(s)) })
		for _, to := range [][]string{nil, {}, {"x"}} {
			equal(t, "AppendSeq", func() any { return ours.AppendSeq(to, slices.Values(s)) },
				func() any { return slices.AppendSeq(to, slices.Values(s)) })
		}
	}
	huge := make([]struct{}, math.MaxInt)
	if chunks := len(slices.Collect(ours.Chunk(huge, math.MaxInt/2))); chunks != 3 {
		t.Errorf("the longest slice has %d chunks of almost half its length", chunks)
	}
}

// pairs takes up to stop pairs from seq, and once more to see that it starts again.
func pairs[K, V any](seq func(func(K, V) bool), stop int) func() any {
	return func() any {
		var got []any
		for range 2 {
			left := stop
			seq(func(k K, v V) bool {
				got = append(got, k, v)
				left--
				return left > 0
			})
		}
		return got
	}
}

// values is pairs for single values.
func values[V any](seq func(func(V) bool), stop int) func() any {
	return pairs(func(yield func(V, struct{}) bool) {
		seq(func(v V) bool { return yield(v, struct{}{}) })
	}, stop)
}

// capped adds to slices their capacity.
func capped(got any) any {
	list, _ := got.([]any)
	for _, v := range list {
		if s, ok := v.([]string); ok {
			list = append(list, cap(s))
		}
	}
	return list
}
