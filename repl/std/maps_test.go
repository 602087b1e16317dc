package std_test

import (
	"maps"
	"testing"

	ours "halfnote/repl/std/maps"
)

type table map[string]int

func tables() []table {
	return []table{
		nil, {}, {"a": 1}, {"a": 2}, {"b": 1},
		{"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 2, "c": 4},
	}
}

func TestMaps(t *testing.T) {
	for i := range tables() {
		equal(t, "Clone",
			func() any { m := tables()[i]; c := ours.Clone(m); clear(m); return c },
			func() any { m := tables()[i]; c := maps.Clone(m); clear(m); return c })
		for limit := range 4 {
			del := func(k string, v int) bool { return k == "b" || v > limit }
			equal(t, "DeleteFunc",
				func() any { m := tables()[i]; ours.DeleteFunc(m, del); return m },
				func() any { m := tables()[i]; maps.DeleteFunc(m, del); return m })
		}
		for j := range tables() {
			near := func(a, b int) bool { return a <= b }
			equal(t, "Equal",
				func() any {
					a, b := tables()[i], tables()[j]
					return []bool{ours.Equal(a, b), ours.EqualFunc(a, b, near)}
				},
				func() any {
					a, b := tables()[i], tables()[j]
					return []bool{maps.Equal(a, b), maps.EqualFunc(a, b, near)}
				})
			equal(t, "Copy",
				func() any { m := tables()[i]; ours.Copy(m, tables()[j]); return m },
				func() any { m := tables()[i]; maps.Copy(m, tables()[j]); return m })
			equal(t, "Insert",
				func() any { m := tables()[i]; ours.Insert(m, maps.All(tables()[j])); return m },
				func() any { m := tables()[i]; maps.Insert(m, maps.All(tables()[j])); return m })
		}
		equal(t, "All and Collect",
			func() any { return ours.Collect(ours.All(tables()[i])) },
			func() any { return maps.Collect(maps.All(tables()[i])) })
		keys, vals := map[string]int{}, map[int]int{}
		for k := range ours.Keys(tables()[i]) {
			keys[k]++
		}
		for v := range ours.Values(tables()[i]) {
			vals[v]++
		}
		for k, v := range tables()[i] {
			if keys[k] != 1 || vals[v] != 1 {
				t.Errorf("Keys and Values gave %v, %v for %v", keys, vals, tables()[i])
			}
		}
		if len(keys) != len(tables()[i]) || len(vals) != len(tables()[i]) {
			t.Errorf("Keys and Values gave %v, %v for %v", keys, vals, tables()[i])
		}
	}
}

// TestMapsStop: iterators call yield no more once it returned false.
func TestMapsStop(t *testing.T) {
	m := table{"a": 1, "b": 2, "c": 3}
	for stop := 1; stop <= 3; stop++ {
		counts := [3]int{}
		for range ours.All(m) {
			if counts[0]++; counts[0] == stop {
				break
			}
		}
		for range ours.Keys(m) {
			if counts[1]++; counts[1] == stop {
				break
			}
		}
		for range ours.Values(m) {
			if counts[2]++; counts[2] == stop {
				break
			}
		}
		if counts != [3]int{stop, stop, stop} {
			t.Errorf("stopped after %d: %v", stop, counts)
		}
	}
}

// TestMapsNaN: keys that equal nothing are copied, neither found nor deleted.
func TestMapsNaN(t *testing.T) {
	odd := func() map[float64]float64 { return map[float64]float64{nan: 1, 2: nan} }
	if c := ours.Clone(odd()); len(c) != 2 {
		t.Errorf("Clone gave %v", c)
	}
	always := func(a, b float64) bool { return true }
	if ours.Equal(odd(), odd()) || ours.EqualFunc(odd(), odd(), always) {
		t.Error("maps with NaN keys are equal")
	}
	m := odd()
	ours.DeleteFunc(m, always)
	if len(m) != 1 {
		t.Errorf("DeleteFunc left %v", m)
	}
	ours.Copy(m, m)
	if len(m) < 2 {
		t.Errorf("Copy gave %v", m)
	}
}
