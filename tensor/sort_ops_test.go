package tensor_test

func init() {
	along := func(name string, f func(x *T) *T) opRow {
		return opRow{name: name, in: same(1, 2, 3, 4), f: func(x ...*T) *T { return f(x[0]) },
			also: [][][]int{same(1, 3, 2), same(1, 2, 5), same(1, 2, 3, 0)}}
	}
	addOps(
		along("sort", func(x *T) *T { v, _ := x.Sort(1, false); return v }),
		along("sort_descending", func(x *T) *T { v, _ := x.Sort(0, true); return v }),
		along("topk", func(x *T) *T { v, _ := x.TopK(2, 1); return v }),
		along("topk_smallest", func(x *T) *T { v, _ := x.TopK(1, 0, false); return v }),
	)
}
