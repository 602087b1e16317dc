package tensor_test

import (
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

type celsius float32

func TestNew(t *testing.T) {
	for _, c := range []struct {
		data  any
		shape []int
		dtype tensor.DType
	}{
		{3.5, []int{}, tensor.Float64},
		{float32(1), []int{}, tensor.Float32},
		{7, []int{}, tensor.Int64},
		{true, []int{}, tensor.Bool},
		{[]float32{1, 2}, []int{2}, tensor.Float32},
		{[]float64{1, 2}, []int{2}, tensor.Float64},
		{[]int{1, 2}, []int{2}, tensor.Int64},
		{[]uint8{1, 2}, []int{2}, tensor.Int64},
		{[]bool{true, false}, []int{2}, tensor.Bool},
		{[]tensor.Half{0x3c00}, []int{1}, tensor.Float16},
		{[]tensor.BFloat{0x3f80}, []int{1}, tensor.BFloat16},
		{[2][3]float64{{1}, {2}}, []int{2, 3}, tensor.Float64},
		{[][][]int32{{{1}, {2}}}, []int{1, 2, 1}, tensor.Int64},
		{[]any{[]any{1.5, 2.5}}, []int{1, 2}, tensor.Float64},
		{[]celsius{20}, []int{1}, tensor.Float32},
		{[]float32{}, []int{0}, tensor.Float32},
		{[][]float32{}, []int{0}, tensor.Float32},
	} {
		x := tensor.New(c.data)
		equal(t, "shape", x.Shape(), c.shape)
		equal(t, "dtype", x.DType(), c.dtype)
	}
	equal(t, "order", tensor.New([][]int{{1, 2}, {3, 4}}).Int64s(), []int64{1, 2, 3, 4})
	equal(t, "dtype given", tensor.New([]int{1}, tensor.Float16).DType(), tensor.Float16)
	equal(t, "half", tensor.New([]tensor.Half{0x3c00, 0xc000}).Float32s(), []float32{1, -2})
	data := []float32{1}
	x := tensor.New(data)
	data[0] = 2
	equal(t, "copied", x.Item(), 1.0)
}

func TestNewMistakes(t *testing.T) {
	for want, data := range map[string]any{
		"new: slices of lengths 2 and 1 on one level":     [][]int{{1, 2}, {3}},
		"new: string holds no numbers":                    "1",
		"new: <nil> holds no numbers":                     nil,
		"new: the nesting is not equally deep everywhere": []any{1, []any{2}},
		"new: a string is no number":                      []any{1.5, "x"},
		"new: []string holds no numbers":                  []string{"x"},
		"new: map[string]int holds no numbers":            map[string]int{},
		"new: slices of lengths 1 and 2 on one level":     [][]float32{{1}, {1, 2}},
		"new: []interface {} holds no numbers":            []any{nil},
	} {
		equal(t, "message", reference.Mistake(func() { tensor.New(data) }), want)
	}
	equal(t, "deep", reference.Mistake(func() { tensor.New([1][1][1][1][1][1][1][1][1]int{}) }),
		"new: shape [1 1 1 1 1 1 1 1 1] has 9 dimensions; 8 is the most")
	equal(t, "filling", reference.Mistake(func() { tensor.FromFloat32([]float32{1}, 2) }),
		"from_float32: 1 elements do not fill shape [2], which has 2")
	equal(t, "negative", reference.Mistake(func() { tensor.Zeros(2, -1) }),
		"zeros: shape [2 -1] has a negative size")
	equal(t, "huge", reference.Mistake(func() { tensor.Zeros(1<<40, 1<<40) }),
		"zeros: shape [1099511627776 1099511627776] has more elements than memory can hold")
}

func TestCreation(t *testing.T) {
	equal(t, "eye", tensor.Eye(2).Float32s(), []float32{1, 0, 0, 1})
	equal(t, "full", tensor.Full(2.5, 2).Float32s(), []float32{2.5, 2.5})
	equal(t, "arange", tensor.Arange(1, 2, 0.25).Float32s(), []float32{1, 1.25, 1.5, 1.75})
	equal(t, "down", tensor.Arange(3, 0, -1).Float32s(), []float32{3, 2, 1})
	equal(t, "arange of nothing", tensor.Arange(3, 0).Shape(), []int{0})
	equal(t, "zero step", reference.Mistake(func() { tensor.Arange(0, 1, 0) }),
		"arange: steps of 0 from 0 to 1 never end")
	equal(t, "many steps", reference.Mistake(func() { tensor.Arange(0, 1e12, 1) }),
		"arange: 1000000000000 steps of 1 from 0 to 1e+12 are too many")
	like := tensor.OnesLike(tensor.Zeros(2, 1).To(tensor.Float16))
	equal(t, "like", like.DType(), tensor.Float16)
	equal(t, "like", like.Shape(), []int{2, 1})
}

// TestNewMixed: elements of several types have the one that ops on them have.
func TestNewMixed(t *testing.T) {
	for _, c := range []struct {
		data  any
		dtype tensor.DType
		want  []float64
	}{
		{[]any{1, 2.5}, tensor.Float64, []float64{1, 2.5}},
		{[][]any{{1, 2}, {float32(3.5), 4}}, tensor.Float32, []float64{1, 2, 3.5, 4}},
		{[]any{true, 2}, tensor.Int64, []float64{1, 2}},
		{[]any{[]int{1}, []float64{2.5}}, tensor.Float64, []float64{1, 2.5}},
		{[]any{tensor.Half(0x3e00), tensor.BFloat(0x3fc0)}, tensor.Float32, []float64{1.5, 1.5}},
	} {
		x := tensor.New(c.data)
		equal(t, "dtype", x.DType(), c.dtype)
		equal(t, "elements", x.Float64s(), c.want)
	}
	equal(t, "no number", reference.Mistake(func() { tensor.New([]any{1, "2"}) }),
		"new: a string is no number")
	equal(t, "large", reference.Mistake(func() { tensor.New([]uint64{1 << 63}) }),
		"new: 9223372036854775808 is too large for int64; convert it to float64")
}

func TestNoTarget(t *testing.T) {
	x := tensor.Ones(2)
	equal(t, "nil", reference.Mistake(func() { x.To(nil) }),
		"to: the target is nil; give a dtype or a device")
	equal(t, "unknown", reference.Mistake(func() { x.To(tensor.DType(99)) }),
		"to: the dtype is unknown: 99; choose one of float64 float32 float16 bfloat16 int64 bool")
}

// TestBoolsHaveNoDifference: as in PyTorch, which would have to guess what is meant.
func TestBoolsHaveNoDifference(t *testing.T) {
	x := tensor.New([]bool{true, false})
	for name, f := range map[string]func(){
		"sub": func() { x.Sub(x) }, "SubInPlace": func() { x.SubInPlace(x) },
	} {
		equal(t, name, reference.Mistake(f),
			name+": bools have no difference; use Xor, or convert one with To(tensor.Int64)")
	}
	equal(t, "neg", reference.Mistake(func() { x.Neg() }),
		"neg: bools have no sign; use Not, or convert them with To(tensor.Int64)")
	equal(t, "ints", x.Sub(1).Int64s(), []int64{0, -1})
}

func TestItem(t *testing.T) {
	equal(t, "int", tensor.New(1<<40).Item(), float64(1<<40))
	equal(t, "one element", tensor.Full(2, 1, 1).Item(), 2.0)
	equal(t, "many", reference.Mistake(func() { tensor.Ones(2).Item() }),
		"item: a tensor with 2 elements (shape [2]) is not one number")
	x := tensor.New([]float64{1.75, -1.75, 0})
	equal(t, "ints", x.Int64s(), []int64{1, -1, 0})
	equal(t, "bools", x.Bools(), []bool{true, true, false})
	equal(t, "halves", x.Halves(), []tensor.Half{0x3f00, 0xbf00, 0})
}
