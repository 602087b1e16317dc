package tensor_test

import "halfnote/tensor"

func init() {
	cat := func(axis int) func(x ...*T) *T {
		return func(x ...*T) *T { return tensor.Cat(x, axis) }
	}
	f := func(f func(x *T) *T) func(x ...*T) *T { return func(x ...*T) *T { return f(x[0]) } }
	row := func(name string, g func(x *T) *T) opRow {
		return opRow{name: name, in: [][]int{{3, 4}}, f: f(g), also: [][][]int{{{4, 5, 2}}}}
	}
	addOps(
		row("slice", func(x *T) *T { return x.Slice(1, 1, 4, 2) }),
		row("index", func(x *T) *T { return x.Index(-1) }),
		row("transpose", func(x *T) *T { return x.Transpose(0, 1) }),
		row("movedim", func(x *T) *T { return x.Unsqueeze(1).Movedim(0, -1) }),
		row("reshape", func(x *T) *T { return x.Transpose(0, 1).Reshape(2, -1) }),
		row("flatten", func(x *T) *T { return x.Transpose(0, 1).Flatten(0) }),
		row("expand", func(x *T) *T {
			return x.Slice(0, 0, 1).Expand(append([]int{2, 5},
				x.Shape()[1:]...)...)
		}).big(16),
		row("clone", (*T).Clone),
		row("contiguous", func(x *T) *T { return x.Transpose(0, 1).Contiguous() }),
		row("split", func(x *T) *T {
			return x.Split(2, 1)[1].Mul(x.Split([]int{1, 2, x.Size(1) - 3},
				1)[1])
		}).big(4),
		row("chunk", func(x *T) *T { return x.Chunk(3, 1)[1] }),
		row("unbind", func(x *T) *T { return x.Unbind(0)[1] }),
		row("diagonal", func(x *T) *T { return x.Diagonal(tensor.DiagonalConfig{Offset: 1}) }),
		row("diagonal_below", func(x *T) *T {
			return x.Diagonal(tensor.DiagonalConfig{Offset: -1, Axes: []int{1, 0}})
		}),
		opRow{name: "diag", in: [][]int{{3}}, also: [][][]int{{{0}}},
			f: f(func(x *T) *T { return x.Diag(-1) })},
		row("unfold", func(x *T) *T { return x.Unfold(1, 3, 1) }).big(4),
		row("unfold_apart", func(x *T) *T { return x.Unfold(0, 1, 2) }),
		opRow{name: "cat", in: [][]int{{2, 3}, {2, 1}}, f: cat(1)},
		opRow{name: "stack", in: same(2, 2, 3), f: func(x ...*T) *T { return tensor.Stack(x, -1) }},
		opRow{name: "meshgrid", in: [][]int{{2}, {3}}, f: func(x ...*T) *T {
			grids := tensor.Meshgrid(x...)
			return grids[0].Mul(grids[1])
		}, terms: 8},
	)
	addOps(
		row("flip", func(x *T) *T { return x.Flip(0, -1) }),
		row("roll", func(x *T) *T { return x.Roll(-2, 1) }),
		row("repeat", func(x *T) *T { return x.Reshape(x.Size(0), -1).Repeat(2, 1, 3) }).big(16),
		row("repeat_interleave", func(x *T) *T { return x.RepeatInterleave(3, 1) }).big(8),
		row("repeat_interleave_counts", func(x *T) *T {
			return x.Slice(0, 0, 3).RepeatInterleave([]int{2, 0, 1}, 0)
		}).big(4),
		row("tril", func(x *T) *T { return x.Tril(-1) }),
		row("triu", func(x *T) *T { return x.Triu(1) }),
		row("pad_constant", func(x *T) *T { return x.Pad([]int{1, 2, 0, 3}, "constant", 0.5) }),
		row("pad_negative", func(x *T) *T { return x.Pad([]int{-1, 2, 1, -2}, "", 0) }),
		row("pad_reflect", func(x *T) *T { return x.Pad([]int{1, 1, 2, 1}, "reflect", 0) }).big(8),
		row("pad_replicate", func(x *T) *T {
			return x.Pad([]int{2, 1, 3, -1}, "replicate", 0)
		}).big(16),
		row("pad_circular", func(x *T) *T { return x.Pad([]int{2, 1, 3, 2}, "circular", 0) }).big(8),
	)
}

// big gives the row the size of the terms that its results or gradients are sums of.
func (r opRow) big(terms float64) opRow {
	r.terms = terms
	return r
}
