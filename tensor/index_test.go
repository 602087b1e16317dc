package tensor_test

import (
	"math"
	"slices"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// TestTake gives the positions that PyTorch's x[i, :, j] gives.
func TestTake(t *testing.T) {
	x := tensor.Arange(24).Reshape(2, 3, 4)
	rows, columns := tensor.New([]int{1, 0}), tensor.New([]int{-1, 2, 0})
	mask := tensor.New([][]bool{{true, false, false}, {false, true, true}})
	for _, c := range []struct {
		name    string
		indices []any
		shape   []int
		want    []float32
	}{
		{"one", []any{rows, 0, 1}, []int{2}, []float32{13, 1}},
		{"together", []any{[]int{1, 0}, []int{2, 0}}, []int{2, 4},
			[]float32{20, 21, 22, 23, 0, 1, 2, 3}},
		{"broadcast", []any{rows.Unsqueeze(1), nil, columns}, []int{2, 3, 3},
			[]float32{15, 19, 23, 14, 18, 22, 12, 16, 20, 3, 7, 11, 2, 6, 10, 0, 4, 8}},
		{"neighbours stay", []any{nil, 0, columns}, []int{2, 3}, []float32{3, 2, 0, 15, 14, 12}},
		{"mask", []any{mask, 1}, []int{3}, []float32{1, 17, 21}},
		{"mask and rest", []any{mask}, []int{3, 4},
			[]float32{0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23}},
		{"nothing", []any{tensor.Zeros(0).To(tensor.Int64)}, []int{0, 3, 4}, []float32{}},
		{"a number", []any{tensor.New(1), 2, 3}, []int{}, []float32{23}},
	} {
		got := x.Take(c.indices...)
		equal(t, c.name, got.Shape(), c.shape)
		equal(t, c.name, got.Float32s(), c.want)
		kept := x.IndexPut(c.indices, got, false)
		equal(t, c.name+": put back", kept.Float32s(), x.Float32s())
		zeroed := x.IndexPut(c.indices, 0, false).Sum().Item()
		equal(t, c.name+": zeroed", zeroed, x.Sum().Sub(got.Sum()).Item())
	}
}

// TestLastWriteStays: of several values for one position the last stays, and alone has a gradient.
func TestLastWriteStays(t *testing.T) {
	zeros, values := tensor.Zeros(3), tensor.New([]float32{1, 2, 3, 4})
	index := tensor.New([]int{2, 0, 2, 0})
	for name, put := range map[string]func(src *T) *T{
		"scatter":    func(src *T) *T { return zeros.Scatter(0, index, src) },
		"index_copy": func(src *T) *T { return zeros.IndexCopy(0, index, src) },
		"index_put":  func(src *T) *T { return zeros.IndexPut([]any{index}, src, false) },
	} {
		src := values.Detach().SetRequiresGrad(true)
		out := put(src)
		equal(t, name, out.Float32s(), []float32{4, 0, 3})
		out.Sum().Backward()
		equal(t, name+": gradient", src.Grad().Float32s(), []float32{0, 0, 1, 1})
	}
}

// TestScatterRounding: sums of halves are rounded once.
func TestScatterRounding(t *testing.T) {
	const n = 4096
	start, ones := tensor.Zeros(1).To(tensor.Float16), tensor.Ones(n).To(tensor.Float16)
	index := tensor.Zeros(n).To(tensor.Int64)
	equal(t, "scatter_add", start.ScatterAdd(0, index, ones).Item(), float64(n))
	equal(t, "index_add", start.IndexAdd(0, index, ones).Item(), float64(n))
	equal(t, "index_put", start.IndexPut([]any{index}, ones, true).Item(), float64(n))
	row := start.Detach().SetRequiresGrad(true)
	row.IndexSelect(0, index).Sum().Backward()
	equal(t, "gradient of index_select", row.Grad().Item(), float64(n))
}

// TestScatterLarge compares with sums in plain Go, where the work is shared out.
func TestScatterLarge(t *testing.T) {
	const rows, columns, places = 3000, 70, 37
	src := tensor.Randn(rows, columns).To(tensor.Float64)
	at := make([]int64, rows)
	want := make([]float64, places*columns)
	for i, values := 0, src.Float64s(); i < rows; i++ {
		at[i] = int64(i * i % places)
		for j := range columns {
			want[int(at[i])*columns+j] += values[i*columns+j]
		}
	}
	index := tensor.FromInt64(at, rows)
	zeros := tensor.Zeros(places, columns).To(tensor.Float64)
	equal(t, "index_add", zeros.IndexAdd(0, index, src).Float64s(), want)
	zeros = tensor.Zeros(columns, places).To(tensor.Float64)
	equal(t, "last axis", zeros.IndexAdd(1, index, src.T()).T().Float64s(), want)
}

func TestScatterReduce(t *testing.T) {
	x := tensor.New([]float64{2, 5, -1})
	index := tensor.New([]int{0, 0, 2, 2})
	src := tensor.New([]float64{3, 4, -2, 0})
	for _, c := range []struct {
		reduce string
		self   bool
		want   []float64
	}{
		{"sum", true, []float64{9, 5, -3}}, {"sum", false, []float64{7, 5, -2}},
		{"prod", true, []float64{24, 5, 0}}, {"prod", false, []float64{12, 5, 0}},
		{"mean", true, []float64{3, 5, -1}}, {"mean", false, []float64{3.5, 5, -1}},
		{"amax", true, []float64{4, 5, 0}}, {"amax", false, []float64{4, 5, 0}},
		{"amin", true, []float64{2, 5, -2}}, {"amin", false, []float64{3, 5, -2}},
	} {
		got := x.ScatterReduce(0, index, src, c.reduce, c.self)
		equal(t, c.reduce, got.Float64s(), c.want)
		err := tensor.GradCheck(func(x ...*T) *T {
			return x[0].ScatterReduce(0, index, x[1], c.reduce, c.self)
		}, x.Detach().SetRequiresGrad(true), src.Detach().SetRequiresGrad(true))
		if err != nil {
			t.Errorf("%s, self %v: %v", c.reduce, c.self, err)
		}
	}
	y := src.Detach().SetRequiresGrad(true)
	out := x.ScatterReduce(0, index, y, "prod", true)
	equal(t, "message", reference.Mistake(func() {
		tensor.Grad([]*T{out.Sum()}, []*T{y}, tensor.GradConfig{CreateGraph: true})
	}), "scatter_reduce: the gradient of a product with a factor of zero has no gradient itself "+
		"here; use CreateGraph only where no factor is zero")
}

func TestNonzero(t *testing.T) {
	x := tensor.New([][]float64{{0, 3, math.NaN()}, {0, 0, -1}})
	equal(t, "positions", x.Nonzero().Int64s(), []int64{0, 1, 0, 2, 1, 2})
	equal(t, "of a number", tensor.Full(7).Nonzero().Shape(), []int{1, 0})
	equal(t, "of nothing", tensor.Zeros(2, 3).Nonzero().Shape(), []int{0, 2})
	equal(t, "one hot", tensor.New([]int{2, 0}).OneHot().Int64s(), []int64{0, 0, 1, 1, 0, 0})
	equal(t, "whole numbers", tensor.New([]int{1, 2}).MaskedFill(tensor.New([]bool{true, false}),
		7).Int64s(), []int64{7, 2})
}

func TestIndexMistakes(t *testing.T) {
	m := tensor.Ones(2, 3)
	one := tensor.New([]int{1})
	for want, f := range map[string]func(){
		"index: index 0: position 2 is outside of dimension 0 of shape [2 3]": func() { m.Take(2) },
		"index: index 1: position -4 is outside of dimension 1 of shape [2 3]": func() {
			m.Take(nil, []int{0, -4})
		},
		"index: 3 indices for shape [2 3]": func() { m.Take(0, 0, 0) },
		"index: index 0 is a mask of shape [3], which does not fit shape [2 3] from dimension 0 " +
			"on": func() {
			m.Take(tensor.New([]bool{true, false, true}))
		},
		"index: index 0 is of float32; positions are int64, and masks bool": func() { m.Take(m) },
		"index: index 0 is a string; indices are tensors, ints, []int and nil": func() {
			m.Take("all")
		},
		"index: no index given that is not nil": func() { m.Take(nil) },
		"index: shapes [2] and [3] do not broadcast: sizes 2 and 3 differ": func() {
			m.Take([]int{0, 1}, []int{0, 1, 2})
		},
		"index_put: values of shape [4 3] do not broadcast to [3], the shape of what is indexed": func() {
			m.IndexPut([]any{1}, tensor.Ones(4, 3), false)
		},
		"index_put: dtypes float32 and float64 differ; convert one with To": func() {
			m.IndexPut([]any{1}, tensor.New(1.0), false)
		},
		"index_add: source of shape [2 2] for 1 positions in dimension 1 of shape [2 3]; " +
			"it is [2 1]": func() {
			m.IndexAdd(1, one, tensor.Ones(2, 2))
		},
		"index_copy: position 1 is outside of dimension 0 of shape [1 3]": func() {
			m.Slice(0, 0, 1).IndexCopy(0, one, m.Slice(0, 0, 1))
		},
		"index_fill: value of shape [1]; it is a number or has no dimensions": func() {
			m.IndexFill(0, one, tensor.Ones(1))
		},
		"index_select: index of shape [1 1]; it has one dimension": func() {
			m.IndexSelect(0, one.Unsqueeze(0))
		},
		"scatter: index of shape [1 3] is larger than the source of shape [1 2]": func() {
			m.Scatter(0, tensor.New([][]int{{0, 0, 1}}), tensor.Ones(1, 2))
		},
		"scatter_add: dtypes float32 and float64 differ; convert one with To": func() {
			m.ScatterAdd(0, tensor.New([][]int{{0}}), tensor.New([][]float64{{1}}))
		},
		"scatter_reduce: reduction \"max\"; it is sum, prod, mean, amax or amin": func() {
			m.ScatterReduce(0, tensor.New([][]int{{0}}), m, "max", true)
		},
		"masked_fill: mask of float32; it is bool":   func() { m.MaskedFill(m, 0) },
		"masked_select: mask of float32; it is bool": func() { m.MaskedSelect(m) },
		"one_hot: class 3 at [1]; there are 3 classes": func() {
			tensor.New([]int{0, 3}).OneHot(3)
		},
		"one_hot: classes of float32; they are int64": func() { m.OneHot() },
		"split: sizes [1 1] do not add up to 3, the size of dimension 1 of shape [2 3]": func() {
			m.Split([]int{1, 1}, 1)
		},
		"split: size 0; parts have at least one element": func() { m.Split(0, 0) },
		"chunk: 0 parts; there is at least one":          func() { m.Chunk(0, 0) },
		"pad: 1 widths for shape [2 3]; they are two for each dimension, from the last one on": func() {
			m.Pad(slices.Repeat([]int{1}, 1), "", 0)
		},
		"pad: mode \"mirror\"; it is constant, reflect, replicate or circular": func() {
			m.Pad([]int{1, 1}, "mirror", 0)
		},
		"pad: widths 3 and 0 are too large to reflect dimension 1 of shape [2 3]": func() {
			m.Pad([]int{3, 0}, "reflect", 0)
		},
		"pad: widths -2 and -2 take more than the 3 elements of dimension 1 of shape [2 3]": func() {
			m.Pad([]int{-2, -2}, "", 0)
		},
		"unfold: windows of 4 elements, 1 apart, in dimension 1 of shape [2 3]; they fit into it, " +
			"and steps are positive": func() { m.Unfold(1, 4, 1) },
		"diagonal: dimension 1 is given twice": func() {
			m.Diagonal(tensor.DiagonalConfig{Axes: []int{1, -1}})
		},
		"diag: shape []; it is a vector or a matrix": func() {
			tensor.Ones().Diag()
		},
		"flip: dimension 0 is given twice":                                  func() { m.Flip(0, -2) },
		"repeat: 1 counts for shape [2 3]; there is one for each dimension": func() { m.Repeat(2) },
		"repeat_interleave: 1 counts for the 2 parts in dimension 0 of shape [2 3]": func() {
			m.RepeatInterleave([]int{1}, 0)
		},
		"tril: shape [] has fewer than two dimensions": func() { tensor.Ones().Tril() },
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
}

// TestCountsOfMemory: absurd sizes are refused before anything is allocated.
func TestCountsOfMemory(t *testing.T) {
	m := tensor.Ones(2, 3)
	const huge = math.MaxInt / 3
	for name, f := range map[string]func(){
		"pad":               func() { m.Pad([]int{huge, 0}, "replicate", 0) },
		"pad_constant":      func() { m.Pad([]int{huge, huge}, "", 0) },
		"repeat":            func() { m.Repeat(huge, 2) },
		"repeat_interleave": func() { m.RepeatInterleave(huge, 0) },
		"pad of nothing":    func() { m.Slice(0, 0, 0).Pad([]int{huge, 0}, "replicate", 0) },
		"repeat of nothing": func() { m.Slice(0, 0, 0).Repeat(1, 1<<58) },
		"repeat nothing":    func() { m.Slice(0, 0, 0).RepeatInterleave(1<<58, 1) },
	} {
		if got := reference.Mistake(f); got == "no panic" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestSliceGradients: the gradients of slices that overlap, of one that is taken twice and of the
// whole add up, wherever the first one comes from.
func TestSliceGradients(t *testing.T) {
	for _, first := range []string{"slices", "whole"} {
		x := tensor.Ones(2, 5).SetRequiresGrad(true)
		whole := x.Mul(1)
		a, b, c := whole.Narrow(1, 0, 3), whole.Slice(1, 1, 5, 2), whole.Narrow(1, 2, 2)
		parts := a.Mul(2).Sum().Add(b.Mul(10).Sum()).Add(c.Mul(100).Sum()).Add(c.Sum())
		if first == "slices" {
			whole.Mul(1000).Sum().Add(parts).Backward()
		} else {
			parts.Add(whole.Mul(1000).Sum()).Backward()
		}
		row := []float32{1002, 1012, 1103, 1111, 1000}
		equal(t, first, x.Grad().Float32s(), append(row, row...))
		equal(t, first+": shape", x.Grad().Shape(), []int{2, 5})
	}
}
