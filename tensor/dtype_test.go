package tensor_test

import (
	"strings"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// TestSizeIsNoDType: a size that is given where a dtype belongs is refused, though it compiles.
func TestSizeIsNoDType(t *testing.T) {
	want := "new: 4 is no dtype, as tensor.Float16 is; Reshape gives a tensor a shape"
	got := reference.Mistake(func() { tensor.New([]float32{1, 2, 3, 4}, 4) })
	equal(t, "one size", got, want)
	got = reference.Mistake(func() { tensor.New([]float32{1, 2, 3, 4}, 4, 1) })
	equal(t, "two sizes", got, want)
	got = reference.Mistake(func() { tensor.Ones(2).Softmax(0, 1) })
	equal(t, "softmax", got, "softmax: 1 is no dtype, as tensor.Float16 is; Reshape gives a tensor a shape")
	var unset tensor.DType
	equal(t, "unset", tensor.New([]float32{1}, unset).DType(), tensor.Float32)
	equal(t, "name", unset.String(), "unset")
}

// TestTooLarge: a tensor that no machine can hold is an error, not the end of the process.
func TestTooLarge(t *testing.T) {
	got := reference.Mistake(func() { tensor.Zeros(1_000_000, 1_000_000) })
	want := "zeros: shape [1000000 1000000] of float32: 4e+03 GB are asked for, and the machine has "
	if !reference.OnCPU() {
		want = "zeros: shape [1000000 1000000] of float32: cuda:0 is out of memory: 4 TB are asked for"
	}
	if !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q…", got, want)
	}
	many := tensor.New([]int{0}).Expand(1_000_000, 1_000_000, 100) // takes eight bytes
	for name, f := range map[string]func(){
		"elements":  func() { many.Float32s() },
		"positions": func() { tensor.Ones(1).Take(many) },
		"rows":      func() { tensor.Embedding(tensor.Ones(1, 1), many) },
		"both positions": func() {
			many := many.Reshape(1_000_000, 100_000_000).To(tensor.CPU)
			tensor.Ones(1, 1).Take(many.Narrow(1, 0, 1), many.Narrow(0, 0, 1))
		},
	} {
		if got := reference.Mistake(f); !strings.Contains(got, " GB are asked for") && !strings.Contains(got, " TB are asked for") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
