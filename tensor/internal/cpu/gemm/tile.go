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
	sums, rowSums := p.C.ptr(i0, j0), p.C.Row*4
	if !l.direct {
		sums, rowSums = unsafe.Pointer(&w.sums[0]), Pitch(n)*4
	}
	// Rows are best finished while they are in the first-level cache, all panels' in one place where
	// no sums are needed any longer.
	early := p.finishesRows(l.direct)
	oneK := early && !l.direct && l.blockK >= l.k
	if oneK {
		rowSums = Panel * 4
	}
	var result simd.Result
	if early {
		var buffer *heap.Buffer
		if result, buffer = p.result(i0, j0, n); buffer != nil {
			defer buffer.Release()
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
			at := sums
			if !oneK {
				at = unsafe.Add(sums, j*4)
			}
			var to *simd.Result
			if early && k0+k == l.k {
				part := result.Columns(j, cols)
				to = &part
			}
			if l.pairs {
				simd.MultiplyPairs(m, cols, k, a, rowA, colA, b, rowB, at, rowSums, k0 > 0, to)
			} else {
				simd.MultiplyPanel(m, cols, k, a, rowA, colA, b, rowB, at, rowSums, k0 > 0, to)
			}
		}
	}
	if !early {
		p.finish(sums, rowSums, i0, j0, m, n)
	}
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
