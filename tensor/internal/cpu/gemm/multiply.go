package gemm

import (
	"runtime"
	"unsafe"

	"halfnote/tensor/internal/cpu/heap"
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// A Product says what [Multiply] computes: C = A·B, for each matrix of a batch.
type Product struct {
	M, N, K int
	A, B, C Matrix // M×K, K×N and M×N
	Epilogue
	Batch Batch // none for one product
}

// A Batch is the outer dimensions of a product.
type Batch struct {
	dims [device.MaxDims - 2]Dim
	n    int
}

// Add adds a dimension inside of the others.
func (b *Batch) Add(d Dim) {
	b.dims[b.n] = d
	b.n++
}

// A Dim is one dimension of a batch: its size, and for each matrix how many elements lie between
// neighbours in it.
type Dim struct {
	Size          int
	A, B, C, Bias int
}

// The thresholds of the driver; measured.md tells how they were found.
const (
	tileN = 512 // columns of a tile whose sums lie apart from c; of others four times as many

	// Up to so many rows, or so many elements of a block of b, b is read where it lies.
	directRows  = 56
	directBlock = 64 * 128

	// Up to so many multiplications all sizes are small enough for no plan at all.
	simpleWork = 1 << 13

	// Below so many multiplications waking a worker costs more than it saves.
	parallelWork = 1 << 19

	// A packed b may take so many elements.
	maxPacked = 1 << 22
)

// Multiply computes p, in which it may write. C must not overlap any of the others.
func Multiply(p *Product) {
	p.foldRows()
	count := 1
	for _, d := range p.Batch.dims[:p.Batch.n] {
		count *= d.Size
	}
	if count == 0 || p.M == 0 || p.N == 0 {
		return
	}
	if p.K == 0 {
		p.empty(count)
		return
	}
	if p.C.Row == 1 && (p.C.Col != 1 || p.N == 1) {
		t := p.transposed()
		p = &t
	}
	if p.simple() || p.row() {
		return
	}
	if workers := runtime.GOMAXPROCS(0); workers > 1 && count*p.M*p.N*p.K >= parallelWork {
		parallel(p, count, workers)
		return
	}
	l := makePlan(p, count, 1)
	l.serial(0, count)
}

// empty computes sums of nothing, for which no element of a or b is there to be pointed at.
func (p *Product) empty(count int) {
	p.A, p.B = Matrix{}, Matrix{}
	for i := range p.Batch.n {
		p.Batch.dims[i].A, p.Batch.dims[i].B = 0, 0
	}
	row := heap.NewBuffer(p.N)
	defer row.Release()
	l := plan{Product: p}
	var room Product
	for i := range count {
		q := l.at(i, &room)
		for r := range p.M {
			clear(row.Floats)
			q.finish(unsafe.Pointer(&row.Floats[0]), 0, r, 0, 1, p.N)
		}
	}
}

// simple computes p without a plan, if it is small and neither a nor b need be packed.
func (p *Product) simple() bool {
	if p.Batch.n > 0 || p.M*p.N*p.K > simpleWork || p.K > BlockK || p.A.DType != device.Float32 ||
		p.B.DType != device.Float32 || p.B.Col != 1 || p.C.DType != device.Float32 || p.C.Col != 1 {
		return false
	}
	for j := 0; j < p.N; j += Panel {
		simd.MultiplyPanel(p.M, min(Panel, p.N-j), p.K, p.A.Data, 4*p.A.Row, 4*p.A.Col,
			p.B.ptr(0, j), 4*p.B.Row, p.C.ptr(0, j), 4*p.C.Row, false, nil)
	}
	p.finish(p.C.Data, 4*p.C.Row, 0, 0, p.M, p.N)
	return true
}

// foldRows makes a batch with one right-hand matrix, such as the sequences that a linear layer is
// given, one product with more rows.
func (p *Product) foldRows() {
	if p.Bias.Row != 0 {
		return
	}
	for ; p.Batch.n > 0; p.Batch.n-- {
		d := p.Batch.dims[p.Batch.n-1]
		if p.M == 1 {
			p.A.Row, p.C.Row = d.A, d.C
		}
		if d.B != 0 || d.Bias != 0 || d.A != p.M*p.A.Row || d.C != p.M*p.C.Row {
			return
		}
		p.M *= d.Size
	}
}

// transposed returns the product of the transposes in the other order, whose C is the transpose.
func (p *Product) transposed() Product {
	t := *p
	t.M, t.N = p.N, p.M
	t.A, t.B, t.C = p.B.T(), p.A.T(), p.C.T()
	t.Bias = p.Bias.T()
	for i := range t.Batch.n {
		d := &t.Batch.dims[i]
		d.A, d.B = d.B, d.A
	}
	return t
}

// parallel shares p out. Whole products go to the workers where there are enough of them or they
// are small.
func parallel(p *Product, count, workers int) {
	shared := *p
	if count >= 4*workers || count > 1 && p.M*p.N*p.K < parallelWork {
		l := makePlan(&shared, count, 1)
		group := max(1, count/(8*workers))
		pool.Split(count, group, func(lo, hi int) {
			l.serial(lo, hi)
		})
		return
	}
	l := makePlan(&shared, count, workers)
	if l.how == packFirst {
		l.packParallel(workers)
		return
	}
	tiles := l.tilesM * l.tilesN
	pool.Run(count*tiles, func(i int) {
		w := l.newSpace()
		defer w.release()
		var room Product
		l.tile(l.at(i/tiles, &room), &w, nil, i%tiles/l.tilesN, i%tiles%l.tilesN)
	})
}

// packing says when b is packed.
type packing uint8

const (
	inPlace   packing = iota // never: it is read where it lies
	packEach                 // each tile packs what it needs, a panel at a time
	packFirst                // before the tiles are computed, all of it
)

// A plan is how a product is cut. What of it results depend on, the blocks of k, follows from the
// shape alone.
type plan struct {
	*Product
	count  int
	pairs  bool // products of pairs of bfloat16; k counts pairs then
	how    packing
	direct bool // sums are kept in c itself
	k      int  // steps of the sum
	blockK int
	rows   int // of a tile
	cols   int // of a tile, a multiple of Panel
	tilesM int
	tilesN int
	copyA  bool
}

func ceil(a, b int) int { return (a + b - 1) / b }

func makePlan(p *Product, count, workers int) (l plan) {
	l = plan{Product: p, count: count, k: p.K}
	l.pairs = p.A.DType == device.BFloat16 && p.B.DType == device.BFloat16 && simd.HasPairs()
	if l.pairs {
		l.k = ceil(p.K, 2)
	}
	l.direct = p.C.DType == device.Float32 && p.C.Col == 1
	blocks := max(1, ceil(l.k, BlockK))
	l.blockK = max(16, ceil(ceil(l.k, blocks), 16)*16)

	l.tilesM, l.tilesN = ceil(p.M, BlockM), ceil(p.N, l.widest())
	if workers > 1 {
		l.share(workers)
	}
	l.rows, l.cols = ceil(p.M, l.tilesM), ceil(Panels(p.N), l.tilesN)*Panel
	l.tilesM, l.tilesN = ceil(p.M, l.rows), ceil(p.N, l.cols)

	switch {
	case !l.pairs && p.B.DType == device.Float32 && p.B.Col == 1 &&
		(p.M <= directRows || p.N*min(l.k, l.blockK) <= directBlock):
		l.how = inPlace
	case l.tilesM == 1 || l.k*tileN > maxPacked:
		l.how = packEach
	default:
		l.how = packFirst
	}
	l.copyA = l.mustCopy()
	return l
}

// widest returns how many columns a tile may have. The more it has, the less often a is copied; but
// sums that c has no room for stay in the second-level cache until they are complete.
func (l *plan) widest() int {
	if l.direct || l.blockK >= l.k && l.finishesRows(false) {
		return 4 * tileN
	}
	return tileN
}

// share makes more tiles, until there are some for each worker and as many for each.
func (l *plan) share(workers int) {
	// Each has so many rows at least, or what a panel costs is not shared by enough of them.
	rows := 4 * simd.MicroKernel().Rows
	tiles := func() int { return l.count * l.tilesM * l.tilesN }
	for tiles() < 4*workers && l.M >= (l.tilesM+1)*rows {
		l.tilesM++
	}
	for tiles() < 4*workers && l.N > 4*Panel*l.tilesN || tiles() < workers && l.N > Panel*l.tilesN {
		l.tilesN *= 2
	}
	for tiles()%workers != 0 && tiles() < 16*workers && l.M >= (l.tilesM+1)*rows {
		l.tilesM++
	}
}

// mustCopy reports whether the rows of a tile of a are copied before they are used: because of their
// type, or because their elements meet the same lines of the cache.
func (l *plan) mustCopy() bool {
	a := &l.A
	if l.pairs {
		return a.Col != 1 || l.K%2 != 0 || a.Row*2%1024 == 0 && l.rows > 14 && l.N > 64
	}
	if a.DType != device.Float32 {
		return true
	}
	if l.N <= 64 {
		return false
	}
	return a.Col == 1 && a.Row*4%1024 == 0 && l.rows > 14 ||
		a.Col != 1 && a.Col*4 >= 512
}

// at returns the i-th product of the batch, in room if there is a batch.
func (l *plan) at(i int, room *Product) *Product {
	if l.Batch.n == 0 {
		return l.Product
	}
	*room = *l.Product
	for d := l.Batch.n - 1; d >= 0; d-- {
		b := &l.Batch.dims[d]
		n := i % b.Size
		i /= b.Size
		room.A.move(n * b.A)
		room.B.move(n * b.B)
		room.C.move(n * b.C)
		room.Bias.move(n * b.Bias)
	}
	return room
}

// serial computes the products lo … hi-1 of the batch alone.
func (l *plan) serial(lo, hi int) {
	w := l.newSpace()
	defer w.release()
	step := l.N
	var packed []float32
	if l.how == packFirst {
		step = l.chunk()
		b := heap.NewBuffer(Panels(min(step, l.N)) * Panel * l.k)
		defer b.Release()
		packed = b.Floats
	}
	var room Product
	for i := lo; i < hi; i++ {
		p := l.at(i, &room)
		for first := 0; first < l.N; first += step {
			end := min(first+step, l.N)
			if packed != nil {
				for j := first; j < end; j += Panel {
					l.pack(packed[(j-first)*l.k:], p, j)
				}
			}
			for r := range l.tilesM {
				for c := first / l.cols; c*l.cols < end; c++ {
					l.tile(p, &w, packed, r, c)
				}
			}
		}
	}
}

// chunk returns how many columns of b are packed at a time, whole tiles of them.
func (l *plan) chunk() int {
	return max(l.cols, maxPacked/max(1, l.k)/l.cols*l.cols)
}

// packParallel computes all products of the batch, one after the other, each by all workers.
func (l *plan) packParallel(workers int) {
	step := l.chunk()
	b := heap.NewBuffer(Panels(min(step, l.N)) * Panel * l.k)
	defer b.Release()
	var room Product
	for i := range l.count {
		p := l.at(i, &room)
		for first := 0; first < l.N; first += step {
			end := min(first+step, l.N)
			panels := Panels(end - first)
			group := ceil(panels, 4*workers)
			pool.Split(panels, group, func(lo, hi int) {
				for j := lo; j < hi; j++ {
					l.pack(b.Floats[j*Panel*l.k:], p, first+j*Panel)
				}
			})
			tiles := ceil(end-first, l.cols)
			pool.Run(l.tilesM*tiles, func(i int) {
				w := l.newSpace()
				defer w.release()
				l.tile(p, &w, b.Floats, i/tiles, first/l.cols+i%tiles)
			})
		}
	}
}

// pack packs the panel of b at column j, all of k.
func (l *plan) pack(dst []float32, p *Product, j int) {
	n := min(Panel, l.N-j)
	if l.pairs {
		packPanelPairs(dst[:l.k*Panel], p.B.At(0, j), l.K, n)
	} else {
		packPanel(dst[:l.k*Panel], p.B.At(0, j), l.K, n)
	}
}
