package gemm

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// onPaths runs f on each path of the machine.
func onPaths(t *testing.T, f func(t *testing.T)) {
	for _, p := range simd.Paths() {
		t.Run(p.String(), func(t *testing.T) {
			defer simd.Use(p)()
			f(t)
		})
	}
}

// A layout says how a test matrix lies in memory.
type layout uint8

const (
	rowMajor layout = iota
	colMajor
	gaps    // rows with gaps, at an odd offset
	gapsT   // the same, transposed
	strided // gaps in both directions
	layouts
)

// A sample is a matrix in memory with guards around its elements.
type sample struct {
	Matrix
	rows, cols int
	bytes      []byte
	want       []byte // what bytes were
}

func newSample(d device.DType, rows, cols int, l layout) *sample {
	x := &sample{rows: rows, cols: cols}
	x.DType = d
	offset := 0
	switch l {
	case rowMajor:
		x.Row, x.Col = cols, 1
	case colMajor:
		x.Row, x.Col = 1, rows
	case gaps:
		x.Row, x.Col, offset = cols+3, 1, 5
	case gapsT:
		x.Row, x.Col, offset = 1, rows+5, 3
	case strided:
		x.Row, x.Col, offset = 3*cols+1, 3, 1
	}
	const guard = 64
	n := offset + max(0, rows-1)*x.Row + max(0, cols-1)*x.Col + 1 + guard
	x.bytes = make([]byte, n*d.Size())
	for i := range x.bytes {
		x.bytes[i] = 0xff // NaN
	}
	x.Data = unsafe.Pointer(&x.bytes[offset*d.Size()])
	return x
}

func (x *sample) set(i, j int, v float64) {
	line := [1]float32{float32(v)}
	x.store(line[:], i, j)
}

func (x *sample) get(i, j int) float64 {
	var line [1]float32
	x.line(line[:], i, j)
	return float64(line[0])
}

// values returns all elements, row by row or column by column.
func (x *sample) values(byColumn bool) []float64 {
	all := make([]float64, x.rows*x.cols)
	for i := range x.rows {
		for j := range x.cols {
			if byColumn {
				all[j*x.rows+i] = x.get(i, j)
			} else {
				all[i*x.cols+j] = x.get(i, j)
			}
		}
	}
	return all
}

func (x *sample) fill(f func() float64) *sample {
	for i := range x.rows {
		for j := range x.cols {
			x.set(i, j, f())
		}
	}
	return x
}

// untouched reports whether all that is no element still is what newSample wrote.
func (x *sample) untouched() bool {
	size := x.DType.Size()
	base := int(uintptr(x.Data) - uintptr(unsafe.Pointer(&x.bytes[0])))
	seen := make([]bool, len(x.bytes))
	for i := range x.rows {
		for j := range x.cols {
			at := base + (i*x.Row+j*x.Col)*size
			for b := range size {
				seen[at+b] = true
			}
		}
	}
	for i, b := range x.bytes {
		if !seen[i] && b != 0xff {
			return false
		}
	}
	return true
}

// relative is the tolerance of one rounding to a type, and of the sums of float32.
func relative(d device.DType) float64 {
	switch d {
	case device.Float16:
		return 0x1p-10
	case device.BFloat16:
		return 0x1p-7
	}
	return 0x1p-21
}

// check compares c with a·b, summed in float64, and with what e adds to it.
func check(t *testing.T, a, b, c *sample, e Epilogue) {
	t.Helper()
	k := a.cols
	rows, cols := a.values(false), b.values(true)
	for i := range c.rows {
		for j := range c.cols {
			if len(rows)*c.cols > 1<<17 && (i+3*j)%11 != 0 {
				continue // of large products some elements do, in all rows and columns
			}
			var sum, size float64
			for p, v := range rows[i*k : (i+1)*k] {
				v *= cols[j*k+p]
				sum += v
				size += math.Abs(v)
			}
			if e.Bias.Data != nil {
				s := sample{Matrix: e.Bias}
				sum += s.get(i, j)
				size += math.Abs(s.get(i, j))
			}
			tolerance := size*0x1p-21 + math.Abs(sum)*relative(c.DType)
			if c.DType == device.Float16 {
				tolerance += 0x1p-24
			}
			if got := c.get(i, j); !(math.Abs(got-sum) <= tolerance) {
				t.Fatalf("%d×%d×%d: element (%d, %d) is %v, want %v ± %v",
					c.rows, c.cols, a.cols, i, j, got, sum, tolerance)
			}
		}
	}
	if c.bytes != nil && !c.untouched() {
		t.Fatalf("%d×%d×%d: wrote beside the result", c.rows, c.cols, a.cols)
	}
}

var types = []device.DType{device.Float32, device.Float16, device.BFloat16}

func normal(r *rand.Rand) func() float64 { return r.NormFloat64 }

// TestRemainders: all sizes of m and n up to 40.
func TestRemainders(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for m := 1; m <= 40; m++ {
			for n := 1; n <= 40; n++ {
				for i, d := range types {
					k := []int{7, 16, 17}[(m+n+i)%3]
					a := newSample(d, m, k, layout((m+i)%int(layouts))).fill(normal(r))
					b := newSample(d, k, n, layout((n+i)%int(layouts))).fill(normal(r))
					c := newSample(types[(i+n)%3], m, n, layout((m+n)%int(layouts)))
					Multiply(&Product{M: m, N: n, K: k, A: a.Matrix, B: b.Matrix, C: c.Matrix})
					check(t, a, b, c, Epilogue{})
				}
			}
		}
	})
}

// TestForms: all layouts and types of a and b, with those of c and all kinds of length of the sum.
func TestForms(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		lengths := []int{0, 1, 2, 3, 15, 16, 17, 511, 512, 513, 1025, 1100}
		sizes := [][2]int{{1, 1}, {1, 70}, {70, 1}, {14, 32}, {33, 65}, {5, 100}, {100, 6}, {60, 37}}
		i := 0
		for la := range layouts {
			for lb := range layouts {
				for _, da := range types {
					for _, db := range types {
						size, k := sizes[i%len(sizes)], lengths[i/3%len(lengths)]
						a := newSample(da, size[0], k, la).fill(normal(r))
						b := newSample(db, k, size[1], lb).fill(normal(r))
						c := newSample(types[i%3], size[0], size[1], layout(i)%layouts)
						i++
						Multiply(&Product{M: size[0], N: size[1], K: k,
							A: a.Matrix, B: b.Matrix, C: c.Matrix})
						check(t, a, b, c, Epilogue{})
					}
				}
			}
		}
	})
}

// product returns a large product with everything that an epilogue can have.
func product(r *rand.Rand, m, n, k int, d device.DType, la, lb layout) (p Product, a, b, c *sample) {
	a = newSample(d, m, k, la).fill(normal(r))
	b = newSample(d, k, n, lb).fill(normal(r))
	c = newSample(d, m, n, rowMajor)
	bias := newSample(d, 1, n, rowMajor).fill(normal(r))
	bias.Row = 0
	p = Product{M: m, N: n, K: k, A: a.Matrix, B: b.Matrix, C: c.Matrix}
	p.Bias = bias.Matrix
	return p, a, b, c
}

// TestWorkers: what is large enough to be shared out is right, and the same, bit for bit, on one
// core and on several.
func TestWorkers(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		for _, size := range [][3]int{{130, 200, 90}, {256, 600, 70}, {20, 700, 256}, {700, 20, 256},
			{113, 64, 600}, {300, 1100, 30}} {
			for i, d := range types {
				for form := i; form < 4; form += 3 {
					p, a, b, c := product(r, size[0], size[1], size[2], d, layout(form%2), layout(form/2))
					for _, cores := range []int{4, 1} {
						before := runtime.GOMAXPROCS(cores)
						undo := pool.Limit(cores - 1)
						Multiply(&p)
						undo()
						runtime.GOMAXPROCS(before)
						if cores > 1 {
							check(t, a, b, c, p.Epilogue)
							c.want = append([]byte(nil), c.bytes...)
						} else if string(c.want) != string(c.bytes) {
							t.Fatalf("%v %v: other bits on one core", size, d)
						}
					}
				}
			}
		}
	})
}

// TestEpilogue: biases of columns, of rows and of both, all layouts of c.
func TestEpilogue(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		const m, n, k = 37, 45, 20
		for lc := range layouts {
			for _, d := range types {
				for kind := range 8 {
					a := newSample(d, m, k, rowMajor).fill(normal(r))
					b := newSample(device.Float32, k, n, rowMajor).fill(normal(r))
					c := newSample(d, m, n, lc)
					p := Product{M: m, N: n, K: k, A: a.Matrix, B: b.Matrix, C: c.Matrix}
					bias := newSample(types[kind%3], m, n, layout(kind)%layouts).fill(normal(r))
					switch kind / 2 % 3 {
					case 0:
						bias.Row = 0
					case 1:
						bias.Col = 0
					}
					p.Bias = bias.Matrix
					Multiply(&p)
					check(t, a, b, c, p.Epilogue)
				}
			}
		}
	})
}

// TestRow: products with one row or one column.
func TestRow(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(15, 16))
		i := 0
		for _, n := range []int{32, 33, 63, 95, 300, 511, 1100} {
			for _, k := range []int{32, 63, 600} {
				for l := range layouts {
					d := [3]device.DType{types[i%3], types[i/3%3], types[i/9%3]}
					i++
					a := newSample(d[0], 1, k, l).fill(normal(r))
					b := newSample(d[1], k, n, layout(i)%layouts).fill(normal(r))
					c := newSample(d[2], 1, n, layout(i/2)%layouts)
					bias := newSample(d[2], 1, n, rowMajor).fill(normal(r))
					p := Product{M: 1, N: n, K: k, A: a.Matrix, B: b.Matrix, C: c.Matrix}
					p.Bias = bias.Matrix
					Multiply(&p)
					check(t, a, b, c, Epilogue{Bias: bias.Matrix})

					c = newSample(d[2], n, 1, layout(i/2)%layouts)
					p = Product{M: n, N: 1, K: k, A: b.T(), B: a.T(), C: c.Matrix}
					Multiply(&p)
					at, bt := *a, *b
					at.Matrix, at.rows, at.cols = a.T(), k, 1
					bt.Matrix, bt.rows, bt.cols = b.T(), n, k
					check(t, &bt, &at, c, Epilogue{})
				}
			}
		}
	})
}

// TestBatch: outer dimensions, some broadcast.
func TestBatch(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 10))
		for _, size := range [][3]int{{3, 5, 4}, {65, 70, 33}, {130, 140, 64}} {
			for _, d := range types {
				m, n, k := size[0], size[1], size[2]
				const outer, inner = 2, 5
				// a is broadcast along the outer dimension and b along the inner one.
				a := newSample(d, inner*m, k, rowMajor).fill(normal(r))
				b := newSample(d, outer*k, n, rowMajor).fill(normal(r))
				c := newSample(d, outer*inner*m, n, rowMajor)
				p := Product{M: m, N: n, K: k, A: a.Matrix, B: b.Matrix, C: c.Matrix}
				p.Batch.Add(Dim{Size: outer, B: k * n, C: inner * m * n})
				p.Batch.Add(Dim{Size: inner, A: m * k, C: m * n})
				Multiply(&p)
				for i := range outer {
					for j := range inner {
						part := func(x *sample, row, rows int) *sample {
							y := *x
							y.Matrix, y.rows = x.At(row, 0), rows
							return &y
						}
						pc := part(c, (i*inner+j)*m, m)
						pc.bytes = nil // what others wrote lies beside it
						check(t, part(a, j*m, m), part(b, i*k, k), pc, Epilogue{})
					}
				}
			}
		}
	})
}

// TestSpecial: infinities and NaN reach exactly the elements that they belong to, huge values
// overflow only in 16 bits, and subnormal results of float16 survive.
func TestSpecial(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(11, 12))
		inf, nan := math.Inf(1), math.NaN()
		for _, d := range types {
			const m, n, k = 17, 35, 33
			a := newSample(d, m, k, rowMajor).fill(func() float64 { return r.Float64() + 1 })
			b := newSample(d, k, n, colMajor).fill(func() float64 { return r.Float64() + 1 })
			c := newSample(d, m, n, rowMajor)
			a.set(3, 32, nan)
			a.set(5, 0, inf)
			b.set(7, 11, -inf)
			b.set(32, 34, nan)
			Multiply(&Product{M: m, N: n, K: k, A: a.Matrix, B: b.Matrix, C: c.Matrix})
			for i := range m {
				for j := range n {
					got := c.get(i, j)
					var ok bool
					switch {
					case i == 3 || j == 34 || i == 5 && j == 11:
						ok = got != got
					case i == 5:
						ok = got == inf
					case j == 11:
						ok = got == -inf
					default:
						ok = got > 30 && got < 140
					}
					if !ok {
						t.Fatalf("%v: element (%d, %d) is %v", d, i, j, got)
					}
				}
			}
		}
		tiny := func(v, w, want float64) {
			const m, n, k = 15, 33, 2
			a := newSample(device.Float16, m, k, rowMajor).fill(func() float64 { return v })
			b := newSample(device.Float16, k, n, rowMajor).fill(func() float64 { return w })
			c := newSample(device.Float16, m, n, rowMajor)
			Multiply(&Product{M: m, N: n, K: k, A: a.Matrix, B: b.Matrix, C: c.Matrix})
			if got := c.get(14, 32); got != want {
				t.Errorf("2·%g·%g is %g, want %g", v, w, got, want)
			}
		}
		tiny(0x1p-24, 0.5, 0x1p-24)
		tiny(0x1p-20, 0x1p-5, 0x1p-24)
		tiny(0x1p-24, 0x1p-24, 0)
		tiny(0x3p-24, 0.5, 0x3p-24)
		tiny(256, 128, inf)
		tiny(199, 164.5, 65472) // 65471
		tiny(-256, 127, -65024)
	})
}

// TestBlock: panels packed by the caller.
func TestBlock(t *testing.T) {
	onPaths(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(13, 14))
		const m, n = 30, 70
		for _, k := range []int{1, 2, 16, 33} {
			for _, d := range types {
				for l := range layouts {
					a := newSample(device.Float32, m, k, rowMajor).fill(normal(r))
					b := newSample(d, k, n, l).fill(normal(r))
					c := newSample(device.Float32, m, n, gaps).fill(func() float64 { return 0 })
					panels := make([]float32, Panels(n)*Panel*k)
					Pack(panels, b.Matrix, k, n)
					as := floats(a.Data, m*k)
					cs := floats(c.Data, (m-1)*c.Row+n)
					half := k / 2
					Block(cs, c.Row, as, a.Row, a.Col, panels, m, n, k, false)
					check(t, a, b, c, Epilogue{})
					if half == 0 {
						continue
					}
					// In two parts, the second added to the first.
					Pack(panels, b.Matrix, half, n)
					Block(cs, c.Row, as, a.Row, a.Col, panels, m, n, half, false)
					Pack(panels, b.At(half, 0), k-half, n)
					Block(cs, c.Row, as[half:], a.Row, a.Col, panels, m, n, k-half, true)
					check(t, a, b, c, Epilogue{})
				}
			}
		}
	})
}
