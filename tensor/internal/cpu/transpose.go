package cpu

import (
	"unsafe"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/cpu/simd"
	"halfnote/tensor/internal/device"
)

// This file copies transposed matrices: by tiles, which stay in the first-level cache while their
// lines are read and written piece by piece.

// stripRows is the number of rows of out in a stripRows; it has simd.Panel columns.
const stripRows = 64

// transposed reports whether rows of out, which are dense, are dense columns in x.
func transposed(l *loop, out, x *device.Array) bool {
	return out.DType == x.DType && (out.DType.Size() == 4 || out.DType.Size() == 2) &&
		l.dims > 0 && l.step[0] == 1 && l.step[1] > 1 && l.strides[1][0] == 1
}

// transpose copies x to out, matrix by matrix of the other dimensions.
func transpose(l loop, out, x *device.Array) {
	rows := l.shape[0]
	strips := (rows + stripRows - 1) / stripRows
	pool.Run(l.total/(rows*l.n)*strips, func(i int) {
		off := l.start
		rest := i / strips
		for d := 1; d < l.dims; d++ {
			for k := range 2 {
				off[k] += rest % l.shape[d] * l.strides[k][d]
			}
			rest /= l.shape[d]
		}
		lo := i % strips * stripRows
		to, from := off[0]+lo*l.strides[0][0], off[1]+lo
		n := min(stripRows, rows-lo)
		transposeStrip(out, x, to, from, l.strides[0][0], l.step[1], n, l.n)
	})
}

// transposeStrip copies n rows of out, which are so elements apart, from n elements of each of the
// columns of x, which are sx apart. Elements of 16 bits are the upper halves of those in the panel.
func transposeStrip(out, x *device.Array, to, from, so, sx, n, columns int) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	panel := unsafe.Slice((*float32)(unsafe.Pointer(s)), stripRows*simd.Panel)
	size, format := x.DType.Size(), simd.Float
	if size == 2 {
		format = simd.BFloat
	}
	for c := 0; c < columns; c += simd.Panel {
		width := min(simd.Panel, columns-c)
		simd.PackColumns(&panel[0], format, unsafe.Add(x.Data, (from+c*sx)*size), sx*size, n, width)
		for r := range n {
			line, at := panel[r*simd.Panel:][:width], to+r*so+c
			if size == 4 {
				copy(elems[float32](out, at, 1, width), line)
			} else {
				simd.Upper(elems[uint16](out, at, 1, width), line)
			}
		}
	}
}
