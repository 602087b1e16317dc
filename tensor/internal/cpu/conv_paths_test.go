package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// eachPath runs a test on each path that this machine has.
func eachPath(t *testing.T, test func(t *testing.T)) {
	for _, p := range simd.Paths() {
		t.Run(p.String(), func(t *testing.T) {
			defer simd.Use(p)()
			test(t)
		})
	}
}

// values returns the elements of a as float64.
func values(a *device.Array) []float64 { return dense[float64](a) }

// as returns a copy of a in another type.
func as(d device.DType, a *device.Array) *device.Array {
	var out *device.Array
	switch d {
	case device.Float64:
		out = zeros[float64](a.Shape...)
	case device.Float32:
		out = zeros[float32](a.Shape...)
	default:
		half := denseArray(make([]int64, (a.Numel()+3)/4), a.Shape) // memory of the right size
		out = &half
		out.DType = d
	}
	Backend{}.Copy(out, a)
	return out
}

// near checks got against want, where sums of terms as large as size are computed in float32 and
// rounded to got's type.
func near(t *testing.T, what string, got *device.Array, want, size []float64) {
	t.Helper()
	relative := map[device.DType]float64{device.Float64: 1e-13, device.Float32: 0x1p-20,
		device.Float16: 0x1p-10, device.BFloat16: 0x1p-7}[got.DType]
	for i, v := range values(got) {
		tolerance := relative*math.Abs(want[i]) + min(relative, 0x1p-20)*size[i]
		if got.DType == device.Float16 {
			tolerance += 0x1p-24
		}
		if !(math.Abs(v-want[i]) <= tolerance) {
			t.Fatalf("%s: element %d is %v, want %v ± %v", what, i, v, want[i], tolerance)
		}
	}
}

// A geometry is a convolution by its definition.
type geometry struct {
	device.Conv
	n, in, out, h, w, kh, kw, oh, ow int
}

func (g *geometry) String() string {
	return fmt.Sprintf("%d×%d×%d×%d to %d by %d×%d %+v", g.n, g.in, g.h, g.w, g.out, g.kh, g.kw, g.Conv)
}

// each calls f with the places in x, w and y of all products.
func (g *geometry) each(f func(x, w, y int)) {
	inC, outC := g.in/g.Groups, g.out/g.Groups
	for n := range g.n {
		for o := range g.out {
			for p := range g.oh {
				for q := range g.ow {
					y := ((n*g.out+o)*g.oh+p)*g.ow + q
					for c := range inC {
						for k := range g.kh {
							for l := range g.kw {
								i := p*g.Stride[0] - g.Padding[0] + k*g.Dilation[0]
								j := q*g.Stride[1] - g.Padding[1] + l*g.Dilation[1]
								if i < 0 || i >= g.h || j < 0 || j >= g.w {
									continue
								}
								f(((n*g.in+o/outC*inC+c)*g.h+i)*g.w+j, ((o*inC+c)*g.kh+k)*g.kw+l, y)
							}
						}
					}
				}
			}
		}
	}
}

func randomGeometry(r *rand.Rand) *geometry {
	for {
		g := &geometry{n: r.IntN(4), h: 1 + r.IntN(12), w: 1 + r.IntN(20), kh: 1 + r.IntN(4),
			kw: 1 + r.IntN(5)}
		g.Groups = 1 + r.IntN(3)
		g.in, g.out = g.Groups*(1+r.IntN(5)), g.Groups*(1+r.IntN(9))
		switch r.IntN(8) {
		case 0: // depthwise
			g.Groups = g.in
			g.out = g.in * (1 + r.IntN(2))
		case 1: // each pixel by itself
			g.kh, g.kw, g.Groups = 1, 1, 1
		case 2: // more than one panel of channels
			g.in, g.out = g.Groups*20, g.Groups*35
		case 3, 4: // few lanes of vectors of channels are empty
			g.in, g.out = g.Groups*(12+r.IntN(20)), g.Groups*(12+r.IntN(30))
		}
		for d := range 2 {
			g.Stride[d], g.Padding[d], g.Dilation[d] = 1, r.IntN(3), 1
			if r.IntN(2) == 0 {
				g.Stride[d] = 1 + r.IntN(4)
			}
			if r.IntN(3) == 0 {
				g.Dilation[d], g.Padding[d] = 1+r.IntN(4), r.IntN(9)
			}
		}
		roomH := g.h + 2*g.Padding[0] - g.Dilation[0]*(g.kh-1) - 1
		roomW := g.w + 2*g.Padding[1] - g.Dilation[1]*(g.kw-1) - 1
		if roomH >= 0 && roomW >= 0 {
			g.oh, g.ow = roomH/g.Stride[0]+1, roomW/g.Stride[1]+1
			return g
		}
	}
}

// gaps leaves whole columns of the input out, of which the gradient is that of nothing.
var gaps = geometry{n: 2, in: 32, out: 3, h: 28, w: 44, kh: 1, kw: 2, oh: 14, ow: 15,
	Conv: device.Conv{Stride: [2]int{2, 3}, Dilation: [2]int{1, 1}, Groups: 1}}

// TestConvGeometries compares the three products with their definition in float64.
func TestConvGeometries(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		var b Backend
		for i := range 150 {
			g := randomGeometry(r)
			if i == 0 {
				g = &gaps
			}
			d := []device.DType{device.Float32, device.Float16, device.BFloat16, device.Float64}[i%4]
			seed := uint64(i * 5)
			x := as(d, random(seed, g.n, g.in, g.h, g.w))
			w := as(d, random(seed+1, g.out, g.in/g.Groups, g.kh, g.kw))
			y := as(d, random(seed+2, g.n, g.out, g.oh, g.ow))
			biasY, biasX := as(d, random(seed+3, g.out)), as(d, random(seed+4, g.in))
			check := func(what string, shape []int, bias []float64, area int,
				op func(out *device.Array), f func(add func(at int, v float64))) {
				out := as(d, random(99, shape...)) // what was there must not matter
				op(out)
				want, size := make([]float64, out.Numel()), make([]float64, out.Numel())
				for i := range want {
					if bias != nil {
						want[i] = bias[i/area%len(bias)]
						size[i] = math.Abs(want[i])
					}
				}
				f(func(at int, v float64) { want[at] += v; size[at] += math.Abs(v) })
				near(t, fmt.Sprint(g, " ", what), out, want, size)
			}
			vx, vw, vy := values(x), values(w), values(y)
			check("forward", y.Shape, values(biasY), g.oh*g.ow,
				func(out *device.Array) { b.Conv(out, x, w, biasY, &g.Conv) },
				func(add func(int, float64)) {
					g.each(func(x, w, y int) { add(y, vx[x]*vw[w]) })
				})
			check("input", x.Shape, values(biasX), g.h*g.w,
				func(out *device.Array) { b.ConvInput(out, y, w, biasX, &g.Conv) },
				func(add func(int, float64)) {
					g.each(func(x, w, y int) { add(x, vy[y]*vw[w]) })
				})
			check("weight", w.Shape, nil, 1,
				func(out *device.Array) { b.ConvWeight(out, x, y, &g.Conv) },
				func(add func(int, float64)) {
					g.each(func(x, w, y int) { add(w, vy[y]*vx[x]) })
				})
		}
	})
}

// TestConvInfinity: an infinity reaches the sums that it belongs to, and no others.
func TestConvInfinity(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for i := range 6 {
			out, d := []int{1, 5}[i%2], []device.DType{device.Float32, device.Float16, device.BFloat16}[i/2]
			x, y := random(1, 2, 1, 5, 6), as(d, random(2, 2, out, 4, 4))
			elems[float32](x, 0, 1, 30)[0] = float32(math.Inf(1))
			x = as(d, x)
			c := &device.Conv{Stride: [2]int{1, 1}, Dilation: [2]int{1, 1}, Groups: 1}
			w := zeros[float32](out, 1, 2, 3)
			Backend{}.ConvWeight(w, x, y, c)
			for i, v := range values(w) {
				if finite := v-v == 0; finite != (i%6 != 0) {
					t.Errorf("%d channels: element %d of the weight is %v", out, i, v)
				}
			}
		}
	})
}

// TestPools compares pooling with its definition, for windows of all kinds.
func TestPools(t *testing.T) {
	spans := func(n, size, step, stride int) (spans []device.Span) {
		for i := 0; i+(size-1)*step < n; i += stride {
			spans = append(spans, device.Span{From: i, To: i + (size-1)*step + 1, Step: step, Count: size})
		}
		return spans
	}
	eachPath(t, func(t *testing.T) {
		var b Backend
		r := rand.New(rand.NewPCG(3, 4))
		for i := range 120 {
			h, w, planes := 1+r.IntN(14), 1+r.IntN(40), r.IntN(5)
			size := [2]int{1 + r.IntN(min(3, h)), 1 + r.IntN(min(3, w))}
			if i%2 == 0 && h > 1 && w > 1 {
				size = [2]int{2, 2}
			}
			step := 1 + i%5/4
			rows, cols := spans(h, size[0], step, size[0]), spans(w, size[1], step, size[1])
			if i%3 == 0 {
				rows, cols = spans(h, size[0], 1, 1), spans(w, size[1], 1, 2)
			}
			d := []device.DType{device.Float32, device.Float16, device.BFloat16, device.Float64}[i%4]
			x := as(d, random(uint64(i), planes, h, w))
			shape := []int{planes, len(rows), len(cols)}
			if len(rows)*len(cols) == 0 {
				continue
			}
			vx := values(x)
			window := func(at int, f func(i int)) {
				plane, r, c := at/len(cols)/len(rows), rows[at/len(cols)%len(rows)], cols[at%len(cols)]
				for i := r.From; i < r.To; i += r.Step {
					for j := c.From; j < c.To; j += c.Step {
						f((plane*h+i)*w + j)
					}
				}
			}
			y, index := as(d, random(5, shape...)), zeros[int64](shape...)
			b.MaxPool(y, index, x, rows, cols)
			at := elems[int64](index, 0, 1, index.Numel())
			g := as(d, random(6, shape...))
			back, dealt, mean := as(d, random(7, x.Shape...)), as(d, random(8, x.Shape...)),
				as(d, random(9, shape...))
			b.MaxPoolGrad(back, g, index, rows, cols)
			b.AvgPoolGrad(dealt, g, rows, cols)
			b.AvgPool(mean, x, rows, cols)
			n := x.Numel()
			wantBack, wantDealt, sizes := make([]float64, n), make([]float64, n), make([]float64, n)
			wantMean, sizeMean := make([]float64, y.Numel()), make([]float64, y.Numel())
			for i, v := range values(y) {
				best := -1
				count := float64(rows[0].Count * cols[0].Count)
				share := values(g)[i]
				window(i, func(k int) {
					if best < 0 || vx[k] > vx[best] {
						best = k
					}
					wantDealt[k] += share / count
					sizes[k] += math.Abs(share)
					wantMean[i] += vx[k] / count
					sizeMean[i] += math.Abs(vx[k])
				})
				wantBack[best] += share
				if place := best % (h * w); v != vx[best] || at[i] != int64(place) {
					t.Fatalf("%s: %d×%d: window %d gives %v at %d, want %v at %d", fmt.Sprint(d), h, w, i, v,
						at[i], vx[best], place)
				}
			}
			near(t, "gradient of the largest", back, wantBack, sizes)
			near(t, "gradient of the mean", dealt, wantDealt, sizes)
			near(t, "mean", mean, wantMean, sizeMean)
		}
	})
}
