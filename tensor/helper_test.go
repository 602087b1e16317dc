package tensor_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// equal reports where got is not want. NaN equals NaN.
func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// withoutDevice takes the default device out of what tensors are shown as, where that is not the CPU.
func withoutDevice(text string) string {
	return strings.ReplaceAll(text, reference.Here(", device=cpu"), "")
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
		if diff := math.Abs(got[i] - w); !(diff <= reference.Tolerance(d)*scale) && got[i] != w {
			t.Errorf("%s: element %d is %v, want %v (off by %.3g, tolerance %.3g)", what, i,
				got[i], w, diff, reference.Tolerance(d)*scale)
			return
		}
	}
}
