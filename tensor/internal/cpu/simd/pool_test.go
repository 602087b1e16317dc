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
			}
		}
	})
}
