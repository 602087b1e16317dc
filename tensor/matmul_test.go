package tensor_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

var floatTypes = []tensor.DType{tensor.Float64, tensor.Float32, tensor.Float16, tensor.BFloat16}

// product multiplies matrices of float64 by the definition.
func product(a, b []float64, m, k, n int) []float64 {
	out := make([]float64, m*n)
	for i := range m {
		for j := range n {
			for l := range k {
				out[i*n+j] += a[i*k+l] * b[l*n+j]
			}
		}
	}
	return out
}

// TestMatMul compares products of many shapes, dtypes and strides with the definition: sizes
// around the blocks, and operands that are transposed or every second row of another tensor.
func TestMatMul(t *testing.T) {
	for _, d := range floatTypes {
		for _, s := range [][3]int{
			{1, 1, 1}, {1, 7, 5}, {5, 1, 3}, {4, 4, 2}, {3, 300, 3}, {65, 257, 129}, {64, 256, 128},
			{130, 33, 140}, {17, 513, 31},
		} {
			m, k, n := s[0], s[1], s[2]
			for _, layout := range []string{"dense", "transposed", "stepped"} {
				t.Run(fmt.Sprintf("%s/%dx%dx%d/%s", d, m, k, n, layout), func(t *testing.T) {
					a, b := laidOut(layout, m, k, d), laidOut(layout, k, n, d)
					got := a.MatMul(b)
					if got.DType() != d {
						t.Fatalf("dtype %s", got.DType())
					}
					want := product(a.Float64s(), b.Float64s(), m, k, n)
					near(t, "product", got.Float64s(), want, d, 4*math.Sqrt(float64(k)))
				})
			}
		}
	}
}

// laidOut returns random numbers with the strides that a name asks for.
func laidOut(layout string, rows, columns int, d tensor.DType) *tensor.Tensor {
	switch layout {
	case "transposed":
		return tensor.Randn(columns, rows).To(d).T()
	case "stepped":
		x := tensor.Randn(2*rows, 3*columns).To(d)
		return x.Slice(0, 1, 2*rows, 2).Slice(1, 2, 3*columns, 3)
	}
	return tensor.Randn(rows, columns).To(d)
}

// TestMatMulFloat16Rounding: sums are kept in float32 and rounded once, and subnormals survive.
func TestMatMulFloat16Rounding(t *testing.T) {
	ones := tensor.Ones(1, 4096).To(tensor.Float16)
	equal(t, "4096 ones", ones.MatMul(ones.T()).Item(), 4096.0) // a float16 sum stalls at 2048
	tiny := tensor.Full(0x1p-24, 1, 1).To(tensor.Float16)
	equal(t, "subnormal", tiny.MatMul(tensor.Ones(1, 1).To(tensor.Float16)).Item(), 0x1p-24)
	big := tensor.Full(300, 1, 1).To(tensor.Float16)
	equal(t, "overflow", big.MatMul(big).Item(), math.Inf(1))
	x := tensor.New([][]float32{{60000, 60000}}, tensor.Float16)
	w := tensor.New([][]float32{{1, 1}}, tensor.Float16)
	bias := tensor.New([]float32{-60000}, tensor.Float16)
	equal(t, "bias before rounding", tensor.Linear(x, w, bias).Item(), 60000.0)
}

// TestMatMulNonFinite: padding of the blocks must not meet infinities.
func TestMatMulNonFinite(t *testing.T) {
	a, b := tensor.Ones(67, 301), tensor.Ones(301, 5)
	a.Index(66, 300).FillInPlace(math.Inf(1))
	b.Index(0, 4).FillInPlace(math.NaN())
	out := a.MatMul(b)
	equal(t, "finite", out.Index(0, 0).Item(), 301.0)
	equal(t, "infinite", out.Index(66, 0).Item(), math.Inf(1))
	equal(t, "nan", out.Index(3, 4).Item(), math.NaN())
}

// TestMatMulRepeats: the same product gives the same bits every time.
func TestMatMulRepeats(t *testing.T) {
	a, b := tensor.Randn(200, 600), tensor.Randn(600, 300)
	equal(t, "product", a.MatMul(b).Float32s(), a.MatMul(b).Float32s())
}

func TestMatMulBroadcast(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a, b := tensor.Randn(2, 1, 3, 4), tensor.Randn(5, 4, 2)
	out := a.MatMul(b)
	equal(t, "shape", out.Shape(), []int{2, 5, 3, 2})
	for range 4 {
		i, j := r.IntN(2), r.IntN(5)
		want := product(a.Index(i, 0).Float64s(), b.Index(j).Float64s(), 3, 4, 2)
		near(t, "matrix", out.Index(i, j).Float64s(), want, tensor.Float32, 4)
	}
	x, y := tensor.Randn(3).SetRequiresGrad(true), tensor.Randn(3)
	x.MatMul(y).Backward()
	equal(t, "gradient of a dot product", x.Grad().Float32s(), y.Float32s())
}

// TestMatMulOfNothing: sums of no products are zeros, in every number of dimensions.
func TestMatMulOfNothing(t *testing.T) {
	for _, shape := range [][]int{{0}, {3, 0}, {2, 3, 0}, {0, 3, 0}} {
		x, y := leaf(make([]float32, 0)...).Reshape(shape...), tensor.Zeros(4, 0)
		want := tensor.Zeros(append(shape[:len(shape)-1:len(shape)-1], 4)...)
		bias := tensor.Ones(4)
		equal(t, "matmul", x.MatMul(y.T()).Float32s(), want.Float32s())
		equal(t, "shape", x.MatMul(y.T()).Shape(), want.Shape())
		got := tensor.Linear(x, y, bias)
		equal(t, "linear", got.Float32s(), want.Add(bias).Float32s())
		got.Sum().Backward()
	}
}

func TestMatMulMistakes(t *testing.T) {
	m := tensor.Ones(2, 3)
	for want, f := range map[string]func(){
		"matmul: shapes [2 3] and [2 3]: inner sizes 3 and 2 differ": func() { m.MatMul(m) },
		"matmul: shapes [2 3] and []: both need at least one dimension": func() {
			m.MatMul(tensor.Ones())
		},
		"matmul: dtypes float32 and float16 differ; convert one with To": func() {
			m.MatMul(tensor.Ones(3, 2).To(tensor.Float16))
		},
		"linear: input of shape [2 3] and weight of shape [4 5]: " +
			"inner sizes 3 and 5 differ": func() {
			tensor.Linear(m, tensor.Ones(4, 5), nil)
		},
		"linear: bias of shape [2] for weight of shape [4 3]; it is [4]": func() {
			tensor.Linear(m, tensor.Ones(4, 3), tensor.Ones(2))
		},
		"matmul: shapes [2 1 1] and [3 1 1] do not broadcast: sizes 2 and 3 differ": func() {
			tensor.Ones(2, 1, 1).MatMul(tensor.Ones(3, 1, 1))
		},
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
}
