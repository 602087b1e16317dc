// Package reference reads the files of reference values that PyTorch computed, for the tests of
// all packages. The files lie in tensor/testdata/reference, where a README describes them.
//
// The environment variable HALFNOTE_REFERENCE names another folder to read from; a file that is
// not there is read from the copy in the repository.
package reference

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"halfnote/tensor"
)

// Load decodes the JSON file of that name into v.
func Load(t testing.TB, name string, v any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(os.Getenv("HALFNOTE_REFERENCE"), name))
	if os.Getenv("HALFNOTE_REFERENCE") == "" || os.IsNotExist(err) {
		data, err = os.ReadFile(filepath.Join(folder(t), name))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// folder returns the copy in the repository, seen from the package that is tested.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "tensor", "testdata", "reference")
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the working directory")
		}
		dir = up
	}
}

// A Number is a JSON number, or one of the strings inf, -inf and nan.
type Number float64

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(data []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	*n = Number(v)
	return err
}

// A Tensor is a tensor as the files hold it.
type Tensor struct {
	DType string
	Shape []int
	Data  []Value
}

// A Value is an element of a Tensor: a Number, or a bool.
type Value float64

// UnmarshalJSON implements json.Unmarshaler.
func (v *Value) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "true":
		*v = 1
	case "false":
		*v = 0
	default:
		return (*Number)(v).UnmarshalJSON(data)
	}
	return nil
}

var dtypes = map[string]tensor.DType{
	"f64": tensor.Float64, "f32": tensor.Float32, "f16": tensor.Float16,
	"bf16": tensor.BFloat16, "i64": tensor.Int64, "bool": tensor.Bool,
}

// DType returns the dtype that the files call name.
func DType(name string) tensor.DType {
	d, ok := dtypes[name]
	if !ok {
		panic(fmt.Sprintf("reference: no dtype %q", name))
	}
	return d
}

// Tensor returns the values as a tensor of their dtype.
func (r *Tensor) Tensor() *tensor.Tensor {
	return tensor.FromFloat64(r.Float64s(), r.Shape...).To(DType(r.DType))
}

// Float64s returns the values in row-major order.
func (r *Tensor) Float64s() []float64 {
	values := make([]float64, len(r.Data))
	for i, v := range r.Data {
		values[i] = float64(v)
	}
	return values
}

// Tolerance is the largest error allowed of an op's result, relative to the size of its terms: a
// few roundings of the type that it is stored in.
func Tolerance(d tensor.DType) float64 {
	switch d {
	case tensor.Float16:
		return 0x1p-10
	case tensor.BFloat16:
		return 0x1p-7
	case tensor.Float32:
		return 0x1p-20
	}
	return 0x1p-48
}

// Close reports an error where got differs from want in shape or in a value, by more than
// relative times the wanted value plus absolute. NaN equals NaN.
func Close(t testing.TB, what string, got *tensor.Tensor, want *Tensor,
	relative, absolute float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s: got nothing, want shape %v", what, want.Shape)
		return
	}
	if !slices.Equal(got.Shape(), want.Shape) {
		t.Errorf("%s: shape %v, want %v", what, got.Shape(), want.Shape)
		return
	}
	values := got.Float64s()
	for i, w := range want.Float64s() {
		g := values[i]
		same := g == w || math.IsNaN(g) && math.IsNaN(w)
		if !same && (math.IsInf(w, 0) || !(math.Abs(g-w) <= relative*math.Abs(w)+absolute)) {
			t.Errorf("%s: element %d is %v, want %v (off by %.3g, tolerance %g of it + %g)",
				what, i, g, w, math.Abs(g-w), relative, absolute)
			return
		}
	}
}

// CheckCovered reports the ops of a file that no test covers.
func CheckCovered(t testing.TB, file string, ops []string, covered func(op string) bool) {
	t.Helper()
	slices.Sort(ops)
	for _, op := range slices.Compact(ops) {
		if !covered(op) {
			t.Errorf("%s: %s is not covered", file, op)
		}
	}
}
