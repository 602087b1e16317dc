package cpu

import (
	"sync"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// This file implements the products of matrices that package gemm does not take, those of float64
// and int64, in plain Go.

// The blocking of these products. A tile of the result stays in the first- or second-level
// cache while blockK columns of a and rows of b, packed so that the innermost loop reads them in
// order, go by. A 4×2 block of sums fits into the 16 registers of amd64 and is within a tenth of
// the fastest of the shapes from 2×4 to 6×2; larger ones spill.
const (
	tileM  = 64
	tileN  = 128
	blockK = 256
	microM = 4
	microN = 2

	// Up to this many multiplications, packing costs more than it saves.
	smallProduct = 1 << 11
)

// A product is one matrix product of a batch: offsets and strides of its three matrices.
type product struct {
	m, n, k      int
	out, a, b    *device.Array
	bias         *device.Array
	rowA, colA   int
	rowB, colB   int
	rowO, colO   int
	tilesM       int
	tilesN       int
	heightM      int
	widthN       int
	batch, tiles int
}

// matmul is MatMul in T.
func matmul[T number](out, a, b, bias *device.Array) {
	da, db, do := len(a.Shape), len(b.Shape), len(out.Shape)
	p := product{
		m: out.Shape[do-2], n: out.Shape[do-1], k: a.Shape[da-1],
		out: out, a: a, b: b, bias: bias,
		rowA: a.Strides[da-2], colA: a.Strides[da-1],
		rowB: b.Strides[db-2], colB: b.Strides[db-1],
		rowO: out.Strides[do-2], colO: out.Strides[do-1],
		batch: 1,
	}
	for _, s := range out.Shape[:do-2] {
		p.batch *= s
	}
	if p.batch == 0 || p.m == 0 || p.n == 0 {
		return
	}
	if p.k > 0 && p.m*p.n*p.k <= smallProduct && inPlace[T](&p) {
		for i := range p.batch {
			small[T](&p, batchOffset(out, &p, i), batchOffset(a, &p, i), batchOffset(b, &p, i))
		}
		return
	}
	matmulTiles[T](p)
}

func matmulTiles[T number](p product) {
	p.cut()
	pool.Run(p.batch*p.tiles, func(i int) {
		at, t := i/p.tiles, i%p.tiles
		tile[T](&p, at, t/p.tilesN*p.heightM, t%p.tilesN*p.widthN)
	})
}

// cut chooses the tiles. The sizes depend on the shape alone, so that sums, and so results, do
// not depend on how many cores there are.
func (p *product) cut() {
	p.heightM, p.widthN = tileM, tileN
	if p.m <= microM {
		p.heightM = microM
	}
	p.tilesM = (p.m + p.heightM - 1) / p.heightM
	p.tilesN = (p.n + p.widthN - 1) / p.widthN
	p.tiles = p.tilesM * p.tilesN
}

// batchOffset returns where the i-th matrix of the batch begins in x, whose leading dimensions
// are broadcast to the output's.
func batchOffset(x *device.Array, p *product, i int) int {
	off := x.Offset
	for d := len(p.out.Shape) - 3; d >= 0; d-- {
		at := i % p.out.Shape[d]
		i /= p.out.Shape[d]
		if e := d - len(p.out.Shape) + len(x.Shape); e >= 0 && x.Shape[e] != 1 {
			off += at * x.Strides[e]
		}
	}
	return off
}

// inPlace reports whether all matrices already hold elements of type T.
func inPlace[T number](p *product) bool {
	d := dtypeOf[T]()
	return p.out.DType == d && p.a.DType == d && p.b.DType == d &&
		(p.bias == nil || p.bias.DType == d)
}

// small computes one small product with three plain loops.
func small[T number](p *product, offO, offA, offB int) {
	as := elems[T](p.a, offA, 1, (p.m-1)*p.rowA+(p.k-1)*p.colA+1)
	bs := elems[T](p.b, offB, 1, (p.k-1)*p.rowB+(p.n-1)*p.colB+1)
	os := elems[T](p.out, offO, 1, (p.m-1)*p.rowO+(p.n-1)*p.colO+1)
	for i := range p.m {
		for j := range p.n {
			var sum T
			ia, ib := i*p.rowA, j*p.colB
			for range p.k {
				sum += as[ia] * bs[ib]
				ia += p.colA
				ib += p.rowB
			}
			if p.bias != nil {
				sum += elems[T](p.bias, p.bias.Offset+j*p.bias.Strides[0], 1, 1)[0]
			}
			os[i*p.rowO+j*p.colO] = sum
		}
	}
}

// workspace holds the packed blocks and the tile of sums of one worker.
type workspace[T number] struct {
	a, b, c [max(tileM*blockK, tileN*blockK, tileM*tileN)]T
}

var (
	spaces64  = sync.Pool{New: func() any { return new(workspace[float64]) }}
	spacesInt = sync.Pool{New: func() any { return new(workspace[int64]) }}
)

func spaces[T number]() *sync.Pool {
	if dtypeOf[T]() == device.Float64 {
		return &spaces64
	}
	return &spacesInt
}

// tile computes the rows from i0 and the columns from j0 of one product of the batch.
func tile[T number](p *product, at, i0, j0 int) {
	free := spaces[T]()
	w := free.Get().(*workspace[T])
	defer free.Put(w)
	m, n := min(p.heightM, p.m-i0), min(p.widthN, p.n-j0)
	panelsM, panelsN := (m+microM-1)/microM, (n+microN-1)/microN
	offA := batchOffset(p.a, p, at) + i0*p.rowA
	offB := batchOffset(p.b, p, at) + j0*p.colB
	ld := panelsN * microN
	sums := w.c[:panelsM*microM*ld]
	clear(sums)
	for k0 := 0; k0 < p.k; k0 += blockK {
		k := min(blockK, p.k-k0)
		pack(w.a[:], p.a, offA+k0*p.colA, p.rowA, p.colA, m, k, microM)
		pack(w.b[:], p.b, offB+k0*p.rowB, p.colB, p.rowB, n, k, microN)
		k += k & 1 // as packed
		panels(sums, ld, w.a[:], w.b[:], panelsM*microM, panelsN*microN, k)
	}
	if p.bias != nil {
		addBias(sums, ld, p.bias, j0, m, n)
	}
	offO := batchOffset(p.out, p, at) + i0*p.rowO + j0*p.colO
	for i := range m {
		store(p.out, offO+i*p.rowO, p.colO, sums[i*ld:i*ld+n])
	}
}

// panels adds the product of packed panels, which have m rows and n columns together, to sums. k is
// even.
func panels[T number](sums []T, ld int, a, b []T, m, n, k int) {
	for i := 0; i < m; i += microM {
		pa := a[i*k : (i+microM)*k]
		for j := 0; j < n; j += microN {
			micro(sums[i*ld+j:], ld, pa, b[j*k:(j+microN)*k])
		}
	}
}

func addBias[T number](sums []T, ld int, bias *device.Array, j0, m, n int) {
	var buf [tileN]T
	load(buf[:n], bias, bias.Offset+j0*bias.Strides[0], bias.Strides[0])
	for i := range m {
		for j, v := range buf[:n] {
			sums[i*ld+j] += v
		}
	}
}

// pack converts lines lines of k elements into panels of width lines each: all first elements of
// the panel's lines, then all second ones, and so on, up to an even number of them. What a panel
// lacks in lines or elements is filled up with zeros.
func pack[T number](dst []T, x *device.Array, off, lineStep, kStep, lines, k, width int) {
	var buf [max(blockK, tileN)]T
	panel := width * (k + k&1)
	if lines%width != 0 || k&1 != 0 {
		clear(dst[:(lines+width-1)/width*panel])
	}
	if lineStep == 1 && kStep != 1 {
		for i := range k {
			line := row(buf[:], x, off+i*kStep, 1, lines)
			for first := 0; first < lines; first += width {
				copy(dst[first/width*panel+i*width:], line[first:min(first+width, lines)])
			}
		}
		return
	}
	for l := range lines {
		line := row(buf[:], x, off+l*lineStep, kStep, k)
		at := dst[l/width*panel+l%width:]
		for i, v := range line {
			at[i*width] = v
		}
	}
}

// micro adds the product of a packed panel of 4 rows and one of 2 columns to a 4×2 block of sums.
// It takes two steps in k at a time, which halves the cost of the loop.
func micro[T number](sums []T, ld int, a, b []T) {
	var c00, c01, c10, c11, c20, c21, c30, c31 T
	for i := range len(a) / (2 * microM) {
		pa := (*[2 * microM]T)(a[i*2*microM:])
		pb := (*[2 * microN]T)(b[i*2*microN:])
		b0, b1 := pb[0], pb[1]
		x := pa[0]
		c00 += x * b0
		c01 += x * b1
		x = pa[1]
		c10 += x * b0
		c11 += x * b1
		x = pa[2]
		c20 += x * b0
		c21 += x * b1
		x = pa[3]
		c30 += x * b0
		c31 += x * b1
		b0, b1 = pb[2], pb[3]
		x = pa[4]
		c00 += x * b0
		c01 += x * b1
		x = pa[5]
		c10 += x * b0
		c11 += x * b1
		x = pa[6]
		c20 += x * b0
		c21 += x * b1
		x = pa[7]
		c30 += x * b0
		c31 += x * b1
	}
	addTo(sums, c00, c01)
	addTo(sums[ld:], c10, c11)
	addTo(sums[2*ld:], c20, c21)
	addTo(sums[3*ld:], c30, c31)
}

func addTo[T number](sums []T, v0, v1 T) {
	s := sums[:microN]
	s[0] += v0
	s[1] += v1
}
