//go:build cuda

package cuda

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfnote/tensor/internal/cpu"
	"halfnote/tensor/internal/device"
)

// several returns arrays of all floating types, layouts and sizes, more than a launch takes.
func several(t *testing.T, r *rand.Rand, special bool) (all []pair) {
	for i := range maxMany + 20 {
		d := floatDTypes[i%4]
		shape := [][]int{{}, {7}, {3, 5}, {0, 3}, {2, 3, 4}, {300}}[i%6]
		if i%50 == 49 {
			shape = []int{2, manyPiece + 10*i}
		}
		all = append(all, random(t, r, d, i/4, special, shape...))
	}
	return all
}

func halves(ps []pair, gpu bool) (all []*device.Array) {
	for _, p := range ps {
		all = append(all, p.on(gpu))
	}
	return all
}

func TestCUDAUnscale(t *testing.T) {
	r := numbers(t.Name())
	for _, special := range []bool{false, true} {
		for _, inv := range []float32{1, 0.25, 1.0 / 3, 0x1p120, 0} {
			for _, onDevice := range []bool{false, true} {
				xs := several(t, r, special)
				counts := blank(t, device.Int64, 0, len(xs), 2)
				found := blank(t, device.Float32, 0)
				scale := filled(t, device.Float32, 0, []float64{1 / float64(inv)})
				both(t, func(b device.Backend, gpu bool) {
					if onDevice {
						b.Unscale(halves(xs, gpu), counts.on(gpu), found.on(gpu), 0, scale.on(gpu))
					} else {
						b.Unscale(halves(xs, gpu), counts.on(gpu), found.on(gpu), inv, nil)
					}
				})
				for i, x := range xs {
					x.agree(t, 0, 0, "array %d by %v", i, inv)
				}
				found.agree(t, 0, 0, "found")
				if inv != 0 { // where the processor's counts depend on how it goes through them
					counts.agree(t, 0, 0, "counts by %v", inv)
				}
			}
		}
	}
}

func TestCUDANormAndClip(t *testing.T) {
	r := numbers(t.Name())
	for _, p := range []float64{1, 2, math.Inf(1)} {
		xs := several(t, r, false)
		norm := blank(t, device.Float64, 0)
		both(t, func(b device.Backend, gpu bool) { b.Norm(norm.on(gpu), halves(xs, gpu), p) })
		norm.agree(t, 64, 0, "norm of order %v", p)
		for _, most := range []float64{0, 1.5, 1e9} {
			same := filled(t, device.Float64, 0, values(gpu(t), norm.gpu))
			both(t, func(b device.Backend, gpu bool) { b.Clip(halves(xs, gpu), same.on(gpu), most) })
			for i, x := range xs {
				x.agree(t, 0, 0, "array %d clipped to %v", i, most)
			}
		}
	}
	for _, v := range [][]float64{
		{}, {0}, {3e300, 4e300}, {3e-300, 4e-300}, {3e-300, 1}, {1e-200, 1e200, 5}, {math.Inf(1), 1},
		{math.NaN(), 1}, {math.Inf(-1), math.NaN()}, {1e-155, 1e-154}, {0, 1e-320},
	} {
		for _, p := range []float64{1, 2, math.Inf(1)} {
			x, norm := filled(t, device.Float64, 0, v, len(v)), blank(t, device.Float64, 0)
			xs := []pair{x, x}
			if len(v) == 0 {
				both(t, func(b device.Backend, gpu bool) {
					if gpu {
						b.Norm(norm.on(gpu), halves(xs, gpu), p)
					}
				})
			} else {
				both(t, func(b device.Backend, gpu bool) { b.Norm(norm.on(gpu), halves(xs, gpu), p) })
			}
			norm.agree(t, 4, 0, "norm of order %v of %v", p, v)
			both(t, func(b device.Backend, gpu bool) { b.Clip(halves(xs[:1], gpu), norm.on(gpu), 1) })
			x.agree(t, 4, 0, "%v clipped", v)
		}
	}
}

func TestCUDAStats(t *testing.T) {
	r := numbers(t.Name())
	for i, scale := range []float64{1, 1e-7, 0x1p-14} {
		xs := several(t, r, i == 2)
		out, three := blank(t, device.Float64, 0, len(xs), device.StatsLen), filled(t, device.Float32, 0, []float64{3})
		both(t, func(b device.Backend, gpu bool) {
			if i == 1 {
				b.Stats(out.on(gpu), halves(xs, gpu), scale/3, three.on(gpu))
			} else {
				b.Stats(out.on(gpu), halves(xs, gpu), scale, nil)
			}
		})
		want, got := values(cpu.Backend{}, out.host), values(gpu(t), out.gpu)
		noted(t, got, false, nil, "statistics")
		for i, w := range want {
			if g := got[i]; g != w && !(math.IsNaN(g) && math.IsNaN(w)) && !(math.Abs(g-w) <= 1e-12*w) {
				t.Errorf("number %d of array %d, %v: %v on the GPU, %v on the processor", i%device.StatsLen,
					i/device.StatsLen, xs[i/device.StatsLen].host.Shape, g, w)
			}
		}
	}
}

// TestCUDAAdapt lets the scale go up and down as found says, to its limits.
func TestCUDAAdapt(t *testing.T) {
	r := numbers(t.Name())
	for _, s := range []device.Scaling{
		{Growth: 2, Backoff: 0.5, Least: 0x1p-126, Most: math.MaxFloat32, Interval: 3, Hysteresis: 1},
		{Growth: 1.7, Backoff: 0.3, Least: 1, Most: 100, Interval: 1, Hysteresis: 2},
		{Growth: 2, Backoff: 0.5, Least: 8, Most: math.MaxFloat32, Interval: 0, Hysteresis: 1},
		{Growth: 1e30, Backoff: 0.9, Least: 1, Most: math.MaxFloat32, Interval: 2, Hysteresis: 3},
	} {
		scale := filled(t, device.Float32, 0, []float64{64})
		track := blank(t, device.Int64, 0, device.TrackLen)
		for step := range 60 {
			var found []pair
			for range 1 + r.IntN(3) {
				found = append(found, filled(t, device.Float32, 0, []float64{float64(r.IntN(5) / 4)}))
			}
			both(t, func(b device.Backend, gpu bool) {
				b.Adapt(scale.on(gpu), track.on(gpu), halves(found, gpu), s)
			})
			scale.agree(t, 0, 0, "scale after update %d of %+v", step, s)
			track.agree(t, 0, 0, "track after update %d of %+v", step, s)
		}
	}
}
