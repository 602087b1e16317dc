package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMaxPool2: planes of all small sizes with ties, zeros of both signs and NaN.
func TestMaxPool2(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		for cols := 0; cols <= 40; cols++ {
			for rows := range 4 {
				width := 2*cols + rng.IntN(3)
				x := make([]float32, 2*rows*width+1)[1:]
				for i := range x {
					x[i] = float32(rng.IntN(5) - 2)
					if rng.IntN(4) == 0 {
						x[i] = special[rng.IntN(len(special))]
					}
				}
				y, index := make([]float32, rows*cols+8), make([]int64, rows*cols+8)
				for i := range y {
					y[i], index[i] = guard, guard
				}
				MaxPool2(y, index, x, width, rows, cols)
				for i := range y {
					if i >= rows*cols {
						if y[i] != guard || index[i] != guard {
							t.Fatalf("%d×%d: wrote behind the result", rows, cols)
						}
						continue
					}
					first := i/cols*2*width + i%cols*2
					where := first
					for _, at := range []int{first + 1, first + width, first + width + 1} {
						if x[at] > x[where] || x[at] != x[at] {
							where = at
						}
					}
					if index[i] != int64(where) || math.Float32bits(y[i]) != math.Float32bits(x[where]) {
						t.Fatalf("%d×%d: window %d gives %v at %d, want %v at %d", rows, cols, i, y[i],
							index[i], x[where], where)
					}
				}
				testMaxPool2Grad(t, index[:rows*cols], width, rows, cols)
			}
		}
	})
}

// testMaxPool2Grad: whole windows are written, and nothing between and behind them.
func testMaxPool2Grad(t *testing.T, index []int64, width, rows, cols int) {
	g := make([]float32, rows*cols)
	for i := range g {
		g[i] = special[i%len(special)]
	}
	x, want := make([]float32, 2*rows*width+8), make([]float32, 2*rows*width+8)
	for i := range x {
		x[i], want[i] = guard, guard
	}
	for i := range 2 * rows {
		clear(want[i*width:][:2*cols])
	}
	for i, at := range index {
		want[at] += g[i]
	}
	MaxPool2Grad(x, g, index, width, rows, cols)
	for i := range x {
		if math.Float32bits(x[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%d×%d windows, rows of %d: element %d is %v, want %v", rows, cols, width, i,
				x[i], want[i])
		}
	}
}
