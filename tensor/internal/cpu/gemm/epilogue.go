package gemm

import (
	"unsafe"

	"halfnote/tensor/internal/cpu/heap"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// An Epilogue is what happens to the sums, in this order, before they are rounded to C's type.
type Epilogue struct {
	Bias Matrix       // M×N, added where it has data; a stride of zero repeats a row or a column
	Via  device.DType // a 16-bit type to which sums that go to a float32 c are rounded first, or 0
}

// manyRows reports whether more is added to the sums than one row, if anything.
func (e *Epilogue) manyRows() bool { return e.Bias.Data != nil && e.Bias.Row != 0 }

// finishesRows reports whether rows of sums can be finished one by one, and have to be; direct says
// that they lie in c.
func (p *Product) finishesRows(direct bool) bool {
	return p.C.Col == 1 && !p.manyRows() && p.Via == 0 && (!direct || p.Bias.Data != nil)
}

// result returns where the n columns of c at row i and column j go, with the bias if that is one
// row; buffer is where that is if it had to be widened.
func (p *Product) result(i, j, n int) (r simd.Result, buffer *heap.Buffer) {
	r = simd.Result{Data: p.C.ptr(i, j), Elem: p.C.elem(), Row: p.C.Row * p.C.size()}
	if p.Bias.Data == nil || p.manyRows() {
		return r, nil
	}
	if p.Bias.DType != device.Float32 || p.Bias.Col != 1 {
		buffer = heap.NewBuffer(n)
		p.Bias.line(buffer.Floats, 0, j)
		r.Bias = buffer.Floats
		return r, buffer
	}
	r.Bias = floats(p.Bias.ptr(0, j), n)
	return r, nil
}

// finish adds to sums what the epilogue says, and rounds them to c's elements at row i and column j,
// where they may lie already.
func (p *Product) finish(sums unsafe.Pointer, rowSums, i, j, m, n int) {
	if p.manyRows() {
		p.add(sums, rowSums, i, j, m, n)
	}
	r, buffer := p.result(i, j, n)
	if buffer != nil {
		defer buffer.Release()
	}
	if p.C.Col != 1 {
		r.Data, r.Elem, r.Row = sums, simd.Float, rowSums
	}
	r.Store(m, n, sums, rowSums)
	if p.Via != 0 {
		p.roundVia(r.Data, r.Row, m, n)
	}
	if p.C.Col != 1 {
		for row := range m {
			p.C.store(floats(unsafe.Add(sums, row*rowSums), n), i+row, j)
		}
	}
}

// add adds a bias of many rows to sums.
func (p *Product) add(sums unsafe.Pointer, rowSums, i, j, m, n int) {
	buffer := heap.NewBuffer(n)
	defer buffer.Release()
	for row := range m {
		to := floats(unsafe.Add(sums, row*rowSums), n)
		if p.Bias.Col == 0 {
			simd.AddScalar(to, to, p.Bias.view(buffer.Floats[:1], i+row, 0)[0])
		} else {
			simd.Add(to, to, p.Bias.view(buffer.Floats, i+row, j))
		}
	}
}

// roundVia rounds the sums of a tile to a 16-bit type and widens them again.
func (p *Product) roundVia(sums unsafe.Pointer, rowC, m, n int) {
	buffer := heap.NewBuffer((n + 1) / 2)
	defer buffer.Release()
	short := halves(unsafe.Pointer(&buffer.Floats[0]), n)
	for i := range m {
		row := floats(unsafe.Add(sums, i*rowC), n)
		if p.Via == device.Float16 {
			simd.NarrowHalf(short, row)
			simd.WidenHalf(row, short)
		} else {
			simd.NarrowBFloat(short, row)
			simd.WidenBFloat(row, short)
		}
	}
}
