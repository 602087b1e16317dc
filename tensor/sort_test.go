package tensor_test

import (
	"slices"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func TestSort(t *testing.T) {
	x := tensor.New([]float64{2, nan, -1, inf, neg, 2, 0, -inf})
	v, i := x.Sort(0, false)
	exactly(t, "rising", v, []float64{-inf, -1, neg, 0, 2, 2, inf, nan})
	equal(t, "positions", i.Int64s(), []int64{7, 2, 4, 6, 0, 5, 3, 1})
	v, i = x.Sort(0, true)
	exactly(t, "falling", v, []float64{nan, inf, 2, 2, neg, 0, -1, -inf})
	equal(t, "positions", i.Int64s(), []int64{1, 3, 0, 5, 4, 6, 2, 7})
	ints, _ := tensor.New([]int{1<<60 + 1, -5, 1 << 60}).Sort(0, false)
	equal(t, "ints", ints.Int64s(), []int64{-5, 1 << 60, 1<<60 + 1})
	bools, _ := tensor.New([]bool{true, false}).Sort(0, false)
	equal(t, "bools", bools.Bools(), []bool{false, true})
	v, i = tensor.Full(3).Sort(0, false)
	equal(t, "0-dim", []float64{v.Item(), i.Item()}, []float64{3, 0})
}

// TestSortLong sorts rows along each axis of every floating dtype.
func TestSortLong(t *testing.T) {
	for _, d := range floatTypes {
		x := tensor.Randn(40, 300).To(d)
		for axis := range 2 {
			v, i := x.Sort(axis, false)
			equal(t, "gathered", x.Gather(axis, i).Float64s(), v.Float64s())
			rows := v.Transpose(axis, 1).Float64s()
			n := x.Size(axis)
			for at := 0; at < len(rows); at += n {
				if !slices.IsSorted(rows[at : at+n]) {
					t.Fatalf("%s axis %d: row %d is not sorted", d, axis, at/n)
				}
			}
		}
	}
}

func TestTopK(t *testing.T) {
	x := tensor.New([][]float64{{5, 1, 5, 3}, {0, 2, nan, 1}}).SetRequiresGrad(true)
	v, i := x.TopK(2, -1)
	equal(t, "values", v.Float64s(), []float64{5, 5, nan, 2})
	equal(t, "positions", i.Int64s(), []int64{0, 2, 2, 1})
	v.Sum().Backward()
	equal(t, "gradient", x.Grad().Float64s(), []float64{1, 0, 1, 0, 0, 1, 1, 0})
	v, _ = x.TopK(2, 1, false)
	equal(t, "smallest", v.Float64s(), []float64{1, 3, 0, 1})
	v, i = x.TopK(0, 0)
	equal(t, "none", []any{v.Shape(), i.Shape()}, []any{[]int{0, 4}, []int{0, 4}})
	equal(t, "too many", reference.Mistake(func() { x.TopK(5, 1) }),
		"topk: 5 elements asked for, of 4 in dimension 1 of shape [2 4]")
	equal(t, "axis", reference.Mistake(func() { x.Sort(2, false) }),
		"sort: shape [2 4] has no dimension 2")
}
