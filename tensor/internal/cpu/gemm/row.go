package gemm

import (
	"runtime"
	"unsafe"

	"halfnote/tensor/internal/cpu/heap"
	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// This file implements products with one row, which take as long as it takes to read b.

// row computes p if a has one row and b lies well.
func (p *Product) row() bool {
	if p.M != 1 || p.Batch.n > 0 || p.N < Panel || p.K < Panel || p.B.Col != 1 && p.B.Row != 1 ||
		!simd.MultipliesRows() {
		return false
	}
	if p.N < 2*tileN || p.N*p.K < parallelWork || runtime.GOMAXPROCS(0) == 1 {
		p.columns(0, p.N)
	} else {
		p.rowParallel()
	}
	return true
}

func (p *Product) rowParallel() {
	q, tiles := *p, p.N/tileN
	pool.Run(tiles, func(i int) {
		end := (i + 1) * tileN
		if i == tiles-1 {
			end = q.N
		}
		q.columns(i*tileN, end)
	})
}

// columns computes the columns lo … hi-1, of which there are at least Panel.
func (p *Product) columns(lo, hi int) {
	buffer := heap.NewBuffer(p.K + hi - lo)
	defer buffer.Release()
	x, c := buffer.Floats[:p.K], buffer.Floats[p.K:]
	p.A.line(x, 0, 0)
	direct := p.C.DType == device.Float32 && p.C.Col == 1
	if direct {
		c = floats(p.C.ptr(0, lo), hi-lo)
	}
	if b := p.B.ptr(0, lo); p.B.Col == 1 {
		simd.MultiplyRow(c, x, p.B.elem(), b, p.B.Row*p.B.size())
	} else {
		simd.MultiplyDots(c, x, p.B.elem(), b, p.B.Col*p.B.size())
	}
	p.finish(unsafe.Pointer(&c[0]), 0, 0, lo, 1, len(c))
}
