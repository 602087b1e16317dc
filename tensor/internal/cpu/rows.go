package cpu

import (
	"halfnote/tensor/internal/device"
)

// This file has the rows that kernels take whole: dense, in equal steps from one to the next. Some
// together have each step of an op done: the processor then works on the next row while it waits for
// the last sum of the one before.

// together is how many rows are computed at a time where they are short.
const together = 16

// cached is how many elements of each array are then in the first-level cache: of 32 KB, where an op
// has three arrays and a buffer.
const cached = 1 << 11

// A wholeRows is an array of such rows, of which some at a time are at hand in T: where they lie, or
// in a buffer.
type wholeRows[T float] struct {
	a              *device.Array
	from, by, size int // offset of the first row, from a row to the next, elements of a row
	buffer         []T // nil where the array is of T
	hand           []T // the rows at hand
	step           int // from one of them to the next
}

// prepare makes the buffers that arrays of rows need. It returns how many rows may be at hand, an
// even number or 1, and what is to be released.
func prepare[T float](arrays []wholeRows[T]) (count int, r room[T]) {
	size, converted := arrays[0].size, 0
	count = min(together, max(2, cached/max(1, size)&^1))
	for i := range arrays {
		if arrays[i].a.DType != dtypeOf[T]() {
			converted++
		}
	}
	if converted == 0 {
		return count, r
	}
	r = newRoom[T](converted, converted*count*size)
	for i := range arrays {
		if arrays[i].a.DType != dtypeOf[T]() {
			arrays[i].buffer = r.take(count * size)
		}
	}
	return count, r
}

// row returns the k-th row at hand.
func (w *wholeRows[T]) row(k int) []T { return w.hand[k*w.step:][:w.size] }

// reach puts rows at hand, from number lo on, with any contents where they are in the buffer.
func (w *wholeRows[T]) reach(lo, rows int) {
	if w.buffer == nil {
		w.hand, w.step = elems[T](w.a, w.from+lo*w.by, 1, (rows-1)*w.by+w.size), w.by
		return
	}
	w.hand, w.step = w.buffer[:rows*w.size], w.size
}

// read puts rows at hand with their contents.
func (w *wholeRows[T]) read(lo, rows int) {
	w.reach(lo, rows)
	switch {
	case w.buffer == nil:
	case w.by == w.size:
		load(w.hand, w.a, w.from+lo*w.by, 1)
	default:
		for k := range rows {
			load(w.row(k), w.a, w.from+(lo+k)*w.by, 1)
		}
	}
}

// write stores the rows at hand, which begin with number lo.
func (w *wholeRows[T]) write(lo, rows int) {
	switch {
	case w.buffer == nil:
	case w.by == w.size:
		store(w.a, w.from+lo*w.by, 1, w.hand)
	default:
		for k := range rows {
			store(w.a, w.from+(lo+k)*w.by, 1, w.row(k))
		}
	}
}
