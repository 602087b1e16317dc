package tensor_test

import "halfnote/tensor"

func init() {
	// Each result is a sum of up to four products of at most 4.
	product := func(name string, f func(a, b *T) *T, in ...[][]int) opRow {
		return opRow{name: name, in: in[0], also: in[1:], terms: 16,
			f: func(x ...*T) *T { return f(x[0], x[1]) }}
	}
	added := func(name string, f func(c, a, b *T, beta, alpha float64) *T, in ...[][]int) opRow {
		return opRow{name: name, in: in[0], also: in[1:], terms: 32,
			f: func(x ...*T) *T { return f(x[0], x[1], x[2], 0.3, -1.5) }}
	}
	einsum := func(equation string, in ...[]int) opRow {
		return opRow{name: "einsum " + equation, in: in, terms: 64,
			f: func(x ...*T) *T { return tensor.Einsum(equation, x...) }}
	}
	addOps(
		product("matmul", (*T).MatMul, [][]int{{2, 4}, {4, 3}}, [][]int{{4}, {4}},
			[][]int{{4}, {2, 4, 3}}, [][]int{{2, 1, 2, 4}, {4}}, [][]int{{0, 4}, {4, 3}},
			[][]int{{2, 0}, {0, 3}}),
		product("matmul_broadcast", (*T).MatMul, [][]int{{2, 1, 3, 2}, {3, 2, 2}},
			[][]int{{2, 3, 2}, {2, 2}}, [][]int{{3, 2}, {2, 2, 2}}),
		product("mm", (*T).MM, [][]int{{2, 4}, {4, 3}}),
		product("bmm", (*T).BMM, [][]int{{2, 3, 2}, {2, 2, 3}}),
		product("mv", (*T).MV, [][]int{{2, 4}, {4}}, [][]int{{2, 0}, {0}}),
		product("dot", (*T).Dot, [][]int{{4}, {4}}, [][]int{{0}, {0}}),
		product("vdot", (*T).Vdot, [][]int{{4}, {4}}, [][]int{{0}, {0}}),
		product("outer", (*T).Outer, [][]int{{2}, {3}}, [][]int{{0}, {3}}),
		product("tensordot", func(a, b *T) *T {
			return tensor.Tensordot(a, b, []int{0, 2}, []int{1, -1})
		}, [][]int{{2, 3, 2}, {3, 2, 2}}),
		product("multi_dot", func(a, b *T) *T {
			return tensor.MultiDot(a, b, a.T(), a)
		}, [][]int{{3, 2}, {2, 2}}).big(512),
		added("addmm", (*T).Addmm, [][]int{{2, 3}, {2, 4}, {4, 3}}, [][]int{{3}, {2, 4}, {4, 3}},
			[][]int{{}, {2, 0}, {0, 3}}),
		added("baddbmm", (*T).Baddbmm, [][]int{{2, 1, 4}, {2, 3, 2}, {2, 2, 4}}),
		added("addbmm", (*T).Addbmm, [][]int{{3, 4}, {2, 3, 2}, {2, 2, 4}}),
		added("addmv", (*T).Addmv, [][]int{{3}, {3, 4}, {4}}, [][]int{{}, {3, 4}, {4}}),
		added("addr", (*T).Addr, [][]int{{2, 3}, {2}, {3}}),
		opRow{name: "linear", in: [][]int{{2, 2, 4}, {3, 4}, {3}}, terms: 20,
			also: [][][]int{{{4}, {3, 4}, {3}}, {{2, 0}, {3, 0}, {3}}},
			f:    func(x ...*T) *T { return tensor.Linear(x[0], x[1], x[2]) }},
		opRow{name: "linear_without_bias", in: [][]int{{2, 4}, {3, 4}}, terms: 16,
			f: func(x ...*T) *T { return tensor.Linear(x[0], x[1], nil) }},
		einsum("ij,jk->ik", []int{2, 3}, []int{3, 2}),
		einsum("bhqd,bhkd->bhqk", []int{1, 2, 3, 2}, []int{1, 2, 2, 2}),
		einsum("ij,jk,kl", []int{2, 3}, []int{3, 2}, []int{2, 2}).big(256),
		einsum("i,i->i", []int{3}, []int{3}),
		einsum("ii", []int{3, 3}),
		einsum("iji->j", []int{3, 2, 3}),
		einsum("ij,ij->", []int{2, 3}, []int{2, 3}),
		einsum("ij,k->jk", []int{2, 3}, []int{2}),
		einsum(" ...i , i j -> j... ", []int{2, 2, 3}, []int{3, 2}),
		einsum("...a,...a", []int{2, 1, 3}, []int{2, 3}),
		einsum("ba,b,bc->c", []int{2, 3}, []int{2}, []int{2, 2}).big(128),
		einsum("ij,ij->ij", []int{2, 1}, []int{1, 3}),
	)
}
