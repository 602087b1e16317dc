//go:build cuda

package cuda

import (
	"testing"

	"halfnote/tensor/internal/device"
)

var draws = []device.Draw{
	{Kind: device.Uniform, B: 1}, {Kind: device.Uniform, A: -3.5, B: 1e4}, {Kind: device.Uniform, A: 1, B: 1},
	{Kind: device.Normal, B: 1}, {Kind: device.Normal, A: 5, B: 0.01},
	{Kind: device.Bernoulli, A: 0.3}, {Kind: device.Bernoulli, A: 1}, {Kind: device.Bernoulli},
	{Kind: device.Integers, Low: -5, N: 11}, {Kind: device.Integers}, {Kind: device.Integers, N: 3 << 62},
}

// TestCUDARandom: the numbers are the processor's, to the last bit.
func TestCUDARandom(t *testing.T) {
	layout := 0
	for _, d := range draws {
		for _, dtype := range allDTypes {
			for _, shape := range append(elementShapes, []int{4001}, []int{999, 4}) {
				layout++
				d.Seed, d.Counter = results.Seed^0x123456789abcdef0*uint64(layout), 1<<32-3
				out := blank(t, dtype, layout, shape...)
				both(t, func(b device.Backend, gpu bool) { b.Random(out.on(gpu), d) })
				out.agree(t, 0, 0, "%+v", d)
			}
		}
	}
}

func TestCUDADropout(t *testing.T) {
	r := numbers(t.Name())
	layout := 0
	for _, p := range []float64{0, 0.25, 0.9, 1} {
		for _, to := range floatDTypes {
			for i, shape := range append(elementShapes, []int{4001}, []int{999, 4}) {
				layout++
				from := to
				if i%3 == 2 {
					from = floatDTypes[r.IntN(4)]
				}
				d := device.Draw{Kind: device.Bernoulli, A: p, Seed: results.Seed ^ uint64(layout), Counter: 77}
				x, out := random(t, r, from, layout*(i%2), true, shape...), blank(t, to, layout/3*(i%2), shape...)
				both(t, func(b device.Backend, gpu bool) { b.Dropout(out.on(gpu), x.on(gpu), d, 1/max(p, 0.1)) })
				out.agree(t, 0, 0, "dropout %v", p)
			}
		}
	}
}
