package cpu

import (
	"math"
	"testing"
)

// TestGELUTable compares the table's polynomials with the plain forms.
func TestGELUTable(t *testing.T) {
	for order := range 2 {
		worst, at := 0.0, 0.0
		for i := range 200_000 {
			x := (float64(i)/100_000 - 1) * 1.02 * geluEnd
			want := gelu[order](x)
			scale := math.Abs(want)
			if order == 1 {
				scale = max(scale, 0.01) // the derivative crosses zero
			}
			diff := math.Abs(geluAt(geluKnots()[order][:], order, x)-want) / scale
			if want != 0 && diff > worst {
				worst, at = diff, x
			}
		}
		if worst > 1e-8 {
			t.Errorf("order %d: off by %.2g of the value at %v", order, worst, at)
		}
	}
	x := []float32{float32(math.NaN()), float32(math.Inf(1)), 7, -7, -4.99999, 0}
	out := make([]float32, len(x))
	geluRow(out, x, nil)
	for i, v := range x {
		want := float32(gelu[0](float64(v)))
		if diff := math.Abs(float64(out[i] - want)); diff > 1e-7*math.Abs(float64(want)) {
			t.Errorf("%v: %v, want %v", v, out[i], want)
		}
	}
}
