package tensor_test

import (
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// TestIndexInPlace: each form in place gives the values and gradients of the form that is not, for
// a tensor and for a view of one.
func TestIndexInPlace(t *testing.T) {
	index := tensor.New([]int{2, 0})
	pairs := tensor.New([][]int{{0, 1, 2}, {2, 1, 0}})
	for name, op := range map[string][2]func(x, y *T) *T{
		"scatter": {
			func(x, y *T) *T { return x.Scatter(0, pairs, y) },
			func(x, y *T) *T { return x.ScatterInPlace(0, pairs, y) }},
		"scatter_add": {
			func(x, y *T) *T { return x.ScatterAdd(0, pairs, y) },
			func(x, y *T) *T { return x.ScatterAddInPlace(0, pairs, y) }},
		"scatter_reduce": {
			func(x, y *T) *T { return x.ScatterReduce(0, pairs, y, "mean", true) },
			func(x, y *T) *T { return x.ScatterReduceInPlace(0, pairs, y, "mean", true) }},
		"index_add": {
			func(x, y *T) *T { return x.IndexAdd(0, index, y, 0.5) },
			func(x, y *T) *T { return x.IndexAddInPlace(0, index, y, 0.5) }},
		"index_copy": {
			func(x, y *T) *T { return x.IndexCopy(0, index, y) },
			func(x, y *T) *T { return x.IndexCopyInPlace(0, index, y) }},
		"index_fill": {
			func(x, y *T) *T { return x.IndexFill(0, index, y.Sum()) },
			func(x, y *T) *T { return x.IndexFillInPlace(0, index, y.Sum()) }},
		"index_put": {
			func(x, y *T) *T { return x.IndexPut([]any{index}, y, false) },
			func(x, y *T) *T { return x.IndexPutInPlace([]any{index}, y, false) }},
		"tril": {
			func(x, _ *T) *T { return x.Tril() },
			func(x, _ *T) *T { return x.TrilInPlace() }},
		"triu": {
			func(x, _ *T) *T { return x.Triu(1) },
			func(x, _ *T) *T { return x.TriuInPlace(1) }},
		"mm": {
			func(_, y *T) *T { return y.T().MM(y) },
			func(x, y *T) *T { return x.MMFrom(y.T(), y) }},
		"addmm": {
			func(x, y *T) *T { return x.Addmm(y.T(), y, 2, -1) },
			func(x, y *T) *T { return x.AddmmInPlace(y.T(), y, 2, -1) }},
		"addmv": {
			func(x, y *T) *T {
				row := x.Index(0).Addmv(y.T(), y.Index(0).Slice(0, 0, 2), 2, -1)
				return tensor.Cat([]*T{row.Unsqueeze(0), x.Slice(0, 1, 3)}, 0)
			},
			func(x, y *T) *T {
				x.Index(0).AddmvInPlace(y.T(), y.Index(0).Slice(0, 0, 2), 2, -1)
				return x
			}},
		"addbmm": {
			func(x, y *T) *T { return x.Addbmm(y.T().Unsqueeze(0), y.Unsqueeze(0), 2, -1) },
			func(x, y *T) *T { return x.AddbmmInPlace(y.T().Unsqueeze(0), y.Unsqueeze(0), 2, -1) }},
		"baddbmm": {
			func(x, y *T) *T {
				return x.Unsqueeze(0).Baddbmm(y.T().Unsqueeze(0), y.Unsqueeze(0), 2, -1).Index(0)
			},
			func(x, y *T) *T {
				x.Unsqueeze(0).BaddbmmInPlace(y.T().Unsqueeze(0), y.Unsqueeze(0), 2, -1)
				return x
			}},
		"addr": {
			func(x, y *T) *T { return x.Addr(y.Index(0), y.Index(1), 2, -1) },
			func(x, y *T) *T { return x.AddrInPlace(y.Index(0), y.Index(1), 2, -1) }},
	} {
		for _, part := range []bool{false, true} {
			run := func(f func(x, y *T) *T, inPlace bool) []*T {
				tensor.Seed(3)
				x := tensor.Randn(4, 3).To(tensor.Float64).SetRequiresGrad(true)
				y := tensor.Randn(2, 3).To(tensor.Float64).SetRequiresGrad(true)
				z := x.Mul(1)
				target := z.Slice(0, 0, 3)
				if !part {
					target = target.Clone()
				}
				out := f(target, y)
				switch {
				case part && inPlace:
					out = z
				case part:
					out = tensor.Cat([]*T{out, z.Slice(0, 3, 4)}, 0)
				}
				out.Mul(out).Sum().Backward()
				return []*T{out, x.Grad(), y.Grad()}
			}
			want, got := run(op[0], false), run(op[1], true)
			for i := range want {
				if want[i] == nil {
					want[i] = tensor.ZerosLike(got[i-1]) // y does not take part
					continue
				}
				near(t, name, got[i].Float64s(), want[i].Float64s(), tensor.Float64, 64)
			}
		}
	}
}

// TestUnfoldIsNotWritten: windows that overlap hold elements twice.
func TestUnfoldIsNotWritten(t *testing.T) {
	x := tensor.Zeros(5)
	equal(t, "message", reference.Mistake(func() { x.Unfold(0, 3, 1).AddInPlace(1) }),
		"AddInPlace: the tensor repeats its elements (strides [1 1]); write to a Clone")
	x.Unfold(0, 2, 3).AddInPlace(1)
	equal(t, "apart", x.Float32s(), []float32{1, 1, 0, 1, 1})
	equal(t, "mm", reference.Mistake(func() {
		m := tensor.Ones(2, 2)
		m.To(tensor.Float64).MMFrom(m, m)
	}), "mm: dtypes float64 and float32 differ; convert one with To")
}
