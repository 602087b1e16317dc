package tensor_test

import "halfnote/tensor"

func init() {
	index := tensor.New([]int{2, 0, 2}) // names a position twice
	pairs := tensor.New([][]int{{0, 1}, {2, 1}, {1, 1}})
	mask := tensor.New([][]bool{{true, false, true}, {false, false, true}})
	addOps(
		opRow{name: "gather", in: [][]int{{3, 2, 2}}, terms: 4, f: func(x ...*T) *T {
			return x[0].Gather(0, pairs.Unsqueeze(2))
		}},
		opRow{name: "gather_last", in: [][]int{{3, 3}}, terms: 4, f: func(x ...*T) *T {
			return x[0].Gather(-1, pairs)
		}},
		opRow{name: "index_select", in: [][]int{{3, 2}}, also: [][][]int{{{3, 0}}, {{4, 2, 3}}},
			terms: 4, f: func(x ...*T) *T { return x[0].IndexSelect(0, index) }},
		opRow{name: "index_select_last", in: [][]int{{2, 3}}, terms: 4, f: func(x ...*T) *T {
			return x[0].IndexSelect(1, index)
		}},
		opRow{name: "take_along_dim", in: [][]int{{3, 1}}, terms: 8, f: func(x ...*T) *T {
			return x[0].TakeAlongDim(pairs, 0)
		}},
		opRow{name: "take", in: [][]int{{3, 3, 2}}, terms: 4, f: func(x ...*T) *T {
			return x[0].Take(index, tensor.New([]int{-1, 0, -1}))
		}},
		opRow{name: "take_broadcast", in: [][]int{{2, 3, 3}}, terms: 8, f: func(x ...*T) *T {
			return x[0].Take(nil, index.Unsqueeze(1), []int{1, 1})
		}},
		opRow{name: "take_apart", in: [][]int{{3, 2, 3}}, terms: 4, f: func(x ...*T) *T {
			return x[0].Take(index, nil, -1)
		}},
		opRow{name: "take_mask", in: [][]int{{2, 3, 2}}, also: [][][]int{{{2, 3}}, {{2, 3, 0}}},
			f: func(x ...*T) *T { return x[0].Take(mask) }},
		opRow{name: "masked_select", in: [][]int{{2, 2, 3}}, f: func(x ...*T) *T {
			return x[0].MaskedSelect(mask)
		}},
		opRow{name: "masked_fill", in: [][]int{{2, 3}}, also: [][][]int{{{1, 3}}},
			f: func(x ...*T) *T { return x[0].MaskedFill(mask, 1.5) }},
		opRow{name: "masked_fill_tensor", in: [][]int{{2, 3}, {}}, terms: 4,
			f: func(x ...*T) *T { return x[0].MaskedFill(mask, x[1]) }},
		opRow{name: "one_hot", in: [][]int{{2, 3}}, noGrad: true, f: func(x ...*T) *T {
			return x[0].Gt(0).To(tensor.Int64).OneHot(2)
		}},
	)
}

func init() {
	index := tensor.New([]int{2, 0, 2}) // names a position twice
	pairs := tensor.New([][]int{{0, 1}, {2, 1}, {1, 1}})
	addOps(
		opRow{name: "scatter_add", in: [][]int{{3, 3}, {3, 2}}, terms: 8, f: func(x ...*T) *T {
			return x[0].ScatterAdd(0, pairs, x[1])
		}},
		opRow{name: "scatter", in: [][]int{{3, 3}, {4, 3}}, f: func(x ...*T) *T {
			return x[0].Scatter(1, pairs, x[1])
		}},
		opRow{name: "scatter_number", in: [][]int{{3, 3}}, f: func(x ...*T) *T {
			return x[0].Scatter(0, pairs, 0.5)
		}},
		opRow{name: "index_add", in: [][]int{{3, 2}, {3, 2}}, terms: 8,
			also: [][][]int{{{3, 0}, {3, 0}}, {{3, 2, 2}, {3, 2, 2}}}, f: func(x ...*T) *T {
				return x[0].IndexAdd(0, index, x[1], 0.3)
			}},
		opRow{name: "index_add_last", in: [][]int{{2, 3}, {2, 3}}, terms: 8, f: func(x ...*T) *T {
			return x[0].IndexAdd(-1, index, x[1])
		}},
		opRow{name: "index_copy", in: [][]int{{3, 2}, {3, 2}}, f: func(x ...*T) *T {
			return x[0].IndexCopy(0, index, x[1])
		}},
		opRow{name: "index_fill", in: [][]int{{3, 2}, {}}, terms: 8, f: func(x ...*T) *T {
			return x[0].IndexFill(0, index, x[1])
		}},
		opRow{name: "index_put", in: [][]int{{3, 3, 2}, {2}}, terms: 8, f: func(x ...*T) *T {
			return x[0].IndexPut([]any{index, []int{1, 0, 1}}, x[1], false)
		}},
		opRow{name: "index_put_apart", in: [][]int{{3, 2, 3}, {3, 1}}, terms: 8,
			f: func(x ...*T) *T {
				return x[0].IndexPut([]any{index, nil, 1}, x[1], false)
			}},
		opRow{name: "index_put_accumulate", in: [][]int{{3, 3, 2}, {3, 1}}, terms: 8,
			f: func(x ...*T) *T {
				return x[0].IndexPut([]any{nil, index}, x[1], true)
			}},
	)
	for _, reduce := range []string{"sum", "mean", "prod", "amax", "amin"} {
		for _, self := range []bool{true, false} {
			name := "scatter_reduce_" + reduce
			if !self {
				name += "_without_self"
			}
			addOps(opRow{name: name, in: [][]int{{3, 3}, {3, 2}}, terms: 16,
				f: func(x ...*T) *T {
					return x[0].ScatterReduce(0, pairs, x[1], reduce, self)
				}})
		}
	}
}
