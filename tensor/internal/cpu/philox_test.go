package cpu

import (
	"math"
	"testing"

	"halfnote/tensor/internal/device"
)

// TestPhilox compares with the vectors that the authors publish with Random123, in
// tests/kat_vectors.
func TestPhilox(t *testing.T) {
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{want: [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{
			[4]uint32{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
			[2]uint32{0xffffffff, 0xffffffff},
			[4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
		},
		{
			[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
			[2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
		},
	} {
		n, k := c.counter, c.key
		if got := philox(n[0], n[1], n[2], n[3], k[0], k[1]); got != c.want {
			t.Errorf("philox(%#x, %#x): got %#x, want %#x", c.counter, c.key, got, c.want)
		}
	}
	got := Philox(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x13198a2e)
	if want := philox(0x243f6a88, 0x85a308d3, 0x13198a2e, 0, 0xa4093822, 0x299f31d0); got != want {
		t.Errorf("the words of seed and counter: got %#x, want %#x", got, want)
	}
}

// TestBelow draws below a number of which half of all attempts fail.
func TestBelow(t *testing.T) {
	const n = 1<<63 + 1
	var upper, retried int
	for i := range 10_000 {
		v := Below(n, 5, 0, i)
		if v >= n {
			t.Fatalf("%d is not below %d", v, uint64(n))
		}
		if v >= n/2 {
			upper++
		}
		if v != mulHigh(long(Philox(5, uint64(i)/2, 0))[i%2], n) {
			retried++
		}
	}
	if math.Abs(float64(upper)-5000) > 4*50 {
		t.Errorf("%d of 10000 numbers lie in the upper half", upper)
	}
	if math.Abs(float64(retried)-5000) > 4*50 {
		t.Errorf("%d of 10000 numbers were drawn again", retried)
	}
}

func mulHigh(x, n uint64) uint64 {
	// n is 2⁶³ + 1: x·n / 2⁶⁴ is x/2 plus a carry.
	low := x << 63
	if low+x < low {
		return x>>1 + 1
	}
	return x >> 1
}

// TestBounds: the neighbours of a number among those of a dtype.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		dtype device.DType
		v     float64
		above float64
		least float64
	}{
		{device.Float16, 1, 1 + 0x1p-10, 1},
		{device.Float16, 0, 0x1p-24, 0},
		{device.Float16, -1, -1 + 0x1p-11, -1},
		{device.Float16, -0x1p-24, 0, -0x1p-24},
		{device.Float16, 1 + 0x1p-20, 1 + 0x1p-10, 1 + 0x1p-10},
		{device.Float16, -70000, -65504, -65504},
		{device.Float16, 65504, math.Inf(1), 65504},
		{device.BFloat16, 1, 1 + 0x1p-7, 1},
		{device.BFloat16, -1, -1 + 0x1p-8, -1},
		{device.Float32, 1, 1 + 0x1p-23, 1},
		{device.Float32, 0.1, float64(float32(0.1)), float64(float32(0.1))},
		{device.Float64, 1, 1 + 0x1p-52, 1},
	} {
		if got := above(c.dtype, c.v); got != c.above {
			t.Errorf("above(%v, %v) is %v, want %v", c.dtype, c.v, got, c.above)
		}
		if got := atLeast(c.dtype, c.v); got != c.least {
			t.Errorf("atLeast(%v, %v) is %v, want %v", c.dtype, c.v, got, c.least)
		}
	}
}
