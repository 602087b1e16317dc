package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// An attentionCase is a call of Attend and AttendGrad: batch 2, heads 3, T queries, S keys.
type attentionCase struct {
	t, s    int
	dtype   device.DType
	causal  bool
	mask    device.DType // Bool, or a float; Int64 means none
	dropout bool
	size    float64 // of the queries
}

func (c attentionCase) String() string {
	return fmt.Sprintf("%dx%d/%s/causal=%v/mask=%s/dropout=%v/size=%g", c.t, c.s, names[c.dtype], c.causal,
		names[c.mask], c.dropout, c.size)
}

var names = map[device.DType]string{device.Float64: "float64", device.Float32: "float32",
	device.Float16: "float16", device.BFloat16: "bfloat16", device.Bool: "bool", device.Int64: "none"}

const (
	testBatch, testHeads = 2, 3
	testD, testE         = 9, 35
)

// attentionArrays are the arguments and results of a case.
type attentionArrays struct {
	q, k, v, g, out, lse, dq, dk, dv, dmask *device.Array
	a                                       device.Attention
}

// heads returns random numbers whose heads lie beside each other, as a linear map leaves them.
func heads(rng *rand.Rand, d device.DType, n, size int, scale float64) *device.Array {
	values := make([]float32, testBatch*n*testHeads*size)
	for i := range values {
		values[i] = float32(rng.NormFloat64() * scale)
	}
	x := denseArray(values, []int{testBatch, n, testHeads, size})
	y := arrayOf(d, x.Shape...)
	Backend{}.Copy(y, &x)
	y.Shape = []int{testBatch, testHeads, n, size}
	y.Strides = []int{n * testHeads * size, size, testHeads * size, 1}
	return y
}

// arrayOf returns an array with elements that no op should leave.
func arrayOf(d device.DType, shape ...int) *device.Array {
	n := 1
	for _, s := range shape {
		n *= s
	}
	x := denseArray(make([]float64, n+1), shape) // room for each dtype
	x.DType = d
	if d != device.Bool {
		Backend{}.Fill(&x, math.NaN())
	}
	return &x
}

func (c attentionCase) arrays() *attentionArrays {
	rng := rand.New(rand.NewPCG(uint64(c.t), uint64(c.s)))
	x := &attentionArrays{
		q: heads(rng, c.dtype, c.t, testD, c.size), k: heads(rng, c.dtype, c.s, testD, 1),
		v: heads(rng, c.dtype, c.s, testE, 1), g: heads(rng, c.dtype, c.t, testE, 1),
		out: arrayOf(c.dtype, testBatch, testHeads, c.t, testE),
		dq:  arrayOf(c.dtype, testBatch, testHeads, c.t, testD),
		dk:  arrayOf(c.dtype, testBatch, testHeads, c.s, testD),
		dv:  arrayOf(c.dtype, testBatch, testHeads, c.s, testE),
		a:   device.Attention{Scale: 0.3, Causal: c.causal}}
	sums := c.dtype.ComputeIn()
	x.lse = arrayOf(sums, testBatch, testHeads, c.t)
	x.dmask = arrayOf(sums, testBatch, testHeads, c.t, c.s)
	Backend{}.Fill(x.dmask, 0)
	bools := func(shape ...int) *device.Array {
		values := make([]float32, shape[0]*shape[1]*shape[2]*shape[3])
		for i := range values {
			values[i] = float32(rng.IntN(3))
		}
		dense, out := denseArray(values, shape), arrayOf(device.Bool, shape...)
		Backend{}.Copy(out, &dense)
		return out
	}
	switch {
	case c.mask == device.Bool:
		x.a.Mask = bools(testBatch, 1, c.t, c.s)
	case c.mask != device.Int64:
		x.a.Mask = heads(rng, c.mask, c.t, c.s, 1)
		if c.t > 1 { // a query that sees nothing
			row := *x.a.Mask
			row.Shape = []int{testBatch, testHeads, 1, c.s}
			Backend{}.Fill(&row, math.Inf(-1))
		}
	}
	if c.dropout {
		x.a.Keep, x.a.Kept = bools(testBatch, testHeads, c.t, c.s), 1.5
	}
	return x
}

func (x *attentionArrays) run() {
	Backend{}.Attend(x.out, x.lse, x.q, x.k, x.v, &x.a)
	Backend{}.AttendGrad(x.dq, x.dk, x.dv, x.dmask, x.g, x.lse, x.q, x.k, x.v, &x.a)
}

// results returns what a call writes, by name.
func (x *attentionArrays) results() map[string]*device.Array {
	return map[string]*device.Array{"out": x.out, "lse": x.lse, "dq": x.dq, "dk": x.dk, "dv": x.dv,
		"dmask": x.dmask}
}

// defined computes the results by the formulas, with all scores, in float64.
func (x *attentionArrays) defined() map[string][]float64 {
	q, k, v, g := values(x.q), values(x.k), values(x.v), values(x.g)
	t, s := x.q.Shape[2], x.k.Shape[2]
	n := testBatch * testHeads
	out := map[string][]float64{"out": make([]float64, n*t*testE), "lse": make([]float64, n*t),
		"dq": make([]float64, n*t*testD), "dk": make([]float64, n*s*testD),
		"dv": make([]float64, n*s*testE), "dmask": make([]float64, n*t*s)}
	spread := func(m *device.Array) []float64 {
		if m == nil {
			return nil
		}
		strides := slices.Clone(m.Strides)
		for d, size := range m.Shape {
			if size == 1 {
				strides[d] = 0
			}
		}
		return values(&device.Array{Data: m.Data, DType: m.DType, Offset: m.Offset,
			Shape: []int{testBatch, testHeads, t, s}, Strides: strides})
	}
	mask, keep := spread(x.a.Mask), spread(x.a.Keep)
	p, dp := make([]float64, s), make([]float64, s)
	for row := range n * t {
		head, i := row/t, row%t
		top, sum := math.Inf(-1), 0.0
		for j := range s {
			p[j] = 0
			for c := range testD {
				p[j] += x.a.Scale * q[row*testD+c] * k[(head*s+j)*testD+c]
			}
			switch {
			case mask != nil && x.a.Mask.DType != device.Bool:
				p[j] += mask[row*s+j]
			case mask != nil && mask[row*s+j] == 0:
				p[j] = math.Inf(-1)
			}
			if x.a.Causal && j > i {
				p[j] = math.Inf(-1)
			}
			top = max(top, p[j])
		}
		for j := range s {
			if p[j] = math.Exp(p[j] - top); math.IsInf(top, -1) {
				p[j] = 0
			}
			sum += p[j]
		}
		out["lse"][row] = top + math.Log(sum)
		mean := 0.0
		for j := range s {
			factor := 1.0
			if keep != nil {
				factor = keep[row*s+j] * x.a.Kept
			}
			if sum > 0 {
				p[j] /= sum
			}
			dp[j] = 0
			for c := range testE {
				out["out"][row*testE+c] += p[j] * factor * v[(head*s+j)*testE+c]
				dp[j] += factor * g[row*testE+c] * v[(head*s+j)*testE+c]
				out["dv"][(head*s+j)*testE+c] += p[j] * factor * g[row*testE+c]
			}
			mean += p[j] * dp[j]
		}
		for j := range s {
			d := p[j] * (dp[j] - mean)
			out["dmask"][row*s+j] = d
			for c := range testD {
				out["dq"][row*testD+c] += x.a.Scale * d * k[(head*s+j)*testD+c]
				out["dk"][(head*s+j)*testD+c] += x.a.Scale * d * q[row*testD+c]
			}
		}
	}
	return out
}

// relative is one rounding to a dtype.
func relative(d device.DType) float64 {
	switch d {
	case device.Float64:
		return 0x1p-50
	case device.Float16:
		return 0x1p-11
	case device.BFloat16:
		return 0x1p-8
	}
	return 0x1p-21
}

func (c attentionCase) check(t *testing.T) {
	t.Helper()
	x := c.arrays()
	x.run()
	want := x.defined()
	for name, array := range x.results() {
		got := values(array)
		largest := 0.0
		for _, v := range want[name] {
			if !math.IsInf(v, 0) {
				largest = max(largest, math.Abs(v))
			}
		}
		// The error of a sum of products grows with the products, and an exponential's with the
		// scores, which are below 40 times the size of the queries.
		sums := largest * relative(c.dtype.ComputeIn()) * max(8, 32*c.size)
		for i, v := range want[name] {
			tolerance := sums + math.Abs(v)*relative(array.DType)
			if !(math.Abs(got[i]-v) <= tolerance || got[i] == v) {
				t.Fatalf("%v: %s[%d] is %v, want %v within %.3g", c, name, i, got[i], v, tolerance)
			}
		}
	}
}

// TestAttention compares lengths around the edges of tiles with the definition, on each path.
func TestAttention(t *testing.T) {
	none := device.Int64
	var cases []attentionCase
	lengths := []int{1, 2, 31, 32, 33, 65, 130}
	for i, n := range lengths {
		s := lengths[len(lengths)-1-i]
		cases = append(cases,
			attentionCase{n, n, device.Float32, true, none, false, 1},
			attentionCase{n, s, device.Float32, true, device.Float32, true, 1},
			attentionCase{n, s, device.BFloat16, false, device.BFloat16, false, 1},
			attentionCase{s, n, device.Float16, i%2 == 0, device.Bool, i%2 != 0, 1},
			attentionCase{n, s, device.Float32, false, device.Float64, false, 30})
	}
	cases = append(cases, attentionCase{3, 0, device.Float32, false, none, false, 1},
		attentionCase{0, 3, device.Float32, false, none, false, 1})
	long := []attentionCase{{40, gradientKeys + 41, device.Float32, false, none, true, 1},
		{300, 290, device.Float32, true, device.Float16, false, 1},
		{70, 66, device.Float64, true, device.Float32, true, 1},
		{66, 70, device.Float64, false, device.Bool, false, 1}}
	for _, path := range simd.Paths() {
		t.Run(path.String(), func(t *testing.T) {
			defer simd.Use(path)()
			for _, c := range cases {
				c.check(t)
			}
			if path == simd.Paths()[len(simd.Paths())-1] {
				for _, c := range long {
					c.check(t)
				}
			}
		})
	}
}

// TestAttentionNaN: a score that is NaN or infinite makes its row NaN, and no other.
func TestAttentionNaN(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		c := attentionCase{40, 300, device.Float32, false, device.Float32, false, 1}
		x := c.arrays()
		one := device.Array{Data: x.a.Mask.Data, DType: device.Float32, Shape: []int{1},
			Strides: []int{1}, Offset: x.a.Mask.Offset + 7*x.a.Mask.Strides[2] + 290}
		Backend{}.Fill(&one, bad)
		x.run()
		for i, v := range values(x.out) {
			if got, want := math.IsNaN(v), i/testE == 7; got != want {
				t.Fatalf("%v: out[%d] is %v", bad, i, v)
			}
		}
		for i, v := range values(x.dq) {
			if got, want := math.IsNaN(v), i/testD == 7; got != want {
				t.Fatalf("%v: dq[%d] is %v", bad, i, v)
			}
		}
	}
}

// TestAttentionEmpty: a row without keys is 0, whatever the values are.
func TestAttentionEmpty(t *testing.T) {
	for _, d := range []device.DType{device.Float64, device.Float32, device.Float16, device.BFloat16} {
		x := attentionCase{20, 30, d, false, device.Bool, false, 1}.arrays()
		row := device.Array{Data: x.a.Mask.Data, DType: device.Bool, Shape: []int{30}, Strides: x.a.Mask.Strides[3:],
			Offset: x.a.Mask.Offset + 7*x.a.Mask.Strides[2]}
		Backend{}.Fill(&row, 0)
		Backend{}.Fill(x.v, math.Inf(1))
		x.run()
		for i, v := range values(x.out)[7*testE : 8*testE] {
			if v != 0 {
				t.Fatalf("%s: out[%d] is %v", names[d], i, v)
			}
		}
	}
}

// TestAttentionCausal: leaving tiles out is the same as a mask, also beyond one tile of keys.
func TestAttentionCausal(t *testing.T) {
	const n = gradientKeys + 70
	q, k, v, g := random(1, n, 8), random(2, n-10, 8), random(3, n-10, 8), random(4, n, 8)
	mask := arrayOf(device.Bool, n, n-10)
	open := elems[bool](mask, 0, 1, n*(n-10))
	for i := range n {
		repeat(open[i*(n-10):][:min(i+1, n-10)], true)
	}
	var results [2][4]*device.Array
	for i, a := range []device.Attention{{Scale: 0.3, Causal: true}, {Scale: 0.3, Mask: mask}} {
		lse := zeros[float32](n)
		r := [...]*device.Array{zeros[float32](n, 8), zeros[float32](n, 8), zeros[float32](n-10, 8),
			zeros[float32](n-10, 8)}
		Backend{}.Attend(r[0], lse, q, k, v, &a)
		Backend{}.AttendGrad(r[1], r[2], r[3], nil, g, lse, q, k, v, &a)
		results[i] = r
	}
	for i, x := range results[0] {
		want := values(results[1][i])
		for j, v := range values(x) {
			if !(math.Abs(v-want[j]) <= 1e-5) {
				t.Fatalf("result %d: element %d is %v, with a mask %v", i, j, v, want[j])
			}
		}
	}
}

// TestAttentionCores: the bits are the same on one core as on several.
func TestAttentionCores(t *testing.T) {
	for _, d := range []device.DType{device.Float32, device.BFloat16} {
		c := attentionCase{300, 290, d, true, device.Float32, true, 1}
		one, all := c.arrays(), c.arrays()
		func() {
			defer pool.Limit(0)()
			one.run()
		}()
		all.run()
		for name, x := range one.results() {
			a, b := values(x), values(all.results()[name])
			for i := range a {
				if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
					t.Fatalf("%s: %s[%d] is %v on one core, %v on all", names[d], name, i, a[i], b[i])
				}
			}
		}
	}
}

// TestAttentionWanted: gradients that nobody wants may be nil.
func TestAttentionWanted(t *testing.T) {
	c := attentionCase{40, 50, device.Float32, false, device.Float32, false, 1}
	all, some := c.arrays(), c.arrays()
	all.run()
	Backend{}.Attend(some.out, some.lse, some.q, some.k, some.v, &some.a)
	some.a.Mask = all.a.Mask
	grad := func(dq, dk, dv *device.Array) {
		Backend{}.AttendGrad(dq, dk, dv, nil, some.g, some.lse, some.q, some.k, some.v, &some.a)
	}
	grad(some.dq, nil, nil)
	grad(nil, some.dk, nil)
	grad(nil, nil, some.dv)
	for _, name := range []string{"dq", "dk", "dv"} {
		if a, b := values(all.results()[name]), values(some.results()[name]); !slices.Equal(a, b) {
			t.Errorf("%s differs when it is computed alone", name)
		}
	}
}

// BenchmarkAttention is a call on 4 sequences with 4 heads of 64 features.
func BenchmarkAttention(b *testing.B) {
	for _, n := range []int{128, 1024} {
		for _, d := range []device.DType{device.Float32, device.BFloat16} {
			q, g := arrayOf(d, 4, 4, n, 64), arrayOf(d, 4, 4, n, 64)
			dq, dk, dv := arrayOf(d, 4, 4, n, 64), arrayOf(d, 4, 4, n, 64), arrayOf(d, 4, 4, n, 64)
			lse := arrayOf(device.Float32, 4, 4, n)
			Backend{}.Fill(q, 0.125)
			a := &device.Attention{Scale: 0.125}
			product := 2 * 16 * float64(n*n) * 64
			b.Run(fmt.Sprintf("forward/%s/%d", names[d], n), func(b *testing.B) {
				for b.Loop() {
					Backend{}.Attend(g, lse, q, q, q, a)
				}
				b.ReportMetric(2*product*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
			b.Run(fmt.Sprintf("backward/%s/%d", names[d], n), func(b *testing.B) {
				for b.Loop() {
					Backend{}.AttendGrad(dq, dk, dv, nil, g, lse, q, q, q, a)
				}
				b.ReportMetric(5*product*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
			})
		}
	}
}
