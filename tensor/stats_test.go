package tensor_test

import (
	"math"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func TestUnscaleInPlace(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	a := tensor.New([]float64{1, inf, nan, -inf}, tensor.Float32)
	b := tensor.New([]float32{3e38, 2})
	half := tensor.New([][]float32{{4, 60000}, {1, 2}}, tensor.Float16).T()
	counts := tensor.UnscaleInPlace([]*T{a, nil, b, half}, 2)
	equal(t, "counts", counts.Int64s(), []int64{2, 1, 0, 0, 1, 0, 1, 0})
	equal(t, "shape", counts.Shape(), []int{4, 2})
	equal(t, "values", a.Float64s(), []float64{2, inf, nan, -inf})
	equal(t, "born by unscaling", b.Float64s(), []float64{inf, 4})
	equal(t, "strides", half.Float64s(), []float64{8, 2, inf, 4})
	equal(t, "versions", []uint64{a.Version(), b.Version()}, []uint64{1, 1})
	tensor.UnscaleInPlace([]*T{a}, 1)
	equal(t, "inverse 1 writes nothing", a.Version(), uint64(1))
	zero := tensor.Zeros(2)
	equal(t, "0·inf", tensor.UnscaleInPlace([]*T{zero}, float32(inf)).Int64s(), []int64{0, 2})
	large := tensor.Ones(300_000)
	large.Slice(0, 299_999, 300_000).FillInPlace(inf)
	equal(t, "large", tensor.UnscaleInPlace([]*T{large}, 0.5).Int64s(), []int64{1, 0})
	equal(t, "float64", tensor.UnscaleInPlace([]*T{tensor.New([]float64{1e308})}, 1e30).Int64s(),
		[]int64{1, 0})
	equal(t, "ints", reference.Mistake(func() { tensor.UnscaleInPlace([]*T{tensor.New([]int{1})}, 1) }),
		"unscale: a gradient of int64; it is floating point")
}

func TestNorms(t *testing.T) {
	a, b := tensor.New([]float32{3, -4}), tensor.New([][]float32{{12}}, tensor.Float16)
	ts := []*T{a, nil, b}
	for _, c := range []struct{ p, want float64 }{
		{2, 13}, {1, 19}, {math.Inf(1), 12}, {3, math.Cbrt(27 + 64 + 1728)},
	} {
		got := tensor.NormFloat64(ts, c.p)
		near(t, "norm", []float64{got}, []float64{c.want}, tensor.Float32, 13)
	}
	equal(t, "nothing", tensor.NormFloat64(nil, 2), 0.0)
	big := tensor.Full(3e38, 4)
	near(t, "beyond float32", []float64{tensor.NormFloat64([]*T{big}, 2) / 6e38}, []float64{1},
		tensor.Float32, 1)
	nan := tensor.New([]float64{math.NaN(), 1})
	equal(t, "nan", tensor.NormFloat64([]*T{nan, a}, math.Inf(1)), math.NaN())
}

func TestStatistics(t *testing.T) {
	x := tensor.New([]float64{0, 1e-9, 1e-6, 1, math.Inf(1), math.NaN()}, tensor.Float32)
	s := tensor.Statistics([]*T{x, nil}, 1)
	s[0].SumSquares, s[0].MaxAbs = 0, 0 // NaN spoils both
	equal(t, "counts", s[0], tensor.Stats{Zeros: 2, Subnormals: 1, Infs: 1, NaNs: 1, Total: 6})
	equal(t, "nil", s[1], tensor.Stats{})
	if s := tensor.Statistics([]*T{x.Slice(0, 0, 4)}, 65536)[0]; s.Zeros != 1 ||
		s.Subnormals != 0 || s.MaxAbs != 65536 {
		t.Errorf("scaled: %+v", s)
	}
}
