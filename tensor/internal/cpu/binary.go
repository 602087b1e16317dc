package cpu

import (
	"math"

	"halfnote/tensor/internal/cpu/pool"
	"halfnote/tensor/internal/device"
)

// Binary implements device.Backend.
func (Backend) Binary(op device.BinaryOp, out, a, b *device.Array) {
	if op < device.Eq && denseSingles(out, a, b) && out.Numel() <= grainMath {
		n := out.Numel()
		binaryRow(op, elems[float32](out, out.Offset, 1, n), elems[float32](a, a.Offset, 1, n),
			elems[float32](b, b.Offset, 1, n))
		return
	}
	l := makeLoop(out, a, b)
	grain := grainCheap
	switch op {
	case device.Pow, device.Atan2, device.Fmod, device.Remainder:
		grain = grainMath
	}
	if l.total <= grain {
		binaryRange(op, &l, out, a, b)
		return
	}
	binaryParallel(op, l, grain, out, a, b)
}

func binaryParallel(op device.BinaryOp, l loop, grain int, out, a, b *device.Array) {
	pool.Split(l.total, pieceSize(l.total, grain), func(lo, hi int) {
		part := l
		part.seek(lo, hi)
		binaryRange(op, &part, out, a, b)
	})
}

func binaryRange(op device.BinaryOp, l *loop, out, a, b *device.Array) {
	if op >= device.Eq {
		switch device.CompareIn(a.DType, b.DType) {
		case device.Float64:
			compare[float64](op, l, out, a, b)
		case device.Float32:
			compare[float32](op, l, out, a, b)
		default:
			compare[int64](op, l, out, a, b)
		}
		return
	}
	if binaryDense(op, l, out, a, b) {
		return
	}
	switch out.DType.ComputeIn() {
	case device.Float64:
		binary[float64](op, l, out, a, b)
	case device.Float32:
		binary[float32](op, l, out, a, b)
	default:
		binary[int64](op, l, out, a, b)
	}
}

// binaryKernels compute rows of out = op(a, b), op(x, c) and op(c, x).
type binaryKernels[E float32 | uint16] struct {
	rows        func(out, a, b []E)
	right, left func(out, x []E, c float32)
}

// binaryDense computes the elements of l by kernels on rows as they lie, and reports false where
// there is none for the op or the layout.
func binaryDense(op device.BinaryOp, l *loop, out, a, b *device.Array) bool {
	if place, ok := shortEncoding(out.DType); ok && int(op) < len(shortBinaries) {
		return shortBinaries[op][place].run(l, out, a, b)
	}
	if out.DType == device.Float32 && int(op) < len(singleBinaries) {
		return singleBinaries[op].run(l, out, a, b)
	}
	return false
}

func (k *binaryKernels[E]) run(l *loop, out, a, b *device.Array) bool {
	rowA, rowB := l.step[1] == 1 && a.DType == out.DType, l.step[2] == 1 && b.DType == out.DType
	right := l.step[2] == 0 && rowA && k.right != nil
	left := l.step[1] == 0 && rowB && k.left != nil
	if l.step[0] != 1 || !right && !left && !(rowA && rowB && k.rows != nil) {
		return false
	}
	for {
		off, n := l.next(l.n)
		if n == 0 {
			return true
		}
		ro := elems[E](out, off[0], 1, n)
		switch {
		case right:
			k.right(ro, elems[E](a, off[1], 1, n), number32(b, off[2]))
		case left:
			k.left(ro, elems[E](b, off[2], 1, n), number32(a, off[1]))
		default:
			k.rows(ro, elems[E](a, off[1], 1, n), elems[E](b, off[2], 1, n))
		}
	}
}

func binary[T number](op device.BinaryOp, l *loop, out, a, b *device.Array) {
	s, limit := borrow[T](!direct[T](l, 0, out) || !direct[T](l, 1, a) || !direct[T](l, 2, b), l.n)
	defer giveBack(s)
	for {
		off, n := l.next(limit)
		if n == 0 {
			return
		}
		ro := target(buffer[T](s, 0), out, off[0], l.step[0], n)
		binaryRow(op, ro, row(buffer[T](s, 1), a, off[1], l.step[1], n),
			row(buffer[T](s, 2), b, off[2], l.step[2], n))
		if !direct[T](l, 0, out) {
			store(out, off[0], l.step[0], ro)
		}
	}
}

// target returns the row of out that begins at off, or buf where out has no such rows.
func target[T number](buf []T, out *device.Array, off, stride, n int) []T {
	if out.DType == dtypeOf[T]() && stride == 1 {
		return elems[T](out, off, 1, n)
	}
	return buf[:n]
}

// number32 returns one element.
func number32(x *device.Array, off int) float32 {
	if x.DType == device.Float32 {
		return elems[float32](x, off, 1, 1)[0]
	}
	var v [1]float32
	load(v[:], x, off, 1)
	return v[0]
}

func binaryRow[T number](op device.BinaryOp, out, a, b []T) {
	a, b = a[:len(out)], b[:len(out)]
	if o, ok := single(out); ok && binarySingle(op, o, any(a).([]float32), any(b).([]float32)) {
		return
	}
	switch op {
	case device.Add:
		for i := range out {
			out[i] = a[i] + b[i]
		}
	case device.Sub:
		for i := range out {
			out[i] = a[i] - b[i]
		}
	case device.Mul:
		for i := range out {
			out[i] = a[i] * b[i]
		}
	case device.Div:
		for i := range out {
			out[i] = a[i] / b[i]
		}
	case device.Pow:
		for i := range out {
			out[i] = pow(a[i], b[i], float64(b[i]))
		}
	case device.Maximum:
		for i := range out {
			out[i] = max(a[i], b[i])
		}
	case device.Minimum:
		for i := range out {
			out[i] = min(a[i], b[i])
		}
	case device.ReLUGrad:
		for i := range out {
			out[i] = b[i]
			if a[i] <= 0 {
				out[i] = 0
			}
		}
	case device.TanhGrad:
		for i := range out {
			out[i] = b[i] * (1 - a[i]*a[i])
		}
	case device.SigmoidGrad:
		for i := range out {
			out[i] = b[i] * (1 - a[i]) * a[i]
		}
	case device.Atan2:
		for i := range out {
			out[i] = T(math.Atan2(float64(a[i]), float64(b[i])))
		}
	case device.Fmod:
		for i := range out {
			out[i] = fmod(a[i], b[i])
		}
	case device.Remainder:
		for i := range out {
			r := fmod(a[i], b[i])
			if r != 0 && (r < 0) != (b[i] < 0) {
				r += b[i]
			}
			out[i] = r
		}
	}
}

// pow returns aᵇ, where b as a number of any kind is p. Integers wrap around, as in products, and
// those of negative powers lose their fraction.
func pow[T number](a, b T, p float64) T {
	x, ok := any(a).(int64)
	if !ok {
		return T(math.Pow(float64(a), p))
	}
	n := any(b).(int64)
	if n < 0 {
		switch {
		case x == 1 || x == -1 && n%2 == 0:
			return 1
		case x == -1:
			return a
		}
		return 0
	}
	y := int64(1)
	for ; n > 0; n /= 2 {
		if n%2 == 1 {
			y *= x
		}
		x *= x
	}
	return T(y)
}

// fmod is exact for all three types.
func fmod[T number](a, b T) T {
	if a, ok := any(a).(int64); ok {
		return T(a % any(b).(int64))
	}
	return T(math.Mod(float64(a), float64(b)))
}

func compare[T number](op device.BinaryOp, l *loop, out, a, b *device.Array) {
	s, limit := borrow[T](true, l.n)
	defer giveBack(s)
	var spare [scratchBytes / 4]bool
	for {
		off, n := l.next(limit)
		if n == 0 {
			return
		}
		ra := row(buffer[T](s, 1), a, off[1], l.step[1], n)
		rb := row(buffer[T](s, 2), b, off[2], l.step[2], n)
		if l.step[0] == 1 {
			compareRow(op, elems[bool](out, off[0], 1, n), ra, rb)
			continue
		}
		compareRow(op, spare[:n], ra, rb)
		storeBools(out, off[0], l.step[0], spare[:n])
	}
}

func storeBools(out *device.Array, off, stride int, src []bool) {
	dst := elems[bool](out, off, stride, len(src))
	for i, j := 0, 0; i < len(src); i, j = i+1, j+stride {
		dst[j] = src[i]
	}
}

func compareRow[T number](op device.BinaryOp, out []bool, a, b []T) {
	a, b = a[:len(out)], b[:len(out)]
	if a, ok := single(a); ok && compareSingle(op, out, a, any(b).([]float32)) {
		return
	}
	switch op {
	case device.Eq:
		for i := range out {
			out[i] = a[i] == b[i]
		}
	case device.Ne:
		for i := range out {
			out[i] = a[i] != b[i]
		}
	case device.Lt:
		for i := range out {
			out[i] = a[i] < b[i]
		}
	case device.Le:
		for i := range out {
			out[i] = a[i] <= b[i]
		}
	case device.Gt:
		for i := range out {
			out[i] = a[i] > b[i]
		}
	case device.Ge:
		for i := range out {
			out[i] = a[i] >= b[i]
		}
	case device.And:
		for i := range out {
			out[i] = a[i] != 0 && b[i] != 0
		}
	case device.Or:
		for i := range out {
			out[i] = a[i] != 0 || b[i] != 0
		}
	case device.Xor:
		for i := range out {
			out[i] = (a[i] != 0) != (b[i] != 0)
		}
	}
}
