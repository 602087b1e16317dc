package tensor_test

import (
	"math"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

func TestReshape(t *testing.T) {
	x := tensor.Arange(24).Reshape(2, 3, 4)
	equal(t, "worked out", x.Reshape(-1, 6).Shape(), []int{4, 6})
	equal(t, "a view", x.Reshape(6, 4).IsView(), true)
	tr := x.Transpose(0, 2)
	equal(t, "copied", tr.Reshape(24).Float32s()[:4], []float32{0, 12, 4, 16})
	equal(t, "strides that allow a view", tr.View(4, 3, 2, 1).Shape(), []int{4, 3, 2, 1})
	equal(t, "joined", x.Slice(2, 0, 2).View(6, 2).Strides(), []int{4, 1})
	equal(t, "flatten", x.Flatten(1).Shape(), []int{2, 12})
	equal(t, "empty", tensor.Zeros(0, 3).Reshape(3, 0).Shape(), []int{3, 0})
	equal(t, "scalar", tensor.Ones(1, 1).Reshape().Shape(), []int{})
	for want, f := range map[string]func(){
		"reshape: shape [2 3 4] has 24 elements, which do not fit shape [5 -1]": func() {
			x.Reshape(5, -1)
		},
		"view: strides [1 4 12] of shape [4 3 2] do not allow a view of shape [24]; " +
			"use Reshape": func() {
			tr.View(24)
		},
		"transpose: shape [2 3 4] has no dimension 3":  func() { x.Transpose(0, 3) },
		"permute: axes [0 0 1] name dimension 0 twice": func() { x.Permute(0, 0, 1) },
		"expand: shape [2 3 4] does not stretch to [2 6 4]: only a size of 1 repeats": func() {
			x.Expand(2, 6, 4)
		},
		"t: shape [24] has fewer than two dimensions": func() { x.Reshape(24).T() },
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
}

func TestSlice(t *testing.T) {
	x := tensor.Arange(10)
	equal(t, "step", x.Slice(0, 1, 8, 3).Float32s(), []float32{1, 4, 7})
	equal(t, "negative", x.Slice(0, -3, -1).Float32s(), []float32{7, 8})
	equal(t, "cut off", x.Slice(0, 8, 100).Float32s(), []float32{8, 9})
	equal(t, "nothing", x.Slice(0, 5, 2).Shape(), []int{0})
	m := tensor.Arange(6).Reshape(2, 3)
	equal(t, "index", m.Index(-1, 0).Item(), 3.0)
	equal(t, "rows", m.IndexSelect(0, tensor.New([]int{1, 1})).Float32s(),
		[]float32{3, 4, 5, 3, 4, 5})
	m.Slice(1, 1, 3).FillInPlace(9)
	equal(t, "written through", m.Float32s(), []float32{0, 9, 9, 3, 9, 9})
	for want, f := range map[string]func(){
		"slice: step 0; steps are positive": func() {
			x.Slice(0, 0, 1, 0)
		},
		"index: position 2 is outside of the first dimension of shape [2 3]": func() {
			m.Index(2)
		},
		"index: 3 positions given for shape [2 3]": func() {
			m.Index(0, 0, 0)
		},
		"gather: position 3 is outside of dimension 1 of shape [2 3]": func() {
			m.Gather(1, tensor.New([][]int{{3}}))
		},
		"gather: index of float32; positions are int64": func() { m.Gather(1, tensor.Ones(1, 1)) },
		"cat: shapes [2 3] and [2 2] differ outside of dimension 0": func() {
			tensor.Cat([]*T{m, tensor.Ones(2, 2)}, 0)
		},
		"stack: shapes [2 3] and [10] differ": func() { tensor.Stack([]*T{m, x}, 0) },
		"cat: no tensors given":               func() { tensor.Cat(nil, 0) },
		"narrow: 2 elements from 2 on are outside of dimension 1 of shape [2 3]": func() {
			m.Narrow(1, 2, 2)
		},
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
	equal(t, "steps of any length", x.Slice(0, 1, 10, math.MaxInt).Int64s(), x.Slice(0, 1, 2).Int64s())
	equal(t, "chunks of any number", len(x.Chunk(math.MaxInt, 0)), 10)
	equal(t, "beyond all numbers", reference.Mistake(func() { x.Narrow(0, 5, math.MaxInt) }),
		"narrow: 9223372036854775807 elements from 5 on are outside of dimension 0 of shape [10]")
	equal(t, "widest", tensor.Cat([]*T{x.To(tensor.Float16), x}, 0).DType(), tensor.Float32)
}

// TestScatterFloat16: gradients of repeated positions add up in float32.
func TestScatterFloat16(t *testing.T) {
	x := tensor.Zeros(1, 1).To(tensor.Float16).SetRequiresGrad(true)
	x.Gather(0, tensor.Zeros(4096, 1).To(tensor.Int64)).Sum().Backward()
	equal(t, "gradient", x.Grad().Item(), 4096.0)
}

func TestInPlace(t *testing.T) {
	x := tensor.New([]float32{1, 2, 3})
	x.AddInPlace(tensor.New([]float64{0.5})).SubInPlace(1).MulInPlace(2).DivInPlace(x)
	equal(t, "chain", x.Float32s(), []float32{1, 1, 1})
	h := tensor.New([]float32{1}, tensor.Float16)
	h.AddInPlace(tensor.New([]float64{65536}))
	equal(t, "keeps its dtype", h.DType(), tensor.Float16)
	x.CopyFrom(tensor.New([]int{4, 9, 16})).SqrtInPlace().ClampInPlace(2.5, 3.5)
	equal(t, "copied", x.Float32s(), []float32{2.5, 3, 3.5})
	x.AddcdivInPlace(tensor.Ones(3), tensor.Full(2), -1).AddcmulInPlace(x, x, 0)
	equal(t, "addcdiv", x.Float32s(), []float32{2, 2.5, 3})
	x.MaximumInPlace(tensor.Full(2.25))
	equal(t, "maximum", x.Float32s(), []float32{2.25, 2.5, 3})
	equal(t, "version", x.Version(), uint64(10))

	// Windows on the same elements are read before they are written.
	y := tensor.Arange(5)
	y.Slice(0, 1, 5).AddInPlace(y.Slice(0, 0, 4))
	equal(t, "overlap", y.Float32s(), []float32{0, 1, 3, 5, 7})
	m := tensor.Arange(4).Reshape(2, 2)
	m.CopyFrom(m.T())
	equal(t, "transposed onto itself", m.Float32s(), []float32{0, 2, 1, 3})

	ints := tensor.New([]int{7})
	equal(t, "ints", ints.AddInPlace(1).MulInPlace(ints).Int64s(), []int64{64})
	for want, f := range map[string]func(){
		"DivInPlace: the result is float32, which a tensor of int64 does not hold; use the op " +
			"that returns a new tensor": func() { ints.DivInPlace(2) },
		"AddInPlace: the result is float32, which a tensor of int64 does not hold; use the op " +
			"that returns a new tensor": func() { ints.AddInPlace(1.5) },
		"AddInPlace: shape [2] does not broadcast to [1], which is written in place": func() {
			h.AddInPlace(tensor.Ones(2))
		},
		"FillInPlace: the tensor repeats its elements (strides [0]); write to a Clone": func() {
			h.Expand(3).FillInPlace(1)
		},
	} {
		equal(t, "message", reference.Mistake(f), want)
	}
}
