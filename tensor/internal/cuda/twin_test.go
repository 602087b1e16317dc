//go:build cuda

package cuda

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"halfnote/tensor/internal/cpu"
	"halfnote/tensor/internal/device"
)

// The kernels' twins are the ops of package cpu: tests compute both on the same elements.

var allDTypes = []device.DType{
	device.Float64, device.Float32, device.Float16, device.BFloat16, device.Int64, device.Bool,
}

var floatDTypes = allDTypes[:4]

// gpu returns the first GPU's backend.
func gpu(t testing.TB) *Backend {
	t.Helper()
	sources()
	g, err := Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return g.For(t.Name()).(*Backend)
}

// A pair is one array in the host's memory and on the GPU. What lies on the GPU was computed with sums,
// products and roots in one order, so that it is the same on every GPU and on the stand-in; where near
// is set, also with functions of CUDA's or on tensor cores, which have roundings of their own.
type pair struct {
	host, gpu *device.Array
	near      bool
	terms     float64 // about how large the terms are of sums that may cancel
}

// blank returns arrays of zeros. Each of the layouts that a tensor can have comes up in turn where
// layout goes up from 0: in rows, with two dimensions swapped, with gaps and an offset.
func blank(t testing.TB, dtype device.DType, layout int, shape ...int) pair {
	t.Helper()
	b := gpu(t)
	strides, offset, room := laidOut(layout, shape)
	data := make([]uint64, (room*dtype.Size()+15)/8)
	host := &device.Array{Data: unsafe.Pointer(&data[0]), DType: dtype, Offset: offset, Shape: shape, Strides: strides}
	mem, err := b.Alloc(dtype, max(room, 1), true)
	if err != nil {
		t.Fatal(err)
	}
	on := &device.Array{Data: mem, DType: dtype, Offset: offset, Shape: shape, Strides: strides}
	return pair{host: host, gpu: on}
}

const layouts = 4

func laidOut(layout int, shape []int) (strides []int, offset, room int) {
	order := make([]int, len(shape))
	for i := range order {
		order[i] = i
	}
	gap := 1
	switch layout % layouts {
	case 1:
		slices.Reverse(order)
	case 2:
		gap, offset = 3, 5
	case 3:
		if n := len(order); n > 1 {
			order[n-1], order[n-2] = order[n-2], order[n-1]
		}
		offset = 1
	}
	strides = make([]int, len(shape))
	step := gap
	for i := len(order) - 1; i >= 0; i-- {
		strides[order[i]] = step
		step *= max(shape[order[i]], 1)
		if i == len(order)-1 {
			step += gap - 1
		}
	}
	return strides, offset, offset + step + 1
}

// filled returns arrays of these elements, in row-major order.
func filled(t testing.TB, dtype device.DType, layout int, values []float64, shape ...int) pair {
	t.Helper()
	p := blank(t, dtype, layout, shape...)
	if len(values) == 0 {
		return p
	}
	src := device.Array{Data: unsafe.Pointer(&values[0]), DType: device.Float64, Shape: shape, Strides: rowMajor(shape)}
	cpu.Backend{}.Copy(p.host, &src)
	gpu(t).FromHost(p.gpu, p.host)
	return p
}

// random returns arrays of normal numbers, or of small integers, with every special value among them
// where special is set.
func random(t testing.TB, r *rand.Rand, dtype device.DType, layout int, special bool, shape ...int) pair {
	t.Helper()
	n := 1
	for _, s := range shape {
		n *= s
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = r.NormFloat64() * 2
		if dtype == device.Int64 {
			values[i] = float64(r.IntN(21) - 10)
		}
		if special && r.IntN(8) == 0 && dtype != device.Int64 {
			all := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 65504, 6e-8, 1e-30}
			values[i] = all[r.IntN(len(all))]
		}
		if dtype == device.Bool {
			values[i] = float64(r.IntN(2))
		}
	}
	return filled(t, dtype, layout, values, shape...)
}

// on returns the half of p that lies on the GPU, or in the host's memory.
func (p pair) on(gpu bool) *device.Array {
	if gpu {
		return p.gpu
	}
	return p.host
}

// both computes with the backend of the processor, and with that of the GPU.
func both(t testing.TB, compute func(b device.Backend, gpu bool)) {
	t.Helper()
	compute(cpu.Backend{}, false)
	compute(gpu(t), true)
}

// values returns a's elements in row-major order.
func values(b device.Backend, a *device.Array) []float64 {
	all := make([]float64, a.Numel())
	if len(all) == 0 {
		return all
	}
	b.ToHost(&device.Array{Data: unsafe.Pointer(&all[0]), DType: device.Float64, Shape: a.Shape, Strides: rowMajor(a.Shape)}, a)
	return all
}

// agree checks that both halves of p have the same elements, but for so many units in the last place
// of their type, and a part of the largest element, or term, for what sums round differently.
func (p pair) agree(t testing.TB, ulps, part float64, what string, args ...any) {
	t.Helper()
	want, got := values(cpu.Backend{}, p.host), values(gpu(t), p.gpu)
	what = fmt.Sprintf(what, args...)
	most := p.terms
	for _, v := range want {
		if a := math.Abs(v); !math.IsInf(a, 0) && !math.IsNaN(a) {
			most = max(most, a)
		}
	}
	close := func(w, g float64) bool {
		if g == w && math.Signbit(g) == math.Signbit(w) || math.IsNaN(g) && math.IsNaN(w) {
			return true
		}
		return math.Abs(g-w) <= ulps*ulp(p.host.DType, w)+part*most && (w != 0 || g != 0 || ulps > 0)
	}
	for i, w := range want {
		if g := got[i]; !close(w, g) {
			t.Errorf("%s: element %d of %v %s: %v on the GPU, %v on the processor", what, i, p.host.Shape,
				suffixes[p.host.DType], g, w)
			return
		}
	}
	noted(t, got, p.near, close, what)
}

// ulp returns how far neighbours of v lie apart.
func ulp(d device.DType, v float64) float64 {
	bits, least := 52, -1074
	switch d {
	case device.Float32:
		bits, least = 23, -149
	case device.Float16:
		bits, least = 10, -24
	case device.BFloat16:
		bits, least = 7, -133
	case device.Int64, device.Bool:
		return 0
	}
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return math.Ldexp(1, least)
	}
	_, e := math.Frexp(v)
	return math.Ldexp(1, max(e-1-bits, least))
}

func TestCUDACopy(t *testing.T) {
	r := numbers(t.Name())
	layout := 0
	for _, to := range allDTypes {
		for _, from := range allDTypes {
			for _, shape := range [][]int{{}, {1}, {7}, {3, 5}, {2, 3, 4}, {2, 1, 3, 2}, {300, 7}, {0, 3}} {
				layout++
				x := random(t, r, from, layout, to != device.Int64, shape...)
				out := blank(t, to, layout/layouts, shape...)
				both(t, func(b device.Backend, gpu bool) { b.Copy(out.on(gpu), x.on(gpu)) })
				out.agree(t, 0, 0, "%s from %s", suffixes[to], suffixes[from])
			}
		}
	}
}

func TestCUDAFill(t *testing.T) {
	for i, d := range allDTypes {
		out := blank(t, d, i, 3, 4)
		both(t, func(b device.Backend, gpu bool) { b.Fill(out.on(gpu), 1.5) })
		out.agree(t, 0, 0, "fill")
	}
}
