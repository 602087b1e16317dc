//go:build cuda

package cuda

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfnote/tensor/internal/device"
)

// A geometry is a convolution of random shape.
type geometry struct {
	device.Conv
	n, in, out int
	x, k, y    [2]int
}

func (g *geometry) String() string {
	return fmt.Sprintf("%d images, %d channels to %d, %v by %v %+v", g.n, g.in, g.out, g.x, g.k, g.Conv)
}

func randomGeometry(r *rand.Rand) *geometry {
	for {
		g := &geometry{n: 1 + r.IntN(3)}
		g.Groups = 1 + r.IntN(3)
		g.in, g.out = g.Groups*(1+r.IntN(5)), g.Groups*(1+r.IntN(9))
		switch r.IntN(6) {
		case 0: // depthwise
			g.Groups = g.in
			g.out = g.in * (1 + r.IntN(2))
		case 1: // more than a tile of channels
			g.Groups, g.in, g.out = 1, 20, 70
		}
		fits := true
		for d := range 2 {
			g.x[d], g.k[d] = 1+r.IntN(12), 1+r.IntN(4)
			g.Stride[d], g.Padding[d], g.Dilation[d] = 1, r.IntN(3), 1
			if r.IntN(2) == 0 {
				g.Stride[d] = 1 + r.IntN(4)
			}
			if r.IntN(3) == 0 {
				g.Dilation[d], g.Padding[d] = 1+r.IntN(4), r.IntN(9)
			}
			room := g.x[d] + 2*g.Padding[d] - g.Dilation[d]*(g.k[d]-1) - 1
			fits = fits && room >= 0
			g.y[d] = room/g.Stride[d] + 1
		}
		if fits {
			return g
		}
	}
}

// compare checks the three products of g.
func (g *geometry) compare(t *testing.T, r *rand.Rand, in, out, bias device.DType, layout int) {
	t.Helper()
	x := random(t, r, in, layout, false, g.n, g.in, g.x[0], g.x[1])
	w := random(t, r, in, layout/2, false, g.out, g.in/g.Groups, g.k[0], g.k[1])
	y := random(t, r, in, layout/3, false, g.n, g.out, g.y[0], g.y[1])
	toX := random(t, r, out, layout/5, false, x.host.Shape...)
	toW := random(t, r, out, layout/5, false, w.host.Shape...)
	toY := random(t, r, out, layout/5, false, y.host.Shape...)
	var biasX, biasY pair
	if bias != 0 {
		biasX, biasY = random(t, r, bias, layout, false, g.in), random(t, r, bias, layout, false, g.out)
	}
	both(t, func(b device.Backend, gpu bool) {
		b.Conv(toY.on(gpu), x.on(gpu), w.on(gpu), biasY.on(gpu), &g.Conv)
		b.ConvInput(toX.on(gpu), y.on(gpu), w.on(gpu), biasX.on(gpu), &g.Conv)
		b.ConvWeight(toW.on(gpu), x.on(gpu), y.on(gpu), &g.Conv)
	})
	part := 3e-6
	if out == device.Float64 {
		part = 1e-13
	}
	toX.near, toW.near, toY.near = isHalf(in), isHalf(in), isHalf(in)
	toX.terms, toW.terms, toY.terms = 8, 8, 8
	toY.agree(t, 1, part, "forward %v %s layout %d", g, suffixes[in], layout)
	toX.agree(t, 1, part, "input %v %s layout %d", g, suffixes[in], layout)
	toW.agree(t, 1, part, "weight %v %s layout %d", g, suffixes[in], layout)
}

func TestCUDAConv(t *testing.T) {
	r := numbers(t.Name())
	for i := range 60 {
		d := floatDTypes[i%4]
		bias := d
		if i%3 == 0 {
			bias = 0
		}
		randomGeometry(r).compare(t, r, d, d, bias, i%7*(i%2))
	}
}

// TestCUDAConvMixed: types of results and biases that are not those of the images.
func TestCUDAConvMixed(t *testing.T) {
	r := numbers(t.Name())
	for i, c := range [][3]device.DType{
		{device.Float16, device.Float32, device.Float16}, {device.Float32, device.BFloat16, device.Float32},
		{device.BFloat16, device.Float64, device.Float64}, {device.Float32, device.Float16, 0},
	} {
		randomGeometry(r).compare(t, r, c[0], c[1], c[2], i)
	}
}

// TestCUDAConvPoints: windows of one element, which are products of matrices.
func TestCUDAConvPoints(t *testing.T) {
	r := numbers(t.Name())
	for i, d := range floatDTypes {
		g := &geometry{n: 2, in: 5, out: 9, x: [2]int{4, 6}, k: [2]int{1, 1}, y: [2]int{4, 6}}
		g.Stride, g.Dilation, g.Groups = [2]int{1, 1}, [2]int{1, 1}, 1
		g.compare(t, r, d, d, d, 0)
		g.compare(t, r, d, d, 0, i+1)
		g.n = 1
		g.compare(t, r, d, d, 0, i)
		g.n, g.x, g.y = 3, [2]int{2, 1}, [2]int{2, 1} // places are too few for the weight's gradient
		g.compare(t, r, d, d, d, i)
	}
}

// TestCUDAConvTilings has both tiles, several blocks and parts.
func TestCUDAConvTilings(t *testing.T) {
	r := numbers(t.Name())
	for _, c := range []convTiling{{false, 64, 128}, {true, 128, 128}} {
		convTile = func(*convolution) convTiling { return c }
		for i, d := range []device.DType{device.Float16, device.BFloat16} {
			g := &geometry{n: 3, in: 20, out: 40 + 100*i, x: [2]int{16, 16}, k: [2]int{3, 3}, y: [2]int{16, 16}}
			g.Stride, g.Dilation, g.Padding, g.Groups = [2]int{1, 1}, [2]int{1, 1}, [2]int{1, 1}, 1
			g.compare(t, r, d, d, d, 0)
		}
	}
	convTile = (*convolution).fastest
}

// TestCUDAConvEmpty: no images, and no places.
func TestCUDAConvEmpty(t *testing.T) {
	for _, d := range floatDTypes {
		c := &device.Conv{Stride: [2]int{1, 1}, Dilation: [2]int{1, 1}, Groups: 1}
		x, y, w := blank(t, d, 0, 0, 2, 4, 4), blank(t, d, 0, 0, 3, 3, 3), filled(t, d, 0, make([]float64, 3*2*4), 3, 2, 2, 2)
		both(t, func(b device.Backend, gpu bool) {
			b.Conv(y.on(gpu), x.on(gpu), w.on(gpu), nil, c)
			b.ConvInput(x.on(gpu), y.on(gpu), w.on(gpu), nil, c)
			b.Fill(w.on(gpu), math.Pi)
			b.ConvWeight(w.on(gpu), x.on(gpu), y.on(gpu), c)
		})
		w.agree(t, 0, 0, "weight of no images")
	}
}
