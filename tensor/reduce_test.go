package tensor_test

import (
	"fmt"
	"math"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// fold reduces a dense array of three dimensions by the definition.
func fold(values []float64, shape [3]int, axes []int, f func(a, b float64) float64,
	start float64) []float64 {
	gone := map[int]bool{}
	for _, a := range axes {
		gone[a] = true
	}
	var out []float64
	index := map[[3]int]int{}
	for i := range shape[0] {
		for j := range shape[1] {
			for k := range shape[2] {
				at := [3]int{i, j, k}
				for d := range at {
					if gone[d] {
						at[d] = 0
					}
				}
				if _, ok := index[at]; !ok {
					index[at] = len(out)
					out = append(out, start)
				}
				v := values[(i*shape[1]+j)*shape[2]+k]
				out[index[at]] = f(out[index[at]], v)
			}
		}
	}
	return out
}

// TestReduce compares folds over every choice of axes, for dense and permuted tensors of sizes
// that take each of the paths, with the definition.
func TestReduce(t *testing.T) {
	add := func(a, b float64) float64 { return a + b }
	for _, d := range append([]tensor.DType{tensor.Int64}, floatTypes...) {
		for _, shape := range [][3]int{{2, 3, 4}, {40, 1, 50}, {5, 130, 70}} {
			dense := tensor.Randn(shape[:]...).Mul(4).To(d)
			permuted := dense.Permute(2, 0, 1).Clone().Permute(1, 2, 0)
			for _, axes := range [][]int{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}} {
				for layout, x := range map[string]*T{"dense": dense, "permuted": permuted} {
					what := fmt.Sprintf("%s %v over %v, %s", d, shape, axes, layout)
					values := x.Float64s()
					sums := fold(values, shape, axes, add, 0)
					n := float64(len(values) / len(sums))
					out := x.Sum(axes...)
					near(t, what+" sum", out.Float64s(), sums, out.DType(), 4*n)
					near(t, what+" max", x.Max(axes...).Float64s(),
						fold(values, shape, axes, math.Max, math.Inf(-1)), d, 0)
					near(t, what+" min", x.Min(axes...).Float64s(),
						fold(values, shape, axes, math.Min, math.Inf(1)), d, 0)
					means := x.Mean(axes...)
					for i := range sums {
						sums[i] /= n
					}
					near(t, what+" mean", means.Float64s(), sums, means.DType(), 4)
				}
			}
		}
	}
}

func TestArgmax(t *testing.T) {
	x := tensor.New([][]float32{{1, 5, 5}, {7, -1, 2}})
	equal(t, "rows", x.Argmax(1).Int64s(), []int64{1, 0})
	equal(t, "columns", x.Argmax(0).Int64s(), []int64{1, 0, 0})
	equal(t, "negative axis", x.Argmin(-1).Int64s(), []int64{0, 1})
	equal(t, "ints", x.To(tensor.Int64).Argmin(1).Int64s(), []int64{0, 1})
	equal(t, "long", tensor.Arange(1000).Argmax(0).Int64s(), []int64{999})
}

func TestReduceEmpty(t *testing.T) {
	x := tensor.Zeros(0, 3)
	equal(t, "sum", x.Sum(0).Float64s(), []float64{0, 0, 0})
	equal(t, "mean", x.Mean().Item(), math.NaN())
	equal(t, "max", reference.Mistake(func() { x.Max() }),
		"amax: shape [0 3] has no elements to choose from")
	equal(t, "axis", reference.Mistake(func() { x.Sum(2) }), "sum: shape [0 3] has no dimension 2")
	equal(t, "twice", reference.Mistake(func() { x.Sum(1, -1) }), "sum: dimension 1 is given twice")
}

func TestSoftmaxFloat16(t *testing.T) {
	x := tensor.New([]float32{1, 2, 3}, tensor.Float16)
	equal(t, "dtype", x.Softmax(0).DType(), tensor.Float16)
	equal(t, "dtype given", x.LogSoftmax(0, tensor.Float32).DType(), tensor.Float32)
	equal(t, "sum in float32", x.SumAs(tensor.Float32).DType(), tensor.Float32)
	equal(t, "a single number", tensor.Full(3).Softmax(0).Item(), 1.0)
}

// TestReduceIntegers: integers are folded exactly, whole columns at once as well as along rows.
func TestReduceIntegers(t *testing.T) {
	const big = 1<<53 + 1 // no float64
	x := tensor.New([][]int{{big, -1, 0, 2, 5}, {1, -2, 3, 2, -5}, {0, big, 3, 1, 7}})
	rows := x.T().Clone()
	folds := map[string]func(x *T, axis int) *T{
		"sum":    func(x *T, axis int) *T { return x.Sum(axis) },
		"prod":   func(x *T, axis int) *T { return x.Prod(axis) },
		"max":    func(x *T, axis int) *T { return x.Max(axis) },
		"min":    func(x *T, axis int) *T { return x.Min(axis) },
		"argmax": func(x *T, axis int) *T { return x.Argmax(axis) },
		"any":    func(x *T, axis int) *T { return x.Any(axis) },
		"all":    func(x *T, axis int) *T { return x.All(axis) },
	}
	for name, f := range folds {
		equal(t, name, f(x, 0).Int64s(), f(rows, 1).Int64s())
	}
	equal(t, "sum", x.Sum(0).Int64s(), []int64{big + 1, big - 3, 6, 5, 7})
	equal(t, "max", x.Max(0).Int64s(), []int64{big, big, 3, 2, 7})
	equal(t, "min", x.Min(0).Int64s(), []int64{0, -2, 0, 1, -5})
	equal(t, "all", x.All(0).Bools(), []bool{false, true, false, true, true})
	equal(t, "mean", x.Slice(1, 2, 5).Mean(0).Float32s(), []float32{2, 5. / 3, 7. / 3})
}

// TestSumHalfColumns: columns of 16-bit floats have the sums of the same numbers in float32.
func TestSumHalfColumns(t *testing.T) {
	for _, d := range []tensor.DType{tensor.Float16, tensor.BFloat16} {
		for rows := 1; rows < 10; rows++ {
			x := tensor.Randn(rows, 300).To(d)
			what := fmt.Sprint(d, " ", rows)
			equal(t, what, x.Sum(0).Float64s(), x.To(tensor.Float32).Sum(0).To(d).Float64s())
			equal(t, what, x.SumAs(tensor.Float32, 0).Float64s(), x.To(tensor.Float32).Sum(0).Float64s())
		}
	}
}

// TestMeanOfNothingTwice: a gradient that goes nowhere has the gradient 0.
func TestMeanOfNothingTwice(t *testing.T) {
	x := tensor.Zeros(0).SetRequiresGrad(true)
	seed := tensor.Ones().SetRequiresGrad(true)
	g := tensor.Grad([]*T{x.Mean()}, []*T{x},
		tensor.GradConfig{GradOutputs: []*T{seed}, CreateGraph: true})[0]
	g.Sum().Backward()
	equal(t, "gradient", seed.Grad().Item(), 0.0)
}
