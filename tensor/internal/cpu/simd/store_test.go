package simd

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// TestStore compares what rows of sums become with the functions for one number: numbers of all kinds,
// each number of columns up to two panels, with and without bias, and guards around it.
func TestStore(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	number := func() float32 {
		switch r.IntN(3) {
		case 0:
			return special[r.IntN(len(special))]
		case 1:
			return math.Float32frombits(r.Uint32())
		}
		return float32(r.NormFloat64())
	}
	onPaths(t, func(t *testing.T) {
		for n := 1; n <= 2*Panel; n++ {
			for kind := range 6 {
				storeOnce(t, Elem(kind%3), 1+n%5, n, kind/3 == 1, number)
			}
		}
	})
}

// storeOnce is one case of TestStore.
func storeOnce(t *testing.T, e Elem, m, n int, biased bool, number func() float32) {
	t.Helper()
	const guard = 3
	pitch := n + guard
	sums, bias := make([]float32, m*pitch), make([]float32, n)
	for i := range sums {
		sums[i] = number()
	}
	for i := range bias {
		bias[i] = number()
	}
	result := make([]byte, m*pitch*e.size())
	for i := range result {
		result[i] = 0xa5
	}
	before := append([]float32(nil), sums...)
	to := Result{Data: unsafe.Pointer(&result[0]), Elem: e, Row: pitch * e.size()}
	if biased {
		to.Bias = bias
	}
	to.Store(m, n, unsafe.Pointer(&sums[0]), 4*pitch)
	for i := range m {
		for j := range pitch {
			at := unsafe.Pointer(&result[(i*pitch+j)*e.size()])
			have, want := uint64(*(*uint16)(at)), uint64(0xa5a5)
			if e == Float {
				have, want = uint64(*(*uint32)(at)), 0xa5a5a5a5
			}
			v := before[i*pitch+j]
			if j < n {
				if biased {
					v += bias[j]
				}
				want = uint64(math.Float32bits(v))
				switch e {
				case Half:
					want = uint64(Float32ToFloat16(v))
				case BFloat:
					want = uint64(Float32ToBFloat16(v))
				}
				if isNaN(e, have) && isNaN(e, want) {
					continue // which one may differ
				}
			}
			if have != want {
				t.Fatalf("format %d, biased %t: element (%d, %d) of %d×%d from %g is %#x, want %#x", e,
					biased, i, j, m, n, v, have, want)
			}
		}
	}
}

// isNaN reports whether the bits of an element are a NaN.
func isNaN(e Elem, bits uint64) bool {
	switch e {
	case Half:
		return bits&0x7fff > 0x7c00
	case BFloat:
		return bits&0x7fff > 0x7f80
	}
	return bits&0x7fffffff > 0x7f800000
}
