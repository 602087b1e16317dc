//go:build cuda

package cuda

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfnote/tensor/internal/device"
)

// withTiling has products cut in this way until the test ends.
func withTiling(t *testing.T, f func(p *product) tiling) {
	old := tile
	tile = f
	t.Cleanup(func() { tile = old })
}

func isHalf(d device.DType) bool { return d == device.Float16 || d == device.BFloat16 }

// matmulCase multiplies [batch…, m, k] by [batch…, k, n] and compares.
func matmulCase(t *testing.T, r *rand.Rand, out, in device.DType, layout int, e device.Epilogue, bias device.DType,
	batch, batchA, batchB []int, m, n, k int) {
	t.Helper()
	shape := func(batch []int, m, n int) []int { return append(append([]int(nil), batch...), m, n) }
	x := random(t, r, in, layout, false, shape(batchA, m, k)...)
	y := random(t, r, in, layout/layouts, false, shape(batchB, k, n)...)
	to := random(t, r, out, layout/layouts/layouts, false, shape(batch, m, n)...)
	var add pair
	if bias != 0 {
		add = random(t, r, bias, layout, false, n)
	}
	both(t, func(b device.Backend, gpu bool) {
		e := e
		if bias != 0 {
			e.Bias = add.on(gpu)
		}
		b.MatMul(to.on(gpu), x.on(gpu), y.on(gpu), e)
	})
	ulps, part := 1.0, 1e-6*math.Sqrt(float64(k+1))
	switch out {
	case device.Float64:
		ulps, part = 0, 1e-15*float64(k+1)
	case device.Int64, device.Bool:
		ulps, part = 0, 0
	}
	if e.Via != 0 {
		part += ulp(e.Via, 1) * 1
	}
	to.near, to.terms = isHalf(in) || cublasFrom == 1, 4
	to.agree(t, ulps, part, "%v layout %d, %d×%d×%d, batch %v %v via %v bias %v", suffixes[in], layout, m, n, k,
		batchA, batchB, suffixes[e.Via], suffixes[bias])
}

func TestCUDAMatMul(t *testing.T) {
	r := numbers(t.Name())
	sizes := [][3]int{{1, 1, 1}, {3, 5, 7}, {16, 24, 40}, {65, 70, 33}, {1, 130, 9}, {9, 1, 130}, {7, 9, 0}, {0, 3, 2}, {3, 0, 2}}
	for _, d := range allDTypes {
		for i, s := range sizes {
			for layout := i; layout < layouts*layouts*layouts; layout += 7 {
				matmulCase(t, r, d, d, layout, device.Epilogue{}, 0, nil, nil, nil, s[0], s[1], s[2])
			}
		}
	}
}

// TestCUDAMatMulTilings has each tile and each order of the factors, in parts and whole.
func TestCUDAMatMulTilings(t *testing.T) {
	r := numbers(t.Name())
	for _, d := range []device.DType{device.Float16, device.BFloat16, device.Float32, device.Float64} {
		p := product{in: d}
		for _, c := range p.tilings() {
			for _, c.splits = range []int64{1, 3} {
				t.Run(fmt.Sprintf("%s/%dx%d/%d", suffixes[d], c.rows, c.cols, c.splits), func(t *testing.T) {
					withTiling(t, func(*product) tiling { return c })
					for i, a := range []int{0, 1} {
						for j, b := range []int{0, 1} {
							layout := a + layouts*b
							matmulCase(t, r, d, d, layout, device.Epilogue{}, 0, nil, nil, nil, 136, 264, 72)
							matmulCase(t, r, d, d, layout, device.Epilogue{}, d, nil, nil, nil, 3+i, 5+j, 170)
						}
					}
				})
			}
		}
	}
}

func TestCUDAMatMulBatch(t *testing.T) {
	r := numbers(t.Name())
	for i, d := range allDTypes {
		for layout := i; layout < 60; layout += 9 {
			none := device.Epilogue{}
			matmulCase(t, r, d, d, layout, none, 0, []int{5}, []int{5}, []int{5}, 8, 16, 8)
			matmulCase(t, r, d, d, layout, none, 0, []int{2, 3}, []int{2, 3}, nil, 4, 6, 5)
			matmulCase(t, r, d, d, layout, none, 0, []int{2, 3}, []int{3}, []int{2, 1}, 9, 8, 4)
			matmulCase(t, r, d, d, layout, none, 0, []int{2, 3, 2}, []int{2, 1, 2}, []int{1, 3, 1}, 3, 2, 17)
			matmulCase(t, r, d, d, layout, none, 0, []int{0}, []int{0}, []int{1}, 3, 2, 1)
		}
	}
}

func TestCUDAMatMulEpilogue(t *testing.T) {
	r := numbers(t.Name())
	halves := []device.DType{device.Float16, device.BFloat16}
	for _, k := range []int{0, 1, 20} {
		for layout := range 5 {
			for _, d := range allDTypes {
				matmulCase(t, r, d, d, layout, device.Epilogue{}, d, nil, nil, nil, 5, 11, k)
			}
			for _, d := range halves {
				matmulCase(t, r, device.Float32, d, layout, device.Epilogue{Via: d}, 0, nil, nil, nil, 5, 16, k)
				matmulCase(t, r, device.Float32, d, layout, device.Epilogue{Via: d}, device.Float32, nil, nil, nil, 8, 16, k)
				matmulCase(t, r, device.Float32, d, layout, device.Epilogue{}, d, nil, nil, nil, 5, 16, k)
				matmulCase(t, r, d, device.Float32, layout, device.Epilogue{}, d, nil, nil, nil, 5, 16, k)
				matmulCase(t, r, device.Float64, d, layout, device.Epilogue{}, d, nil, nil, nil, 5, 16, k)
				matmulCase(t, r, device.Float32, device.Float32, layout, device.Epilogue{Via: d}, device.Float32, []int{2},
					[]int{2}, nil, 8, 16, k)
			}
		}
	}
}

// TestCUDAMatMulInfinity: what is not finite reaches the sums that it belongs to, and no others.
func TestCUDAMatMulInfinity(t *testing.T) {
	for _, d := range floatDTypes {
		x, y := make([]float64, 70*5), make([]float64, 5*70)
		for i := range x {
			x[i], y[i] = 1, 2
		}
		x[66*5+2], y[3*70+65] = math.Inf(1), math.NaN()
		a, b, out := filled(t, d, 0, x, 70, 5), filled(t, d, 0, y, 5, 70), blank(t, d, 0, 70, 70)
		both(t, func(backend device.Backend, gpu bool) {
			backend.MatMul(out.on(gpu), a.on(gpu), b.on(gpu), device.Epilogue{})
		})
		out.near = isHalf(d)
		out.agree(t, 0, 0, "infinity")
	}
}

// TestCUDAMatMulUnaligned: matrices that begin in the middle of a vector, or whose rows do.
func TestCUDAMatMulUnaligned(t *testing.T) {
	r := numbers(t.Name())
	for _, d := range []device.DType{device.Float16, device.BFloat16, device.Float32} {
		for off := range 3 {
			x, y, out := random(t, r, d, 0, false, 20, 33), random(t, r, d, 0, false, 33, 40), blank(t, d, 0, 20, 41)
			part := func(a *device.Array, rows, cols, off int) *device.Array {
				p := *a
				p.Offset += off
				p.Shape = []int{rows, cols}
				return &p
			}
			both(t, func(b device.Backend, gpu bool) {
				b.MatMul(part(out.on(gpu), 20, 38, off), part(x.on(gpu), 20, 30, off), part(y.on(gpu), 30, 38, off),
					device.Epilogue{})
			})
			out.near = isHalf(d)
			out.agree(t, 1, 1e-5, "offset %d", off)
		}
	}
}

// TestCUDATuring: bfloat16 where tensor cores do not know it.
func TestCUDATuring(t *testing.T) {
	g := gpu(t).gpu
	defer func(c int) { g.capability = c }(g.capability)
	g.capability = 75
	r := numbers(t.Name())
	d := device.BFloat16
	matmulCase(t, r, d, d, 0, device.Epilogue{}, d, nil, nil, nil, 9, 16, 24)
	matmulCase(t, r, device.Float32, d, 1, device.Epilogue{Via: d}, 0, nil, nil, nil, 9, 16, 24)
	randomGeometry(r).compare(t, r, d, d, d, 0)
}

// TestCUDAMatMulFastest: large products take large tiles, and long sums are split where there would be
// few blocks.
func TestCUDAMatMulFastest(t *testing.T) {
	for _, c := range []struct {
		in      device.DType
		m, n, k int64
		large   bool
		split   bool
	}{
		{device.Float16, 4096, 4096, 4096, true, false}, {device.BFloat16, 8192, 8192, 64, true, false},
		{device.Float16, 64, 64, 1 << 16, false, true}, {device.Float16, 1, 4096, 4096, false, true},
		{device.Float16, 32, 10, 128, false, false}, {device.Float32, 4096, 4096, 4096, true, false},
		{device.Float32, 256, 256, 1 << 14, true, true}, {device.Int64, 64, 64, 1 << 16, false, false},
	} {
		p := &product{in: c.in}
		p.M, p.N, p.K, p.Batch.Total = c.m, c.n, c.k, 1
		if got := p.fastest(); got.large != c.large || got.splits > 1 != c.split {
			t.Errorf("%s %d×%d×%d: %+v", suffixes[c.in], c.m, c.n, c.k, got)
		}
	}
}
