//go:build cuda

package cuda

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfnote/tensor/internal/cpu"
	"halfnote/tensor/internal/device"
)

// reductions are shapes and the dimensions that are folded: short rows, long ones, rows in pieces,
// columns, several dimensions, none, and no elements.
var reductions = []struct {
	shape []int
	over  []int
}{
	{[]int{}, nil}, {[]int{5}, []int{0}}, {[]int{3, 70}, []int{1}}, {[]int{40, 5}, []int{1}},
	{[]int{3, 1030}, []int{1}}, {[]int{1, 9001}, []int{1}}, {[]int{300, 40}, []int{0}}, {[]int{9, 33, 3}, []int{0, 1}},
	{[]int{4, 3, 5, 7}, []int{0, 2, 3}}, {[]int{4, 20, 9}, []int{0, 2}}, {[]int{3, 4}, nil}, {[]int{0, 4}, []int{0}},
	{[]int{4, 0}, []int{0}}, {[]int{64, 72}, []int{0, 1}}, {[]int{300, 48}, []int{0}},
	{[]int{20, 272}, []int{0}},
}

func TestCUDAReduce(t *testing.T) {
	r := numbers(t.Name())
	layout := 0
	for _, d := range allDTypes {
		for _, c := range reductions {
			for op := device.Sum; op <= device.LogSumExp; op++ {
				layout++
				checkReduce(t, r, op, d, layout, r.IntN(2) == 0, c.shape, c.over)
			}
		}
	}
}

func checkReduce(t *testing.T, r *rand.Rand, op device.ReduceOp, d device.DType, layout int, special bool, shape, over []int) {
	to, p := d, 0.0
	kept, empty := slices.Clone(shape), false
	for _, axis := range over {
		kept[axis] = 1
		empty = empty || shape[axis] == 0
	}
	switch op {
	case device.Any, device.All:
		to = device.Bool
	case device.ArgMax, device.ArgMin:
		to = device.Int64
	case device.Mean, device.Var, device.PNorm, device.LogSumExp:
		to = device.Float32
		if d == device.Float64 {
			to = d
		}
		p = []float64{0, 1, 2, 3, math.Inf(1), math.Inf(-1), -1.5, 0.5}[r.IntN(8)]
		if op == device.Var {
			p = float64(layout % 3)
			special = false
		}
	case device.Sum, device.Prod:
		if d == device.Bool {
			to = device.Int64
		}
	}
	if empty && (op >= device.Max && op <= device.ArgMin) {
		return
	}
	x := random(t, r, d, layout, special, shape...)
	if op == device.Prod && !special && slices.Contains(floatDTypes, d) { // numbers about 1, so that in no order a part overflows
		factors := values(cpu.Backend{}, x.host)
		for i, v := range factors {
			factors[i] = math.Copysign(math.Exp(v/8), v)
		}
		x = filled(t, d, layout, factors, shape...)
	}
	out := blank(t, to, layout/layouts, kept...)
	both(t, func(b device.Backend, gpu bool) { b.Reduce(op, out.on(gpu), x.on(gpu), p) })
	part := 0.0
	switch op {
	case device.Sum, device.Mean, device.Var, device.PNorm, device.LogSumExp, device.Prod:
		part = 1e-13
	}
	ulps := 1.0
	if op >= device.Prod && d == device.Float64 {
		ulps = 1 << 12 // of many factors
	}
	if op >= device.Any && op <= device.ArgMin {
		ulps = 0.5
	}
	out.terms = 1
	if op == device.Sum { // of so many numbers that add up to about the root of how many they are
		out.terms = math.Sqrt(float64(x.host.Numel()) / float64(max(out.host.Numel(), 1)))
	}
	out.near = op == device.LogSumExp || op == device.PNorm && p != 0 && p != 1 && p != 2 && !math.IsInf(p, 0)
	out.agree(t, ulps, part, "op %d of %s, p %v, over %v of %v, layout %d", op, suffixes[d], p, over, shape, layout%layouts)
}

// TestCUDAReducePlaces: the first of equal elements, and of NaN, is found in every row and piece.
func TestCUDAReducePlaces(t *testing.T) {
	for _, n := range []int{1, 33, 513, 9000} {
		for i, d := range allDTypes[:5] {
			for _, v := range []float64{1, math.NaN(), math.Inf(-1)} {
				all := make([]float64, n)
				for k := range all {
					all[k] = -3
					if k*7 >= n*5 {
						all[k] = v
					}
				}
				if d == device.Int64 && v != 1 {
					continue
				}
				for _, op := range []device.ReduceOp{device.ArgMax, device.ArgMin} {
					x, out := filled(t, d, i, all, 1, n), blank(t, device.Int64, 0, 1, 1)
					both(t, func(b device.Backend, gpu bool) { b.Reduce(op, out.on(gpu), x.on(gpu), 0) })
					out.agree(t, 0, 0, "op %d of %d times %v in %s", op, n, v, suffixes[d])
				}
			}
		}
	}
}

// TestCUDAReduceColumns: columns whose largest element settles the result go on with those of their block,
// which have others to fold, and to later columns.
func TestCUDAReduceColumns(t *testing.T) {
	const rows = 3
	n := 32*16*gpu(t).gpu.processors + 40 // more than blocks have at a time
	x := random(t, rand.New(rand.NewPCG(5, 6)), device.Float64, 0, false, rows, n)
	all := values(cpu.Backend{}, x.host)
	for i := range all {
		switch i % n % 3 {
		case 0:
			all[i] = 0
		case 1:
			all[i] = math.Inf(-1)
		}
	}
	x = filled(t, device.Float64, 0, all, rows, n)
	for _, op := range []device.ReduceOp{device.LogSumExp, device.PNorm} {
		out := blank(t, device.Float64, 0, 1, n)
		both(t, func(b device.Backend, gpu bool) { b.Reduce(op, out.on(gpu), x.on(gpu), 3) })
		out.near = true
		out.agree(t, 4, 1e-14, "op %d of columns", op)
	}
}

// TestCUDAReduceSizes: squares of numbers at both ends of float64 neither overflow nor vanish.
func TestCUDAReduceSizes(t *testing.T) {
	for _, scale := range []float64{1e-300, 1e300} {
		for _, n := range []int{5, 700, 9000} {
			all := make([]float64, n)
			for k := range all {
				all[k] = scale * float64(k%7+1) / 1e4
			}
			for _, p := range []float64{2, 2.5, -2} {
				x, out := filled(t, device.Float64, 0, all, n), blank(t, device.Float64, 0, 1)
				both(t, func(b device.Backend, gpu bool) { b.Reduce(device.PNorm, out.on(gpu), x.on(gpu), p) })
				out.near = p != 2
				out.agree(t, 64, 1e-13, "norm of order %v of %d numbers about %v", p, n, scale)
			}
		}
	}
}
