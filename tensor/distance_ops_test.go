package tensor_test

import (
	"math"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func init() {
	for name, p := range map[string]float64{"1": 1, "2": 2, "3": 3, "inf": math.Inf(1)} {
		addOps(
			opRow{name: "dist" + name, in: same(2, 2, 3), terms: 12,
				f:    func(x ...*T) *T { return x[0].Dist(x[1], p) },
				also: [][][]int{same(2), {{2, 3}, {3}}}},
			opRow{name: "cdist" + name, in: [][]int{{3, 2}, {4, 2}}, terms: 12,
				f:    func(x ...*T) *T { return tensor.CDist(x[0], x[1], p) },
				also: [][][]int{{{2, 3, 2}, {2, 2}}, {{0, 2}, {4, 2}}}},
			opRow{name: "pdist" + name, in: [][]int{{4, 3}}, terms: 12,
				f:    func(x ...*T) *T { return x[0].PDist(p) },
				also: [][][]int{{{1, 3}}, {{0, 3}}}},
		)
	}
	addOps(
		opRow{name: "renorm", in: [][]int{{3, 2, 2}}, also: [][][]int{{{0, 3}}, {{2, 2}}}, terms: 4,
			f: func(x ...*T) *T { return x[0].Renorm(2, 1, 2.1) }},
		opRow{name: "renorm1", in: [][]int{{2, 3}}, terms: 4,
			f: func(x ...*T) *T { return x[0].Renorm(1, -1, 0.5) }},
		opRow{name: "cross", in: same(2, 2, 3), terms: 8,
			f:    func(x ...*T) *T { return x[0].Cross(x[1], -1) },
			also: [][][]int{{{2, 1, 3}, {4, 3}}, {{3}, {0, 3}}}},
		opRow{name: "cross_first", in: same(2, 3, 2), terms: 8,
			f: func(x ...*T) *T { return x[0].Cross(x[1], 0) }},
		opRow{name: "vecdot", in: same(2, 2, 3), terms: 12,
			f:    func(x ...*T) *T { return x[0].Vecdot(x[1], -1) },
			also: [][][]int{{{3}, {2, 3}}, same(2, 2, 0), same(2, 0, 3)}},
		opRow{name: "bilinear", in: [][]int{{2, 3}, {2, 2}, {4, 3, 2}, {4}}, terms: 64,
			f:    func(x ...*T) *T { return tensor.Bilinear(x[0], x[1], x[2], x[3]) },
			also: [][][]int{{{3}, {2}, {4, 3, 2}, {4}}, {{0, 3}, {0, 2}, {1, 3, 2}, {1}}}},
	)
}

// TestDistances compares with PyTorch's values.
func TestDistances(t *testing.T) {
	a := tensor.New([][]float64{{1, 2, 3}, {4, -5, 6}})
	b := tensor.New([][]float64{{1, 0, -1}, {2, 2, 2}})
	check := func(name string, got *T, want ...float64) {
		t.Helper()
		near(t, name, got.Float64s(), want, tensor.Float64, 100)
	}
	check("dist", a.Dist(b, 2), 9.433981132056603)
	check("dist 1", a.Dist(b, 1), 19)
	check("cdist", tensor.CDist(a, b, 2), 4.472135954999580, 1.414213562373095, 9.110433579144299,
		8.306623862918075)
	check("cdist inf", tensor.CDist(a, b, math.Inf(1)), 4, 1, 7, 7)
	check("pdist", tensor.Cat([]*T{a, b}, 0).PDist(1), 13, 6, 2, 15, 13, 6)
	check("renorm", a.Renorm(2, 0, 5), 1, 2, 3, 2.279211503218733, -2.849014379023417,
		3.418817254828100)
	check("cross", a.Cross(b, 1), -2, 4, -2, -22, 4, 18)
	check("vecdot", a.Vecdot(b, -1), -2, 10)
	check("bilinear", tensor.Bilinear(a, b, tensor.Arange(9).To(tensor.Float64).Reshape(1, 3, 3),
		nil), -12, 156)
	check("same point", tensor.CDist(a, a, 2).Diagonal(), 0, 0)
}

func TestDistanceMistakes(t *testing.T) {
	z := tensor.Zeros
	for _, test := range []struct {
		want string
		f    func()
	}{
		{"cdist: shapes [2 3] and [2 4]; they are [..., P, M] and [..., R, M]",
			func() { tensor.CDist(z(2, 3), z(2, 4), 2) }},
		{"dist: elements of int64; floating point is needed",
			func() { tensor.New([]int{1}).Dist(tensor.New([]int{1}), 2) }},
		{"pdist: shape [3]; it is [N, M]", func() { z(3).PDist(2) }},
		{"cross: shapes [2 3] and [2 3] do not have 3 elements in dimension 0",
			func() { z(2, 3).Cross(z(2, 3), 0) }},
		{"linalg_vecdot: shape [3] has no dimension 1", func() { z(3).Vecdot(z(3), 1) }},
		{"renorm: order 0, norm 1 and shape [2 2]; the order is positive, the norm not negative, " +
			"and there are two dimensions or more", func() { z(2, 2).Renorm(0, 0, 1) }},
		{"bilinear: inputs of shapes [2 3] and [2 3] and weight of shape [1 3 2]; they are " +
			"[..., I], [..., J] and [K, I, J]",
			func() { tensor.Bilinear(z(2, 3), z(2, 3), z(1, 3, 2), nil) }},
	} {
		if got := reference.Mistake(test.f); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
