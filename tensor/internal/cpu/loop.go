package cpu

import "halfnote/tensor/internal/device"

// maxArrays is the largest number of arrays that an op walks together.
const maxArrays = 4

// A loop walks several arrays of one shape together, row by row. The first array gives the shape;
// the others are broadcast to it. Neighbouring dimensions that every array crosses in equal steps
// are joined, so that dense arrays are one long row.
type loop struct {
	arrays int
	dims   int // outer dimensions
	n      int // elements in a whole row
	total  int // elements in all rows
	step   [maxArrays]int
	start  [maxArrays]int
	*rows

	// the place in the walk
	index [device.MaxDims]int
	base  [maxArrays]int // offset of the current row's first element
	col   int            // place in the current row
	left  int            // elements still to visit
}

// rows says where the rows of a loop lie. It stays apart, and nil where there is one row: most
// loops are that, and small ones cost no more than making and copying what they need.
type rows struct {
	shape   [device.MaxDims]int // the outer dimensions, the innermost first
	strides [maxArrays][device.MaxDims]int
}

// makeLoop prepares a walk over all elements of out.
func makeLoop(out *device.Array, others ...*device.Array) (l loop) {
	l.arrays = 1 + len(others)
	l.start[0] = out.Offset
	for k, x := range others {
		l.start[k+1] = x.Offset
	}
	l.n, l.total = 1, 1
	joined := 0 // dimensions found so far, the innermost first; number 0 is the row
	for d := len(out.Shape) - 1; d >= 0; d-- {
		size := out.Shape[d]
		l.total *= size
		if size == 1 {
			continue
		}
		var st [maxArrays]int
		st[0] = out.Strides[d]
		for k, x := range others {
			if e := d - len(out.Shape) + len(x.Shape); e >= 0 && x.Shape[e] != 1 {
				st[k+1] = x.Strides[e]
			}
		}
		if joined > 0 && l.follows(joined, &st) {
			if joined == 1 {
				l.n *= size
			} else {
				l.shape[joined-2] *= size
			}
			continue
		}
		if joined == 0 {
			l.n, l.step = size, st
		} else {
			if l.rows == nil {
				l.rows = new(rows)
			}
			l.shape[joined-1] = size
			for k := range l.arrays {
				l.strides[k][joined-1] = st[k]
			}
			l.dims = joined
		}
		joined++
	}
	l.seek(0, l.total)
	return l
}

// follows reports whether steps of st continue the dimension found last.
func (l *loop) follows(joined int, st *[maxArrays]int) bool {
	for k := range l.arrays {
		if joined == 1 && st[k] != l.step[k]*l.n {
			return false
		}
		if joined > 1 && st[k] != l.strides[k][joined-2]*l.shape[joined-2] {
			return false
		}
	}
	return true
}

// seek moves the walk to the elements from lo up to hi, counted in row-major order.
func (l *loop) seek(lo, hi int) {
	l.left = hi - lo
	l.base = l.start
	if l.left <= 0 {
		return
	}
	l.col = lo % l.n
	lo /= l.n
	for d := range l.dims {
		i := lo % l.shape[d]
		lo /= l.shape[d]
		l.index[d] = i
		for k := range l.arrays {
			l.base[k] += i * l.strides[k][d]
		}
	}
}

// next gives the next piece of a row, at most limit elements: the offset of its first element in
// each array and its length, which is 0 at the end.
func (l *loop) next(limit int) (off [maxArrays]int, n int) {
	if l.left <= 0 {
		return off, 0
	}
	if l.col == l.n {
		l.advance()
	}
	n = min(l.n-l.col, l.left, limit)
	for k := range l.arrays {
		off[k] = l.base[k] + l.col*l.step[k]
	}
	l.col += n
	l.left -= n
	return off, n
}

// advance moves to the next row.
func (l *loop) advance() {
	l.col = 0
	for d := range l.dims {
		l.index[d]++
		if l.index[d] < l.shape[d] {
			for k := range l.arrays {
				l.base[k] += l.strides[k][d]
			}
			return
		}
		for k := range l.arrays {
			l.base[k] -= (l.shape[d] - 1) * l.strides[k][d]
		}
		l.index[d] = 0
	}
}

// direct reports whether array k is dense along rows and holds elements of type T.
func direct[T number](l *loop, k int, x *device.Array) bool {
	return l.step[k] == 1 && x.DType == dtypeOf[T]()
}

// rowsAlong returns how many rows lie along axis, and how many one piece of parallel work has.
func rowsAlong(x *device.Array, axis int) (rows, grain int) {
	rows = 1
	for d, s := range x.Shape {
		if d != axis {
			rows *= s
		}
	}
	return rows, max(1, grainMath/max(1, x.Shape[axis]))
}

// rowOffset returns where the i-th row along axis begins.
func rowOffset(a *device.Array, axis, i int) int {
	off, first := a.Offset, 0
	if axis == 0 {
		first = 1
	}
	for d := len(a.Shape) - 1; d > first; d-- {
		if d == axis || a.Shape[d] == 1 {
			continue
		}
		off += i % a.Shape[d] * a.Strides[d]
		i /= a.Shape[d]
	}
	if i == 0 { // there may be no dimension left
		return off
	}
	return off + i*a.Strides[first] // what is left is no larger, and divisions take long
}
