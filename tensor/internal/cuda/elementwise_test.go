//go:build cuda

package cuda

import (
	"math"
	"math/rand/v2"
	"testing"

	"halfnote/tensor/internal/cpu"
	"halfnote/tensor/internal/device"
)

// elementShapes have scalars, odd sizes, whole vectors, rows of them, and more than one block.
var elementShapes = [][]int{{}, {7}, {16}, {3, 5}, {4, 8}, {2, 3, 16}, {0, 3}, {2, 1, 3, 2}, {70, 31}}

// curveUlps are how far the functions may be off in each dtype: the two backends round differently, and
// Go's own in float64 are off by up to 2 themselves.
func curveUlps(d device.DType) float64 {
	switch d {
	case device.Float64:
		return 4
	case device.Float32:
		return 2
	}
	return 1
}

// powUlps is how far Go's Pow may be off in float64. It squares as often as the exponent has bits, which
// doubles what was rounded each time, and takes the exponential of a rounded product with a logarithm.
func powUlps(base, exponents []float64) float64 {
	most := func(all []float64, size func(v float64) float64) (m float64) {
		for _, v := range all {
			if s := size(v); !math.IsInf(s, 0) && !math.IsNaN(s) {
				m = max(m, s)
			}
		}
		return m
	}
	return 4 + most(exponents, math.Abs)/2 + most(base, func(v float64) float64 { return math.Abs(math.Log(math.Abs(v))) })/2
}

// arcTerms is by how much the roundings of x² and of π/2 are larger in Go's Asin and Acos, which begin with
// √(1 − x²).
func arcTerms(all []float64) float64 {
	most := math.Pi / 2
	for _, x := range all {
		if math.Abs(x) < 1 {
			most = max(most, 1/math.Sqrt((1-x)*(1+x)))
		}
	}
	return most
}

// exactUnary reports whether op is made of operations that round correctly.
func exactUnary(op device.UnaryOp) bool {
	switch op {
	case device.Neg, device.Abs, device.Sign, device.Sqrt, device.Rsqrt, device.Reciprocal, device.ReLU, device.Floor,
		device.Ceil, device.Round, device.Trunc, device.IsFinite, device.IsInf, device.IsNaN, device.Not, device.AddP,
		device.MulP, device.DivP, device.MaxP, device.MinP:
		return true
	}
	return op >= device.EqP
}

func TestCUDAUnary(t *testing.T) {
	r := numbers(t.Name())
	layout := 0
	for op := device.Neg; op <= device.GeP; op++ {
		bools := op >= device.EqP || op >= device.IsFinite && op <= device.Not
		for _, from := range allDTypes {
			for i, shape := range elementShapes {
				layout++
				to := from
				if i%3 == 2 { // mixed
					to = allDTypes[r.IntN(len(allDTypes))]
				}
				if to == device.Int64 && !exactUnary(op) && op != device.PowP {
					to = device.Float32 // where 3 becomes 2.9999…
				}
				p := []float64{2, 3, 0.5, -1.25, 2.5, math.Inf(1), -2}[layout%7]
				if bools {
					to = device.Bool
				} else if (to == device.Int64 || to == device.Bool) && (p != math.Trunc(p) || math.IsInf(p, 0)) {
					p = -3
				}
				x := random(t, r, from, layout*(i%2), to != device.Int64, shape...)
				out := blank(t, to, layout/layouts*(i%2), shape...)
				both(t, func(b device.Backend, gpu bool) { b.Unary(op, out.on(gpu), x.on(gpu), p) })
				ulps := 0.0
				if !exactUnary(op) && !(op == device.PowP && (p == 2 || p == 3 || p == 0.5)) {
					ulps = curveUlps(to)
					if to == device.Float64 && op == device.Tan {
						ulps = 32 // Go's drops a term below 1e-7
					}
				}
				if to == device.Float64 && op == device.PowP && ulps > 0 {
					ulps = powUlps(values(cpu.Backend{}, x.host), []float64{p})
				}
				part := 0.0
				if to == device.Float64 && (op == device.Asin || op == device.Acos) {
					out.terms, part = arcTerms(values(cpu.Backend{}, x.host)), 0x1p-51
				}
				out.near = ulps > 0
				out.agree(t, ulps, part, "unary %d of %s with %v", op, suffixes[from], p)
			}
		}
	}
}

func TestCUDABinary(t *testing.T) {
	r := numbers(t.Name())
	layout := 0
	for op := device.Add; op <= device.Xor; op++ {
		for _, from := range allDTypes {
			for i, shape := range elementShapes {
				layout++
				to, other := from, from
				if i%3 == 2 { // mixed
					to, other = allDTypes[r.IntN(len(allDTypes))], allDTypes[r.IntN(len(allDTypes))]
				}
				if op == device.Atan2 && to == device.Int64 {
					to = device.Float64
				}
				special := to != device.Int64
				if op >= device.Eq {
					to = device.Bool
				}
				x := random(t, r, from, layout*(i%2), special, shape...)
				y := random(t, r, other, layout/2*(i%2), special, broadcast(r, shape)...)
				if (op == device.Div || op == device.Fmod || op == device.Remainder) && to.ComputeIn() == device.Int64 {
					y = filled(t, other, 0, []float64{[]float64{1, -1, 3, -4}[layout%4]})
					if other == device.Bool {
						y = filled(t, other, 0, []float64{1})
					}
				}
				out := blank(t, to, layout/layouts*(i%2), shape...)
				both(t, func(b device.Backend, gpu bool) { b.Binary(op, out.on(gpu), x.on(gpu), y.on(gpu)) })
				ulps := 0.0
				if op == device.Pow || op == device.Atan2 {
					ulps = curveUlps(to)
				}
				if to == device.Float64 && op == device.Pow {
					ulps = powUlps(values(cpu.Backend{}, x.host), values(cpu.Backend{}, y.host))
				}
				out.near = ulps > 0
				out.agree(t, ulps, 0, "binary %d of %s and %s", op, suffixes[from], suffixes[other])
			}
		}
	}
}

// broadcast returns a shape that is broadcast to this one.
func broadcast(r *rand.Rand, shape []int) []int {
	out := append([]int{}, shape...)
	switch r.IntN(4) {
	case 0:
		if len(out) > 0 {
			out[r.IntN(len(out))] = 1
		}
	case 1:
		if len(out) > 0 {
			out = out[1:]
		}
	}
	return out
}

func TestCUDATernary(t *testing.T) {
	r := numbers(t.Name())
	layout := 0
	for op := device.Where; op <= device.Addcdiv; op++ {
		for _, to := range allDTypes {
			for i, shape := range elementShapes {
				for range 3 {
					layout++
					in := [3]device.DType{to, to, to}
					if op == device.Where {
						in[0] = device.Bool
					}
					if i%3 == 2 { // mixed
						for k := range in {
							in[k] = allDTypes[r.IntN(len(allDTypes))]
						}
					}
					var x [3]pair
					for k := range x {
						x[k] = random(t, r, in[k], layout/(k+1)*(i%2), to.ComputeIn() != device.Int64, broadcast(r, shape)...)
					}
					if op == device.Addcdiv && to.ComputeIn() == device.Int64 {
						x[2] = filled(t, in[2], 0, []float64{1})
					}
					out := blank(t, to, layout/layouts*(i%2), shape...)
					both(t, func(b device.Backend, gpu bool) {
						b.Ternary(op, out.on(gpu), x[0].on(gpu), x[1].on(gpu), x[2].on(gpu), -3)
					})
					out.agree(t, 0, 0, "ternary %d of %v", op, in)
				}
			}
		}
	}
}

// TestCUDAInPlace writes to an input, as ops in place do.
func TestCUDAInPlace(t *testing.T) {
	r := numbers(t.Name())
	for _, d := range floatDTypes {
		for layout := range layouts {
			x, y := random(t, r, d, layout, true, 33, 8), random(t, r, d, 0, true, 8)
			both(t, func(b device.Backend, gpu bool) {
				b.Binary(device.Mul, x.on(gpu), x.on(gpu), y.on(gpu))
				b.Unary(device.AddP, x.on(gpu), x.on(gpu), 0.5)
			})
			x.agree(t, 0, 0, "in place")
		}
	}
}
