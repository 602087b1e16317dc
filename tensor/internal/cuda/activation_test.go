//go:build cuda

package cuda

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfnote/tensor/internal/cpu"
	"halfnote/tensor/internal/device"
)

// sweep returns floats over the whole range, in steps of their bits: subnormal, huge, infinite, NaN. Every
// other one is of the size that networks have.
func sweep(r *rand.Rand, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = float64(math.Float32frombits(uint32(uint64(i) * (1<<32 - 1) / uint64(n))))
		if i%2 == 1 {
			all[i] = float64(float32(r.NormFloat64() * 4))
		}
	}
	copy(all, []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, math.MaxFloat32, -3, 3})
	return all
}

// precise checks x's elements against float64: within so many units in the last place of their dtype,
// and slack where terms cancel.
func precise(t *testing.T, x pair, want []float64, ulps, slack float64, what string, args ...any) {
	t.Helper()
	what = fmt.Sprintf(what, args...)
	close := func(w, got float64) bool {
		return float32(w) == float32(got) || got != got && w != w ||
			math.Abs(got-w) <= ulps*ulp(x.gpu.DType, w)+slack || overflows(x.gpu.DType, w, got)
	}
	all := values(gpu(t), x.gpu)
	for i, got := range all {
		if w := want[i]; !close(w, got) {
			t.Errorf("%s: element %d is %v, not %v: off by %.2f", what, i, got, w, math.Abs(got-w)/ulp(x.gpu.DType, w))
			return
		}
	}
	noted(t, all, x.near, close, what)
}

// overflows reports whether got is the infinite number that want is rounded to.
func overflows(d device.DType, want, got float64) bool {
	largest := map[device.DType]float64{device.Float16: 65519, device.BFloat16: 3.3961e38, device.Float32: math.MaxFloat32}[d]
	return math.IsInf(got, 0) && largest > 0 && math.Abs(want) >= largest && math.Signbit(want) == math.Signbit(got)
}

// inFloat64 returns what the processor computes of x's elements, in float64.
func inFloat64(t *testing.T, x pair, compute func(out, x *device.Array)) []float64 {
	in := filled(t, device.Float64, 0, values(cpu.Backend{}, x.host), x.host.Shape...)
	compute(in.host, in.host)
	return values(cpu.Backend{}, in.host)
}

// TestCUDACurves sweeps over the functions whose code in float is the kernels' own.
func TestCUDACurves(t *testing.T) {
	xs := sweep(numbers(t.Name()), 20000)
	for _, op := range []device.UnaryOp{device.Exp, device.Log, device.Tanh, device.Sigmoid, device.Erf, device.Sin, device.Erfinv, device.Expm1} {
		for _, d := range []device.DType{device.Float32, device.Float16, device.BFloat16} {
			x, out := filled(t, d, 0, xs, len(xs)), blank(t, d, 0, len(xs))
			out.near = op == device.Sin || op == device.Erfinv || op == device.Expm1 // in double
			gpu(t).Unary(op, out.gpu, x.gpu, 0)
			want := inFloat64(t, x, func(out, x *device.Array) { cpu.Backend{}.Unary(op, out, x, 0) })
			precise(t, out, want, map[device.DType]float64{device.Float32: 1.3}[d]+0.5001, 0, "unary %d of %s", op, suffixes[d])
		}
	}
}

func activationParameters(f device.Activation) (p, q float64) {
	switch f {
	case device.Softplus:
		return 1.5, 20
	case device.ELU, device.LeakyReLU:
		return 0.3, 0
	case device.Hardtanh:
		return -1.25, 2
	case device.Huber:
		return 1.5, 0
	}
	return 0, 0
}

// TestCUDAActivations compares with the processor in float64.
func TestCUDAActivations(t *testing.T) {
	r := numbers(t.Name())
	xs := sweep(r, 12000)
	for f := device.GELU; f <= device.Huber; f++ {
		p, q := activationParameters(f)
		for order := 0; order <= device.MaxOrder; order++ {
			for _, d := range floatDTypes {
				x, g, out := filled(t, d, 0, xs, len(xs)), random(t, r, d, 0, false, len(xs)), blank(t, d, 0, len(xs))
				slope, ulps, slack := g, 0.5001, 0.0
				switch {
				case d == device.Float64:
					ulps, slack = 8, 1e-14
				case order == 1 && d == device.Float32 && f == device.GELUTanh:
					slack = 2e-8
				case order == 1 && d == device.Float32:
					slack = 1e-7 // where the terms of a derivative cancel
				case order == 1:
					slack = 5e-7
				}
				if d == device.Float32 {
					ulps = 2
					if f == device.Softplus && order == 0 {
						ulps = 3 // where the quotient by its parameter has units half as large for its size
					}
				}
				if order == 0 {
					slope = pair{}
				}
				out.near = d == device.Float64 || order == 2 || f == device.Mish && order == 1 // in double
				gpu(t).Activate(f, order, out.gpu, x.gpu, slope.gpu, p, q)
				gs := values(cpu.Backend{}, g.host)
				want := inFloat64(t, x, func(out, x *device.Array) {
					wide := filled(t, device.Float64, 0, gs, len(gs))
					if order == 0 {
						wide = pair{}
					}
					cpu.Backend{}.Activate(f, order, out, x, wide.host, p, q)
				})
				precise(t, out, want, ulps, slack, "activation %d of order %d, %s", f, order, suffixes[d])
			}
		}
	}
}

// TestCUDAActivationLayouts has other strides and mixed dtypes.
func TestCUDAActivationLayouts(t *testing.T) {
	r := numbers(t.Name())
	layout := 0
	for f := device.GELU; f <= device.Huber; f++ {
		p, q := activationParameters(f)
		for order := 0; order <= device.MaxOrder; order++ {
			for _, to := range floatDTypes {
				for i, shape := range elementShapes {
					layout++
					from := to
					if i%2 == 0 {
						from = floatDTypes[r.IntN(4)]
					}
					x, g := random(t, r, from, layout, false, shape...), random(t, r, to, layout/3, false, shape...)
					out := blank(t, to, layout/2, shape...)
					both(t, func(b device.Backend, gpu bool) {
						slope := g.on(gpu)
						if order == 0 {
							slope = nil
						}
						b.Activate(f, order, out.on(gpu), x.on(gpu), slope, p, q)
					})
					out.near, out.terms = true, 1
					out.agree(t, 8, 1e-7, "activation %d of order %d", f, order)
				}
			}
		}
	}
}
