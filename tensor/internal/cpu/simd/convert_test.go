package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestWiden: all 65,536 values of both formats.
func TestWiden(t *testing.T) {
	src, dst := make([]uint16, 1<<16), make([]float32, 1<<16)
	for i := range src {
		src[i] = uint16(i)
	}
	onPaths(t, func(t *testing.T) {
		for name, f := range map[string]func([]float32, []uint16){"half": WidenHalf, "bfloat": WidenBFloat} {
			f(dst, src)
			if name == "bfloat" {
				upper := make([]uint16, len(dst))
				Upper(upper, dst)
				for i, got := range upper {
					if got != uint16(i) {
						t.Fatalf("%#04x comes back as %#04x", i, got)
					}
				}
			}
			for i, got := range dst {
				want := BFloat16ToFloat32(uint16(i))
				if name == "half" {
					want = exactHalf(uint16(i))
				}
				if math.Float32bits(got) != math.Float32bits(want) && (got == got || want == want) {
					t.Fatalf("%s %#04x: %v, want %v", name, i, got, want)
				}
			}
		}
	})
}

// exactHalf is the value of a float16 by its definition.
func exactHalf(h uint16) float32 {
	e, m := int(h>>10&31), float64(h&0x3ff)
	v := math.Ldexp(1024+m, e-25)
	switch {
	case e == 31 && m == 0:
		v = math.Inf(1)
	case e == 31:
		return float32(math.NaN())
	case e == 0:
		v = math.Ldexp(m, -24)
	}
	if h>>15 == 1 {
		v = -v
	}
	return float32(v)
}

// TestNarrow: every value of both formats, every middle between two of them and their neighbours,
// with either sign.
func TestNarrow(t *testing.T) {
	formats := []struct {
		name   string
		narrow func([]uint16, []float32)
		widen  func(uint16) float32
		inf    uint16
		above  float64 // what the format would have next instead of infinity
	}{
		{"half", NarrowHalf, exactHalf, 0x7c00, 65536},
		{"bfloat", NarrowBFloat, BFloat16ToFloat32, 0x7f80, 0x1p128},
	}
	onPaths(t, func(t *testing.T) {
		for _, f := range formats {
			var src []float32
			var want []uint16
			for h := range f.inf {
				x, y := float64(f.widen(h)), float64(f.widen(h+1))
				if h+1 == f.inf {
					y = f.above
				}
				even := h + h&1
				middle := float32((x + y) / 2)
				up := math.Float32frombits(math.Float32bits(middle) + 1)
				down := math.Float32frombits(math.Float32bits(middle) - 1)
				if float64(middle) != (x+y)/2 { // rounded up to what is above
					up, middle, down = middle, float32(x), float32(x)
					even = h
				}
				src = append(src, float32(x), down, middle, up)
				want = append(want, h, h, even, h+1)
			}
			src = append(src, float32(math.Inf(1)), math.MaxFloat32, 1e-45, float32(math.NaN()))
			want = append(want, f.inf, f.inf, 0, f.inf|1)
			for range 2 {
				got := make([]uint16, len(src)+1)
				got[len(src)] = 77
				f.narrow(got[:len(src)], src)
				for i, g := range got[:len(src)] {
					nan := want[i]&0x7fff > f.inf
					if g != want[i] && !(nan && g&0x7fff > f.inf) {
						t.Fatalf("%s: %v gives %#04x, want %#04x", f.name, src[i], g, want[i])
					}
				}
				if got[len(src)] != 77 {
					t.Fatalf("%s: written behind the end", f.name)
				}
				for i := range src {
					src[i], want[i] = -src[i], want[i]|1<<15
				}
			}
		}
	})
}

// TestNarrowBits: rows in which subnormals, NaN of every payload and other numbers stand side by side
// give the bits that one number alone gives.
func TestNarrowBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	src := make([]float32, 1<<17+64*40) // the first of them are stored past the caches
	for i := range src {
		bits := rng.Uint32()
		switch i / 16 % 5 {
		case 0:
			bits &^= 0x7f800000 // subnormal
		case 1:
			if i%3 == 0 {
				bits |= 0x7f800000 // NaN, rarely infinite
			}
		case 2:
			bits = bits&^0xffff | 0x8000 // in the middle of two values
		case 3:
			bits &^= uint32(i%2) * 0x7f800000
		}
		src[i] = math.Float32frombits(bits)
	}
	got := make([]uint16, len(src))
	onPaths(t, func(t *testing.T) {
		for _, n := range []int{len(src), 1 << 12, 77} {
			clear(got)
			NarrowBFloat(got[:n], src[:n])
			for i, v := range src[:n] {
				if want := Float32ToBFloat16(v); got[i] != want {
					t.Fatalf("%d elements: %08x gives %04x, want %04x", n, math.Float32bits(v), got[i], want)
				}
			}
		}
	})
}

// TestConvertRows: every remainder, at unaligned addresses, and nothing written behind the end.
func TestConvertRows(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		for n := range 110 {
			src, back := make([]float32, n+1), make([]float32, n+2)
			for i := range src {
				src[i] = float32(i) - 40.5
			}
			for name, f := range map[string]struct {
				narrow func([]uint16, []float32)
				widen  func([]float32, []uint16)
			}{"half": {NarrowHalf, WidenHalf}, "bfloat": {NarrowBFloat, WidenBFloat}} {
				short := make([]uint16, n+2)
				short[0], short[n+1], back[0], back[n+1] = 77, 77, guard, guard
				Upper(short[1:n+1], src[1:])
				f.narrow(short[1:n+1], src[1:])
				f.widen(back[1:n+1], short[1:n+1])
				for i, v := range back[1 : n+1] {
					if v != src[i+1] {
						t.Fatalf("%s, %d elements: %v comes back as %v", name, n, src[i+1], v)
					}
				}
				if short[0] != 77 || short[n+1] != 77 || back[0] != guard || back[n+1] != guard {
					t.Fatalf("%s, %d elements: written outside", name, n)
				}
			}
		}
	})
}
