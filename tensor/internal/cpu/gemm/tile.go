package gemm

import (
	"unsafe"

	"halfnote/tensor/internal/cpu/heap"
	"halfnote/tensor/internal/cpu/simd"
)

// A space is what a worker needs for a tile: rows of a, one panel of b and the sums.
type space struct {
	buffer     *heap.Buffer
	a, b, sums []float32
}

const (
	maxDense = 128 // columns of sums that may lie without gaps

	sizeA    = max((BlockK+16)*BlockM, BlockK*((BlockM+15)/16*16+16)) // lines at their pitch
	sizeB    = BlockK * Panel
	sizeSums = BlockM * (tileN + 16)
)

// newSpace returns a space, which is empty where no tile needs it.
func (l *plan) newSpace() (w space) {
	if l.how == packEach || l.copyA || !l.direct {
		w.buffer = heap.NewBuffer(sizeA + sizeB + sizeSums)
		x := w.buffer.Floats
		w.a, w.b, w.sums = x[:sizeA], x[sizeA:][:sizeB], x[sizeA+sizeB:]
	}
	return w
}

func (w *space) release() {
	if w.buffer != nil {
		w.buffer.Release()
	}
}

// tile computes one tile of p, which is in row r and column c of tiles. packed are the panels of b
// from the first that was packed with it.
func (l *plan) tile(p *Product, w *space, packed []float32, r, c int) {
	i0, j0 := r*l.rows, c*l.cols
	m, n := min(l.rows, l.M-i0), min(l.cols, l.N-j0)
	sums, rowC := p.C.ptr(i0, j0), p.C.Row*4
	if !l.direct {
		sums, rowC = unsafe.Pointer(&w.sums[0]), Pitch(n)*4
		if n == p.C.Row && n <= maxDense {
			rowC = n * 4 // rounded in one go
		}
	}
	if packed != nil {
		packed = packed[j0%l.chunk()*l.k:]
	}
	for k0 := 0; k0 < l.k; k0 += l.blockK {
		k := min(l.blockK, l.k-k0)
		a, rowA, colA := l.left(p, w, i0, k0, m, k)
		for j := 0; j < n; j += Panel {
			b, rowB := unsafe.Pointer(nil), Panel*4
			cols := min(Panel, n-j)
			switch l.how {
			case inPlace:
				b, rowB = p.B.ptr(k0, j0+j), p.B.Row*4
			case packEach:
				l.packBlock(w.b[:k*Panel], p, k0, j0+j, k, cols)
				b = unsafe.Pointer(&w.b[0])
			default:
				b = unsafe.Pointer(unsafe.SliceData(packed[(j*l.k + k0*Panel):]))
			}
			to := unsafe.Add(sums, j*4)
			if l.pairs {
				simd.MultiplyPairs(m, cols, k, a, rowA, colA, b, rowB, to, rowC, k0 > 0)
			} else {
				simd.MultiplyPanel(m, cols, k, a, rowA, colA, b, rowB, to, rowC, k0 > 0)
			}
		}
	}
	p.finish(sums, rowC, i0, j0, m, n, l.direct)
}

// left returns where m rows and k steps of a lie and their strides in bytes.
func (l *plan) left(p *Product, w *space, i, k0, m, k int) (a unsafe.Pointer, row, col int) {
	switch {
	case l.pairs && l.copyA:
		row, col = packLeftPairs(w.a, p.A.At(i, 2*k0), m, min(2*k, l.K-2*k0))
	case l.copyA:
		row, col = packLeft(w.a, p.A.At(i, k0), m, k)
	case l.pairs:
		return p.A.ptr(i, 2*k0), p.A.Row * 2, 4
	default:
		return p.A.ptr(i, k0), p.A.Row * 4, p.A.Col * 4
	}
	return unsafe.Pointer(&w.a[0]), row * 4, col * 4
}

// packBlock packs k steps of the panel of b at column j.
func (l *plan) packBlock(dst []float32, p *Product, k0, j, k, n int) {
	if l.pairs {
		packPanelPairs(dst, p.B.At(2*k0, j), min(2*k, l.K-2*k0), n)
	} else {
		packPanel(dst, p.B.At(k0, j), k, n)
	}
}

// finish adds to the sums of a tile what p's epilogue says and rounds them to c, if they are not
// there already.
func (p *Product) finish(sums unsafe.Pointer, rowC, i0, j0, m, n int, direct bool) {
	if p.Bias.Data != nil || p.Residual.Data != nil || p.ReLU {
		p.epilogue(sums, rowC, i0, j0, m, n)
	}
	switch {
	case direct:
	case rowC == 4*n && p.C.Row == n && p.C.Col == 1:
		p.C.store(floats(sums, m*n), i0, j0)
	default:
		for i := range m {
			p.C.store(floats(unsafe.Add(sums, i*rowC), n), i0+i, j0)
		}
	}
}

func (p *Product) epilogue(sums unsafe.Pointer, rowC, i0, j0, m, n int) {
	buffer := heap.NewBuffer(2 * n)
	defer buffer.Release()
	buf := buffer.Floats[n:]
	var bias []float32
	if p.Bias.Data != nil && p.Bias.Row == 0 {
		bias = p.Bias.view(buffer.Floats[:n], i0, j0)
	}
	for i := range m {
		row := floats(unsafe.Add(sums, i*rowC), n)
		switch {
		case bias != nil:
			simd.Add(row, row, bias)
		case p.Bias.Data == nil:
		case p.Bias.Col == 0:
			simd.AddScalar(row, row, p.Bias.view(buf[:1], i0+i, 0)[0])
		default:
			simd.Add(row, row, p.Bias.view(buf, i0+i, j0))
		}
		if p.Residual.Data != nil {
			simd.Add(row, row, p.Residual.view(buf, i0+i, j0))
		}
		if p.ReLU {
			simd.MaxScalar(row, row, 0)
		}
	}
}
