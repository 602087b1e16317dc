package simd

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// TestPackTaps: rows from any places, and nothing written behind them.
func TestPackTaps(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 8))
		src := random(rng, 200)
		for n := range 20 {
			offsets := make([]int, n)
			for i := range offsets {
				offsets[i] = rng.IntN(len(src) - Panel + 1)
			}
			dst := make([]float32, n*Panel+4)
			for i := range dst {
				dst[i] = guard
			}
			PackTaps(dst, src, offsets)
			for i, v := range dst {
				want := float32(guard)
				if i < n*Panel {
					want = src[offsets[i/Panel]+i%Panel]
				}
				if math.Float32bits(v) != math.Float32bits(want) {
					t.Fatalf("%d rows: element %d is %v, want %v", n, i, v, want)
				}
			}
		}
	})
}

// TestMultiplyTaps: all numbers of rows and columns, with columns of a anywhere, among them an
// infinity, a NaN and a subnormal number.
func TestMultiplyTaps(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(9, 10))
		normal := func(n int) []float32 {
			xs := make([]float32, n)
			for i := range xs {
				xs[i] = float32(rng.NormFloat64())
			}
			return xs
		}
		a := normal(400)
		a[10], a[20], a[30] = float32(math.Inf(1)), float32(math.NaN()), 0x1p-140
		for m := 1; m <= 30; m++ {
			for n := 1; n <= Panel; n++ {
				k := []int{0, 1, 9, 70}[rng.IntN(4)]
				b, offsets := normal(max(1, k*Panel)), make([]int, k)
				for p := range offsets {
					offsets[p] = 4 * rng.IntN(len(a)-m+1)
				}
				add := m%2 == 0
				c := make([]float32, m*Panel)
				for i := range c {
					c[i] = guard
				}
				MultiplyTaps(m, n, offsets, unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), 4*Panel,
					unsafe.Pointer(&c[0]), 4*Panel, add)
				for i, v := range c {
					want, size := 0.0, 0.0
					if add || i%Panel >= n {
						want, size = guard, guard
					}
					for p := 0; p < k && i%Panel < n; p++ {
						x := float64(a[offsets[p]/4+i/Panel]) * float64(b[p*Panel+i%Panel])
						want += x
						size += math.Abs(x)
					}
					switch got := float64(v); {
					case want-want != 0: // not finite
						if got != want && (got == got || want == want) {
							t.Fatalf("%d×%d×%d: element %d is %v, want %v", m, n, k, i, v, want)
						}
					case !(math.Abs(got-want) <= size*0x1p-21+0x1p-149):
						t.Fatalf("%d×%d×%d: element %d is %v, want %v", m, n, k, i, v, want)
					}
				}
			}
		}
	})
}

// TestUnpackColumns: all sizes, special values, and nothing written between and behind the columns.
func TestUnpackColumns(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(11, 12))
		for k := range 40 {
			for n := range Panel + 1 {
				panel, bias := random(rng, (k+15)&^15*Panel), random(rng, n)
				for i := range panel {
					if rng.IntN(8) == 0 {
						panel[i] = special[rng.IntN(len(special))]
					}
				}
				col := k + rng.IntN(3)
				dst := make([]float32, n*col+8)
				for i := range dst {
					dst[i] = guard
				}
				UnpackColumns(dst, col, panel, k, bias)
				for i, v := range dst {
					want := float32(guard)
					if j := i / max(1, col); j < n && i%max(1, col) < k {
						want = panel[i%col*Panel+j] + bias[j]
					}
					if (v != want || math.Signbit(float64(v)) != math.Signbit(float64(want))) &&
						(v == v || want == want) {
						t.Fatalf("%d×%d: element %d is %v, want %v", k, n, i, v, want)
					}
				}
			}
		}
	})
}

// TestLoadRows: rows of all lengths and formats, and nothing written between and behind them.
func TestLoadRows(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(13, 14))
		for n := range 40 {
			for rows := range 4 {
				step, pitch := n+rng.IntN(3), n+rng.IntN(3)
				for _, e := range []Elem{Float, Half, BFloat} {
					src := make([]byte, (rows*step+1)*e.size())
					for i := range src {
						src[i] = byte(rng.Uint32())
					}
					dst := make([]float32, rows*pitch+8)
					for i := range dst {
						dst[i] = guard
					}
					at := unsafe.Pointer(&src[0])
					LoadRows(dst, pitch, e, at, step*e.size(), n, rows)
					for i, v := range dst {
						want := float32(guard)
						if r, c := i/max(1, pitch), i%max(1, pitch); r < rows && c < n {
							want = loadElem(e, unsafe.Add(at, (r*step+c)*e.size()))
						}
						if v != want && (v == v || want == want) {
							t.Fatalf("format %d, %d×%d: element %d is %v, want %v", e, rows, n, i, v, want)
						}
					}
				}
			}
		}
	})
}

// TestLoadPairRows: rows of all lengths in pairs, and nothing written between and behind them.
func TestLoadPairRows(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(15, 16))
		for n := range 40 {
			for rows := range 4 {
				step, pitch := n+rng.IntN(3), n+rng.IntN(3)
				next := rows*step + rng.IntN(5)
				src, dst := make([]uint16, next+rows*step+1), make([]float32, rows*pitch+8)
				for i := range src {
					src[i] = uint16(rng.Uint32())
				}
				for i := range dst {
					dst[i] = guard
				}
				LoadPairRows(dst, pitch, unsafe.Pointer(&src[0]), 2*step, n, rows, 2*next)
				for i, v := range dst {
					want := math.Float32bits(guard)
					if r, c := i/max(1, pitch), i%max(1, pitch); r < rows && c < n {
						at := r*step + c
						want = uint32(src[at]) | uint32(src[next+at])<<16
					}
					if math.Float32bits(v) != want {
						t.Fatalf("%d×%d: element %d is %x, want %x", rows, n, i, math.Float32bits(v), want)
					}
				}
			}
		}
	})
}

// TestMultiplyTapPairs: all numbers of rows and columns.
func TestMultiplyTapPairs(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		if !HasPairs() {
			return
		}
		rng := rand.New(rand.NewPCG(17, 18))
		pairs := func(n int) (bits []uint32, lo, hi []float64) {
			bits, lo, hi = make([]uint32, n), make([]float64, n), make([]float64, n)
			for i := range n {
				l := math.Float32bits(float32(rng.NormFloat64())) >> 16
				h := math.Float32bits(float32(rng.NormFloat64())) >> 16
				bits[i] = l | h<<16
				lo[i], hi[i] = float64(math.Float32frombits(l<<16)), float64(math.Float32frombits(h<<16))
			}
			return bits, lo, hi
		}
		a, aLo, aHi := pairs(400)
		for m := 1; m <= 30; m++ {
			for n := 1; n <= Panel; n++ {
				k := []int{1, 9, 70}[rng.IntN(3)]
				b, bLo, bHi := pairs(k * Panel)
				offsets := make([]int, k)
				for p := range offsets {
					offsets[p] = 4 * rng.IntN(len(a)-m+1)
				}
				c := make([]float32, m*Panel)
				for i := range c {
					c[i] = guard
				}
				MultiplyTapPairs(m, n, offsets, unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), 4*Panel,
					unsafe.Pointer(&c[0]), 4*Panel, m%2 == 0)
				for i, v := range c {
					want, size := 0.0, 0.0
					if m%2 == 0 || i%Panel >= n {
						want, size = guard, guard
					}
					for p := 0; p < k && i%Panel < n; p++ {
						x, y := offsets[p]/4+i/Panel, p*Panel+i%Panel
						want += aLo[x]*bLo[y] + aHi[x]*bHi[y]
						size += math.Abs(aLo[x]*bLo[y]) + math.Abs(aHi[x]*bHi[y])
					}
					if !(math.Abs(float64(v)-want) <= size*0x1p-20) {
						t.Fatalf("%d×%d×%d: element %d is %v, want %v", m, n, k, i, v, want)
					}
				}
			}
		}
	})
}
