//go:build cuda

package cuda

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfnote/tensor/internal/device"
)

// normShapes are shapes of x and of the weight: of layer norm, batch norm with rows and with columns,
// group norm, and others.
var normShapes = []struct{ x, weight []int }{
	{[]int{5, 1, 1, 33}, []int{1, 1, 1, 33}}, {[]int{3, 1, 1, 700}, []int{1, 1, 1, 700}}, {[]int{2, 1, 1, 9000}, []int{1, 1, 1, 9000}},
	{[]int{1, 3, 4, 30}, []int{1, 3, 1, 1}}, {[]int{1, 2, 9, 1100}, []int{1, 2, 1, 1}}, {[]int{1, 40, 1, 50}, []int{1, 40, 1, 1}},
	{[]int{1, 20, 700, 1}, []int{1, 20, 1, 1}}, {[]int{2, 2, 3, 25}, []int{1, 2, 3, 1}}, {[]int{4, 1, 1, 1}, []int{1, 1, 1, 1}},
	{[]int{150, 1, 1, 32}, []int{1, 1, 1, 32}},
	{[]int{20, 1, 1, 272}, []int{1, 1, 1, 272}}, {[]int{0, 1, 1, 5}, []int{1, 1, 1, 5}}, {[]int{90, 1, 1, 20}, []int{1, 1, 1, 20}},
}

func TestCUDANormalize(t *testing.T) {
	r := numbers(t.Name())
	layout := 0
	for i, d := range floatDTypes {
		for _, c := range normShapes {
			for k, mode := range []string{"", "given", "no mean", "plain"} {
				if layout++; c.x[2]*c.x[3] < 2000 || k == i { // the stand-in takes its time
					checkNormalize(t, r, d, floatDTypes[(i+1)%4], layout, mode, c.x, c.weight)
				}
			}
		}
	}
}

func checkNormalize(t *testing.T, r *rand.Rand, d, other device.DType, layout int, mode string, shape, of []int) {
	wide := device.Float32
	if d == device.Float64 {
		wide = d
	}
	rows := []int{shape[0], shape[1], 1, 1}
	x, dy := random(t, r, d, layout, false, shape...), random(t, r, d, layout/2, false, shape...)
	var mean, weight, bias, dw, db pair
	if mode != "no mean" {
		mean = random(t, r, wide, layout, false, rows...)
	}
	spread := make([]float64, rows[0]*rows[1])
	for i := range spread {
		spread[i] = r.Float64() + 0.5
	}
	variance := filled(t, wide, layout/3, spread, rows...)
	if mode != "plain" {
		in := wide
		if layout%2 == 0 {
			in = d
		}
		weight, bias = random(t, r, in, layout/4, false, of...), random(t, r, in, layout/5, false, of...)
	}
	to := d
	if layout%7 == 0 && d != device.Float64 {
		to = other
	}
	y, dx := blank(t, to, layout/3, shape...), blank(t, d, layout/4, shape...)
	if layout%3 != 0 {
		dw = blank(t, wide, layout/2, of...)
	}
	if layout%3 != 1 {
		db = blank(t, d, layout/5, of...)
	}
	n := device.Norm{Eps: 1e-5, Given: mode == "given"}
	both(t, func(b device.Backend, gpu bool) {
		b.Normalize(y.on(gpu), x.on(gpu), mean.on(gpu), variance.on(gpu), weight.on(gpu), bias.on(gpu), n)
	})
	both(t, func(b device.Backend, gpu bool) {
		b.NormalizeGrad(dx.on(gpu), dy.on(gpu), x.on(gpu), mean.on(gpu), variance.on(gpu), weight.on(gpu), n)
		b.NormalizeWeightGrad(dw.on(gpu), db.on(gpu), dy.on(gpu), x.on(gpu), mean.on(gpu), variance.on(gpu), n)
	})
	part := 1e-6
	if d == device.Float64 {
		part = 1e-13
	}
	for _, c := range []struct {
		p    pair
		what string
	}{{y, "y"}, {mean, "mean"}, {variance, "variance"}, {dx, "dx"}, {dw, "dw"}, {db, "db"}} {
		if c.what == "dx" && shape[2]*shape[3] == 1 {
			continue // of one element it is what rounding leaves of zero
		}
		if c.p.terms = 1; c.p.host != nil {
			c.p.agree(t, 2, part, "%s of %v in %s, weight %v, %q, layout %d", c.what, shape, suffixes[d], of, mode, layout)
		}
	}
}

// TestCUDANormalizeRange: rows of numbers far from zero keep the digits of their variance, infinite ones
// become NaN, and a variance that float32 does not have makes a row NaN.
func TestCUDANormalizeRange(t *testing.T) {
	r := numbers(t.Name())
	for _, size := range []int{20, 600, 9000} {
		for _, base := range []float64{1e4, math.Inf(1), 3e38, 0} {
			for _, step := range []float64{1, 3e37} {
				if size == 9000 && base != 1e4 {
					continue
				}
				all := make([]float64, 2*size)
				for i := range all {
					all[i] = r.NormFloat64() * step
				}
				all[3] += base
				for i := range all[size:] {
					all[size+i] += base
				}
				x, y := filled(t, device.Float32, 0, all, 2, 1, 1, size), blank(t, device.Float32, 0, 2, 1, 1, size)
				mean, variance := blank(t, device.Float32, 0, 2, 1, 1, 1), blank(t, device.Float32, 0, 2, 1, 1, 1)
				both(t, func(b device.Backend, gpu bool) {
					b.Normalize(y.on(gpu), x.on(gpu), mean.on(gpu), variance.on(gpu), nil, nil, device.Norm{Eps: 1e-5})
				})
				mean.agree(t, 1, 0, "mean of %d about %v", size, base)
				variance.agree(t, 1, 0, "variance of %d about %v in steps of %v", size, base, step)
				y.agree(t, 2, 1e-6, "%d numbers about %v", size, base)
			}
		}
	}
}
