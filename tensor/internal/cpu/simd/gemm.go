package simd

import "unsafe"

// This file has the inner part of the matrix product. A panel is a piece of the right-hand matrix:
// k rows of [Panel] float32, one behind the other, with anything behind its last column. All strides
// are in bytes and may be negative, zero or odd.

// Panel is the number of columns of a panel.
const Panel = 32

// A Kernel says how many rows and columns of the result a micro-kernel keeps in registers.
type Kernel struct{ Rows, Cols int }

// kernels has the micro-kernel of each path.
var kernels = [...]Kernel{
	Go:         {4, Panel},
	NEON:       {6, 16},
	AVX2:       {6, 16},
	AVX512:     {14, Panel},
	AVX512BF16: {14, Panel},
}

// MicroKernel returns the shape of the micro-kernel in use. Blocks of rows are best multiples of
// its rows.
func MicroKernel() Kernel { return kernels[path] }

// A cut is how rows are cut into blocks: first blocks of rows, and rest of one row less.
type cut struct{ rows, first, rest int }

// evenly cuts m > 0 rows into blocks for the micro-kernel in use.
func evenly(m int) cut {
	size := kernels[path].Rows
	blocks := (m + size - 1) / size
	rows := (m + blocks - 1) / blocks
	rest := rows*blocks - m
	return cut{rows, blocks - rest, rest}
}

// blocks goes through the first row of each block and its number of rows.
func (c cut) blocks(yield func(i, rows int) bool) {
	i := 0
	for range c.first {
		yield(i, c.rows)
		i += c.rows
	}
	for range c.rest {
		yield(i, c.rows-1)
		i += c.rows - 1
	}
}

// MultiplyPanel computes c = a·b, or c += a·b if add, for m rows of float32 of a and n ≤ [Panel]
// columns of b. Element (i, p) of a lies i·rowA + p·colA behind a; rows of b and c are dense. The
// products of an element of c are summed from the first to the last and then added to c. Nothing is
// read or written beyond column n. If to is not nil rows go there then.
func MultiplyPanel(m, n, k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool, to *Result) {
	if m == 0 {
		return
	}
	size := kernels[path].Cols
	for j := 0; j < n; j += size {
		kernel(m, min(size, n-j), k, a, rowA, colA, unsafe.Add(b, j*4), rowB, unsafe.Add(c, j*4), rowC,
			add)
	}
	if to != nil {
		to.store(0, m, n, c, rowC)
	}
}

// MultiplyPairs is [MultiplyPanel] for bfloat16: an element of a and b is a pair of neighbours in
// the direction of the sum, and k counts pairs. Only [AVX512BF16] has it.
func MultiplyPairs(m, n, k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool, to *Result) {
	if m == 0 {
		return
	}
	kernelPairs(evenly(m), n, k, a, rowA, colA, b, rowB, c, rowC, add)
	if to != nil {
		to.store(0, m, n, c, rowC)
	}
}

// MultiplyTaps is [MultiplyPanel] for a matrix a whose columns are dense: column p begins offsets[p]
// bytes behind a. Convolutions have such matrices in the pictures that they read.
func MultiplyTaps(m, n int, offsets []int, a, b unsafe.Pointer, rowB int, c unsafe.Pointer, rowC int,
	add bool) {
	if m == 0 {
		return
	}
	size := kernels[path].Cols
	for j := 0; j < n; j += size {
		kernelTaps(m, min(size, n-j), len(offsets), a, unsafe.SliceData(offsets), unsafe.Add(b, j*4),
			rowB, unsafe.Add(c, j*4), rowC, add)
	}
}

// MultiplyTapPairs is [MultiplyTaps] for pairs of bfloat16, as [MultiplyPairs] has them.
func MultiplyTapPairs(m, n int, offsets []int, a, b unsafe.Pointer, rowB int, c unsafe.Pointer,
	rowC int, add bool) {
	if m == 0 {
		return
	}
	kernelTapsPairs(evenly(m), n, len(offsets), a, unsafe.SliceData(offsets), b, rowB, c, rowC,
		add)
}

// HasPairs reports whether the path in use has [MultiplyPairs] and [MultiplyTapPairs].
func HasPairs() bool { return path == AVX512BF16 }

// kernelGo is the plain Go twin of the micro-kernels.
func kernelGo(m, cols, k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool) {
	for i, rows := range evenly(m).blocks {
		blockGo(rows, cols, k, unsafe.Add(a, i*rowA), rowA, colA, b, rowB, unsafe.Add(c, i*rowC), rowC,
			add)
	}
}

func blockGo(rows, cols, k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool) {
	if !add {
		for i := range rows {
			clear(unsafe.Slice((*float32)(unsafe.Add(c, i*rowC)), cols))
		}
	}
	j := 0
	if rows == 4 {
		for ; j+2 <= cols; j += 2 {
			kernel4x2(k, a, rowA, colA, unsafe.Add(b, j*4), rowB, unsafe.Add(c, j*4), rowC)
		}
	}
	for ; j < cols; j++ {
		for i := range rows {
			var sum float32
			for p := range k {
				sum += *(*float32)(unsafe.Add(a, i*rowA+p*colA)) *
					*(*float32)(unsafe.Add(b, p*rowB+j*4))
			}
			*(*float32)(unsafe.Add(c, i*rowC+j*4)) += sum
		}
	}
}

// kernelTapsGo is the plain Go twin of the micro-kernels for taps: it copies some columns of a.
func kernelTapsGo(m, cols, k int, a unsafe.Pointer, offsets *int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int, add bool) {
	var columns [64][4]float32
	at := unsafe.Pointer(&columns)
	for i, rows := range evenly(m).blocks {
		for p := 0; p == 0 || p < k; p += len(columns) {
			n := min(k-p, len(columns))
			for j, off := range unsafe.Slice(offsets, k)[p : p+n] {
				copy(columns[j][:rows], unsafe.Slice((*float32)(unsafe.Add(a, off+4*i)), rows))
			}
			blockGo(rows, cols, n, at, 4, 16, unsafe.Add(b, p*rowB), rowB, unsafe.Add(c, i*rowC), rowC,
				add || p > 0)
		}
	}
}

// kernel4x2 adds to 4×2 elements of c. More sums at a time spill out of the registers of amd64.
func kernel4x2(k int, a unsafe.Pointer, rowA, colA int, b unsafe.Pointer, rowB int,
	c unsafe.Pointer, rowC int) {
	var c00, c01, c10, c11, c20, c21, c30, c31 float32
	a1, a2, a3 := unsafe.Add(a, rowA), unsafe.Add(a, 2*rowA), unsafe.Add(a, 3*rowA)
	at, below := 0, 0
	for range k {
		row := (*[2]float32)(unsafe.Add(b, below))
		b0, b1 := row[0], row[1]
		x := *(*float32)(unsafe.Add(a, at))
		c00 += x * b0
		c01 += x * b1
		x = *(*float32)(unsafe.Add(a1, at))
		c10 += x * b0
		c11 += x * b1
		x = *(*float32)(unsafe.Add(a2, at))
		c20 += x * b0
		c21 += x * b1
		x = *(*float32)(unsafe.Add(a3, at))
		c30 += x * b0
		c31 += x * b1
		at += colA
		below += rowB
	}
	for i, s := range [4][2]float32{{c00, c01}, {c10, c11}, {c20, c21}, {c30, c31}} {
		row := (*[2]float32)(unsafe.Add(c, i*rowC))
		row[0] += s[0]
		row[1] += s[1]
	}
}
