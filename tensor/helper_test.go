package tensor_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"halfnote/tensor"
)

// equal reports where got is not want. NaN equals NaN.
func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// tolerance is the largest error allowed of an op's result, relative to the size of its terms: a
// few roundings of the type that it is stored in.
func tolerance(d tensor.DType) float64 {
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

// near reports where got differs from want by more than the tolerance of d times scale.
func near(t *testing.T, what string, got, want []float64, d tensor.DType, scale float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if got[i] != got[i] && w != w {
			continue
		}
		if diff := math.Abs(got[i] - w); !(diff <= tolerance(d)*scale) && got[i] != w {
			t.Errorf("%s: element %d is %v, want %v (off by %.3g, tolerance %.3g)", what, i,
				got[i], w, diff, tolerance(d)*scale)
			return
		}
	}
}
