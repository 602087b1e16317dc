package amp_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"halfnote/tensor"
	"halfnote/tensor/reference"
)

// This file holds what the tests against PyTorch's values share.

// trajectoryFiles returns the names of the mlp files: of the folder that HALFNOTE_REFERENCE names,
// or else of the repository's copy.
func trajectoryFiles(t *testing.T) (names []string) {
	t.Helper()
	const pattern = "mlp_*.json"
	for _, dir := range []string{os.Getenv("HALFNOTE_REFERENCE"), "../tensor/testdata/reference"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			names = append(names, filepath.Base(p))
		}
		if dir != "" && len(names) > 0 {
			return names
		}
	}
	t.Fatalf("no file %s", pattern)
	return nil
}

func floats(list []reference.Number) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = float64(v)
	}
	return out
}

// tolerance bounds |got - want| by relative·|want| + absolute.
type tolerance struct{ relative, absolute float64 }

// tolerances are those of the reference files' README, by what was computed.
var tolerances = map[string]tolerance{
	"exact":    {},
	"f64":      {1e-10, 1e-12},
	"f32":      {1e-5, 1e-6},
	"f16emu":   {0, 2e-3},
	"bf16auto": {0, 2e-3},
}

// near reports the first of got that is not within the tolerance of want. Infinities and NaNs must
// be equal.
func near(t *testing.T, what, kind string, got, want []float64) {
	t.Helper()
	tol, ok := tolerances[kind]
	if !ok {
		t.Fatalf("no tolerance for %q", kind)
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range got {
		g, w := got[i], want[i]
		if g == w || math.IsNaN(g) && math.IsNaN(w) {
			continue
		}
		if bound := tol.relative*math.Abs(w) + tol.absolute; !(math.Abs(g-w) <= bound) {
			t.Fatalf("%s[%d] = %.9g, want %.9g: off by %.3g, tolerance %.3g",
				what, i, g, w, math.Abs(g-w), bound)
		}
	}
}

// setElement overwrites one element of p's gradient.
func setElement(p *tensor.Tensor, i int, v float64) {
	g := p.Grad()
	values := g.Float64s()
	values[i] = v
	p.SetGrad(tensor.FromFloat64(values, g.Shape()...).To(g.DType()))
}
