package simd

import (
	"math/rand/v2"
	"testing"
)

// TestShorts: rows of 16-bit numbers of every kind give the bits that rows of float32 give when they
// are rounded, for every remainder at unaligned addresses, in place too; and nothing else is written.
func TestShorts(t *testing.T) {
	type binary = func(out, a, b []uint16)
	type scalar = func(out, x []uint16, c float32)
	binaries := []struct {
		name   string
		single func(out, a, b []float32)
		short  [2]binary
	}{
		{"Add", addGo, [2]binary{AddHalf, AddBFloat}},
		{"Sub", subGo, [2]binary{SubHalf, SubBFloat}},
		{"Mul", mulGo, [2]binary{MulHalf, MulBFloat}},
		{"Div", divGo, [2]binary{DivHalf, DivBFloat}},
		{"ReLUGrad", reLUGradGo, [2]binary{ReLUGradHalf, ReLUGradBFloat}},
	}
	scalars := []struct {
		name   string
		single func(out, x []float32, c float32)
		short  [2]scalar
	}{
		{"AddScalar", addScalarGo, [2]scalar{AddScalarHalf, AddScalarBFloat}},
		{"ScalarSub", scalarSubGo, [2]scalar{ScalarSubHalf, ScalarSubBFloat}},
		{"ScalarDiv", scalarDivGo, [2]scalar{ScalarDivHalf, ScalarDivBFloat}},
		{"MulScalar", mulScalarGo, [2]scalar{MulScalarHalf, MulScalarBFloat}},
		{"DivScalar", divScalarGo, [2]scalar{DivScalarHalf, DivScalarBFloat}},
		{"MaxScalar", maxScalarGo, [2]scalar{MaxScalarHalf, MaxScalarBFloat}},
		{"MinScalar", minScalarGo, [2]scalar{MinScalarHalf, MinScalarBFloat}},
	}
	onPaths(t, func(t *testing.T) {
		for _, k := range binaries {
			for e, f := range k.short {
				shortRows(t, k.name, e, f, k.single)
			}
		}
		for _, k := range scalars {
			for e, f := range k.short {
				for _, c := range special {
					shortRows(t, k.name, e, func(out, x, _ []uint16) { f(out, x, c) },
						func(out, x, _ []float32) { k.single(out, x, c) })
				}
			}
		}
	})
}

// shortRows compares f on rows of an encoding, 0 for float16 and 1 for bfloat16, with single.
func shortRows(t *testing.T, name string, encoding int, f func(out, a, b []uint16),
	single func(out, a, b []float32)) {
	t.Helper()
	widen, narrow := Float16ToFloat32, Float32ToFloat16
	if encoding == 1 {
		widen, narrow = BFloat16ToFloat32, Float32ToBFloat16
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for n := range 104 {
		if n > 100 {
			n *= 11
		}
		a, b, out := make([]uint16, n+1)[1:], make([]uint16, n), make([]uint16, n+20)
		wideA, wideB, want := make([]float32, n), make([]float32, n), make([]float32, n)
		for i := range n {
			a[i], b[i] = uint16(rng.Uint32()), uint16(rng.Uint32())
			if rng.IntN(4) == 0 {
				a[i] &^= 0x7f80 // zero or, in bfloat16, subnormal
			}
			if rng.IntN(4) == 0 {
				b[i] &= 0x80ff
			}
			wideA[i], wideB[i] = widen(a[i]), widen(b[i])
		}
		single(want, wideA, wideB)
		for i := range out {
			out[i] = 77
		}
		row := out[3 : 3+n]
		given := a
		if n%3 == 1 {
			copy(row, a)
			given = row
		}
		f(row, given, b)
		for i, got := range row {
			w := narrow(want[i])
			if g := widen(got); got != w && (g == g || want[i] == want[i]) {
				t.Fatalf("%s, encoding %d, %d elements: %v and %v give %#04x, want %#04x", name, encoding, n,
					wideA[i], wideB[i], got, w)
			}
		}
		for i, v := range out {
			if (i < 3 || i >= 3+n) && v != 77 {
				t.Fatalf("%s, encoding %d, %d elements: element %d was written", name, encoding, n, i-3)
			}
		}
	}
}
