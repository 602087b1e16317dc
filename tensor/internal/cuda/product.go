//go:build cuda

package cuda

import (
	"math"

	"halfnote/tensor/internal/device"
)

// productArgs is ProductArgs in kernels/product.cuh.
type productArgs struct {
	Out, A, B, Bias             array
	Parts                       uint64
	M, N, K                     int64
	RowOut, ColOut              int64
	RowA, ColA, RowB, ColB      int64
	RowBias, ColBias            int64
	Deep                        int64
	TilesM, TilesN, Splits      int32
	Via                         int32
	VectorOut, VectorA, VectorB int32
	_                           int32
	Batch                       walk
}

// The kernels of products, by the type that is multiplied. Those on tensor cores have one for each way
// in which the factors may lie: n in rows, t in columns.
var (
	halfLarge    = halfKernels("half_large")
	halfSmall    = halfKernels("half_small")
	productLarge = newKernels[productArgs]("gemm", "product_large", device.Float32)
	productSmall = newKernels[productArgs]("gemm", "product_small", device.Float32, device.Float64, device.Int64)
	folds        = newKernels[productArgs]("gemm", "fold", device.Float32, device.Float64, device.Int64)
)

func halfKernels(name string) (all [2][2]kernelSet[productArgs]) {
	for i, a := range []string{"n", "t"} {
		for j, b := range []string{"n", "t"} {
			all[i][j] = newKernels[productArgs]("gemm_half", name+"_"+a+b, device.Float16, device.BFloat16)
		}
	}
	return all
}

// MatMul implements device.Products.
func (b *Backend) MatMul(out, x, y *device.Array, e device.Epilogue) { b.matmul(out, x, y, e, false) }

// matmul is MatMul, with a bias that is one for each row where rows is set.
func (b *Backend) matmul(out, x, y *device.Array, e device.Epilogue, rows bool) {
	if out.Numel() == 0 {
		return
	}
	in := b.multipliedIn(out.DType, x, y)
	x, doneX := b.as(in, x)
	defer doneX()
	y, doneY := b.as(in, y)
	defer doneY()
	p := newProduct(out, x, y, e)
	if rows {
		p.RowBias, p.ColBias = p.ColBias, 0
	}
	p.fold()
	if !b.byCublas(p) {
		b.multiply(p)
	}
}

// multipliedIn returns the type that a product with this result is computed from: that of both factors
// if it is one for tensor cores, and else what the result is computed in.
func (b *Backend) multipliedIn(out device.DType, x, y *device.Array) device.DType {
	in := out.ComputeIn()
	if in == device.Float32 && x.DType == y.DType && b.hasTensorCores(x.DType) {
		return x.DType
	}
	return in
}

// hasTensorCores reports whether the GPU's tensor cores multiply this type.
func (b *Backend) hasTensorCores(d device.DType) bool {
	return d == device.Float16 || d == device.BFloat16 && b.gpu.capability >= 80
}

// as returns x in a dtype, itself or a copy, and what to call when it is used no more.
func (b *Backend) as(dtype device.DType, x *device.Array) (*device.Array, func()) {
	if x.DType == dtype {
		return x, func() {}
	}
	c := b.dense(dtype, x.Shape...)
	b.Copy(c, x)
	return c, func() { b.release(c) }
}

// A product is what MatMul computes, with both factors in one type.
type product struct {
	productArgs
	out, a, b, bias *device.Array
	in              device.DType
}

func newProduct(out, a, b *device.Array, e device.Epilogue) *product {
	p := &product{out: out, a: a, b: b, bias: e.Bias, in: a.DType}
	p.Out, p.A, p.B, p.Bias, p.Via = arrayOf(out), arrayOf(a), arrayOf(b), arrayOf(e.Bias), int32(e.Via)
	last := len(out.Shape) - 1
	p.M, p.N = int64(out.Shape[last-1]), int64(out.Shape[last])
	p.K = int64(a.Shape[len(a.Shape)-1])
	p.RowOut, p.ColOut = matrixStrides(out)
	p.RowA, p.ColA = matrixStrides(a)
	p.RowB, p.ColB = matrixStrides(b)
	if e.Bias != nil && e.Bias.Shape[0] > 1 {
		p.ColBias = int64(e.Bias.Strides[0])
	}
	p.Batch = newWalk(leading(out), leading(a), leading(b))
	return p
}

// matrixStrides returns the strides of rows and columns. Where there is but one of them, the stride
// is that of a dense matrix.
func matrixStrides(x *device.Array) (row, col int64) {
	d := len(x.Shape)
	row, col = int64(x.Strides[d-2]), int64(x.Strides[d-1])
	if x.Shape[d-1] == 1 {
		col = 1
	}
	if x.Shape[d-2] == 1 {
		row = int64(x.Shape[d-1])
		if col != 1 {
			row = 1
		}
	}
	return row, col
}

// leading returns x without its last two dimensions.
func leading(x *device.Array) *device.Array {
	d := len(x.Shape) - 2
	return &device.Array{Data: x.Data, DType: x.DType, Shape: x.Shape[:d], Strides: x.Strides[:d]}
}

// fold makes one matrix of a batch whose second factor is the same all along, if the rows of the others
// follow one another in equal steps.
func (p *product) fold() {
	w := &p.Batch
	if p.RowBias != 0 {
		return
	}
	for w.Dims > 0 {
		d := w.Dims - 1
		if w.Stride[2][d] != 0 || w.Stride[0][d] != p.M*p.RowOut || w.Stride[1][d] != p.M*p.RowA {
			return
		}
		w.Total /= w.Size[d]
		p.M *= w.Size[d]
		w.Dims--
	}
}

// A tiling is how the result is cut: into tiles of rows×cols, and the sums into parts.
type tiling struct {
	large      bool
	rows, cols int64
	splits     int64
}

// What tilings are weighed by: clock cycles of a multiprocessor of an H200. It is the same on each GPU,
// so that sums are split in the same way.
const (
	nominalProcessors = 132
	launchClocks      = 5000
	foldBytes         = 20  // that one reads or writes in a cycle
	startSteps        = 64  // that a tile could do before its first step and after its last one
	leastDeep         = 256 // steps of the sum in a part
	mostSplits        = 32
)

// tile returns the fastest tiling. Tests have their own.
var tile = (*product).fastest

// fastest weighs tiles and splits: waves of blocks of one multiprocessor each, and the adding up of
// what was split.
func (p *product) fastest() tiling {
	best, least := tiling{}, math.Inf(1)
	for _, t := range p.tilings() {
		tiles := ceil(p.M, t.rows) * ceil(p.N, t.cols) * p.Batch.Total
		for t.splits = 1; t.splits == 1 || t.splits <= min(mostSplits, p.K/leastDeep); t.splits++ {
			waves := float64(ceil(tiles*t.splits, nominalProcessors))
			cost := waves * float64(ceil(p.K, t.splits)+startSteps) * p.clocks(t)
			if t.splits > 1 {
				bytes := float64(8 * t.splits * p.M * p.N * p.Batch.Total)
				cost += launchClocks + bytes/(foldBytes*nominalProcessors)
			}
			if cost < least {
				best, least = t, cost
			}
			if tiles*t.splits >= 2*nominalProcessors || p.in == device.Int64 {
				break
			}
		}
	}
	return best
}

// tilings returns the tiles that there are kernels for.
func (p *product) tilings() []tiling {
	switch {
	case p.onTensorCores():
		return []tiling{{large: true, rows: 128, cols: 256}, {rows: 64, cols: 64}}
	case p.in == device.Float32:
		return []tiling{{large: true, rows: 128, cols: 128}, {rows: 64, cols: 64}}
	}
	return []tiling{{rows: 64, cols: 64}}
}

func (p *product) onTensorCores() bool { return p.in == device.Float16 || p.in == device.BFloat16 }

// clocks returns the cycles that a step of a tile takes. Small tiles reach half of what a multiprocessor
// can do, as they read each factor more often.
func (p *product) clocks(t tiling) float64 {
	perClock := 128.0
	if p.onTensorCores() {
		perClock = 1280
	}
	if !t.large {
		perClock /= 2
	}
	return float64(t.rows*t.cols) / perClock
}

func ceil(n, by int64) int64 { return (n + by - 1) / by }

// multiply launches p. The grid has a block for each tile of each part of each matrix of the batch.
func (b *Backend) multiply(p *product) {
	t := tile(p)
	const step = 32 // parts begin where vectors do
	p.Deep = ceil(ceil(p.K, t.splits), step) * step
	p.Splits = int32(max(1, ceil(p.K, max(p.Deep, 1))))
	p.TilesM, p.TilesN = int32(ceil(p.M, t.rows)), int32(ceil(p.N, t.cols))
	blocks := int64(p.TilesM) * int64(p.TilesN) * int64(p.Splits) * p.Batch.Total
	if blocks > math.MaxInt32 {
		b.fail("shapes %v and %v: products of so many elements need to be cut into several", p.a.Shape, p.b.Shape)
	}
	sums := p.in.ComputeIn()
	arrays := []*device.Array{p.out, p.a, p.b, p.bias}
	var parts *device.Array
	if p.Splits > 1 || !p.onTensorCores() && !p.plain() {
		parts = b.dense(sums, int(p.Splits), int(p.Batch.Total), int(p.M), int(p.N))
		defer b.release(parts)
		p.Parts = address(parts)
		arrays = append(arrays, parts)
	}
	g := grid{Blocks: [3]int{int(blocks)}, Threads: [3]int{threads}}
	switch {
	case p.onTensorCores():
		p.VectorA, p.VectorB = flag(p.vector(1, p.RowA, p.ColA)), flag(p.vector(2, p.RowB, p.ColB))
		p.alone()
		p.VectorOut = flag(p.ColOut == 1 && p.vector(0, p.RowOut, p.ColOut))
		p.halfKernel(b, t, &g).launch(b, g, p.productArgs, arrays...)
	case t.large:
		productLarge[p.in].launch(b, g, p.productArgs, arrays...)
	default:
		productSmall[p.in].launch(b, g, p.productArgs, arrays...)
	}
	if parts != nil {
		folds[sums].launch(b, b.linear(p.out.Numel(), 1), p.productArgs, arrays...)
	}
}

// plain reports whether the sums are written as they are.
func (p *product) plain() bool {
	return p.out.DType == p.in && p.Via == 0 && (p.bias == nil || p.bias.DType == p.in)
}

// halfKernel returns the kernel on tensor cores and sets its threads and shared memory.
func (p *product) halfKernel(b *Backend, t tiling, g *grid) *kernel[productArgs] {
	// A factor that lies in neither order is read by single elements, as one in the order of k.
	acrossA, acrossB := p.ColA != 1 && p.RowA == 1, p.ColB == 1
	set := &halfSmall
	g.Threads[0] = 128
	if t.large {
		set = &halfLarge
		g.Threads[0] = 256
	}
	g.Shared = b.stages() * halfStage(t.rows, t.cols, acrossA, acrossB)
	i, j := 0, 1
	if acrossA {
		i = 1
	}
	if acrossB {
		j = 0
	}
	return set[i][j][p.in]
}

// stages is Stages in kernels/tile.cuh.
func (b *Backend) stages() int {
	switch b.gpu.capability {
	case 75:
		return 2
	case 86, 87, 88, 89, 120, 121:
		return 3
	}
	return 4
}

// halfStage returns the bytes of shared memory that a tile of both factors takes.
func halfStage(rows, cols int64, acrossA, acrossB bool) int {
	const deep, gap = 32, 8
	size := func(lines int64, across bool) int64 {
		if across {
			return deep * (lines + gap)
		}
		return lines * (deep + gap)
	}
	return int(2 * (size(rows, acrossA) + size(cols, acrossB)))
}

// alone has factors of one line begin all others there too, which are copied from without a byte.
func (p *product) alone() {
	if p.M == 1 && p.ColA == 1 {
		p.RowA = 0
	}
	if p.N == 1 && p.ColB != 1 {
		p.ColB = 0
	}
	if p.K == 1 {
		if p.ColA != 1 {
			p.ColA = 0
		}
		if p.ColB == 1 {
			p.RowB = 0
		}
	}
}

// halfRoom is the most bytes of shared memory through which sums of a warp go: Room in kernels/tile.cuh.
const halfRoom = 4 * 16 * (64 + 4)

// vector reports whether array k of the batch (out, a or b) can be copied by 16 bytes: lines of
// neighbours begin at multiples of them.
func (p *product) vector(k int, row, col int64) bool {
	x := []*device.Array{p.out, p.a, p.b}[k]
	size := int64(x.DType.Size())
	line, lines := row, [...]int64{p.M, p.M, p.K}[k]
	if col != 1 {
		if line, lines = col, [...]int64{p.N, p.K, p.N}[k]; row != 1 {
			return false
		}
	}
	if address(x)%16 != 0 || lines > 1 && line*size%16 != 0 {
		return false
	}
	for d := range p.Batch.Dims {
		if p.Batch.Stride[k][d]*size%16 != 0 {
			return false
		}
	}
	return true
}
